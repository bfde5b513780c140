"""Claims of the papers: verdicts, what makes a run fail, and the page docs/papers.md."""

import json
import runpy
import tomllib
from importlib import import_module
from inspect import signature
from operator import attrgetter
from pathlib import Path

import pytest

import footway as fw
from footway.errors import BadInput
from footway.reproduce import EXPERIMENTS, claims
from footway.reproduce.claims import (
    apart,
    broken,
    less,
    less_time,
    more,
    read_claims,
    stated,
    table_of,
)
from footway.reproduce.report import Picture, Report, Section
from footway.scenario import models

ROOT = Path(__file__).parents[3]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "make_papers.py"))
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")


@pytest.fixture
def known(tmp_path, monkeypatch):
    """A file of verdicts for one report."""

    def write(**verdicts):
        lines = [f'"x, table 1: {what}" = "{verdict}"' for what, verdict in verdicts.items()]
        file = tmp_path / "verdicts.toml"
        file.write_text("[here]\n" + "\n".join(lines))
        monkeypatch.setattr(claims, "FILE", file)

    return write


@pytest.mark.parametrize(
    ("ours", "verdict"), [(50.0, "better"), (96.0, "same"), (104.0, "same"), (110.0, "worse")]
)
def test_less_time_is_better(ours, verdict):
    assert less("x, table 1", "ms", 100.0, ours).verdict == verdict


def test_more_clearance_is_better():
    assert more("x", "m", 1.0, 2.0).verdict == "better"
    assert more("x", "m", 2.0, 1.0).verdict == "worse"
    assert more("x", "m", 0.0, 0.0).verdict == "same"


def test_statements_hold_or_do_not():
    assert stated("x", "smooth", "yes", held=True).verdict == "same"
    assert stated("x", "smooth", "no", held=False, why="a corner").verdict == "worse"


def test_a_claim_that_got_worse_is_named(known):
    known(ms="better")
    assert broken("here", [less("x, table 1", "ms", 100.0, 10.0)], whole=True) == []
    (words,) = broken("here", [less("x, table 1", "ms", 100.0, 100.0)], whole=True)
    assert words == "x, table 1: ms: was better, is same (published 100, ours 100)"
    (words,) = broken("here", [apart("x, table 1", "ms", 100, 10, why="other")], whole=True)
    assert "is not comparable" in words


def test_a_quick_run_judges_no_times(known):
    known(ms="better", m="better")
    time, length = less_time("x, table 1", "ms", 1.0, 9.0), less("x, table 1", "m", 1.0, 9.0)
    assert len(broken("here", [time, length], whole=True)) == 2
    (words,) = broken("here", [time, length], whole=False)
    assert words.startswith("x, table 1: m: was better, is worse")


def test_a_claim_that_got_better_is_fine(known):
    known(ms="worse")
    assert broken("here", [less("x, table 1", "ms", 100.0, 10.0)], whole=True) == []


def test_a_claim_without_a_verdict_is_named(known):
    known()
    (words,) = broken("here", [less("x, table 1", "ms", 100.0, 10.0)], whole=True)
    assert "add it to verdicts.toml: better" in words


def test_a_whole_run_measures_every_claim(known):
    known(ms="better", m="same")
    found = [less("x, table 1", "ms", 100.0, 10.0)]
    assert broken("here", found, whole=False) == []
    assert broken("here", found, whole=True) == ["x, table 1: m: no longer measured"]


