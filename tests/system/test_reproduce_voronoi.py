"""`footway reproduce voronoi` as a user runs it, small."""

import pytest

from tests.system.reproduced import Reproduced, run_once

pytestmark = pytest.mark.slow  # tests/unit/reproduce has its parts

made = run_once("voronoi")


class TestReport(Reproduced):
    pictures = (
        *(f"voronoi-figure-{number}.png" for number in (1, 3, 4, 5, 6, 7, 8, 9, 11)),
        "voronoi-looking-ahead.png",
    )


def test_there_is_a_section_for_every_figure(made):
    assert len(made.sections) == 7


def test_published_times_stand_beside_ours(made):
    building = made.table("Building a smooth roadmap")
    assert building["columns"][2:4] == ["paper, s", "ours, s"]
    assert [row[2] for row in building["rows"]] == [1.0, 1.0]
    assert made.rows("Query times")[0][1:4] == [1000, 3000, "< 10"]


def test_roadmaps_are_smooth_and_far_from_walls(made):
    for row in made.rows("Building a smooth roadmap"):
        *_, cycles, holes, edges, blends, corner = row
        assert cycles >= holes
        assert float(edges) >= 0.25
        assert float(blends) >= 0.25
        assert float(corner) <= 1e-6
