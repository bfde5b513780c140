"""Terrain: kinds at points, metres of lines, weights, what is refused."""

import math

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import Environment, gallery
from footway.errors import BadGeometry, BadInput, BadQuery
from footway.terrain import Terrain
from footway.terrain.terrain import _MOST

ROOM = Environment.from_polygons(
    bounds=(0, 0, 10, 8),
    obstacles=[shapely.box(4, 3, 6, 5)],
    terrain=[("mud", shapely.box(2, 0, 3, 8)), ("road", shapely.box(7, 0, 8, 8))],
)


@pytest.fixture(scope="module")
def room():
    return Terrain.build(ROOM, 0.0)


def test_what_it_says_about_itself(room):
    assert room.kinds == ("ground", "mud", "road")
    assert room.radius == 0.0
    assert repr(room).startswith("<Terrain of '': radius 0 m, ")
    assert Terrain.build(ROOM).radius == 0.25


def test_it_is_made_once_for_each_radius(room):
    assert Terrain.build(ROOM, 0) is room
    assert Terrain.build(ROOM, 0.5) is not room


def test_those_of_the_last_radii_are_kept():
    hall = Environment.from_polygons(bounds=(0, 0, 10, 8))
    radii = [0.1 * k for k in range(_MOST + 2)]
    made = [Terrain.build(hall, radius) for radius in radii]
    kept = made[-_MOST:]
    assert [Terrain.build(hall, one.radius) for one in kept] == kept
    assert Terrain.build(hall, radii[0]) is not made[0]


def test_kinds_at_points(room):
    points = [(1, 1), (2.5, 7), (7.5, 0), (5, 4), (-1, 0), (1e9, 1e9)]
    assert room.kind_at(points) == ["ground", "mud", "road", None, None, None]
    assert room.kind_at((2.5, 1)) == ["mud"]


def test_a_point_within_a_nanometre_is_on_the_ground(room):
    assert room.kind_at([(-0.9e-9, 1), (-1e-8, 1)]) == ["ground", None]


def test_metres_by_kind(room):
    assert room.measure([(0, 1), (10, 1)]) == pytest.approx({"ground": 8, "mud": 1, "road": 1})
    there_and_back = [(0, 1), (10, 1), (0, 1)]
    assert room.measure(there_and_back) == pytest.approx({"ground": 16, "mud": 2, "road": 2})
    slanted = room.measure([(1, 6), (4, 6.5)])
    assert slanted["mud"] == pytest.approx(math.hypot(3, 0.5) / 3)
    assert room.measure([(1, 1)]) == {"ground": 0.0, "mud": 0.0, "road": 0.0}


def test_weighted_length(room):
    line = [(0, 1), (10, 1)]
    assert room.weighted_length(line) == pytest.approx(10)
    assert room.weighted_length(line, {"mud": 40.0, "road": 0.5}) == pytest.approx(48.5)
    assert room.weighted_length(line, {"ground": 2}) == pytest.approx(18)


@pytest.mark.parametrize("line", [[(2, 0), (2, 8)], [(2, 8), (2, 0)], [(2, 1), (2, 3)]])
def test_a_line_along_a_border_counts_the_cheaper_kind(room, line):
    length = abs(line[0][1] - line[1][1])
    assert room.weighted_length(line, {"mud": 40.0}) == pytest.approx(length)
    assert room.weighted_length(line, {"mud": 0.5}) == pytest.approx(0.5 * length)
    assert room.measure(line)["ground"] == pytest.approx(length)
    assert room.measure(line, {"mud": 0.5})["mud"] == pytest.approx(length)


def test_lines_through_corners_along_walls_and_along_the_edge(room):
    assert room.sees((2, 1), (8, 7)) is False
    assert room.sees((3, 4), (5, 2))  # touches the corner (4, 3)
    assert room.sees((4, 0), (4, 8))  # along a wall
    assert room.sees((0, 0), (10, 0))
    assert room.sees((0, 0), (4, 3))
    assert not room.sees((0, 0), (4.001, 3.001))
    assert room.sees((5, 3), (5, 0))
    assert not room.sees((5, 3), (5, 5))
    assert not room.sees((5, 4), (5, 1))
    assert room.sees((1, 1), (1, 1))


def test_a_single_line_wall_is_seen_past_but_not_through():
    env = Environment.from_polygons(bounds=(0, 0, 10, 8), lines=[[(5, 2), (5, 6)]])
    terrain = Terrain.build(env, 0.0)
    assert not terrain.sees((1, 4), (9, 4))
    assert terrain.sees((1, 2), (9, 2))  # through its end
    assert terrain.sees((5, 0), (5, 8))  # along it
    assert terrain.sees((5, 4), (9, 4))  # from it, to either side
    assert terrain.sees((5, 4), (1, 4))


def test_a_disc_sees_what_its_centre_can_reach():
    terrain = Terrain.build(ROOM, 0.5)
    assert terrain.sees((3.4, 1), (3.4, 7))
    assert not terrain.sees((3.6, 1), (3.6, 7))
    assert terrain.kind_at([(0.4, 4), (0.51, 4)]) == [None, "ground"]


