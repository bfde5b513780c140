"""Samples of the map, attraction points, dead ends and what wanderers choose."""

import math
from functools import cache

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd import tracks as module
from footway.crowd.kernels.attraction import AHEAD, FLOOR
from footway.crowd.kernels.layouts import AT, END, FINAL, HALF, LEFT, NEXT, make_state
from footway.crowd.tracks import edges_of_wanderers, make_tracks, with_weights
from tests.effort import examples
from tests.oracle.crowd import attraction_sample, chi_squared, kept_edges, shares
from tests.oracle.nearest import NearestWall
from tests.strategies import scenes
from tests.unit.crowd._open_kernels import draw_edges, follow_all
from tests.unit.crowd.maps import SHAPES, cmap, env

MAPS = ["hall", "bend", "branch", "door", "office", "game"]
R = 0.25


@cache
def tracks_of(name):
    return make_tracks(cmap(name).solver.index)


class TestSamples:
    @pytest.mark.parametrize("name", MAPS)
    def test_are_maximal_balls(self, name):
        tracks, index = tracks_of(name), cmap(name).solver.index
        walls = NearestWall(env(name) if name in SHAPES else fw.load(f"gallery:{name}"))
        on_axis = tracks.balls[: tracks.last[len(index.axis.edges) - 1] + 1].astype(float)
        np.testing.assert_allclose(on_axis[:, 2], walls.distance(on_axis[:, :2]), atol=1e-4)

    @pytest.mark.parametrize("name", MAPS)
    def test_follow_each_edge_from_vertex_to_vertex(self, name):
        tracks, axis = tracks_of(name), cmap(name).solver.index.axis
        for edge, (v, w) in enumerate(axis.edges):
            balls = tracks.balls[tracks.first[edge] : tracks.last[edge] + 1].astype(float)
            np.testing.assert_allclose(balls[0, :2], axis.vertices[v], atol=1e-4)
            np.testing.assert_allclose(balls[-1, :2], axis.vertices[w], atol=1e-4)
            gaps = np.hypot(*np.diff(balls[:, :2], axis=0).T)
            assert gaps.max(initial=0.0) <= 1.1 * module.WIDEST
            # No gap in the corridor: each ball holds the centre of the next, or nearly.
            room = np.maximum(np.maximum(balls[:-1, 2], balls[1:, 2]), 1.01 * module.CLOSEST)
            assert (gaps <= room).all()

    @pytest.mark.parametrize("name", MAPS)
    def test_pieces_know_their_samples(self, name):
        tracks, axis = tracks_of(name), cmap(name).solver.index.axis
        np.testing.assert_allclose(tracks.balls[tracks.at_piece, :2], axis.events, atol=1e-4)


class TestDeadEnds:
    @pytest.mark.parametrize("name", [*MAPS, "field", "mckenna"])
    def test_short_ones_are_removed_recursively(self, name):
        index = cmap(name).solver.index
        assert set(np.flatnonzero(edges_of_wanderers(index)).tolist()) == kept_edges(index)

    @examples(40)
    @given(scenes())
    def test_in_random_scenes(self, scene):
        index = scene.corridor_map().solver.index
        assert set(np.flatnonzero(edges_of_wanderers(index)).tolist()) == kept_edges(index)

    def test_cycles_stay_and_corners_go(self):
        index = cmap("hall").solver.index
        kept = edges_of_wanderers(index)
        assert kept[index.graph.is_core].all()
        assert not kept[~index.graph.is_core].any(), "those are the four corners"

    def test_long_ones_have_a_loop_around_an_invisible_obstacle(self):
        tracks, axis = tracks_of("branch"), cmap("branch").solver.index.axis
        turning = np.flatnonzero(tracks.loop_of >= 0)
        ends = axis.vertices[turning]
        assert len(turning) == 1
        assert ends[0, 0] > 55
        loop = tracks.loop_of[turning[0]]
        assert tracks.ends[loop].tolist() == [turning[0], turning[0]]
        balls = tracks.balls[tracks.first[loop] : tracks.last[loop] + 1].astype(float)
        away = np.hypot(*(balls[:, :2] - ends[0]).T)
        room = float(NearestWall(env("branch")).distance(ends)[0])
        hole = module.TURNING * room
        assert (away - balls[:, 2] >= hole - 1e-4).all(), "the obstacle is outside of all balls"
        assert (away + balls[:, 2] <= room + 1e-4).all(), "and free space holds them"
        angle = np.unwrap(np.arctan2(*(balls[:, :2] - ends[0]).T[::-1]))
        assert abs(angle[-1] - angle[0]) == pytest.approx(2 * math.pi, abs=1e-3)

    @pytest.mark.parametrize("name", ["branch", "square", "cells", "office", "mckenna"])
    def test_who_is_in_the_middle_of_a_ball_of_a_loop_is_held_by_the_next(self, name):
        tracks = tracks_of(name)
        for loop in tracks.loop_of[tracks.loop_of >= 0]:
            balls = tracks.balls[tracks.first[loop] : tracks.last[loop] + 1]
            gap = np.hypot(*np.diff(balls[:, :2], axis=0).T)
            assert (gap < np.maximum(balls[1:, 2] - R, FLOOR)).all()

    def test_a_part_with_short_ones_only_has_a_loop_in_its_middle(self):
        tracks, axis = tracks_of("square"), cmap("square").solver.index.axis
        assert not (tracks.weights[0] > 0).any()
        (middle,) = np.flatnonzero(tracks.loop_of >= 0)
        np.testing.assert_allclose(axis.vertices[middle], (6, 6))

    @pytest.mark.parametrize("name", [*MAPS, "field", "mckenna"])
    def test_loops_lie_in_free_space(self, name):
        shape = SHAPES[name] if name in SHAPES else fw.load(f"gallery:{name}").walkable
        tracks = tracks_of(name)
        for loop in tracks.loop_of[tracks.loop_of >= 0]:
            balls = tracks.balls[tracks.first[loop] : tracks.last[loop] + 1].astype(float)
            discs = shapely.buffer(shapely.points(balls[:, :2]), balls[:, 2] - 1e-3)
            assert shapely.covers(shape, discs).all()


