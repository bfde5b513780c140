"""Voronoi-PRM on built-in and hand-made maps: roads through every passage, with high clearance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely

from footway.environment import Environment, gallery
from footway.errors import BadInput
from footway.medial import medial_axis
from footway.roadmap import Roadmap, voronoi_prm
from footway.roadmap.lattice.space import Space, make_space
from footway.roadmap.voronoi.voronoi_prm import (
    free_samples,
    retract_edges,
    retract_to_axis,
    useful_neighbours,
)
from tests.oracle.voronoi_retraction import retracted

if TYPE_CHECKING:
    from footway.medial import MedialAxis

EXACT = 1e-6


def hall(*obstacles: tuple[float, float, float, float], side: float = 20.0) -> Environment:
    """A square with boxes in it."""
    return Environment.from_polygons(
        bounds=(0, 0, side, side), obstacles=[shapely.box(*box) for box in obstacles]
    )


def walls_of(env: Environment) -> shapely.Geometry:
    return shapely.union_all([env.walkable.boundary, env.lines, env.points])


def lines_of(roadmap: Roadmap) -> np.ndarray:
    return shapely.linestrings(roadmap.nodes[roadmap.edges])


def places_of_disc(env: Environment, radius: float) -> list[shapely.Polygon]:
    """Connected parts of the space of a disc's centre."""
    walls = shapely.buffer(walls_of(env), radius, quad_segs=64)
    parts = shapely.get_parts(env.walkable.difference(walls))
    return [part for part in parts if part.area > 1e-3]


def gates(axis: MedialAxis, radius: float) -> np.ndarray:
    """Segments across the narrowest point of each edge of the axis that is on a cycle."""
    narrowest = [
        first + int(np.argmin(axis.clearance[first:last]))
        for first, last in zip(axis.offsets[:-1], axis.offsets[1:], strict=True)
    ]
    kept = axis.clearance[narrowest] >= radius
    while True:
        degree = np.bincount(axis.edges[kept].ravel(), minlength=len(axis.vertices))
        dead = kept & (degree[axis.edges] == 1).any(axis=1)
        if not dead.any():
            break
        kept &= ~dead
    at = np.array(narrowest)[kept]
    return shapely.linestrings(np.stack([axis.left[at], axis.right[at]], axis=1))


@pytest.fixture(scope="module", params=["field", "office", "game", "mckenna"])
def built(request) -> tuple[Environment, Roadmap]:
    env = gallery.make(request.param)
    return env, voronoi_prm(env, radius=0.24)


class TestGallery:
    def test_edges_keep_the_radius_and_mostly_the_desired_clearance(self, built):
        env, roadmap = built
        away = shapely.distance(lines_of(roadmap), walls_of(env))
        assert away.min() >= 0.24 - EXACT
        assert (away >= 0.48 - EXACT).mean() > 0.9

    def test_roads_stay_in_walkable_space(self, built):
        env, roadmap = built
        assert env.walkable.contains(shapely.union_all(lines_of(roadmap)))

    def test_components_and_cycles_are_those_of_the_space(self, built):
        env, roadmap = built
        parts = places_of_disc(env, 0.24)
        assert roadmap.n_components == len(parts)
        assert roadmap.n_cycles >= sum(len(part.interiors) for part in parts)

    def test_a_road_goes_through_every_gate(self, built):
        env, roadmap = built
        roads = shapely.union_all(lines_of(roadmap))
        across = gates(medial_axis(env.walls), 0.24)
        assert len(across) > 20
        assert shapely.distance(across, roads).max() < EXACT

    def test_no_edge_is_doubled_and_none_is_a_point(self, built):
        _, roadmap = built
        pairs = np.sort(roadmap.edges, axis=1)
        assert len(np.unique(pairs, axis=0)) == len(pairs)
        assert roadmap.lengths.min() > 0.0

    def test_parameters_are_recorded(self, built):
        env, roadmap = built
        assert (roadmap.method, roadmap.name) == ("voronoi_prm", env.name)
        assert roadmap.parameters["clearance"] == pytest.approx(0.48)
        assert roadmap.parameters["every_passage"] is True
        assert "passages" in roadmap.seconds


def test_the_same_seed_gives_the_same_bits():
    env = gallery.make("field")
    first, second = (voronoi_prm(env, seed=7, samples=300) for _ in range(2))
    assert first.nodes.tobytes() == second.nodes.tobytes()
    assert first.edges.tobytes() == second.edges.tobytes()


def test_progress_ends_at_all_steps():
    seen: list[tuple[int, int]] = []
    voronoi_prm(hall(), progress=lambda done, of: seen.append((done, of)))
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))


def test_samples_alone_can_miss_a_passage():
    env = hall((0, 9, 9.4, 11), (10.6, 9, 20, 11))
    gate = shapely.LineString([(9.4, 10), (10.6, 10)])
    missed = voronoi_prm(env, every_passage=False, samples=6, seed=1)
    assert not shapely.union_all(lines_of(missed)).intersects(gate)
    found = voronoi_prm(env, samples=6, seed=1)
    assert shapely.union_all(lines_of(found)).intersects(gate)
    assert found.n_components == 1


