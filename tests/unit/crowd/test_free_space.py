"""How many fit, said before they are placed; and where the next free place is."""

import re

import numpy as np
import pytest
import shapely
from scipy.spatial.distance import pdist

import footway as fw
from footway.crowd import free_space
from footway.crowd.free_space import describe_free_point, sample_free_space
from tests.unit.crowd.maps import SHAPES, box, cmap, crowd


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
    """Randomly placed discs jam near the estimated capacity."""
    it = crowd("room")
    fit = sample_free_space(cmap("room"), None).capacity(radius)
    it.add(int(0.85 * fit), radius=radius)


@pytest.mark.parametrize("at", [(15, 10), (-4, -4), (10.1, 5.1), (1e5, 3)])
def test_a_free_place_nearby(at):
    words = describe_free_point(cmap("hall"), at, 0.3)
    x, y = map(float, re.search(r"\((\S+), (\S+)\) is free", words).groups())
    assert cmap("hall").clearance([(x, y)])[0] >= 0.3


def test_none_is_free_for_who_is_too_large():
    assert describe_free_point(cmap("hall"), (15, 10), 30.0) == ""


def test_starts_in_walls_are_answered_with_a_free_place():
    it = crowd("hall")
    with pytest.raises(fw.BadQuery, match=r"is in an obstacle or outside the map; \(.*\) is free"):
        it.add(1, starts=[(15, 10)])
    with pytest.raises(fw.BadQuery, match=r"clearance of 0.100 m.*; \(.*\) is free"):
        it.add(1, starts=[(0.1, 10)])


@pytest.mark.parametrize("name", ["hall", "door", "cells", "branch", "bend"])
@pytest.mark.parametrize("radius", [0.05, 0.3, 1.2])
def test_the_nearest_free_place_by_shapely(name, radius):
    it, space = cmap(name), SHAPES[name]
    x0, y0, x1, y1 = it.bounds
    points = np.random.default_rng(3).uniform((x0 - 3, y0 - 3), (x1 + 3, y1 + 3), (200, 2))
    found = free_space.nearest_free(it, points, np.full(len(points), radius))
    before, after = shapely.points(points), shapely.points(found)
    walls = space.boundary
    assert shapely.contains_properly(space, after).all()
    assert (shapely.distance(after, walls) >= radius - 1e-9).all()
    best = shapely.distance(before, space.buffer(-radius, quad_segs=64))
    moved = np.hypot(*(found - points).T)
    assert (moved[best == 0.0] == 0.0).all()
    assert (moved <= best + 0.15).all()  # it is found in balls that are 0.5 m apart
    assert free_space.fits_somewhere(it, radius)


@pytest.mark.parametrize("name", ["hall", "door", "cells", "branch"])
def test_a_disc_that_fits_nowhere_goes_to_the_widest_place(name):
    it, space = cmap(name), SHAPES[name]
    found = free_space.nearest_free(it, np.array([(1.0, 1.0), (-5.0, 3.0)]), np.full(2, 50.0))
    widest_point = shapely.maximum_inscribed_circle(space, tolerance=1e-4).length
    away = shapely.distance(shapely.points(found), space.boundary)
    np.testing.assert_allclose(away, widest_point, rtol=0.01)
    assert not free_space.fits_somewhere(it, 50.0)


@pytest.mark.parametrize("radius", [0.1, 0.3, 0.399])
def test_discs_at_one_place_are_spread_around_it(radius):
    points = np.array([(9.0, 5.0)] * 12 + [(2.0, 2.0), (9.03, 5.03), (10.5, 5.0), (10.5, 5.0)])
    found = free_space.apart(cmap("door"), points, np.full(len(points), radius))
    shared = [*range(12), 13]
    assert pdist(found[shared]).min() >= 2.0 * radius
    assert np.hypot(*(found[shared] - points[0]).T).max() < 20.0 * radius
    assert found[[0, 12, 14]].tolist() == points[[0, 12, 14]].tolist()
    assert (found[14] != found[15]).any()  # there is hardly room in the door
    space, places = SHAPES["door"], shapely.points(found)
    assert shapely.contains_properly(space, places).all()
    assert (shapely.distance(places, space.boundary) >= radius - 1e-9).all()
