"""What the documents show works: every block of Python, and every command of the README."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from footway.cli import main
from footway.scenario import parse_scenario

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = [file for file in DOCUMENTS if file.stem not in ("studio", "measured")]
"""Documents that show Python; the studio is for hands and eyes, and one is a table."""
README = DOCUMENTS[0].read_text(encoding="utf-8")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(text):
    """Commands of `footway` in blocks that are indented, without the remarks behind them."""
    lines = re.findall(r"^    footway (.*)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_python(file, tmp_path, monkeypatch):
    """Blocks of one document are one program: later ones use what earlier ones made."""
    monkeypatch.chdir(tmp_path)
    program = blocks(file.read_text(encoding="utf-8"), "python")
    assert program
    names = {"__name__": "document"}
    for number, block in enumerate(program):
        exec(compile(block, f"{file.name}, block {number}", "exec"), names)


def test_commands_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    shutil.copy(ROOT / "examples" / "hall.geojson", "plan.geojson")
    (scenario,) = blocks(README, "toml")
    Path("office.toml").write_text(scenario)
    found = [command for command in commands(README) if command[0] != "studio"]  # it serves on
    assert {"path", "check", "build", "simulate", "export"} <= {command[0] for command in found}
    for command in found:
        short = ["--seconds", "3"] if command[0] == "simulate" else []
        assert main([*command, *short]) == 0, (command, capsys.readouterr().err)


def test_the_scenario_of_the_readme_is_valid():
    (scenario,) = blocks(README, "toml")
    assert parse_scenario(scenario).population[0].then == "exit"


@pytest.mark.parametrize("file", [*DOCUMENTS, *sorted(ROOT.glob("*.md"))], ids=lambda f: f.stem)
def test_links_lead_somewhere(file):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", file.read_text(encoding="utf-8"))
    for link in links:
        assert link.startswith("https://") or (file.parent / link).exists(), link


def test_modules_of_the_architecture_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    mentioned = set(re.findall(r"`([\w/.]+\.(?:py|ts))`", text))
    files = [str(file) for file in ROOT.rglob("*.[pt][ys]") if "node_modules" not in file.parts]
    assert len(mentioned) > 50
    assert [name for name in mentioned if not any(f.endswith(f"/{name}") for f in files)] == []