def test_the_table_has_a_row_and_a_file_for_every_claim(tmp_path):
    claim = less("x, table 1", "ms", 100.0, 10.0, printed=20.0, why="newer machine")
    sections = [
        Section("One", "x", [], [Picture("x.png", "seen")], claims=[claim]),
        Section("Two", "x", [], claims=[apart("x", "m", 1, 2, why="other")]),
    ]
    report = Report("cmm", "", {}, sections)
    assert [each.file for each in report.claims] == ["x.png", "cmm.md"]
    table = table_of(report.claims)
    assert table.rows[0][2:6] == (100.0, 20.0, 10.0, "better: newer machine")
    assert "2 claims: 1 better, 0 same, 0 worse, 1 not comparable" in table.note
    with pytest.raises(BadInput, match="has no report: run"):
        read_claims(tmp_path)
    (tmp_path / "cmm.json").write_text(json.dumps(report.to_dict()))
    assert read_claims(tmp_path) == report.claims
    (tmp_path / "crowds.json").write_text("[")
    with pytest.raises(BadInput, match="cannot be read"):
        read_claims(tmp_path)


def test_the_committed_verdicts_belong_to_experiments():
    found = tomllib.loads(claims.FILE.read_text(encoding="utf-8"))
    assert set(found) == set(EXPERIMENTS)
    verdicts = {verdict for table in found.values() for verdict in table.values()}
    assert verdicts <= {"better", "same", "worse", "not comparable"}
    assert sum(map(len, found.values())) > 100


# docs/papers.md


@pytest.mark.parametrize("choice", SCRIPT["CHOICES"], ids=lambda choice: choice.what)
def test_choices_have_one_name_everywhere(choice):
    function, parameter = choice.python.split()
    assert parameter in signature(attrgetter(function)(fw)).parameters
    names = {parameter}
    if choice.command:
        command, option = choice.command.split()
        called = getattr(import_module(f"footway.cli.commands.{command}"), command)
        assert option in signature(called).parameters
        names.add(option)
    if choice.scenario:
        table, key = choice.scenario.split()
        assert key in getattr(models, table).model_fields
        names.add(key)
    # A switch says what it turns off, and an option that is repeated is a verb.
    assert len(names) == 1 or names in ({"improve", "no_improve"}, {"preferences", "prefer"})


def test_the_page_lists_the_choices():
    assert "\n".join(SCRIPT["choices"]()) in PAGE, "run make reproduce"


@pytest.mark.parametrize("paper", SCRIPT["PAPERS"], ids=lambda paper: paper.name)
def test_every_function_exists_and_the_table_is_current(paper):
    assert len(paper.elements) >= 8
    for element in paper.elements:
        for name in element.functions.split():
            found, file = SCRIPT["resolve"](name)
            assert callable(found) or isinstance(found, type), name
            assert file.is_relative_to(ROOT / "src" / "footway")
    assert "\n".join(SCRIPT["definitions"](paper)) in PAGE, "run make reproduce"


def test_a_function_that_does_not_exist_is_found():
    for name in ("follow.cmm.nothing", "nothing.at.all"):
        with pytest.raises(AttributeError, match="nothing"):
            SCRIPT["resolve"](name)


def test_every_claim_is_on_the_page():
    verdicts = tomllib.loads(claims.FILE.read_text(encoding="utf-8"))
    names = [name for table in verdicts.values() for name in table]
    missing = [name for name in names if f"| {name.split(', ', 1)[1]} |" not in PAGE]
    assert missing == []


def test_claims_of_reports_that_were_not_run_stay(tmp_path):
    """Of the report in the folder, only what it says is on the page; of the others, all."""
    claim = less("miran-2013, table 1", "new", 100.0, 10.0)
    report = Report("miran", "", {}, [Section("One", "x", [], claims=[claim])])
    (tmp_path / "miran.json").write_text(json.dumps(report.to_dict()))
    lines = {
        paper.name: SCRIPT["claims"](paper, tmp_path, PAGE)[2:-1] for paper in SCRIPT["PAPERS"]
    }
    assert [line.split(" | ")[0] for line in lines.pop("miran-2013")] == ["| table 1: new"]
    verdicts = tomllib.loads(claims.FILE.read_text(encoding="utf-8"))
    others = [name for report, table in verdicts.items() if report != "miran" for name in table]
    assert sum(map(len, lines.values())) == len(others)
    assert all(line in PAGE for rows in lines.values() for line in rows)
