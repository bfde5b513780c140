"""`load`: choice of the format, and errors for files that are not maps."""

from __future__ import annotations

import compileall
import gc
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import footway as fw
from footway.formats import registry
from tests.unit.formats.files import SQUARE, collection, feature

WKT = "POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))"
GRID = "type octile\nheight 10\nwidth 10\nmap\n" + 10 * (10 * "." + "\n")
JSON = collection(feature([SQUARE]))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.wkt", WKT),
        ("a.WKT", WKT),
        ("a.geojson", JSON),
        ("a.json", JSON),
        ("a.map", GRID),
        ("a.txt", "\ufeff\n " + WKT.lower()),
        ("a", JSON),
        ("a.dat", GRID),
    ],
)
def test_by_suffix_or_content(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    env = fw.load(path)
    assert env.area == 100
    assert env.name == "a"
    assert fw.load(str(path)).area == 100


def test_gallery():
    assert fw.load("gallery:field").area > 1000
    with pytest.raises(fw.BadInput, match="nowhere"):
        fw.load("gallery:nowhere")
    with pytest.raises(fw.BadFile, match="galery:office: does not exist; did you mean 'gallery:of"):
        fw.load("galery:office")


def test_scale_is_metres_per_unit(tmp_path):
    for name, content in [("a.wkt", WKT), ("a.geojson", JSON), ("a.map", GRID)]:
        (tmp_path / name).write_text(content)
        assert fw.load(tmp_path / name, scale=0.5).bounds == (0, 0, 5, 5)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "big"])
