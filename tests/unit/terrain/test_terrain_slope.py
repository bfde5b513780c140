"""Slopes: a metre of height costs as much as seven on the level, whatever the direction."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import TerrainRegion
from footway.errors import BadGeometry
from footway.terrain.terrain import CLIMB
from tests.oracle.routes import dense_length


def slope(x0, y0, x1, y1, rise, kind="slope") -> TerrainRegion:
    return TerrainRegion(kind, shapely.box(x0, y0, x1, y1), slope=rise)


@pytest.fixture(scope="module")
def ridge() -> fw.Environment:
    """A ridge from north to south across the room, with a gap of level ground in the north."""
    return fw.Environment.from_polygons(
        bounds=(0, 0, 40, 30),
        terrain=[slope(14, 0, 20, 24, (0.3, 0)), slope(20, 0, 26, 24, (-0.3, 0))],
    )


@pytest.mark.parametrize("grade", [0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
def test_the_cost_is_that_of_people(grade):
    """Mean of both directions of the hiking function (Tobler, 1993) and of energy (Minetti)."""

    def tobler(s):
        return math.exp(3.5 * (abs(s + 0.05) - 0.05))

    def minetti(s):
        energy = 280.5 * s**5 - 58.7 * s**4 - 76.8 * s**3 + 51.9 * s**2 + 19.6 * s + 2.5
        return energy / 2.5

    ours = math.hypot(1.0, CLIMB * grade)
    assert ours == pytest.approx((tobler(grade) + tobler(-grade)) / 2, rel=0.05)
    assert ours == pytest.approx((minetti(grade) + minetti(-grade)) / 2, rel=0.14)


def test_lines_are_measured_exactly():
    """By the direction: across the slope nothing is added; metres stay those of the plan."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 20), terrain=[("mud", shapely.box(10, 0, 20, 20)),
                                        slope(0, 0, 20, 20, (0.12, 0.16))],
    )  # fmt: skip
    terrain = fw.Terrain.build(env, 0.25)
    for angle in np.linspace(0.0, 2 * np.pi, 24):
        line = np.array([[7, 10], [7, 10] + 6 * np.array([np.cos(angle), np.sin(angle)])])
        height = float((line[1] - line[0]) @ (0.12, 0.16))
        per_metre = math.hypot(6.0, 7.0 * height) / 6.0
        metres = terrain.measure(line)
        assert sum(metres.values()) == pytest.approx(6.0)
        expected = per_metre * (metres["ground"] + 3.0 * metres["mud"])
        assert terrain.weighted_length(line, {"mud": 3.0}) == pytest.approx(expected)
        assert terrain.weighted_length(line[::-1], {"mud": 3.0}) == pytest.approx(expected)
    assert terrain.kind_at([(5, 5), (15, 5)]) == ["ground", "mud"]


def test_one_slope_stretches_the_map():
    """Then the best route is the shortest one on a map that is stretched along the slope."""
    box = np.array([(8, 4), (12, 4), (12, 17), (8, 17)], float)
    room = np.array([(0, 0), (20, 0), (20, 20), (0, 20)], float)
    rise = np.array([0.2, 0.1])
    unit = rise / np.linalg.norm(rise)
    stretch = np.eye(2) + (math.hypot(1.0, 7.0 * np.linalg.norm(rise)) - 1) * np.outer(unit, unit)
    env = fw.Environment.from_polygons(
        [room], obstacles=[box], terrain=[TerrainRegion("slope", room, slope=rise)]
    )
    flat = fw.Environment.from_polygons([room @ stretch], obstacles=[box @ stretch], grid=1e-6)
    cmap = fw.CorridorMap.build(flat)
    for start, goal in (((2, 9), (18, 11)), ((5, 2), (14, 19)), ((9, 2), (7, 15))):
        found = fw.route(env, start, goal, radius=0.0)
        shortest = cmap.path(start @ stretch, goal @ stretch, radius=0.0).length
        assert found.weighted_length == pytest.approx(shortest, rel=1e-4)


def random_hills(seed: int) -> tuple[fw.Environment, list[TerrainRegion]]:
    rng = np.random.default_rng(seed)
    corners = rng.uniform(2, 24, (6, 2))
    regions = [
        slope(*low, *(low + rng.uniform(5, 14, 2)), rng.uniform(-0.3, 0.3, 2)) for low in corners
    ]
    mud = TerrainRegion("mud", shapely.box(10, 5, 24, 25))
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 36, 36), obstacles=[[(16, 12), (20, 12), (20, 30), (16, 30)]],
        terrain=[*regions[:3], mud, *regions[3:]],
    )  # fmt: skip
    return env, regions


@pytest.mark.parametrize("seed", range(4))
def test_routes_are_nearly_optimal(seed):
    """Compared with a search over many points on all sides; regions on top count."""
    env, regions = random_hills(seed)
    terrain = fw.Terrain.build(env, 0.0)
    middles = shapely.points(terrain.mesh.points[terrain.mesh.triangles].mean(axis=1))
    slopes = np.zeros((len(middles), 2))
    for region in regions:
        slopes[shapely.contains(region.polygon, middles)] = region.slope
    preferences = {"mud": 1.7}
    weights = terrain.weights(preferences)
    rng = np.random.default_rng(seed + 100)
    for _ in range(6):
        start, goal = rng.uniform((1, 1), (9, 35)), rng.uniform((27, 1), (35, 35))
        found = fw.route(terrain, start, goal, preferences=preferences, margin=0.0)
        best = dense_length(terrain, start, goal, weights, slopes=slopes)
        assert found.weighted_length <= best * (1.0 + 1e-9)
        assert found.weighted_length == pytest.approx(best, rel=0.01)
        assert found.weighted_length <= found.weighted_length_before
        for method in ("triangles", "grid"):
            rough = fw.route(
                terrain, start, goal, preferences=preferences, method=method, improve=False
            )
            assert rough.weighted_length >= found.weighted_length * (1.0 - 1e-9)


