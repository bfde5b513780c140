"""What works without the optional packages, and what is said where one is missing."""

import json
import subprocess
import sys

from footway.extras import EXTRAS

WITHOUT = f"""
import sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(EXTRAS)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Missing())
from footway.cli import main
"""

RUN = """
import contextlib, io, json

results = []
for arguments in json.loads(sys.argv[1]):
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = main(arguments)
    results.append((code, errors.getvalue()))
print(json.dumps(results))
"""

PATH = ("path", "gallery:field", "--start", "2,3", "--goal", "44,44")


def footway(*commands, cwd):
    """Run commands in one process: exit code and standard error of each."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + RUN, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
    )
    return json.loads(done.stdout)


def test_paths_crowds_scenarios_and_recordings_need_no_extra(tmp_path):
    done = footway(
        PATH,
        ("simulate", "demo:corridor", "--seconds", "1", "-o", "run.parquet"),
        ("export", "run.parquet", "-o", "run.sqlite"),
        cwd=tmp_path,
    )
    assert [code for code, _ in done] == [0, 0, 0], done
    assert (tmp_path / "run.sqlite").stat().st_size > 0


def test_compiled_kernels_are_the_same_with_and_without_extras():
    """A core installation uses the kernels that were shipped or compiled with all extras."""
    code = "from footway._numba import keys\nprint(keys._environment(), keys._settings())"
    block = WITHOUT.partition("from footway.cli")[0]
    with_extras, without = (
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        for text in (code, block + code)
    )
    assert with_extras.stdout == without.stdout


MISSING = [
    ((*PATH, "--plot", "a.png"), 'pictures need Matplotlib: pip install "footway[plot]"'),
    (("check", "map.png", "--scale", "1"), 'images need Pillow: pip install "footway[images]"'),
    (("studio",), "the studio needs "),
    (("build", "a.obj", "--between", "0,1"), 'pip install "footway[mesh]"'),
]


def test_a_missing_extra_is_one_line(tmp_path):
    (tmp_path / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    done = footway(*(arguments for arguments, _ in MISSING), cwd=tmp_path)
    for (code, errors), (_, line) in zip(done, MISSING, strict=True):
        assert code == 2
        assert line in errors
        assert len(errors.splitlines()) == 1


def test_a_notebook_shows_words_where_it_cannot_draw():
    code = WITHOUT.partition("from footway.cli")[0] + (
        "import footway as fw\n"
        "room = fw.Environment.from_polygons(bounds=(0, 0, 4, 4))\n"
        "print(room._repr_html_(), room._repr_png_())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None None\n"


def test_what_has_no_extra_is_not_explained():
    code = (
        "from footway.extras import optional_imports\nwith optional_imports():\n    import nowhere"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'nowhere'"