class TestAttractionPoint:
    @examples(100)
    @given(st.data())
    def test_is_that_of_definition_5(self, data):
        name = data.draw(st.sampled_from(MAPS))
        tracks, graph = tracks_of(name), cmap(name).solver.index.graph
        half = data.draw(st.integers(0, 2 * len(graph.edges) - 1))
        balls, numbers = edge_samples(half, tracks)
        begin = data.draw(st.integers(0, len(balls) - 1))
        k = data.draw(st.integers(begin, min(begin + AHEAD, len(balls) - 1)))
        share, angle = data.draw(st.integers(0, 99)) / 100, data.draw(st.integers(0, 6))
        reach = share * max(balls[k, 2] - R, FLOOR)
        x, y = balls[k, :2] + reach * np.array([math.cos(angle), math.sin(angle)])
        at, done = settled(numbers[begin], half, (x, y), tracks, graph)
        expected = begin
        while True:  # definition 5 looks at all balls, we at the next few again and again
            ahead = balls[expected : expected + AHEAD + 1]
            found = attraction_sample((x, y), ahead, R, FLOOR)
            if found <= 0:
                away = np.hypot(*(balls[expected : expected + 2, :2] - (x, y)).T)
                if len(away) < 2 or away[1] >= away[0]:
                    break
                found = 1  # a centre that was passed
            expected += found
        assert at == numbers[expected]
        assert done == (expected == len(balls) - 1)

    def test_never_goes_back(self):
        tracks, graph = tracks_of("corridor"), cmap("corridor").solver.index.graph
        half = 2 * int(graph.length.argmax())
        balls, numbers = edge_samples(half, tracks)
        middle = len(balls) // 2
        at, _ = settled(numbers[middle], half, balls[middle - 10, :2], tracks, graph)
        assert at >= numbers[middle]

    def test_passes_from_edge_to_edge_along_a_route(self):
        """A character at the last vertex of a path has its attraction point there."""
        tracks, graph = tracks_of("bend"), cmap("bend").solver.index.graph
        corridor = cmap("bend").corridor((3, 2), (3, 28), radius=R)
        halves = [int(half) for half in corridor.edges]
        state, pool = make_state(1), np.array(halves, np.int32)
        first, last = edge_samples(halves[0], tracks)[1], edge_samples(halves[-1], tracks)[1]
        state.cursor[0, [AT, HALF, END]] = first[0], halves[0], first[-1]
        state.cursor[0, [NEXT, LEFT, FINAL]] = 1, len(halves) - 1, last[-1]
        done = False
        for edge in halves:
            for x, y, _ in edge_samples(edge, tracks)[0]:
                done = follow_all(float(x), float(y), R, 8, state, pool, tracks, graph)
        assert done
        assert state.cursor[0, AT] == last[-1]
        assert state.cursor[0, HALF] == halves[-1]


