"""Where characters appear: in the area, clear of walls, and apart from each other."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway._numba.random_stream import RandomStream
from footway.crowd.free_space import free_points, scatter
from footway.crowd.populations import Goals
from footway.environment.areas import as_polygon, contains
from tests.effort import examples
from tests.oracle.crowd import neighbours
from tests.oracle.nearest import NearestWall
from tests.unit.crowd.maps import cmap, crowd, env

NOBODY = np.empty((0, 3))


class TestScatter:
    @examples(25)
    @given(
        st.sampled_from(["hall", "door", "room"]),
        st.integers(0, 2**32 - 1),
        st.integers(0, 40),
        st.booleans(),
    )
    def test_no_two_overlap(self, name, seed, count, in_region):
        rng = RandomStream(seed)
        radii = 0.1 + 0.3 * rng.uniform(count)
        region = as_polygon(shapely.box(1, 1, 9, 9)) if in_region else None
        taken = np.column_stack([1.0 + 8.0 * rng.uniform(8, 2), 0.1 + 0.4 * rng.uniform(8)])
        points = scatter(cmap(name), radii, region, taken, rng, obstacles=NOBODY)
        assert points.shape == (count, 2)
        if region is not None:
            assert contains(region, points).all()
        if count:
            assert (NearestWall(env(name)).distance(points) >= radii).all()
        places, sizes = np.vstack([points, taken[:, :2]]), np.append(radii, taken[:, 2])
        close = neighbours(places, sizes, -1e-9)
        assert not {(i, j) for i, j in close if min(i, j) < count}

    def test_a_crowd_that_does_not_fit(self):
        with pytest.raises(fw.BadQuery, match=r"only \d+ of 100 .* in the area"):
            scatter(
                cmap("hall"), np.full(100, 0.5), as_polygon(shapely.box(1, 1, 5, 5)), NOBODY,
                RandomStream(1), obstacles=NOBODY,
            )  # fmt: skip

    def test_an_area_without_room(self):
        with pytest.raises(fw.BadQuery, match="no position in the area"):
            scatter(
                cmap("hall"), np.full(1, 0.5), as_polygon(shapely.box(11, 6, 19, 14)), NOBODY,
                RandomStream(1), obstacles=NOBODY,
            )  # fmt: skip

    def test_as_dense_as_possible(self):
        """A third of the area is covered: random places still do."""
        radii = np.full(40, 0.25)
        region = as_polygon(shapely.box(1, 1, 6, 6))
        assert (
            len(scatter(cmap("hall"), radii, region, NOBODY, RandomStream(1), obstacles=NOBODY))
            == 40
        )


class TestFreePoints:
    @pytest.mark.parametrize("radius", [0.1, 0.3, 0.5])
    def test_are_in_one_part_of_the_map(self, radius):
        """A disc of 0.5 m does not pass the door: it gets one room."""
        points = free_points(cmap("door"), 300, radius, None, RandomStream(2))
        assert (NearestWall(env("door")).distance(points) > radius).all()
        rooms = {bool(x < 10.5) for x in points[:, 0]}
        assert len(rooms) == (2 if radius < 0.4 else 1)

    def test_are_spread_over_the_area(self):
        points = free_points(cmap("room"), 2_000, 0.2, None, RandomStream(2))
        counts, _, _ = np.histogram2d(*points.T, bins=4, range=[(0.2, 19.8), (0.2, 14.8)])
        assert counts.min() > 0.7 * counts.mean()


class TestAreasByName:
    def test_starts_and_destinations(self):
        corner, door = shapely.box(1, 1, 4, 3), shapely.box(15, 10, 18, 13)
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 20, 15), areas=[("corner", corner), ("door", door)]
        )
        found = []
        for start, goal in (("corner", "door"), (corner, door)):
            it = fw.Crowd(fw.CorridorMap.build(env), seed=1)
            it.add(5, area=start, destinations=[[goal, start], goal])
            it.add_source(2, area=start, destinations=[goal], rate=1.0)
            it.step(20)
            found.append(it.positions)
        assert len(found[0]) == 7
        assert (found[0] == found[1]).all()

    def test_unknown_names_and_maps_without_areas(self):
        with pytest.raises(fw.BadQuery, match="there is no area 'lounge'; the map has none"):
            crowd("room").add(3, area="lounge")


class TestTable:
    def test_only_grows(self):
        places = Goals(cmap("hall"))
        one = places.add(np.array([[1.0, 1.0], [2.0, 2.0]]))
        two = places.add(np.array([[25.0, 10.0]]), 1.5)
        assert (tuple(one), tuple(two)) == ((0, 2), (2, 1))
        np.testing.assert_array_equal(places.table.located[:, :2], [[1, 1], [2, 2], [25, 10]])
        assert places.table.reach[2] == 1.5
        location = cmap("hall").locate(places.table.located[:, :2])
        np.testing.assert_array_equal(places.table.pieces, location.piece)


class TestRandomGoals:
    def test_are_in_the_part_where_the_starts_are(self):
        for seed in range(6):
            it = crowd("rooms", seed=seed)
            it.add(10)
            assert np.isfinite(it.goals).all()

    def test_are_where_the_character_can_get(self):
        it = crowd("rooms", seed=1)
        it.add(2, starts=[(5, 5), (16, 5)])
        it.step(100)
        assert np.isfinite(it.goals).all()

    @pytest.mark.parametrize("within", [3.0, 10.0, 40.0])
    def test_are_within_the_distance(self, within):
        it = crowd("city", seed=1)
        it.add(300, within=within)
        away = np.hypot(*(it.goals - it.positions).T)
        assert away.max() <= within

    def test_are_elsewhere(self):
        it = crowd("hall", seed=1)
        it.add(50)
        assert math.inf > np.hypot(*(it.goals - it.positions).T).min() > 1.0


@pytest.mark.parametrize("kept", [(0, 2), (1,), (2,), (0, 1, 2)])
def test_places_that_are_kept_have_new_numbers(kept):
    places, points = Goals(cmap("hall")), np.random.default_rng(1).uniform(1, 4, (9, 2))
    pools = [places.add(points[a:b], 0.1 * a) for a, b in ((0, 2), (2, 5), (5, 9))]
    used = np.zeros(9, bool)
    for k in kept:
        used[pools[k].first : pools[k].first + pools[k].size] = True
    number = places.keep(used)
    for k in kept:
        first, size = pools[k].renumbered(number)
        here = slice(first, first + size)
        np.testing.assert_array_equal(
            places.table.located[here, :2], points[pools[k].first :][:size]
        )
        np.testing.assert_allclose(places.table.reach[here], 0.1 * pools[k].first)
        assert len(places.table.pieces[here]) == size
