"""Options: parsed values, and output files that are checked before work is done for them."""

import pytest

import footway as fw
from footway.cli.options import check_different


def test_two_names_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.png").symlink_to("a.png")
    for other in ("a.png", "./a.png", "no/../a.png", str(tmp_path / "a.png"), "link.png"):
        with pytest.raises(fw.BadInput, match="two outputs have this name") as error:
            check_different(["b.png", "a.png", other])
        assert str(error.value).startswith(f"{other}: ")


def test_different_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_different([])
    check_different(["a.png", "a.gif", "no/a.png", "nul\0.png"])
