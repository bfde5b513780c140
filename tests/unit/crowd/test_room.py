"""How many fit, said before they are placed; and where the next free place is."""

import re

import numpy as np
import pytest

import footway as fw
from footway.crowd import room
from footway.crowd.room import free_of, free_place
from tests.unit.crowd.maps import box, cmap, crowd


@pytest.mark.parametrize("count", [20_000, 10_000_000])
@pytest.mark.parametrize("area", [None, box(1, 1, 9, 9)])
def test_too_many_are_refused_at_once(count, area):
    it = crowd("hall")
    with pytest.raises(fw.BadQuery, match=r"do not fit (on the map|in the area): about") as error:
        it.add(count, area=area)
    fit = int(re.search(r"about ([\d,]+) do", str(error.value))[1].replace(",", ""))
    it.add(int(0.8 * fit), area=area)
    assert len(it) == int(0.8 * fit)


def test_those_who_are_there_count():
    it = crowd("room")
    it.add(400)
    with pytest.raises(fw.BadQuery, match="more characters"):
        it.add(700)
    it.add(200)


def test_more_than_memory_holds():
    for add in (crowd("hall").add, lambda n: crowd("hall").add_group(n, start=(2, 2))):
        with pytest.raises(fw.BadQuery, match="20000000 or less"):
            add(10**10)


@pytest.mark.parametrize("radius", [0.2, 0.5])
def test_about_so_many_fit(radius):
    """Discs thrown at random: near what the estimate says there is no room left."""
    it = crowd("room")
    fit = free_of(cmap("room"), None).capacity(radius)
    it.add(int(0.85 * fit), radius=radius)


@pytest.mark.parametrize("at", [(15, 10), (-4, -4), (10.1, 5.1), (1e5, 3)])
def test_a_free_place_nearby(at):
    words = free_place(cmap("hall"), at, 0.3)
    x, y = map(float, re.search(r"\((\S+), (\S+)\) is free", words).groups())
    assert cmap("hall").clearance([(x, y)])[0] >= 0.3


def test_none_is_free_for_who_is_too_large():
    assert free_place(cmap("hall"), (15, 10), 30.0) == ""


def test_starts_in_walls_are_answered_with_a_free_place():
    it = crowd("hall")
    with pytest.raises(fw.BadQuery, match=r"is in an obstacle or outside the map; \(.*\) is free"):
        it.add(1, starts=[(15, 10)])
    with pytest.raises(fw.BadQuery, match=r"clearance of 0.100 m.*; \(.*\) is free"):
        it.add(1, starts=[(0.1, 10)])


@pytest.mark.parametrize("name", ["hall", "door", "cells", "branch", "office"])
@pytest.mark.parametrize("radius", [0.05, 0.3, 1.2, 50.0])
def test_the_nearest_free_place_is_that_in_the_nearest_of_all_balls(name, radius):
    it = cmap(name)
    x0, y0, x1, y1 = it.bounds
    points = np.random.default_rng(3).uniform((x0 - 3, y0 - 3), (x1 + 3, y1 + 3), (40, 2))
    radii = np.full(len(points), radius)
    expected = points.copy()
    for k in np.flatnonzero(it.clearance(points) < radii):
        expected[k] = room._into_ball(room.balls_of(it).all, points[k], radius)
    np.testing.assert_array_equal(room.nearest_free(it, points, radii), expected)
    assert room.fits_somewhere(it, radius) == (radius < 50.0)