def test_walks_and_routes_go_around_a_ridge(ridge):
    straight = 36.0 - 12.0 + 12.0 * math.hypot(1.0, 7.0 * 0.3)
    for start, goal in (((2, 20), (38, 20)), ((38, 20), (2, 20))):
        route = fw.route(ridge, start, goal)
        assert route.weighted_length < 0.8 * straight
        walk = fw.follow.miran(route, sigma=8, spacing=1)
        assert walk.weighted_length < 1.05 * route.weighted_length  # it may cut corners
    south = fw.route(ridge, (2, 3), (38, 3))  # the way around is longer than the climb
    assert south.length == pytest.approx(36.0)


def test_miran_compares_slopes_although_all_weights_are_equal(ridge):
    """With a sigma that reaches across the ridge, a shortcut over it costs too much."""
    terrain = fw.Terrain.build(ridge, 0.25)
    around = [(2, 21), (13, 26), (27, 26), (38, 21)]
    drawn = fw.IndicativeRoute.from_points(terrain, around)
    walk = fw.follow.miran(drawn, sigma=60, spacing=1)
    assert walk.weighted_length < 1.1 * drawn.weighted_length
    level = fw.Environment.from_polygons(bounds=(0, 0, 40, 30))
    drawn = fw.IndicativeRoute.from_points(fw.Terrain.build(level, 0.25), around)
    assert fw.follow.miran(drawn, sigma=60, spacing=1).points[:, 1].max() < 23


def test_a_crowd_goes_around_a_ridge(ridge):
    crowd = fw.Crowd(fw.CorridorMap.build(ridge), seed=1, environment=ridge)
    crowd.add(1, starts=[(2, 20)], goals=[(38, 20)], then="stay", follow="miran")
    on_top = False
    for _ in range(50):
        crowd.step(10)
        x, y = crowd.positions[0]
        on_top = on_top or (abs(x - 20) < 5.5 and y < 23.5)
    assert crowd.arrivals == 1
    assert not on_top


def test_files_keep_slopes(tmp_path):
    from footway.formats.environment_arrays import from_arrays, to_arrays
    from footway.formats.geojson import save_geojson

    env, _ = random_hills(1)
    save_geojson(env, tmp_path / "map.geojson")
    for again in (fw.load(tmp_path / "map.geojson"), from_arrays(*to_arrays(env))):
        assert [(r.kind, r.slope) for r in again.terrain] == [
            (r.kind, r.slope) for r in env.terrain
        ]
    assert env.terrain_kinds == ("ground", "mud")


def test_scenarios_have_slopes(tmp_path):
    file = tmp_path / "hill.toml"
    text = """
        map = "gallery:field"
        duration = 10
        [[terrain]]
        kind = "slope"
        polygon = [20, 18, 26, 28]
        slope = [0.2, 0.1]
        [[population]]
        count = 3
    """
    file.write_text(text)
    from footway.scenario.building import open_map

    scenario = fw.load_scenario(file)
    opened = open_map(scenario)
    assert [region.slope for region in opened.environment.terrain] == [(0.2, 0.1)]
    assert len(scenario.prepare().crowd.positions) == 3
    file.write_text(text.replace("0.2, 0.1", "0.2"))
    with pytest.raises(fw.BadInput, match="two numbers"):
        fw.load_scenario(file)
    file.write_text(text.replace("slope = [0.2, 0.1]", ""))
    with pytest.raises(fw.BadInput, match=r"line 6.*has no slope"):
        fw.load_scenario(file).prepare()


@pytest.mark.parametrize("bad", [0.1, (0.1,), (0.1, "up"), (0.8, 0.8), (math.nan, 0.0), "steep"])
def test_bad_slopes_are_refused(bad):
    with pytest.raises(BadGeometry, match="rise per metre along x and y"):
        slope(0, 0, 1, 1, bad)


def test_a_slope_needs_numbers_and_has_no_reach():
    with pytest.raises(BadGeometry, match="has no slope"):
        TerrainRegion("slope", shapely.box(0, 0, 1, 1))
    with pytest.raises(BadGeometry, match="has no reach"):
        TerrainRegion("slope", shapely.box(0, 0, 1, 1), 3.0, (0.1, 0.0))


def test_pictures_name_slopes_and_point_uphill(ridge):
    from footway import plot

    cmap = fw.CorridorMap.build(ridge)
    figure = plot.draw_map(cmap, environment=ridge)
    assert "slope, uphill" in [text.get_text() for text in figure.texts]
    arrows = [note for note in figure.axes[0].texts if getattr(note, "arrow_patch", None)]
    heads = sorted(float(note.xy[0] - note.get_position()[0]) for note in arrows)
    assert len(heads) == 2
    assert heads[0] < 0.0 < heads[1]  # toward the ridge, from both sides
