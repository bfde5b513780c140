"""Details of `footway reproduce miran`; the whole of it is a system test."""

import dataclasses

import numpy as np
import pytest

from footway.reproduce.miran import road, times, village, woods
from footway.reproduce.miran.setup import (
    ADULT,
    CHILD,
    CITIZEN,
    FINE,
    FULL,
    LOOP,
    LOOP_BEGIN,
    LOOP_END,
    POINT,
    QUICK,
    REGIONS,
    ROAD,
    ROWS,
    VILLAGE,
    city,
    faults,
    route_of,
    rows_of,
    verdict,
    walk,
)
from footway.reproduce.timing import Timing


@pytest.fixture(scope="module")
def sigmas():
    return {row.sigma: walk(row, step=FINE) for row in rows_of(VILLAGE)}


@pytest.fixture(scope="module")
def both():
    return {row.method: walk(row, step=FINE) for row in rows_of(ROAD)}


def timings(factor):
    """Times of all rows, so many times shorter than the paper's."""
    return {row: Timing(*[row.published / 1000.0 / factor] * 3) for row in ROWS}


class TestTable:
    def test_rows_are_the_papers(self):
        assert len(ROWS) == 9
        assert [row.published for row in ROWS if row.method == "IRM"] == [4.48]
        assert [row.sigma for row in rows_of(VILLAGE)] == [100, 250, 300, 400, 1250]
        assert {row.scene for row in ROWS} == {VILLAGE, ROAD, ADULT, CHILD}

    def test_what_is_missed_is_named(self):
        assert times.missed(timings(11.0)).endswith("reached.")
        words = times.missed(timings(9.0))
        assert "McKenna, MIRAN 1250 (9.0x)" in words
        assert "McKenna + Road, IRM (9.0x)" in words

    def test_the_paper_is_measured_in_fifty_rounds(self):
        assert FULL.rounds == 50
        assert QUICK.rounds < 5


class TestJudge:
    def test_good_walks_have_no_faults(self, sigmas):
        walks = dict(zip(rows_of(VILLAGE), sigmas.values(), strict=True))
        assert faults(walks) == []
        assert verdict(list(walks.values())).startswith("5 walks arrive")

    def test_faults_are_found(self, sigmas):
        row = rows_of(VILLAGE)[0]
        good = sigmas[row.sigma]
        short = dataclasses.replace(good, points=good.points[:-9])
        assert any("before its goal" in words for words in faults({row: short}))
        ahead = dataclasses.replace(good, attractions=good.attractions + 100.0)
        assert any("m ahead on the route" in words for words in faults({row: ahead}))
        back = dataclasses.replace(good, references=good.references[::-1])
        assert any("moves back" in words for words in faults({row: back}))
        wide = dataclasses.replace(good, radius=50.0)
        assert any("from a wall" in words for words in faults({row: wide}))


class TestFigure7:
    def test_the_loop_leads_back(self):
        assert np.hypot(*np.subtract(LOOP[LOOP_BEGIN], LOOP[LOOP_END])) < 1.0

    def test_larger_sigmas_skip_more(self, sigmas):
        assert village.faults(sigmas) == []
        assert village.farthest(sigmas[100]) < 0.5 * village.farthest(sigmas[1250])
        cut = route_of(VILLAGE, POINT).cut
        loop = cut.lengths[LOOP_END] - cut.lengths[LOOP_BEGIN]
        skips = {sigma: float(np.diff(w.references).max()) for sigma, w in sigmas.items()}
        assert all(skip <= sigma + 1e-6 for sigma, skip in skips.items())
        assert skips[300] < loop < skips[400]

    def test_faults_are_found(self, sigmas):
        swapped = {100: sigmas[1250], 1250: sigmas[100]}
        assert len(village.faults(swapped)) == 2

    def test_the_boundary_force_keeps_walks_off_the_walls(self, sigmas):
        assert min(each.clearance for each in sigmas.values()) > 0.4
        without = walk(rows_of(VILLAGE)[0], step=FINE, clearance=0.0)
        assert without.clearance < 1e-3


class TestFigure8:
    def test_miran_is_the_better_pedestrian(self, both):
        assert road.faults(both) == []
        assert both["MIRAN"].measure()["mud"] == 0.0
        assert both["IRM"].measure()["mud"] > 0.5
        assert both["MIRAN"].measure()["sidewalk"] > both["IRM"].measure()["sidewalk"]
        assert road.skipped(both["IRM"]) > 20.0
        assert road.skipped(both["MIRAN"]) < 12.0

    def test_faults_are_found(self, both):
        swapped = {"MIRAN": both["IRM"], "IRM": both["MIRAN"]}
        assert len(road.faults(swapped)) == 5


@pytest.mark.slow  # the walks themselves are asserted in tests/unit/follow/test_miran.py
def test_adult_and_child_take_their_own_routes():
    routes = {name: route_of(name, POINT).measure() for name in (ADULT, CHILD)}
    assert routes[ADULT]["view"] > 1.0
    assert routes[ADULT]["puddle"] + routes[ADULT]["tree"] == 0.0
    assert routes[CHILD]["view"] == 0.0
    assert min(routes[CHILD]["puddle"], routes[CHILD]["tree"]) > 1.0


def test_faults_in_the_forest_are_found():
    walks = {name: walk(rows_of(name)[0]) for name in (ADULT, CHILD)}
    assert woods.faults(walks) == []
    assert len(woods.faults({ADULT: walks[CHILD], CHILD: walks[ADULT]})) >= 8


def test_the_paper_s_recipe_is_reported_where_it_fails():
    printed, ours = (
        {name: walk(rows_of(name)[0], step=FINE, improved=improved) for name in (ADULT, CHILD)}
        for improved in (False, True)
    )
    (claim,) = (c for c in woods._claims(printed, ours) if c.what == "the adult avoids puddles")
    assert claim.verdict == "same"
    assert float(claim.printed.split()[0]) > 10.0
    assert "as printed not" in claim.why


def test_the_city_has_a_hundred_regions():
    assert len(city().terrain) == REGIONS
    assert {region.kind for region in city().terrain} == set(CITIZEN)
