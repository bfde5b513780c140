"""Queries on roadmaps with blends: C1 paths of lines and arcs, and the exact map beyond them."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import pytest
import shapely

import footway as fw
from footway._numba.jit import kernel
from footway.corridor.kernels.path import APART
from footway.corridor.kernels.search import FOUND
from footway.crowd.kernels.attraction import draw_edge
from footway.crowd.tracks import tracks_of
from footway.roadmap import Editor, Roadmap, rrm_star, voronoi_prm
from footway.roadmap.lattice.space import make_space
from footway.roadmap.maps.blend_solver import BlendSolver, straightened
from tests.oracle import smooth

RADIUS = 0.25


@pytest.fixture(scope="module", params=["voronoi", "rrm_star"])
def roadmap(request, env) -> Roadmap:
    if request.param == "voronoi":
        return voronoi_prm(env, radius=RADIUS)
    return rrm_star(env, resolution=0.25, radius=RADIUS).with_changes(method="voronoi_prm")


@pytest.fixture(scope="module")
def blended(roadmap) -> fw.CorridorMap:
    return fw.CorridorMap.from_roadmap(roadmap)


def free_points(cmap: fw.CorridorMap, count: int, seed: int, radius: float = RADIUS) -> np.ndarray:
    low, high = np.array(cmap.bounds).reshape(2, 2)
    points = low + np.random.default_rng(seed).random((20 * count, 2)) * (high - low)
    return points[cmap.clearance(points) >= radius][:count]


def judge(path: fw.Path, walls: shapely.Geometry) -> None:
    """Check that a path is C1, from start to goal, with the stated length and clearance."""
    pieces = smooth.pieces_of(path.pieces)
    gap, bend = smooth.gaps_and_bends(pieces)
    assert gap < 1e-7
    assert bend < 1e-7
    assert np.allclose(pieces[0].begin, path.start, atol=1e-9)
    assert np.allclose(pieces[-1].end, path.goal, atol=1e-7)
    away = smooth.clearance(pieces, walls)
    assert path.clearance >= path.radius - 1e-6
    assert path.clearance == pytest.approx(away, abs=1e-5)
    assert shapely.LineString(path.points).distance(walls) >= path.clearance - 1e-6
    length = sum(shapely.LineString(piece.points).length for piece in pieces)
    assert path.length == pytest.approx(length, abs=1e-4)


class TestPaths:
    def test_random_queries(self, blended, cmap, walls):
        starts, goals = (free_points(cmap, 120, seed) for seed in (3, 4))
        found = blended.paths(starts, goals, radius=RADIUS)
        expected = cmap.paths(starts, goals, radius=RADIUS)
        assert sum(path is not None for path in found) > 60
        for path, best in zip(found, expected, strict=True):
            assert (path is None) == (best is None)
            if path is not None:
                judge(path, walls)
                assert path.length >= best.length - 1e-6

    @pytest.mark.parametrize("radius", [0.05, 0.4])
    def test_other_discs_than_the_roadmap_was_made_for(self, blended, cmap, walls, radius):
        starts, goals = (free_points(cmap, 60, seed, radius) for seed in (5, 6))
        for path, best in zip(
            blended.paths(starts, goals, radius=radius),
            cmap.paths(starts, goals, radius=radius),
            strict=True,
        ):
            assert (path is None) == (best is None)
            if path is not None:
                judge(path, walls)

    def test_through_the_door_with_arcs(self, blended, walls):
        path = blended.path((2, 2), (12, 8), radius=RADIUS)
        judge(path, walls)
        assert path.turns > 0
        door = path.points[np.abs(path.points[:, 0] - 10).argmin()]
        assert 4.5 < door[1] < 5.5

    def test_a_free_straight_line_is_returned(self, blended):
        assert len(blended.path((1, 1), (8, 1.5), radius=RADIUS).pieces) == 1

    def test_start_is_goal(self, blended):
        path = blended.path((2, 2), (2, 2), radius=RADIUS)
        assert path.length == 0
        assert len(path.points) == 2

    def test_from_vertex_to_vertex(self, blended, roadmap, walls):
        largest = np.argmax(np.bincount(roadmap.component))
        (joined,) = np.nonzero(roadmap.component == largest)
        assert len(joined) > 4
        for a, b in ((joined[0], joined[-1]), (joined[1], joined[len(joined) // 2])):
            start, goal = roadmap.nodes[a], roadmap.nodes[b]
            path = blended.path(start, goal, radius=RADIUS)
            judge(path, walls)
            assert (path.start, path.goal) == (tuple(start), tuple(goal))
            assert path.length >= np.hypot(*(goal - start)) - 1e-9

    def test_there_and_back_have_one_length(self, blended, cmap):
        points = free_points(cmap, 40, 8)
        there = blended.paths(points[:20], points[20:], radius=RADIUS)
        back = blended.paths(points[20:], points[:20], radius=RADIUS)
        for one, other in zip(there, back, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                assert one.length == pytest.approx(other.length, abs=1e-9)

    @pytest.mark.parametrize("threads", [2, 3, 4])
    def test_threads_have_one_answer(self, blended, cmap, threads):
        """Bit for bit; for more queries than a batch holds, some of them on the exact map."""
        starts, goals = (free_points(cmap, 300, seed) for seed in (9, 10))
        alone = blended.paths(starts, goals, radius=RADIUS, threads=1)
        together = blended.paths(starts, goals, radius=RADIUS, threads=threads)
        assert len(alone) > 4 * 64
        assert [bits_of(path) for path in together] == [bits_of(path) for path in alone]


def bits_of(path: fw.Path | None) -> tuple[bytes, float, float] | None:
    return None if path is None else (path.pieces.tobytes(), path.length, path.clearance)


def hall(nodes, edges, obstacles=(), weights=None, bounds=(0, 0, 20, 12)) -> fw.CorridorMap:
    env = fw.Environment.from_polygons(bounds=bounds, obstacles=list(obstacles))
    space = make_space(env, resolution=0.5, radius=RADIUS)
    return fw.CorridorMap.from_roadmap(
        Roadmap.make(nodes, edges, space, method="voronoi_prm", weights=weights)
    )


BLOCK = [(5, 4), (15, 4), (15, 8), (5, 8)]
RING = [(3, 6), (3, 2), (17, 2), (17, 6), (17, 10.5), (3, 10.5)]
AROUND = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]


class TestSearch:
    def test_the_shorter_path_is_found(self):
        path = hall(RING, AROUND, [BLOCK]).path((2, 6), (18, 6), radius=RADIUS)
        assert path.points[:, 1].min() < 4

    def test_weights_count(self):
        heavy = [1.0, 3.0, 1.0, 1.0, 1.0, 1.0]
        path = hall(RING, AROUND, [BLOCK], heavy).path((2, 6), (18, 6), radius=RADIUS)
        assert path.points[:, 1].max() > 8

    def test_weights_below_one(self):
        light = [1.0, 1.0, 1.0, 1.0, 0.2, 1.0]
        path = hall(RING, AROUND, [BLOCK], light).path((2, 6), (18, 6), radius=RADIUS)
        assert path.points[:, 1].max() > 8

    def test_both_ends_may_meet_in_one_vertex(self):
        cmap = hall([(3, 3), (17, 3)], [(0, 1)], [[(4, 4), (20, 4), (20, 12), (4, 12)]])
        path = cmap.path((2, 10), (6, 2), radius=RADIUS)
        assert path.turns == 1
        assert path.clearance >= RADIUS

    def test_a_lone_vertex_serves(self):
        cmap = hall([(2.5, 2.5)], np.empty((0, 2), int), [[(4, 4), (20, 4), (20, 12), (4, 12)]])
        path = cmap.path((2, 10), (10, 2), radius=RADIUS)
        assert path.turns == 1

    def test_bent_edges_get_vertices(self):
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 12), obstacles=[BLOCK])
        space = make_space(env, resolution=0.5, radius=RADIUS)
        bent = Roadmap.make(
            [(3, 6), (17, 6)], [(0, 1)], space, method="voronoi_prm",
            paths=[np.array(RING[:4], float)],
        )  # fmt: skip
        straight = straightened(bent)
        assert (straight.n_nodes, straight.n_edges) == (4, 3)
        path = fw.CorridorMap.from_roadmap(bent).path((2, 6), (18, 6), radius=RADIUS)
        judge(path, walls=env.walkable.boundary)

    def test_a_wide_disc_gets_smaller_blends(self):
        """Also at turns whose blends were made for a preferred clearance below its radius."""
        fins = [[(5, 0), (7, 0), (7, 8), (5, 8)], [(13, 4), (15, 4), (15, 12), (13, 12)]]
        nodes = [(2.5, 2), (2.5, 10), (10, 10), (10, 2), (18, 2), (18, 10)]
        edges = [(k, k + 1) for k in range(5)]
        cmap = hall(nodes, edges, fins, bounds=(0, 0, 22, 12))
        slim, wide = (cmap.path((2.5, 1.8), (18, 10.2), radius=r) for r in (RADIUS, 1.5))
        assert slim.clearance < 1.5 <= wide.clearance + 1e-6
        assert slim.length < wide.length
        assert wide.turns == 4
        assert smooth.gaps_and_bends(smooth.pieces_of(wide.pieces))[1] < 1e-7


class TestExactMap:
    def test_it_answers_where_no_line_reaches_the_roadmap(self):
        niche = [[(0, 4), (6, 4), (6, 5), (0, 5)], [(7, 5), (20, 5), (20, 4), (7, 4)]]
        cmap = hall([(1, 2), (19, 2)], [(0, 1)], niche)
        path = cmap.path((1, 9), (10, 2), radius=RADIUS)
        assert path.clearance >= RADIUS - 1e-6
        assert smooth.gaps_and_bends(smooth.pieces_of(path.pieces))[1] < 1e-7

    def test_it_is_built_on_first_use_and_once(self, roadmap):
        solver = BlendSolver(roadmap)
        assert solver._exact is None
        found = []
        threads = [threading.Thread(target=lambda: found.append(solver.exact)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({id(one) for one in found}) == 1

    def test_inside_an_obstacle(self, blended):
        with pytest.raises(fw.BadQuery, match=r"the start \(5.000, 5.000\) is inside an obstacle"):
            blended.path((5, 5), (1, 1))
        with pytest.raises(fw.BadQuery, match=r"the goal .* is inside an obstacle"):
            blended.path((1, 1), (5, 5))

    def test_nothing_is_straight_inside_an_obstacle(self, blended):
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            blended.path((4.6, 4.6), (5.4, 5.4), radius=RADIUS)

    @pytest.mark.parametrize("start", [(5, 5), (19, 1), (0.1, 0.1)])
    def test_a_solver_returns_a_status_and_never_raises(self, blended, cmap, start):
        """Inside an obstacle, in another component, too near to a wall."""
        ends = np.array(start, np.float64), np.array([1.0, 1.0])
        for solver in (blended.solver, cmap.solver):
            assert solver.solve(*ends, RADIUS).status != FOUND

    def test_components(self, blended):
        with pytest.raises(fw.NoPath) as error:
            blended.path((1, 1), (19, 1), radius=RADIUS)
        assert error.value.reason == "components"

    def test_too_narrow(self, blended):
        with pytest.raises(fw.NoPath) as error:
            blended.path((2, 2), (15, 8), radius=0.6)
        assert error.value.reason == "pinch"
        assert error.value.pinch.radius == pytest.approx(0.5)

    def test_no_room(self, blended):
        with pytest.raises(fw.NoPath) as error:
            blended.path((0.3, 0.3), (8, 8), radius=0.4)
        assert error.value.reason == "no room"


class TestEdited:
    def test_fake_obstacles_are_closed_on_the_exact_map_too(self, roadmap):
        editor = Editor(roadmap)
        editor.add_fake_obstacle([(9.5003, 4.2), (10.5001, 4.2), (10.5, 5.8), (9.5, 5.8)])
        closed = fw.CorridorMap.from_roadmap(editor.roadmap)
        with pytest.raises(fw.NoPath):
            closed.path((2, 2), (12, 8), radius=RADIUS)
        assert closed.path((2, 2), (2, 8), radius=RADIUS).length > 0

    def test_a_gap_off_the_grid_that_is_less_than_the_disc(self):
        """The passage is 0.4996 m wide, but 0.5 m between walls that are snapped to the grid."""
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 12))
        editor = Editor(voronoi_prm(env, radius=RADIUS))
        editor.add_fake_obstacle([(9.5, 0.4996), (10.5, 0.4996), (10.5, 11.9), (9.5, 11.9)])
        closed = fw.CorridorMap.from_roadmap(editor.roadmap)
        with pytest.raises(fw.NoPath, match=r"a disc of radius 0\.25 m .* at \(") as error:
            closed.path((2, 0.25), (18, 0.25), radius=RADIUS)
        assert error.value.reason == "pinch"
        assert error.value.pinch.at == pytest.approx((9.5, 0.25), abs=1.01)
        assert closed.path((2, 0.25), (18, 0.25), radius=0.248).clearance >= 0.248 - 1e-6

    def test_a_second_path_that_is_too_narrow_is_rejected_too(self, roadmap, monkeypatch):
        solver = BlendSolver(roadmap)
        monkeypatch.setattr(solver, "_clearance", lambda _: RADIUS - 1e-4)
        found = solver._solve_exactly(np.array([2.0, 2.0]), np.array([12.0, 8.0]), RADIUS)
        assert found.status == APART
        assert "a disc of radius 0.25 m does not get" in str(found.refusal)

    def test_it_comes_back_from_its_file(self, blended, tmp_path):
        file = tmp_path / "rooms.fwmap"
        blended.save(file)
        again = fw.CorridorMap.load(file)
        one, other = (m.path((2, 2), (12, 8), radius=RADIUS) for m in (blended, again))
        assert (one.pieces == other.pieces).all()


class TestOthers:
    def test_corridors_and_walkers(self, blended, walls):
        corridor = blended.corridor((2, 5), (15, 8), radius=RADIUS)
        walk = fw.follow.cmm(corridor, radius=0.2, speed=1.4)
        assert shapely.LineString(walk.points).distance(walls) >= 0.2 - 1e-6

    def test_a_crowd(self, blended, walls):
        crowd = fw.Crowd(blended, seed=5)
        crowd.add(20, radius=RADIUS, speed=1.3, behaviour="goals")
        for _ in range(100):
            crowd.step()
        assert shapely.distance(shapely.points(crowd.positions), walls).min() >= RADIUS - 1e-6

    def test_it_knows_the_radius_that_it_was_made_for(self, blended):
        assert blended.solver.made_for == RADIUS

    def test_a_preferred_clearance_leaves_lines_and_arcs_as_they_are(self, blended):
        plain, wished = (
            blended.path((2, 2), (12, 8), radius=RADIUS, clearance=desired)
            for desired in (None, 0.6)
        )
        assert (plain.pieces == wished.pieces).all()


@kernel
def draw_next(half, radius, bits, tracks, graph):
    """`draw_edge` has no wrapper for Python."""
    return draw_edge(half, 0, radius, bits, tracks, graph)


@cache
def street():
    """A street around a corner, with a roadmap of two edges."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 20), obstacles=[[(6, 6), (20, 6), (20, 20), (6, 20)]]
    )
    space = fw.roadmap.rrm(env, resolution=0.5, radius=0.25).space
    roadmap = fw.roadmap.Roadmap.make(
        [(3, 18), (3, 3), (18, 3)], [(0, 1), (1, 2)], space, method="voronoi_prm"
    )
    return fw.CorridorMap.from_roadmap(roadmap)


