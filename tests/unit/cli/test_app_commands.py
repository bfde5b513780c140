import pytest

import footway as fw
from footway.cli.commands.warmup import PARTS
from footway.environment import gallery


def test_gallery_lists_every_map(footway):
    out = footway("gallery").printed
    for name in gallery.names():
        assert f"gallery:{name}" in out
    rows = footway("gallery", "--json").json["maps"]
    assert [row["name"] for row in rows] == [f"gallery:{name}" for name in gallery.names()]


def test_warmup_says_how_long_it_took(footway, monkeypatch):
    monkeypatch.setattr("footway._numba.jit.thread_count", lambda: 1)  # another process costs time
    monkeypatch.setattr("footway.cli.commands.warmup.PARTS", PARTS[:1])  # all: `test_warmup`
    answer = footway("warmup", "--json").json
    assert answer["times_ms"]["warmup"] > 0
    out = footway("warmup").printed
    assert "ms" in out


def test_version_and_help(footway):
    assert footway("--version").out == f"footway {fw.__version__}\n"
    for arguments in ((), ("--help",), ("-h",)):
        result = footway(*arguments)
        assert result.code == 0
        assert "Usage: footway" in result.out


@pytest.mark.parametrize(
    "command",
    [
        *("build", "edit", "path", "check", "simulate", "export"),
        *("demo", "reproduce", "validate", "gallery", "warmup"),
    ],
)
def test_every_command_has_help(footway, command):
    out = footway(command, "--help").printed
    assert f"Usage: footway {command}" in out


def test_help_says_how_long_experiments_take(footway):
    assert "takes minutes" in footway("reproduce", "roadmaps", "--help").out
