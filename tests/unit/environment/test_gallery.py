"""The gallery: counts and sizes of the papers, and all maps are walkable."""

import hashlib
import re

import numpy as np
import pytest
import shapely

from footway.constants import GRID
from footway.environment import Environment, gallery
from footway.errors import BadInput
from tests.oracle.terrain_mesh import TerrainOracle

SIDES = {
    "city": 500.0,
    "field": 47.0,
    "forest": 800.0,
    "game": 100.0,
    "mckenna": 200.0,
    "mckenna-road": 200.0,
    "office": 80.0,
}
DIGESTS = {
    "city": "d64173892930b329",
    "field": "4c4b3b33862de268",
    "forest": "887e53f08e6a3569",
    "game": "17572f30e969f455",
    "mckenna": "280de28d6be25147",
    "mckenna-road": "280de28d6be25147",
    "office": "80a2647403a9716d",
}
HOLES = {
    "city": 592,
    "field": 16,
    "forest": 110,
    "game": 24,
    "mckenna": 23,
    "mckenna-road": 23,
    "office": 203,
}


@pytest.fixture(scope="module")
def maps() -> dict[str, Environment]:
    return {name: gallery.make(name) for name in SIDES}


@pytest.fixture(scope="module")
def nine_cities() -> Environment:
    return gallery.make("city:3x3")


def obstacles(env: Environment) -> np.ndarray:
    """Solid parts of the bounds, one polygon each."""
    return shapely.get_parts(shapely.box(*env.bounds).difference(env.walkable))


def triangles(polygons: np.ndarray) -> int:
    corners = shapely.get_num_coordinates(polygons) - 1
    return int((corners - 2).sum())


def gaps(polygons: np.ndarray, within: float) -> np.ndarray:
    """Distances of all pairs that are closer than `within` m."""
    first, second = shapely.STRtree(polygons).query(polygons, predicate="dwithin", distance=within)
    pair = first < second
    return shapely.distance(polygons[first[pair]], polygons[second[pair]])


def digest(env: Environment) -> str:
    """Hash of all corners in whole millimetres, in an order independent of GEOS."""
    corners = np.round(shapely.get_coordinates(env.walkable) / GRID).astype("<i8")
    corners = np.unique(corners, axis=0)
    return hashlib.sha256(corners.tobytes()).hexdigest()[:16]


def test_names_are_those_of_the_papers():
    assert gallery.names() == tuple(sorted([*SIDES, "house", "quake"]))


@pytest.mark.parametrize("name", SIDES)
def test_every_make_gives_the_same_bits(maps, name):
    np.random.seed(0)  # noqa: NPY002  the global state must not matter
    assert shapely.equals_exact(gallery.make(name).walkable, maps[name].walkable, tolerance=0.0)


@pytest.mark.parametrize("name", SIDES)
def test_maps_are_the_same_on_every_platform(maps, name):
    # Published numbers refer to these maps: change a map only on purpose.
    assert digest(maps[name]) == DIGESTS[name]


@pytest.mark.parametrize("name", SIDES)
def test_maps_are_sound(maps, name):
    env = maps[name]
    assert env.name == f"gallery:{name}"
    assert env.bounds == (0.0, 0.0, SIDES[name], SIDES[name])
    assert env.walkable.is_valid
    assert env.repairs == ()
    assert env.holes == HOLES[name]
    coordinates = shapely.get_coordinates(env.walkable)
    assert np.abs(coordinates / GRID - np.round(coordinates / GRID)).max() < 1e-6


@pytest.mark.parametrize("name", SIDES)
def test_free_space_is_one_piece_for_a_pedestrian(maps, name):
    env = maps[name]
    assert len(env.walkable.geoms) == 1
    # A disc of 0.25 m: what it can reach is connected and covers nearly all of the free space.
    centres = env.walkable.buffer(-0.25, quad_segs=4)
    assert isinstance(centres, shapely.Polygon)
    assert centres.buffer(0.25, quad_segs=4).area > 0.99 * env.area