def edge_samples(half, tracks):
    """Balls (n, 3) along a half-edge, and their numbers."""
    numbers = np.arange(tracks.first[half // 2], tracks.last[half // 2] + 1)[
        :: -1 if half % 2 else 1
    ]
    return tracks.balls[numbers].astype(float), numbers


def settled(at, half, x, tracks, graph):
    """Where the attraction point is once a character has stood still for a while."""
    state = make_state(1)
    end = edge_samples(half, tracks)[1][-1]
    state.cursor[0, [AT, HALF, END, FINAL, LEFT]] = at, half, end, end, 0
    pool = np.empty(0, np.int32)
    done = follow_all(float(x[0]), float(x[1]), R, 400, state, pool, tracks, graph)
    return state.cursor[0, AT], done


class TestWandering:
    @pytest.mark.parametrize("name", ["office", "game"])
    def test_edges_are_drawn_by_their_weights(self, name):
        """Frequencies against weights: chi squared, at a level of about 1 in 10,000."""
        index = cmap(name).solver.index
        rng = np.random.default_rng(8)
        weights = rng.uniform(0.2, 2.0, len(index.graph.edges))
        tracks, row = with_weights(tracks_of(name), weights)
        bits = rng.integers(0, 2**64, 5_000, dtype=np.uint64)
        judged = 0
        for half in range(0, 2 * len(index.graph.edges), 5):
            expected = shares(half, R, tracks.weights[row].astype(float), index)
            found = drawn(half, row, bits, tracks, index.graph)
            if not expected:
                continue
            assert set(found.tolist()) <= set(expected)
            counts = [int((found == next_half).sum()) for next_half in expected]
            free = len(expected) - 1
            limit = free + 4.0 * math.sqrt(2.0 * max(free, 1)) + 8.0
            assert chi_squared(counts, [len(bits) * p for p in expected.values()]) < limit
            judged += free > 0
        assert judged > 3

    def test_what_has_no_weight_is_never_drawn(self):
        index = cmap("office").solver.index
        rng = np.random.default_rng(3)
        weights = (rng.random(len(index.graph.edges)) < 0.5).astype(float)
        tracks, row = with_weights(tracks_of("office"), weights)
        bits = rng.integers(0, 2**64, 500, dtype=np.uint64)
        for half in range(2 * len(index.graph.edges)):
            for next_half in np.unique(drawn(half, row, bits, tracks, index.graph)).tolist():
                turns = next_half == half ^ 1 or next_half // 2 >= len(index.graph.edges)
                leaves = tracks.weights[row, half // 2] == 0 and next_half in index.graph.up
                assert turns or leaves or tracks.weights[row, next_half // 2] > 0
                if turns:
                    assert not shares(half, R, tracks.weights[row].astype(float), index)

    def test_too_narrow_edges_are_never_drawn(self):
        index = cmap("door").solver.index
        tracks = tracks_of("door")
        bits = np.random.default_rng(3).integers(0, 2**64, 200, dtype=np.uint64)
        for half in range(2 * len(index.graph.edges)):
            for next_half in np.unique(
                drawn(half, 0, bits, tracks, index.graph, radius=0.45)
            ).tolist():
                fits = next_half // 2 >= len(index.graph.edges) or (
                    index.graph.clearance[next_half // 2] > 0.45
                )
                assert fits or next_half == half ^ 1

    def test_the_end_of_a_long_dead_end_is_walked_around(self):
        index, tracks = cmap("branch").solver.index, tracks_of("branch")
        (vertex,) = np.flatnonzero(tracks.loop_of >= 0)
        loop = int(tracks.loop_of[vertex])
        bits = np.arange(5, dtype=np.uint64)
        into = next(
            half
            for half in range(2 * len(index.graph.edges))
            if index.graph.edges[half // 2, 1 - half % 2] == vertex
            and tracks.weights[0, half // 2] > 0
        )
        assert set(drawn(into, 0, bits, tracks, index.graph).tolist()) == {2 * loop}
        assert set(drawn(2 * loop, 0, bits, tracks, index.graph).tolist()) == {into ^ 1}
        # Characters that are too wide for the loop turn on the spot.
        assert set(drawn(into, 0, bits, tracks, index.graph, radius=1.9).tolist()) == {into ^ 1}

    @pytest.mark.parametrize("name", ["square", "room", "cells", "branch", "door", "office"])
    @pytest.mark.parametrize("seed", range(4))
    def test_a_wanderer_walks_on(self, name, seed):
        """Alone in any map, in square rooms and at the ends of passages too."""
        crowd = fw.Crowd(cmap(name), seed=seed, threads=1)
        crowd.add(1, behaviour="wander")
        crowd.step(50)
        for _ in range(20):
            places = []
            for _ in range(10):
                crowd.step(5)
                places.append(crowd.positions[0])
            assert np.hypot(*np.ptp(places, axis=0)) > 1.0, "m in 5 s"


def drawn(half, row, bits, tracks, graph, radius=R):
    found = np.empty(len(bits), np.int64)
    draw_edges(half, row, radius, bits, tracks, graph, found)
    return found