def test_many_samples_alone_find_the_cycles_of_a_map():
    roadmap = voronoi_prm(gallery.make("field"), every_passage=False)
    assert roadmap.n_components == 1
    assert roadmap.n_cycles >= 16


def test_a_passage_that_is_too_narrow_has_no_road():
    env = hall((0, 9, 9.4, 11), (10.6, 9, 20, 11))
    assert voronoi_prm(env, radius=0.61).n_components == 2
    assert voronoi_prm(env, radius=0.59).n_components == 1


def test_a_passage_as_wide_as_the_disc_has_a_road():
    env = hall((0, 9, 9.5, 11), (10.5, 9, 20, 11))
    roadmap = voronoi_prm(env, radius=0.5)
    assert roadmap.n_components == 1
    assert shapely.distance(lines_of(roadmap), walls_of(env)).min() >= 0.5 - EXACT


@pytest.mark.parametrize("radius", [1e-6, 1e-3])
def test_a_tiny_disc_costs_no_more_than_another(radius, built):
    """Corners are not cut finer and finer, and nothing moves in millions of steps."""
    env, usual = built
    roadmap = voronoi_prm(env, radius=radius)
    assert roadmap.n_components == usual.n_components
    assert roadmap.n_cycles >= sum(len(part.interiors) for part in places_of_disc(env, radius))
    assert roadmap.n_nodes < 3 * usual.n_nodes
    assert shapely.distance(lines_of(roadmap), walls_of(env)).min() >= 0.999 * radius


def test_corners_have_no_stubs():
    ring = voronoi_prm(hall((8, 8, 12, 12)), samples=0)
    assert np.bincount(ring.edges.ravel()).tolist() == [2] * ring.n_nodes
    assert ring.n_cycles == 1


def test_dead_end_corridors_stay():
    env = Environment.from_polygons(
        [shapely.union_all([shapely.box(0, 0, 10, 10), shapely.box(10, 4, 30, 6)])]
    )
    roadmap = voronoi_prm(env)
    assert roadmap.nodes[:, 0].max() == pytest.approx(29.0, abs=0.01)
    assert roadmap.n_cycles == 0


def test_a_square_room_is_one_vertex():
    roadmap = voronoi_prm(hall(), samples=0)
    assert roadmap.nodes.tolist() == [pytest.approx([10.0, 10.0])]
    assert roadmap.n_edges == 0


@pytest.mark.parametrize("samples", [0, 1, 30])
def test_samples_alone_leave_something_of_a_square_room(samples):
    roadmap = voronoi_prm(hall(), samples=samples, every_passage=False)
    assert roadmap.n_nodes == min(samples, 1)
    assert roadmap.n_edges == 0


def test_a_corridor_with_doors_is_straight():
    rooms = [shapely.box(x, 2.2, x + 4, 6) for x in range(0, 40, 5)]
    doors = [shapely.box(x + 1.5, 1.9, x + 2.5, 2.3) for x in range(0, 40, 5)]
    env = Environment.from_polygons([shapely.union_all([shapely.box(0, 0, 40, 2), *rooms, *doors])])
    roadmap = voronoi_prm(env)
    in_corridor = roadmap.nodes[roadmap.nodes[:, 1] < 1.5]
    assert np.ptp(in_corridor[:, 1]) < 0.1


def test_the_disc_may_fit_in_no_cell_of_the_usual_size():
    env = Environment.from_polygons(bounds=(0, 0, 30, 0.7))
    roadmap = voronoi_prm(env, radius=0.3)
    assert roadmap.lengths.sum() == pytest.approx(29.3, abs=0.1)
    with pytest.raises(BadInput, match="fits in no cell"):
        voronoi_prm(env, radius=0.3, resolution=0.5)


class TestBadInput:
    @pytest.mark.parametrize("radius", [0, -1, 1e-7, 1e-300, math.nan, math.inf, "wide", None])
    def test_radius(self, radius):
        with pytest.raises(BadInput, match="the radius is"):
            voronoi_prm(hall(), radius=radius)

    @pytest.mark.parametrize("clearance", [0.2, 0, -1, math.nan])
    def test_clearance(self, clearance):
        with pytest.raises(BadInput, match="the clearance is"):
            voronoi_prm(hall(), radius=0.25, clearance=clearance)

    @pytest.mark.parametrize("samples", [-1, 2.5, True, 10**9, "many"])
    def test_samples(self, samples):
        with pytest.raises(BadInput, match="samples is"):
            voronoi_prm(hall(), samples=samples)

    @pytest.mark.parametrize("usefulness", [0, -2, 0.5, math.nan, math.inf, "K"])
    def test_usefulness(self, usefulness):
        with pytest.raises(BadInput, match="usefulness K"):
            voronoi_prm(hall(), usefulness=usefulness)

    def test_neighbour_distance(self):
        with pytest.raises(BadInput, match="neighbour distance"):
            voronoi_prm(hall(), neighbour_distance=0)

    def test_seed(self):
        with pytest.raises(BadInput, match="seed"):
            voronoi_prm(hall(), seed=-1)

    def test_a_disc_that_fits_nowhere(self):
        with pytest.raises(BadInput, match=r"widest place, \(10.000, 10.000\), has 10.000 m"):
            voronoi_prm(hall(), radius=11)

    def test_a_volume(self):
        with pytest.raises(BadInput, match="not a 2D map"):
            voronoi_prm(gallery.make("house"))