@pytest.mark.parametrize("name", SIDES)
def test_areas_are_free_and_distinct(maps, name):
    env = maps[name]
    assert env.areas
    assert len({area.name for area in env.areas}) == len(env.areas)
    for area in env.areas:
        assert area.polygon.difference(env.walkable).area < 1e-9
        assert area.polygon.area > 4


def test_game_has_the_triangles_of_the_paper(maps):
    solid = obstacles(maps["game"])
    assert triangles(solid) == 306
    assert len(solid) == 33


def test_game_has_passages_of_2_to_6_m(maps):
    assert gaps(obstacles(maps["game"]), within=6.0).min() >= 2.0


def test_game_has_dead_ends():
    from footway.environment.gallery.game import _level

    _, _, walls = _level()
    free = np.pad(~walls, 1)
    exits = free[:-2, 1:-1].astype(int) + free[2:, 1:-1] + free[1:-1, :-2] + free[1:-1, 2:]
    assert (exits[::2, ::2] == 1).sum() >= 5
    assert (exits[::2, ::2] >= 3).sum() >= 20


def test_field_has_ten_cones_four_trees_and_two_fences(maps):
    solid = obstacles(maps["field"])
    corners = shapely.get_num_coordinates(solid) - 1
    radius = np.sqrt(shapely.area(solid) / np.pi)
    assert (corners == 16).sum() == 14
    assert ((corners == 16) & (radius <= 1.0)).sum() == 10
    assert (corners == 4).sum() == 2
    assert gaps(solid, within=5.0).min() > 0.5


def test_field_is_cluttered_in_one_part_and_empty_in_the_other(maps):
    middle = shapely.get_coordinates(shapely.centroid(obstacles(maps["field"])))
    assert (middle[:, 1] > 15).mean() > 0.9


def test_office_has_more_than_80_pieces_of_furniture():
    from footway.environment.gallery.office import _furniture

    assert len(_furniture()) > 80


def test_office_doors_are_as_wide_as_doors():
    from footway.environment.gallery.office import ALONG_X, ALONG_Y

    widths = [width for wall in (*ALONG_X, *ALONG_Y) for _, width in wall[3]]
    assert len(widths) > 30
    assert min(widths) >= 0.9
    assert max(widths) <= 1.2


def test_office_furniture_blocks_no_door(maps):
    # A disc as wide as the narrowest door, but for 2 cm, still gets into every room.
    centres = maps["office"].walkable.buffer(-0.44, quad_segs=4)
    rooms = [part.area for part in shapely.get_parts(centres)]
    assert max(rooms) > 0.999 * sum(rooms)


def test_mckenna_has_23_convex_buildings_with_96_vertices(maps):
    solid = obstacles(maps["mckenna"])
    assert len(solid) == 23
    assert int((shapely.get_num_coordinates(solid) - 1).sum()) == 96
    assert np.allclose(shapely.area(shapely.convex_hull(solid)), shapely.area(solid))


def test_mckenna_road_has_10_convex_terrain_polygons_with_39_vertices(maps):
    env = maps["mckenna-road"]
    ground = np.array([region.polygon for region in env.terrain])
    assert len(ground) == 10
    assert int((shapely.get_num_coordinates(ground) - 1).sum()) == 39
    assert np.allclose(shapely.area(shapely.convex_hull(ground)), shapely.area(ground))
    assert {region.kind for region in env.terrain} == {"mud", "road", "sidewalk"}
    assert shapely.equals(env.walkable, maps["mckenna"].walkable)


