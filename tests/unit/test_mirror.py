"""tests/unit mirrors src: test files are named test_MODULE.py or test_MODULE_ASPECT.py."""

from pathlib import Path

UNIT = Path(__file__).parent
SOURCES = UNIT.parents[1] / "src" / "footway"


def is_named_after_a_module(file):
    folder = SOURCES / file.parent.relative_to(UNIT)
    words = file.stem.split("_")[1:]
    names = ["_".join(words[:n]) for n in range(1, len(words) + 1)]
    places = (folder, folder / "kernels")
    return any((p / f"{n}.py").is_file() or (p / n).is_dir() for p in places for n in names)


def test_every_test_file_is_named_after_a_module():
    files = sorted(UNIT.glob("*/**/test_*.py"))
    assert len(files) > 100
    assert [str(f.relative_to(UNIT)) for f in files if not is_named_after_a_module(f)] == []
