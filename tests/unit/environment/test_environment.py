"""Environment: construction from polygons, its properties and its walls."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import affinity

from footway.environment import Area, Environment, TerrainRegion
from footway.errors import BadGeometry
from tests.oracle.noded import assert_noded

ROOM = shapely.box(0, 0, 10, 8)


def city(side: int = 25) -> list[shapely.Polygon]:
    """Return side * side turned rectangles, none touching another, and a shed."""
    rng = np.random.default_rng(7)
    houses = [shapely.box(0.5, 0.5, 1.5, 1.5)]
    for i, j in np.ndindex(side, side):
        w, h = rng.uniform(8, 15, 2)
        house = shapely.box(-w / 2, -h / 2, w / 2, h / 2)
        house = affinity.rotate(house, rng.uniform(-5, 5))
        houses.append(affinity.translate(house, 20 * i + 10, 20 * j + 10))
    return houses


def test_walkable_minus_obstacles():
    env = Environment.from_polygons(ROOM, obstacles=[shapely.box(4, 3, 6, 5)])
    assert env.area == 76
    assert env.holes == 1
    assert env.bounds == (0, 0, 10, 8)
    assert env.repairs == ()
    assert len(env.walls.segments) == 8
    assert_noded(env)


@pytest.mark.parametrize(
    "walkable",
    [
        ROOM,
        [ROOM],
        shapely.MultiPolygon([ROOM]),
        shapely.GeometryCollection([shapely.GeometryCollection([ROOM])]),
        [(0, 0), (10, 0), (10, 8), (0, 8)],
        np.array([(0, 0), (0, 8), (10, 8), (10, 0), (0, 0)]),
        [[(0, 0), (5, 0), (5, 8), (0, 8)], [(5, 0), (10, 0), (10, 8), (5, 8)]],
        shapely.force_3d(ROOM, 3.0),
    ],
)
def test_several_inputs_give_the_same_room(walkable):
    env = Environment.from_polygons(walkable)
    assert env.area == 80
    assert len(shapely.get_parts(env.walkable)) == 1
    assert env.repairs == ()
    assert_noded(env)


def test_bounds_as_four_numbers_or_polygon():
    hole = [shapely.box(4, 3, 6, 5)]
    four = Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=hole)
    polygon = Environment.from_polygons(bounds=ROOM, obstacles=hole)
    assert four.area == polygon.area == 76


def test_walkable_is_cut_to_bounds():
    env = Environment.from_polygons(ROOM, bounds=(5, 5, 50, 50))
    assert env.bounds == (5, 5, 10, 8)


def test_obstacles_alone_get_a_box_and_a_margin():
    env = Environment.from_polygons(obstacles=[shapely.box(0, 0, 20, 10)])
    assert env.bounds == (-2, -2, 22, 12)
    (repair,) = env.repairs
    assert repair.kind == "bounds"
    assert repair.at == (-2, -2)


def test_courtyard_becomes_an_island():
    ring = shapely.box(2, 2, 8, 6).difference(shapely.box(3, 3, 7, 5))
    kiosk = shapely.box(4, 3.5, 5, 4.5)
    env = Environment.from_polygons(ROOM, obstacles=[ring, kiosk])
    assert env.area == 80 - 24 + 8 - 1
    assert env.holes == 2
    assert [r.kind for r in env.repairs] == ["island"]
    assert_noded(env)


def test_obstacles_that_touch_the_edge_and_each_other():
    obstacles = [
        shapely.box(0, 0, 1, 1),
        shapely.box(1, 1, 2, 2),  # touches the first at a corner
        shapely.box(2, 1, 3, 2),  # shares an edge with the second
        shapely.Polygon([(5, 0), (6, 2), (4, 2)]),  # stands on the edge
    ]
    env = Environment.from_polygons(ROOM, obstacles=obstacles)
    assert env.area == pytest.approx(80 - 3 - 2)
    assert env.repairs == ()
    assert_noded(env)


def test_obstacles_that_touch_twice_enclose_an_island():
    lower = [(2, 2), (4, 2), (4, 3), (3, 3), (3, 4), (2, 4)]
    upper = [(4, 3), (5, 3), (5, 5), (3, 5), (3, 4), (4, 4)]
    env = Environment.from_polygons(ROOM, obstacles=[lower, upper])
    assert env.area == 80 - 3 - 3
    assert [(r.kind, r.at) for r in env.repairs] == [("island", (3.5, 3.5))]
    assert_noded(env)


def test_hole_that_touches_its_shell_inside_an_edge_is_noded():
    polygon = shapely.Polygon(
        [(0, 0), (10, 0), (10, 10), (0, 10)], [[(5, 0), (6, 3), (4, 3)], [(0, 5), (2, 6), (2, 4)]]
    )
    env = Environment.from_polygons(polygon)
    ends = {tuple(p) for p in env.walls.segments[:, :2]}
    assert len(env.walls.segments) == 4 + 2 + 3 + 3
    assert {(5, 0), (0, 5)} <= ends
    assert_noded(env)


def test_holes_that_touch_one_edge_are_noded_in_the_order_of_the_edge():
    holes = [[(x, 0), (x + 0.5, 3), (x - 0.5, 3)] for x in (7, 3, 5)]
    env = Environment.from_polygons(shapely.Polygon(shapely.box(0, 0, 10, 8).exterior, holes))
    floor = env.walls.segments[(env.walls.segments[:, [1, 3]] == 0).all(axis=1)]
    assert sorted(floor[:, [0, 2]].tolist()) == [[0, 3], [3, 5], [5, 7], [7, 10]]
    assert env.area == pytest.approx(80 - 3 * 1.5)
    assert_noded(env)


def test_parts_that_touch_inside_a_slanted_edge_are_noded():
    triangle = shapely.Polygon([(0, 0), (6, 0), (6, 3)])
    env = Environment.from_polygons([triangle, shapely.Polygon([(4, 2), (0, 9), (3, 9)])])
    assert len(env.walls.segments) == 7
    assert_noded(env)


def test_lines_are_noded_clipped_and_free_on_both_sides():
    env = Environment.from_polygons(
        ROOM,
        obstacles=[shapely.Polygon([(6, 1), (9, 2), (6, 3)])],
        lines=[[(2, 2), (5, 5)], [(2, 5), (5, 2)], [(-1, 6), (4, 6.333)], [(5, 2), (9, 2.1)]],
    )
    two = env.walls.segments[env.walls.two_sided]
    assert len(two) == 2 + 2 + 1 + 2
    assert [r.kind for r in env.repairs] == ["outside", "outside"]
    assert env.repairs[0].at == (-1, 6)
    assert env.repairs[0].detail.startswith("line 2")
    assert_noded(env)


def test_line_from_wall_to_wall_keeps_the_polygon_whole():
    env = Environment.from_polygons(ROOM, lines=[[(5, 0), (5, 8)]])
    assert len(shapely.get_parts(env.walkable)) == 1
    assert env.walls.two_sided.sum() == 1
    assert len(env.walls.segments) == 7
    assert_noded(env)


def test_lines_on_walls_and_outside_are_dropped_and_listed():
    env = Environment.from_polygons(ROOM, lines=[[(0, 0), (10, 0)], [(20, 0), (30, 0)]])
    assert env.lines.is_empty
    assert [(r.kind, r.at) for r in env.repairs] == [("outside", (0, 0)), ("outside", (20, 0))]


@pytest.mark.parametrize("x", [0, 10])
@pytest.mark.parametrize("ends", [(2, 6), (6, 2)])
def test_a_line_that_runs_along_an_upright_wall_counts_only_where_it_leaves_it(x, ends):
    env = Environment.from_polygons(ROOM, lines=[[(x, ends[0]), (x, ends[1]), (5, ends[1])]])
    (one,) = env.walls.segments[env.walls.two_sided].reshape(-1, 2, 2).tolist()
    assert sorted(one) == sorted([[x, ends[1]], [5, ends[1]]])
    assert_noded(env)


def test_points_stand_free_or_are_dropped():
    env = Environment.from_polygons(
        ROOM,
        lines=[[(2, 2), (5, 5)]],
        points=[(1, 1), (1.0001, 1), (3, 3), (0, 4), (50, 50), (7, 7)],
    )
    assert env.walls.points.tolist() == [[1, 1], [7, 7]]
    assert [r.at for r in env.repairs] == [(3, 3), (0, 4), (50, 50)]
    assert_noded(env)


def test_areas_and_terrain_are_kept_and_repaired():
    env = Environment.from_polygons(
        ROOM,
        areas=[
            ("door", [(0, 0), (1, 0), (1, 1)]),
            Area("exit", shapely.box(9, 7, 10, 8), {"n": 1}),
        ],
        terrain=[TerrainRegion("grass", shapely.Polygon([(0, 0), (4, 4), (4, 0), (0, 4)]))],
    )
    assert [a.name for a in env.areas] == ["door", "exit"]
    assert env.areas[1].properties["n"] == 1
    assert env.terrain[0].polygon.is_valid
    assert [r.kind for r in env.repairs] == ["self-intersection"]
    assert "terrain 'grass'" in env.repairs[0].detail


def test_terrain_beyond_the_map_is_cut_off():
    env = Environment.from_polygons(
        ROOM,
        obstacles=[shapely.box(2, 2, 3, 3)],
        terrain=[("grass", shapely.box(1, 1, 5, 5)), ("mud", shapely.box(8, 6, 20, 20))],
    )
    assert [t.polygon.area for t in env.terrain] == [16, 4]  # over the obstacle: that is no harm
    assert [r.kind for r in env.repairs] == ["outside"]
    assert (
        "terrain 'mud': reaches beyond the outer wall of the map; cut off" in env.repairs[0].detail
    )
    x, y = env.repairs[0].at
    assert 8 <= x <= 20
    assert 6 <= y <= 20


def test_terrain_a_little_beyond_the_map_is_cut_off_too():
    env = Environment.from_polygons(ROOM, terrain=[("mud", shapely.box(8, 6, 10.01, 8.01))])
    assert env.terrain[0].polygon.bounds == (8, 6, 10, 8)
    assert [r.kind for r in env.repairs] == ["outside"]


def test_terrain_along_a_slanted_edge_is_no_repair():
    slanted = shapely.Polygon([(0, 0), (10, 0.333), (9.123, 7.777), (0.111, 8)])
    region = shapely.Polygon([(0, 0), (3.33333, 0.111), (3, 3)])
    assert Environment.from_polygons(slanted, terrain=[("mud", region)]).repairs == ()


def test_terrain_outside_the_map_is_refused():
    message = r"'mud' at \(20, 1\) lies outside the outer wall .* spans \(0, 0\) to \(10, 8\)"
    with pytest.raises(BadGeometry, match=message):
        Environment.from_polygons(ROOM, terrain=[("mud", [(20, 1), (22, 1), (22, 3)])])


@pytest.mark.parametrize("kind", ["", " ", "obstacle", "walkable", None])
def test_no_kind_of_ground(kind):
    with pytest.raises(BadGeometry, match="kind of"):
        Environment.from_polygons(ROOM, terrain=[(kind, shapely.box(1, 1, 5, 5))])


@pytest.mark.parametrize("one", ["mud", [(1, 1), (5, 1), (5, 5)], 3])
def test_a_region_is_a_pair(one):
    with pytest.raises(BadGeometry, match="give pairs of a kind and a polygon"):
        Environment.from_polygons(ROOM, terrain=[one])


def test_more_terrain_lies_on_top():
    env = Environment.from_polygons(ROOM, terrain=[("grass", shapely.box(1, 1, 5, 5))])
    more = env.with_terrain([("mud", shapely.box(2, 2, 3, 3))])
    assert [t.kind for t in more.terrain] == ["grass", "mud"]
    assert [t.kind for t in env.terrain] == ["grass"]
    assert more.walkable is env.walkable


def test_utm_coordinates_keep_their_millimetres():
    x, y = 691_000.123, 5_334_000.456
    env = Environment.from_polygons(
        shapely.box(x, y, x + 50, y + 40), obstacles=[shapely.box(x + 9, y + 9, x + 19, y + 19)]
    )
    assert env.bounds == (x, y, x + 50, y + 40)
    assert env.area == pytest.approx(1900)
    assert_noded(env)


def test_another_grid():
    env = Environment.from_polygons([(0, 0), (10.04, 0), (10.04, 8), (0, 8)], grid=0.1)
    assert env.bounds == (0, 0, 10, 8)
    with pytest.raises(BadGeometry, match="grid"):
        Environment.from_polygons(ROOM, grid=0)


def test_coordinates_on_a_fine_grid_are_the_nearest_decimals():
    env = Environment.from_polygons(bounds=(0, 0, 10.10001, 8.3), grid=0.00001)
    assert env.bounds == (0, 0, 10.10001, 8.3)


def test_a_city_is_exact():
    houses = city()
    env = Environment.from_polygons(bounds=(0, 0, 500, 500), obstacles=houses)
    walls = env.walls
    assert env.holes == 626
    assert len(walls.segments) == 4 * 627
    assert env.repairs == ()
    assert env.area == pytest.approx(250_000 - shapely.area(houses).sum(), abs=1.0)


def test_walls_are_made_once():
    env = Environment.from_polygons(ROOM)
    assert env.walls is env.walls


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"walkable": [(0, 0), (1, np.nan), (2, 0)]}, r"walkable polygon: coordinate \(1, nan\)"),
        ({"walkable": [(0, 0), (1, np.inf), (2, 0)]}, r"coordinate \(1, inf\)"),
        ({"walkable": ROOM, "obstacles": [ROOM, [(0, 0), (3e6, 0), (0, 3e6)]]}, "obstacle 1.*km"),
        ({"walkable": [(1e13, 0), (1e13 + 5, 0), (1e13, 9)]}, "too far from the origin"),
        ({}, "nothing is walkable"),
        ({"walkable": []}, "nothing is walkable"),
        ({"walkable": [(0, 0), (1, 1), (2, 2)]}, "nothing is walkable"),
        ({"walkable": ROOM, "obstacles": [shapely.box(-1, -1, 11, 9)]}, r"cover all of \(0, 0\)"),
        ({"walkable": shapely.LineString([(0, 0), (1, 1)])}, "expected a polygon"),
        ({"walkable": ROOM, "lines": [ROOM]}, "expected a line, found a Polygon"),
        ({"walkable": "room"}, "expected a Shapely polygon"),
        ({"walkable": [["a", "b"], ["c", "d"]]}, "expected a Shapely polygon"),
        ({"walkable": [5]}, "expected a Shapely polygon"),
        ({"bounds": (5, 0, 0, 5)}, "bounds .* are empty"),
        ({"walkable": ROOM, "areas": [("x", [(0, 0), (1, np.nan), (2, 0)])]}, "area 'x'"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_the_place(arguments, place):
    with pytest.raises(BadGeometry, match=place):
        Environment.from_polygons(**arguments)
