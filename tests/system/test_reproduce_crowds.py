"""`footway reproduce crowds` as a user runs it, small."""

import pytest

from tests.system.reproduced import Reproduced, run_once

pytestmark = pytest.mark.slow  # tests/unit/reproduce has its parts

made = run_once("crowds")


class TestReport(Reproduced):
    pictures = (
        "crowds-figure-4.png",
        "crowds-figure-5.png",
        "crowds-groups-figure-10.png",
        "crowds-wandering.png",
        "crowds-lanes.png",
        "crowds-lanes-order.png",
    )


def test_every_crowd_has_a_load(made):
    found = made.rows("CPU load by")
    assert [row[0] for row in found] == ["100", "1,000", "3,000"]
    assert all(row[4] > 0.0 for row in found)
    assert all(0.5 < row[7] <= 1.2 for row in found)


def test_groups_of_both_papers_are_there(made):
    assert [row[0] for row in made.rows("Dispersion by g_w")] == [
        "(a) g_w = 30, g_A = 1000",
        "(b) g_w = 3, g_A = 1000",
        "(c) g_w = 3, g_A = 60",
    ]
    assert len(made.rows("Dispersion by its bounds")) == 4
    assert [row[:2] for row in made.rows("CPU load of one group")] == [
        ["50", 1.0],
        ["75", 1.0],
        ["100", 1.0],
    ]


def test_all_arrive_in_lanes(made):
    names, *columns = zip(*made.rows("A corridor 4 m wide"), strict=True)
    for column in columns:
        found = dict(zip(names, column, strict=True))
        assert found["all arrived after, s"] is not None
        assert found["order of lanes, mean"] > found["the same by chance"]