@pytest.mark.parametrize("name", ["game", "field", "mckenna-road"])
@pytest.mark.parametrize("radius", [0.0, 1e-6, 0.25])
def test_all_paths_of_the_map_are_measured(name, radius):
    env = gallery.make(name)
    terrain, cmap = Terrain.build(env, radius), fw.CorridorMap.build(env)
    low, high = np.array(env.bounds).reshape(2, 2)
    starts, goals = np.random.default_rng(4).uniform(low, high, (2, 200, 2))
    paths = [path for path in cmap.paths(starts, goals, radius=radius) if path is not None]
    assert len(paths) > 20
    assert sum(path.turns > 0 for path in paths) > 10
    for path in paths:
        metres = terrain.measure(path.points)
        assert sum(metres.values()) == pytest.approx(path.arc_lengths[-1], abs=1e-6)
        assert None not in terrain.kind_at(path.points)


def test_a_line_around_a_corner_is_refused_where_it_comes_too_near():
    terrain = Terrain.build(ROOM, 0.5)
    path = fw.CorridorMap.build(ROOM).path((3.4, 4), (5, 5.6), radius=0.5)
    assert path.turns == 1
    assert terrain.measure(path.points)["ground"] == pytest.approx(path.arc_lengths[-1])
    corner = np.array([4.0, 5.0])
    with pytest.raises(BadQuery, match="meets a wall"):
        terrain.measure(corner + (1 - 1e-5) * (path.points - corner))
    with pytest.raises(BadQuery, match="meets a wall"):
        terrain.measure([(3, 4.5), (6.5, 4.5)])


def test_no_walk_gets_lost(room):
    """Lines between all corners, and along all sides in both directions, add up."""
    for terrain in (room, Terrain.build(gallery.make("mckenna-road"))):
        points = terrain.mesh.points[:80]
        a, b = (m.ravel() for m in np.meshgrid(np.arange(len(points)), np.arange(len(points))))
        lines = np.hstack([points[a], points[b]])
        metres, costs, stops = terrain.trace(lines, np.ones(len(terrain.kinds)))
        length = np.hypot(*(lines[:, 2:] - lines[:, :2]).T)
        free = stops == 2.0
        assert (free | ((stops >= 0) & (stops <= 1))).all()
        assert np.allclose(metres[free].sum(axis=1), length[free])
        assert np.allclose(metres[~free].sum(axis=1), (stops * length)[~free])
        assert np.allclose(costs, metres.sum(axis=1))
        back = terrain.trace(lines[:, [2, 3, 0, 1]], np.ones(len(terrain.kinds)))[2] == 2.0
        assert (free == back).all()


def test_weights(room):
    assert room.weights().tolist() == [1, 1, 1]
    assert room.weights({"road": 4}).tolist() == [1, 1, 4]


@pytest.mark.parametrize("weight", [0, -1.0, math.nan, math.inf, "4", None, True])
def test_weights_that_are_not_positive_numbers(room, weight):
    with pytest.raises(BadInput, match=r"the weight of 'mud' is .*give a positive number"):
        room.weights({"mud": weight})


def test_kinds_that_the_map_does_not_have(room):
    with pytest.raises(BadInput, match=r"no terrain of kind 'lava'.*it has ground, mud, road"):
        room.weighted_length([(1, 1), (2, 2)], {"lava": 2.0})
    with pytest.raises(BadInput, match="must map kinds"):
        room.weights([("mud", 2.0)])


def test_lines_that_leave_the_ground(room):
    with pytest.raises(BadQuery, match=r"meets a wall at \(4.000, 4.000\)"):
        room.measure([(1, 4), (9, 4)])
    with pytest.raises(BadQuery, match=r"meets a wall at \(-1.000, 0.000\)"):
        room.measure([(-1, 0), (9, 0)])


@pytest.mark.parametrize("points", [[(1, math.nan)], [1, 2, 3], [[[1, 2]]], [(1, 2, 3)]])
def test_points_that_are_none(room, points):
    with pytest.raises(BadQuery, match=r"must be finite|must have the shape \(n, 2\)"):
        room.measure(points)


@pytest.mark.parametrize("radius", [-0.1, math.nan, math.inf])
def test_radii_that_are_none(radius):
    with pytest.raises(BadQuery, match="the radius is"):
        Terrain.build(ROOM, radius)


def test_what_is_no_radius_map_or_point(room):
    with pytest.raises(BadQuery, match="the radius is 'wide': it must be a number in metres"):
        Terrain.build(ROOM, "wide")
    with pytest.raises(BadQuery, match=r"build takes an Environment, not 'room\.geojson'"):
        Terrain.build("room.geojson")
    with pytest.raises(BadQuery, match="points must be numbers"):
        room.kind_at("here")


def test_a_disc_that_fits_nowhere():
    with pytest.raises(BadGeometry, match="fits nowhere"):
        Terrain.build(ROOM, 5.0)