def test_routes_by_hand_are_free_and_go_where_the_figures_say():
    from footway.environment.gallery import mckenna, mckenna_road

    with_loop = shapely.LineString(mckenna.ROUTE)
    assert not with_loop.is_simple
    assert with_loop.length > 800
    assert with_loop.within(gallery.make("mckenna").walkable.buffer(-1.0))
    env = gallery.make("mckenna-road")
    route = shapely.LineString(mckenna_road.ROUTE)
    on = {kind: top.intersection(route).length for kind, top in TerrainOracle(env).tops.items()}
    assert on["mud"] == 0
    assert on["sidewalk"] > 80
    assert 5 < on["road"] < 15
    # The straight line from the sidewalk to the goal leads through the mud.
    short = shapely.LineString([mckenna_road.ROUTE[3], mckenna_road.ROUTE[-1]])
    assert any(r.polygon.crosses(short) for r in env.terrain if r.kind == "mud")


def test_forest_has_the_kinds_of_the_paper(maps):
    from footway.environment.gallery import forest

    env = maps["forest"]
    assert {region.kind for region in env.terrain} == set(forest.ADULT) == set(forest.CHILD)
    assert shapely.union_all([r.polygon for r in env.terrain]).area == 800 * 800
    # No tree stands on the path, on the view or on a fallen tree.
    solid = shapely.union_all(obstacles(env))
    assert all(r.polygon.distance(solid) > 0.2 for r in env.terrain if r.kind != "forest")


def test_city_has_the_size_of_the_paper(maps):
    solid = obstacles(maps["city"])
    assert 540 <= len(solid) <= 640
    assert triangles(solid) == 2122
    assert shapely.area(solid).min() > 50


def test_city_has_alleys_of_1_5_to_2_m_and_nothing_narrower(maps):
    found = gaps(obstacles(maps["city"]), within=8.0)
    assert found.min() >= 1.5
    assert ((found >= 1.5) & (found <= 2.0)).sum() > 500
    assert (found > 4.0).sum() > 200


def test_city_keeps_a_margin(maps):
    xmin, ymin, xmax, ymax = shapely.total_bounds(obstacles(maps["city"]))
    assert min(xmin, ymin, 500 - xmax, 500 - ymax) > 2.5


def test_city_is_no_grid(maps):
    rings = [np.asarray(p.exterior.coords) for p in obstacles(maps["city"])]
    sides = np.concatenate([np.diff(ring, axis=0) for ring in rings])
    angles = np.degrees(np.arctan2(sides[:, 1], sides[:, 0])) % 90
    share, _ = np.histogram(angles, bins=18, range=(0, 90), weights=np.hypot(*sides.T))
    assert share.max() < 0.25 * share.sum()


def test_one_tile_is_the_city(maps):
    one = gallery.make("city:1x1")
    assert one.name == "gallery:city:1x1"
    assert digest(one) == digest(maps["city"])


def test_tiles_are_the_city_side_by_side(maps, nine_cities):
    assert nine_cities.bounds == (0.0, 0.0, 1500.0, 1500.0)
    assert nine_cities.holes == 9 * HOLES["city"]
    assert nine_cities.area == pytest.approx(9 * maps["city"].area)
    last = nine_cities.walkable.intersection(shapely.box(1000, 1000, 1500, 1500))
    moved = shapely.transform(maps["city"].walkable, lambda xy: xy + 1000)
    assert last.symmetric_difference(moved).area < 1e-6


def test_tiles_join(nine_cities):
    assert len(nine_cities.walkable.geoms) == 1
    assert isinstance(nine_cities.walkable.buffer(-0.7, quad_segs=2), shapely.Polygon)
    assert len({area.name for area in nine_cities.areas}) == 36


@pytest.mark.parametrize("name", ["", "City", "town", "city:", "city:3", "city:ax3", "office:2x2"])
def test_an_unknown_name_lists_those_that_exist(name):
    with pytest.raises(
        BadInput, match="city, field, forest, game, house, mckenna, mckenna-road, office, quake and"
    ):
        gallery.make(name)


@pytest.mark.parametrize("name", ["city:0x0", "city:13x13", "city:3x4", "city:9999x9999"])
def test_a_tiling_out_of_range_says_what_is_allowed(name):
    with pytest.raises(BadInput, match=rf"{re.escape(repr(name))}.*1 to 12.*city:3x3"):
        gallery.make(name)
