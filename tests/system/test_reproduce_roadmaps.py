"""`footway reproduce roadmaps` as a user runs it, small."""

import pytest

from tests.system.reproduced import Reproduced, run_once

pytestmark = pytest.mark.slow  # tests/unit/reproduce has its parts

made = run_once("roadmaps")


class TestReport(Reproduced):
    pictures = (
        *(f"roadmaps-figure-{number}.png" for number in (1, 2, 3)),
        "roadmaps-figure-5-field.png",
        "roadmaps-figure-5-house.png",
        "roadmaps-figure-6-field.png",
    )


def test_shortest_path_factors_are_no_worse_than_published(made):
    (table_ii,) = (s for s in made.sections if s["title"].startswith("Table II:"))
    for table in table_ii["tables"]:
        star = next(row for row in table["rows"] if row[0] == "RRM*")
        assert float(star[8]) <= float(star[7]), table["title"]
