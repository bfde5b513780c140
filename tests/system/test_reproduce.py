"""`footway reproduce` as a user runs it, small."""

import pytest

from footway.cli import main
from tests.system.reproduced import Reproduced, run_once

made = run_once("cmm")
slow = pytest.mark.slow  # tests/unit/reproduce has its parts; a table in `make test` is miran


@slow
class TestReport(Reproduced):
    pictures = (
        *(f"cmm-figure-{number}.png" for number in (1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13)),
        *(f"cmm-figure-7-{name}.png" for name in ("game", "field")),
        "cmm-crowds-figure-3.png",
    )


@slow
def test_published_numbers_stand_beside_ours(made):
    assert [row[1] for row in made.rows("Game")][:5] == [274.0, None, None, 1051.0, 0.26]
    assert [row[1] for row in made.rows("Field")][:5] == [74.0, None, None, 285.0, 0.26]
    ranges = {row[0]: row[1] for row in made.rows("Range of query times")}
    assert list(ranges.values()) == ["11 to 12", "5 to 8", "25 to 32", "10 to 66"]
    assert [row[1] for row in made.rows("City")][:5] == [1.19, 1.8, None, 260.0, 0.00069]
    for name in ("Game: one long query", "Field: one long query"):
        assert [row[5] for row in made.rows(name)] == ["1x", "", "2x", "", "", "12x"]


@slow
def test_shortcuts_make_paths_shorter(made):
    for name in ("Game: one long query", "Field: one long query"):
        lengths = [row[1] for row in made.rows(name)]
        assert lengths[-1] < lengths[0]


def test_an_unknown_table_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main(["reproduce", "cmm", "nope", "-o", str(tmp_path / "none")]) == 2
    done = capsys.readouterr()
    assert done.out == ""
    tables = "cmm, crowds, miran, roadmaps, voronoi"
    assert done.err == f"footway: there is no table 'nope' to reproduce; there are {tables}\n"
    assert not (tmp_path / "none").exists()


def test_the_list_names_every_table(capsys):
    assert main(["reproduce", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["cmm", "crowds", "miran", "roadmaps", "voronoi"]