class TestSmoothMap:
    """Corridors and crowds follow the arcs of the blends."""

    def test_the_edges_are_the_lines_and_the_arc(self):
        bend = street()
        tangent, radius = float(bend.solver.blends.tangent[0]), float(bend.solver.blends.radius[0])
        centre = bend.solver.blends.centre[0]
        points = bend.solver.index.axis.events
        on_arc = np.hypot(*(points - centre).T) - radius
        on_lines = np.minimum(np.abs(points[:, 0] - 3), np.abs(points[:, 1] - 3))
        assert np.minimum(np.abs(on_arc), on_lines).max() < 1e-3
        assert (np.abs(on_arc) < 1e-3).sum() > 5
        lines = 2 * (15 - tangent) + 2 * tangent
        total = lines + radius * np.pi / 2
        assert bend.edge_length[:5].sum() == pytest.approx(total, abs=0.01)
        assert bend.solver.corner_edges[:5].sum() == 2

    def test_a_corridor_follows_the_arc(self):
        bend = street()
        corridor = bend.corridor((3, 17), (17, 3), radius=0.25)
        steps = np.diff(corridor.backbone, axis=0)
        steps = steps[np.hypot(*steps.T) > 1e-6]
        ahead = np.arctan2(steps[:, 1], steps[:, 0])
        bends = np.abs((np.diff(ahead) + np.pi) % (2 * np.pi) - np.pi)
        radius = float(bend.solver.blends.radius[0])
        assert bends.max() < 1.5 * 1.0 / radius + 0.1
        lines = 2 * (14 - float(bend.solver.blends.tangent[0]))
        assert corridor.length == pytest.approx(lines + radius * np.pi / 2, rel=1e-3)

    def test_a_crowd_walks_on_the_curve(self):
        bend = street()
        crowd = fw.Crowd(bend, seed=1)
        crowd.add(1, starts=[(3, 17)], goals=[(17, 3)], lane=0.0, shortcut=0.0, then="stay")
        places = []
        for _ in range(50):
            crowd.step(5)
            places.append(crowd.positions[0].copy())
        assert crowd.arrivals == 1
        places = np.array(places)
        centre, radius = bend.solver.blends.centre[0], float(bend.solver.blends.radius[0])
        turning = (places < centre).all(axis=1)
        off = np.abs(np.hypot(*(places[turning] - centre).T) - radius)
        assert turning.sum() > 3
        assert off.max() < 0.2  # the corner is 3.1 m from the arc

    def test_wanderers_do_not_turn_back_on_a_road(self):
        """Where lines and arcs meet, some lead back along the road on which one has come."""
        env = fw.load("gallery:field")
        cmap = fw.CorridorMap.from_roadmap(fw.roadmap.voronoi_prm(env, radius=0.25, seed=1))
        tracks, graph = tracks_of(cmap), cmap.solver.index.graph
        used = np.flatnonzero(tracks.weights[0] > 0.0)

        def direction(half, at_end):
            samples = tracks.balls[tracks.first[half // 2] : tracks.last[half // 2] + 1, :2]
            samples = samples[::-1] if half % 2 else samples
            return samples[-1] - samples[-2] if at_end else samples[1] - samples[0]

        smooth = back = 0
        for half in (2 * used[:, None] + (0, 1)).ravel().tolist():
            for seed in range(4):
                bits = np.uint64(seed * 0x3FFFFFFFFFFFFFFF)
                drawn = draw_next(half, 0.25, bits, tracks, graph)
                turned = direction(half, at_end=True) @ direction(drawn, at_end=False)
                smooth += turned > 0.0
                back += turned < 0.0 and drawn != half ^ 1
        assert back == 0
        assert smooth > 500
