"""Bad questions to the followers of routes: one clear line each, with the value and the limit."""

from __future__ import annotations

import math
from typing import Any

import pytest

import footway as fw
from footway.terrain.route import IndicativeRoute
from footway.terrain.terrain import Terrain

NOT_NUMBERS = [math.nan, math.inf, -math.inf, "far", None, [1, 2]]


@pytest.fixture(scope="module")
def terrain() -> Terrain:
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[[(9, 3), (11, 3), (11, 7), (9, 7)]],
        terrain=[("mud", [(0, 0), (5, 0), (5, 2), (0, 2)])],
    )
    return Terrain.build(env, radius=0.25)


@pytest.fixture(scope="module")
def route(terrain: Terrain) -> IndicativeRoute:
    return IndicativeRoute.from_points(terrain, [(2, 5), (10, 8), (18, 5)])


def refusal(route: Any, **options: Any) -> str:
    """What `miran` says to something that makes no sense."""
    with pytest.raises(fw.BadInput) as error:
        fw.follow.miran(route, **options)
    message = str(error.value)
    assert "\n" not in message
    assert 20 < len(message) < 300
    return message


NUMBERS = [
    "speed", "step", "turn_rate", "sigma", "spacing", "look", "clearance", "steering", "boundary",
    "repulsion",
]  # fmt: skip


class TestNumbers:
    @pytest.mark.parametrize("name", NUMBERS)
    @pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
    def test_are_finite(self, route, name, bad):
        assert name in refusal(route, **{name: bad})

    @pytest.mark.parametrize("name", NUMBERS)
    def test_are_not_negative(self, route, name):
        assert name in refusal(route, **{name: -1.0})

    @pytest.mark.parametrize("name", ["speed", "step", "turn_rate", "sigma", "spacing", "steering"])
    def test_are_not_zero(self, route, name):
        assert name in refusal(route, **{name: 0.0})

    def test_sigma_is_not_less_than_the_spacing(self, route):
        message = refusal(route, sigma=2.0, spacing=3.0)
        assert "sigma is 2 m" in message
        assert "spacing 3 m" in message

    def test_a_walk_fits_in_memory(self, route):
        assert "too many" in refusal(route, step=1e-9)


class TestRadius:
    @pytest.mark.parametrize("radius", [0.5, 0.0])
    def test_is_that_of_the_terrain(self, route, radius):
        assert "0.25" in refusal(route, radius=radius)

    @pytest.mark.parametrize("radius", [math.nan, "wide"])
    def test_is_a_number(self, route, radius):
        assert "the radius is" in refusal(route, radius=radius)

    def test_may_be_said(self, route):
        assert fw.follow.miran(route, radius=0.25).radius == 0.25


class TestPreferences:
    @pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf, "much"])
    def test_are_positive_numbers(self, route, weight):
        assert "mud" in refusal(route, preferences={"mud": weight})

    @pytest.mark.parametrize("options", ["mud", [("mud", 2.0)], 3])
    def test_are_by_kind(self, route, options):
        assert "preferences must map kinds" in refusal(route, preferences=options)

    def test_are_for_kinds_of_the_map(self, route):
        assert "swamp" in refusal(route, preferences={"swamp": 2.0})


class TestRoutes:
    def test_are_needed(self):
        assert "route" in refusal([(0, 0), (1, 1)])

    def test_of_one_point(self, terrain):
        with pytest.raises(fw.BadInput, match=r"one point|two"):
            IndicativeRoute.from_points(terrain, [(2, 5), (2, 5)])

    def test_through_an_obstacle_say_where(self, terrain):
        with pytest.raises(fw.BadInput, match=r"8\.75\d*, 5\.0"):
            IndicativeRoute.from_points(terrain, [(2, 5), (18, 5)])

    def test_with_a_nan(self, terrain):
        with pytest.raises(fw.BadInput, match=r"(?i)nan"):
            IndicativeRoute.from_points(terrain, [(2, 5), (math.nan, 5)])


class TestObstacles:
    @pytest.mark.parametrize("bad", [3, [(1, 2)], [(1, 2, -1)], [(1, 2, 3, 4)], [(1, math.nan, 1)]])
    def test_are_discs(self, route, bad):
        assert "obstacle" in refusal(route, obstacles=bad)