def bare(env: Environment, radius: float = 0.25) -> Space:
    """The space of an environment, whose clearance is the distance to the walls."""
    return make_space(env, radius=radius)._replace(radius=0.0)


@pytest.fixture(scope="module")
def field() -> Environment:
    return gallery.make("field")


def test_points_agree_with_the_slow_oracle(field):
    walls = bare(field)
    points = free_samples(field, walls, radius=0.25, count=60, seed=3)
    found, _ = retract_to_axis(points, walls)
    slow = [retracted(tuple(p), field.walkable.boundary, epsilon=1e-7) for p in points.tolist()]
    assert found == pytest.approx(np.array(slow), abs=1e-5)


def test_retracted_points_have_two_nearest_walls(field):
    walls = bare(field)
    points, clearance = retract_to_axis(
        free_samples(field, walls, radius=0.25, count=100, seed=5), walls
    )
    segments = shapely.linestrings(field.walls.segments.reshape(-1, 2, 2))
    for point, away in zip(shapely.points(points), clearance, strict=True):
        near = segments[shapely.distance(segments, point) <= away + 1e-5]
        feet = np.array([shapely.shortest_line(point, wall).coords[1] for wall in near])
        assert np.hypot(*(feet - feet[0]).T).max() > 1e-3


def test_samples_are_where_the_disc_fits(field):
    points = free_samples(field, bare(field), radius=0.5, count=500, seed=1)
    assert len(points) == 500
    assert shapely.contains_xy(field.walkable, *points.T).all()
    assert shapely.distance(shapely.points(points), field.walkable.boundary).min() >= 0.5


def test_an_edge_is_retracted_to_the_middle_of_a_corridor():
    env = Environment.from_polygons(
        bounds=(0, 0, 20, 10), obstacles=[shapely.box(8, 0, 12, 4), shapely.box(8, 6, 12, 10)]
    )
    walls = bare(env)
    (chain,) = retract_edges(
        np.array([[4.0, 4.6]]),
        np.array([[16.0, 4.6]]),
        walls,
        radius=0.25,
        desired=0.9,
        shortest=0.25,
    )
    inside = chain[(chain[:, 0] > 8) & (chain[:, 0] < 12)]
    assert inside[:, 1] == pytest.approx(np.full(len(inside), 5.0), abs=0.01)
    assert chain[0].tolist() == [4.0, 4.6]
    assert chain[-1].tolist() == [16.0, 4.6]
    assert shapely.LineString(chain).distance(env.walkable.boundary) >= 0.9 - 1e-6


def test_an_edge_with_clearance_stays_and_a_blocked_one_fails():
    env = Environment.from_polygons(bounds=(0, 0, 20, 10), obstacles=[shapely.box(9, 0, 11, 9.8)])
    starts, ends = np.array([[2.0, 2.0], [5.0, 5.0]]), np.array([[7.0, 7.0], [15.0, 5.0]])
    kept, failed = retract_edges(starts, ends, bare(env), radius=0.25, desired=0.5, shortest=0.25)
    assert kept.tolist() == [[2.0, 2.0], [7.0, 7.0]]
    assert failed.shape == (0, 2)


def test_no_edges_give_no_chains(field):
    none = np.empty((0, 2))
    assert retract_edges(none, none, bare(field), radius=0.25, desired=0.5, shortest=0.25) == []


def test_useful_edges_close_a_cycle_when_the_detour_is_long():
    env = Environment.from_polygons(bounds=(0, 0, 20, 20), obstacles=[shapely.box(5, 5, 15, 15)])
    places = np.array([(2.5, 2.5), (17.5, 2.5), (17.5, 17.5), (2.5, 17.5)])
    known = np.array([(0, 1), (1, 2), (2, 3)])
    make = {"radius": 0.25, "distance": 30.0}
    closing = useful_neighbours(places, known, bare(env), usefulness=1.5, **make)
    assert closing.tolist() == [[0, 3]]
    assert len(useful_neighbours(places, known, bare(env), usefulness=4.0, **make)) == 0
    too_little = useful_neighbours(places, known, bare(env), usefulness=1.5, saving=31.0, **make)
    assert len(too_little) == 0