def test_bad_scale(tmp_path, scale):
    with pytest.raises(fw.BadInput, match="scale"):
        fw.load(tmp_path / "a.wkt", scale=scale)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b" \n\n", "is empty"), (b"\x00\x01\x02", "unknown kind")],
)
@pytest.mark.parametrize("name", ["a.bin", "a"])
def test_files_of_no_kind(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(fw.BadFile, match=message) as caught:
        fw.load(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(fw.BadFile, match="does not exist"):
        fw.load(tmp_path / "none.geojson")
    with pytest.raises(fw.BadFile, match=r": is a directory"):
        fw.load(tmp_path)
    with pytest.raises(fw.BadFile, match="give its name"):
        fw.load("a\0b.wkt")
    with pytest.raises(fw.BadFile, match="give its name"):
        fw.load(5)
    with pytest.raises(fw.BadFile, match=r"give its name|cannot be read: Not a dir"):
        fw.load("x" * 5000 + ".wkt")


def test_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.wkt")
    with pytest.raises(fw.BadFile, match="not a regular file"):
        fw.load(tmp_path / "a.wkt")


def test_unreadable_file(tmp_path, monkeypatch):
    (tmp_path / "a.wkt").write_text(WKT)

    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(fw.BadFile, match="cannot be read: Permission denied"):
        fw.load(tmp_path / "a.wkt")


def test_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "a.geojson"
    with path.open("wb") as file:
        file.truncate(600 * 2**20)  # sparse: takes no space
    with pytest.raises(fw.BadFile, match="600 MiB, more than the 512 MiB"):
        fw.load(path)


def test_picture_without_description(tmp_path):
    (tmp_path / "map.pgm").write_bytes(b"P5\n1 1\n255\n\xff")
    with pytest.raises(fw.BadFile, match=r"give the \.yaml"):
        fw.load(tmp_path / "map.pgm")


def test_declarations_are_read_without_importing_the_modules():
    """A module that declares a format is a format: nothing else lists it."""
    folder = Path(registry.__file__).parent
    declaring = {file.stem for file in folder.glob("*.py") if "\nFORMAT: " in file.read_text()}
    found = {item.module.rpartition(".")[2]: item for item in registry._built_in()}
    assert set(found) == declaring
    for item in found.values():
        assert import_module(item.module).FORMAT._replace(module=item.module) == item
    suffixes = [suffix for item in found.values() for suffix in item.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    code = (
        "import sys; from footway.formats.registry import list_formats; list_formats()\n"
        "print(*{'numpy', 'shapely'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code]).split() == []


def test_formats_are_found_without_sources(tmp_path):
    """A frozen program has compiled modules only."""
    copy = shutil.copytree(Path(fw.__file__).parent, tmp_path / "footway")
    assert compileall.compile_dir(copy / "formats", quiet=1, legacy=True)
    for file in (copy / "formats").glob("*.py"):
        file.unlink()
    code = "from footway.formats.registry import list_formats; print(list_formats(), end='')"
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    printed = subprocess.check_output([sys.executable, "-c", code], env=env, text=True)
    assert printed == registry.list_formats()


PLUGIN = """
from footway.formats.registry import Format

FORMAT = Format("own squares", (".own",), starts=(b"square",))

def load(path, scale):
    from footway.environment import Environment

    side = float(path.read_text().split()[1]) * (scale or 1.0)
    return Environment.from_polygons(bounds=(0, 0, side, side), name=path.stem)
"""


class TestFormatsOfOtherPackages:
    """An entry point of the group `footway.formats` adds a format."""

    @pytest.fixture
    def install(self, monkeypatch, tmp_path):
        """Return a function that installs a package with one module, which defines FORMAT."""

        def install(code):
            about = tmp_path / "site" / "own_squares-1.0.dist-info"
            about.mkdir(parents=True)
            (about / "METADATA").write_text(
                "Metadata-Version: 2.1\nName: own-squares\nVersion: 1.0\n"
            )
            (about / "entry_points.txt").write_text("[footway.formats]\nown = own_squares:FORMAT\n")
            (tmp_path / "site" / "own_squares.py").write_text(code)
            monkeypatch.syspath_prepend(tmp_path / "site")
            monkeypatch.delitem(sys.modules, "own_squares", raising=False)

        yield install
        sys.modules.pop("own_squares", None)

    def test_loads_by_suffix_and_start(self, install, tmp_path):
        install(PLUGIN)
        for name in ("a.own", "a.unknown"):
            (tmp_path / name).write_text("Square 4")
            assert fw.load(tmp_path / name).area == 16
        assert fw.load(tmp_path / "a.own", scale=0.5).area == 4
        with pytest.raises(fw.BadInput, match="is a plan"):
            fw.load(tmp_path / "a.own", between=(0, 1))
        (tmp_path / "b.bin").write_text("?")
        with pytest.raises(fw.BadFile, match=r"known are .*, own squares \(\.own\), or gallery"):
            fw.load(tmp_path / "b.bin")

    def test_can_be_uploaded(self, install):
        from footway.studio.files.loading import clean_name

        with pytest.raises(fw.BadInput, match="cannot be uploaded"):
            clean_name("a.own")
        install(PLUGIN)
        assert clean_name("a.own") == "a.own"
        assert registry.content_of("a.OWN") == "plan"

    def test_missing_requirement_names_the_package_to_install(self, install, tmp_path):
        install(PLUGIN.replace("starts=", 'module="no_such", extra="own-squares[all]", starts='))
        with pytest.raises(fw.BadInput, match=r'own squares needs no_such: pip .*\[all\]"'):
            fw.load(tmp_path / "a.own")

    def test_broken_package_is_named_and_built_in_formats_work(self, install, tmp_path):
        install("")
        (tmp_path / "a.wkt").write_text(WKT)
        assert fw.load(tmp_path / "a.wkt").area == 100
        assert registry.content_of("gallery:house") == ""
        with pytest.raises(fw.BadInput, match=r"map format 'own' .*cannot be imported"):
            fw.load(tmp_path / "a.own")


def test_a_saved_map_is_a_format_that_load_refuses(tmp_path):
    file = tmp_path / "plan.fwmap"
    file.write_bytes(b"anything")
    assert registry.content_of("PLAN.FWMAP") == "saved"
    assert ".fwmap" in registry.plans_in_one_file()
    assert "(.fwmap)" in registry.list_formats()
    with pytest.raises(fw.BadInput, match=r"is a saved map; read it with CorridorMap.load"):
        fw.load(file)


@pytest.mark.parametrize("is_on", [True, False])
def test_the_garbage_collector_is_left_as_it_was(is_on, tmp_path):
    (file := tmp_path / "room.wkt").write_text("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))")
    before = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        fw.load(file)
        assert gc.isenabled() == is_on
    finally:
        (gc.enable if before else gc.disable)()
