"""Planned paths: they lead to their goals, and share one pool of memory."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd.kernels.layouts import (
    AT,
    FINAL,
    GOAL,
    HALF,
    LEFT,
    NEXT,
    PATH,
    PATH_SIZE,
    PathPool,
)
from footway.crowd.kernels.planning import SMALLEST
from tests.effort import examples
from tests.oracle.backbone import ShortestBackbone
from tests.unit.crowd._open_kernels import give_back, take
from tests.unit.crowd.maps import box, cmap, crowd

R = 0.25


def slots_of(it):
    return it._simulation.characters.slots(it.ids)


def path_of(it, slot):
    """Half-edges that are left of a character's route, with the one it is on."""
    track = it._simulation.characters.state.cursor[slot]
    rest = it._simulation.planner.pool.halves[track[NEXT] : track[NEXT] + track[LEFT]]
    return [int(track[HALF]), *rest.tolist()]


class TestRoutes:
    @pytest.mark.parametrize("name", ["hall", "bend", "office", "city"])
    def test_reach_the_goal_that_was_drawn(self, name):
        it = crowd(name, seed=3)
        it.add(100)
        graph, tracks = it._simulation.index.graph, it._simulation.tracks
        state, spots = it._simulation.characters.state, it._simulation.goals.table.located
        for slot in slots_of(it):
            path = path_of(it, slot)
            for half, following in pairwise(path):
                meet = graph.edges[half // 2, 1 - half % 2]
                assert graph.edges[following // 2, following % 2] == meet
            assert (graph.clearance[[half // 2 for half in path[1:-1]]] >= R).all()
            last, final = path[-1] // 2, state.cursor[slot, FINAL]
            assert tracks.first[last] <= final <= tracks.last[last]
            goal = state.journey[slot, GOAL]
            np.testing.assert_array_equal(state.place[slot, 2:4], spots[goal, :2])
            assert graph.edge_of[it._simulation.goals.table.pieces[goal]] == last
            # The last sample is beside the place on the axis where the goal is retracted to.
            off = np.hypot(*(tracks.balls[final, :2] - spots[goal, 2:4]))
            assert off <= 1.1

    @pytest.mark.parametrize("name", ["hall", "office"])
    def test_are_the_shortest_backbones(self, name):
        it = crowd(name, seed=5)
        it.add(40)
        oracle = ShortestBackbone(cmap(name), R)
        for slot, start, goal in zip(slots_of(it), it.positions, it.goals, strict=True):
            along = oracle.length_along(np.array(path_of(it, slot)), start, goal)
            assert along == pytest.approx(oracle.length(start, goal), rel=1e-6)

    @examples(30)
    @given(st.integers(0, 2**32 - 1))
    def test_to_a_goal_close_by(self, seed):
        """Start and goal on one edge, in either order, or in one place."""
        rng = np.random.default_rng(seed)
        it = crowd("corridor")
        starts = np.column_stack([rng.uniform(1, 59, 6), rng.uniform(0.5, 3.5, 6)])
        goals = starts + rng.choice([0.0, 0.3, 2.0], (6, 1)) * rng.normal(0, 1, (6, 2))
        goals = np.clip(goals, 0.4, [59.6, 3.6])
        it.add(6, starts=starts, goals=goals, then="stay")
        tracks = it._simulation.tracks
        for slot in slots_of(it):
            at, final, half = it._simulation.characters.state.cursor[slot, [AT, FINAL, HALF]]
            if it._simulation.characters.state.cursor[slot, LEFT] == 0:
                assert (at >= final) if half & 1 else (at <= final)
            assert tracks.first[half // 2] <= at <= tracks.last[half // 2]

    def test_avoid_passages_that_are_too_narrow(self):
        """0.8 m of door: 0.3 passes, 0.5 does not, and both are known at once."""
        it = crowd("door")
        it.add(1, radius=0.3, starts=[(5, 5)], goals=[(16, 5)])
        with pytest.raises(fw.NoPath) as error:
            it.add(1, radius=0.5, starts=[(5, 2)], goals=[(16, 5)])
        assert error.value.reason == "pinch"


def small_pool(count):
    free = np.full(32, -1, np.int32)
    free[0] = 0
    return PathPool(np.zeros(count, np.int32), free)


class TestPool:
    @examples(60)
    @given(st.lists(st.integers(SMALLEST, 6), min_size=1, max_size=60), st.randoms())
    def test_pieces_never_overlap(self, sizes, random):
        pool = small_pool(1024)
        held = {}
        for size in sizes:
            if held and random.random() < 0.4:
                route = random.choice(sorted(held))
                give_back(route, held.pop(route), pool)
            route = take(size, pool)
            if route < 0:
                assert pool.free[0] + (1 << size) > len(pool.halves)
                continue
            span = range(route, route + (1 << size))
            assert route >= 0
            assert span.stop <= pool.free[0] <= len(pool.halves)
            for other, length in held.items():
                assert not range(max(route, other), min(span.stop, other + (1 << length)))
            held[route] = size
            pool.halves[span.start : span.stop] = size  # over the links of the list

    def test_a_piece_that_was_given_back_is_taken_again(self):
        pool = small_pool(64)
        first, second = take(3, pool), take(3, pool)
        give_back(first, 3, pool)
        give_back(second, 3, pool)
        assert [take(3, pool), take(3, pool)] == [second, first]
        assert take(3, pool) == 16

    def test_is_shared_without_overlaps_while_a_crowd_runs(self):
        it = crowd("office", seed=2)
        it.add(60)
        it.add(40, destinations=[box(0, 0, 80, 80)], then="exit")
        for _ in range(40):
            it.step(20)
            assert_pool(it)
        assert it.exited > 20
        assert it.arrivals > 40

    def test_grows_and_is_reused(self):
        it = crowd("city", seed=2)
        before = len(it._simulation.planner.pool.halves)
        it.add(1_500)
        assert len(it._simulation.planner.pool.halves) > before
        assert_pool(it)
        used = int(it._simulation.planner.pool.free[0])
        ids = it.ids
        for _ in range(3):  # everybody gets another path
            it._simulation.planner.plan(ids, np.zeros(len(ids), bool))
            assert_pool(it)
        assert it._simulation.planner.pool.free[0] < 1.6 * used

    def test_loses_nothing_to_those_who_are_refused(self):
        it = crowd("rooms")
        for _ in range(3):
            with pytest.raises(fw.NoPath):
                it.add(2, starts=[(2, 2), (4, 4)], goals=[(6, 6), (15, 5)])
        assert_pool(it)


def assert_pool(it):
    """Every piece belongs to one character or waits in one list, and together they are all."""
    pool = it._simulation.planner.pool
    used = np.zeros(pool.free[0], int)
    journey = it._simulation.characters.state.journey[slots_of(it)]
    for route, size in journey[:, [PATH, PATH_SIZE]].tolist():
        if size:
            used[route : route + (1 << size)] += 1
    for size in range(SMALLEST, len(pool.free)):
        free = pool.free[size]
        while free >= 0:
            used[free : free + (1 << size)] += 1
            free = pool.halves[free]
    assert (used == 1).all()


class TestQueue:
    def test_everybody_asks_once(self):
        it = crowd("hall")
        it.add(3)
        for _ in range(2):
            it._simulation.planner.request(1, keep_goal=False)
            it._simulation.planner.request(2, keep_goal=True)
        assert it._simulation.planner.waiting == [(1, False), (2, True)]
        assert it._simulation.planner.due() == [(1, False), (2, True)]
        assert it._simulation.planner.waiting == []

    def test_some_in_every_step(self):
        it = crowd("city", seed=1)
        it.add(6_000)
        for number in it.ids.tolist():
            it._simulation.planner.request(number, keep_goal=False)
        sizes = []
        while it._simulation.planner.waiting:
            sizes.append(len(it._simulation.planner.due()))
        assert max(sizes) <= 6_000 // 100
        assert sum(sizes) == 6_000

    def test_more_of_them_where_paths_are_short(self):
        """Five thousand simultaneous requests in a hall are planned in 10 s, not in 50 s."""
        it = crowd("plain", seed=1)
        ids = it.add(5_000, radius=0.1, premovement=1e3)
        for number in ids.tolist():
            it._simulation.planner.request(number, keep_goal=False)
        sizes = []
        while it._simulation.planner.waiting and len(sizes) < 200:
            before = len(it._simulation.planner.waiting)
            it._simulation.planner.plan_within_budget()
            sizes.append(before - len(it._simulation.planner.waiting))
        assert len(sizes) < 100
        assert max(sizes) <= 150

    def test_no_more_than_the_share_where_paths_are_long(self):
        it = crowd("city", seed=1)
        it.add(1_000)
        it._simulation.planner.plan(it.ids, np.zeros(1_000, bool))
        for number in it.ids.tolist():
            it._simulation.planner.request(number, keep_goal=False)
        it._simulation.planner.plan_within_budget()
        assert 8 <= 1_000 - len(it._simulation.planner.waiting) <= 16

    def test_those_who_choose_weigh_more(self):
        it = crowd("hall", seed=1)
        ids = it.add(100, destinations=[[(2.0, 2.0), (28.0, 18.0)]])
        for number in ids.tolist():
            it._simulation.planner.request(number, keep_goal=False)
        it._simulation.planner.plan_within_budget()
        assert len(it._simulation.planner.waiting) == 99

    def test_those_who_left_are_passed_over(self):
        it = crowd("hall")
        it.add(3)
        it._simulation.planner.request(1, keep_goal=False)
        it._simulation.characters.remove(np.array([1]))
        assert it._simulation.planner.due() == []

    def test_a_character_pushed_out_of_its_corridor_gets_a_new_path(self):
        """A moved character keeps its goal and takes another path."""
        it = crowd("hall", seed=1)
        it.add(1, starts=[(2, 10)], goals=[(28, 10)], then="stay")
        it.step(100)
        slot = slots_of(it)[0]
        state = it._simulation.characters.state
        state.place[slot, :2] = (15.0, 2.0 if it.positions[0, 1] > 10 else 18.0)
        state.body[slot, 6] = 0.0
        goal = it.goals.copy()
        it.step(250)
        np.testing.assert_array_equal(it.goals, goal)
        assert it.arrivals == 1
