"""Congestion: waits at bottlenecks, paths that avoid them, and when characters change theirs."""

from functools import cache

import numpy as np
import pytest
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import footway as fw
from footway.crowd.congestion import CAPACITY, HORIZON, narrowest_samples
from footway.crowd.kernels.layouts import (
    AT,
    END,
    FINAL,
    HALF,
    LEFT,
    MODE,
    NEXT,
    WALKING,
    PathRequests,
)
from tests.unit.crowd.maps import box, cmap, crowd

STREET = box(24, 0.5, 26, 19.5)
START = box(1, 1, 12, 8)


@cache
def two_doors(first=5.0, second=17.0):
    """A hall of 20 m by 20 m with two doors of 1 m to a street."""
    hall, street = shapely.box(0, 0, 20, 20), shapely.box(20.2, 0, 26, 20)
    doors = [shapely.box(19.9, y - 0.5, 20.3, y + 0.5) for y in (first, second)]
    free = shapely.union_all([hall, street, *doors])
    return fw.CorridorMap.build(fw.Environment.from_polygons(free))


def evacuation(congestion, *, count=150, start=START, goal=(24, 5), doors=(5.0, 17.0), **settings):
    it = fw.Crowd(two_doors(*doors), seed=3, **settings)
    it.add(
        count, radius=0.2, speed=(1.34, 0.26), area=start, destinations=[goal], then="exit",
        congestion=congestion,
    )  # fmt: skip
    return it


def run_out(it, most=200.0):
    """Run until all have left; return the time, and how many used the second door."""
    far = set()
    while it.exited < it.exited + len(it) and it.time < most:
        it.step()
        passed = (it.positions[:, 0] > 20.1) & (it.positions[:, 0] < 20.6)
        far |= set(it.ids[passed & (it.positions[:, 1] > 11)].tolist())
    assert not len(it)
    return it.time, len(far)


class TestUse:
    def test_both_doors_are_used_and_the_hall_is_empty_sooner(self):
        alone, none = run_out(evacuation(0.0))
        together, some = run_out(evacuation(1.0))
        assert none == 0
        assert 40 <= some <= 90
        assert together < 0.75 * alone

    def test_free_flow_is_the_same_to_the_bit(self):
        one, other = evacuation(0.0, count=6), evacuation(1.0, count=6)
        one.step(200)
        other.step(200)
        np.testing.assert_array_equal(one.positions, other.positions)

    def test_a_habit_of_one_never_changes(self):
        it = evacuation(1.0)
        it.set_profile(0, habit=1.0)
        _, far = run_out(it)
        assert far == 0

    def test_people_do_not_swing_between_equal_doors(self, monkeypatch):
        it = evacuation(1.0, goal=(25, 10), start=box(6, 7, 14, 13), doors=(4.0, 16.0))
        changes = {}
        planner, congestion = it._simulation.planner, it._simulation.congestion

        def assign(ids, *rest, **options):
            for k in ids.tolist():
                changes[k] = changes.get(k, 0) + 1
            original(ids, *rest, **options)

        def compare():
            with monkeypatch.context() as patch:
                patch.setattr(planner, "assign", assign)
                original_compare()

        original, original_compare = planner.assign, congestion._compare
        monkeypatch.setattr(congestion, "_compare", compare)
        _, far = run_out(it)
        assert 0.35 * 150 <= far <= 0.65 * 150
        assert np.mean([changes.get(k, 0) for k in range(150)]) < 0.5
        assert max(changes.values(), default=0) <= 2

    def test_the_fastest_of_several_exits(self):
        exits = [[box(24, 2, 26, 8), box(24, 14, 26, 20)]]
        times = []
        for congestion in (0.0, 1.0):
            it = fw.Crowd(two_doors(), seed=3)
            it.add(
                150, radius=0.2, speed=(1.34, 0.26), area=START, destinations=exits, then="exit",
                congestion=congestion,
            )  # fmt: skip
            times.append(run_out(it)[0])
        assert times[1] < 0.75 * times[0]


class TestSameBits:
    def test_on_any_number_of_threads(self):
        crowds = [evacuation(1.0, threads=threads) for threads in (1, 3)]
        for it in crowds:
            it.step(250)
        np.testing.assert_array_equal(crowds[0].positions, crowds[1].positions)

    def test_after_a_checkpoint(self, tmp_path):
        it = evacuation(1.0)
        it.step(123)  # between two counts
        assert it._simulation.congestion.delays.any()
        it.save(tmp_path / "half.npz")
        again = fw.Crowd.load(tmp_path / "half.npz", it.map)
        delays = again._simulation.congestion.delays
        np.testing.assert_array_equal(delays, it._simulation.congestion.delays)
        it.step(100)
        again.step(100)
        np.testing.assert_array_equal(it.positions, again.positions)


def passed_edges(it, slot):
    """Edges ahead of a character, with the samples between which it uses them."""
    state, tracks = it._simulation.characters.state, it._simulation.tracks
    cursor = state.cursor[slot]
    rest = it._simulation.planner.pool.halves[cursor[NEXT] : cursor[NEXT] + cursor[LEFT]]
    found = [(int(cursor[HALF]) // 2, int(cursor[AT]), int(cursor[END]))]
    for half in rest.tolist():
        ends = (tracks.first[half // 2], tracks.last[half // 2])
        found.append((half // 2, *(ends[::-1] if half % 2 else ends)))
    edge, at, _ = found[-1]
    if len(rest):
        found[-1] = (edge, at, cursor[FINAL])
    return found


class TestCounting:
    def test_everybody_counts_once_at_the_narrowest_place_ahead(self):
        it = evacuation(1.0)
        it.add(100, radius=0.2, destinations=[(2, 18), (25, 18)])
        it.step(100)
        simulation = it._simulation
        graph, tracks = simulation.index.graph, simulation.tracks
        narrowest = narrowest_samples(tracks, len(graph.length))
        expected = np.zeros(len(graph.length))
        cursor = simulation.characters.state.cursor[: simulation.characters.n]
        for slot in np.flatnonzero(cursor[:, MODE] == WALKING):
            best, walked = (np.inf, -1), 0.0
            horizon = HORIZON * simulation.characters.speed[slot]
            for edge, at, end in passed_edges(it, slot):
                if min(at, end) <= narrowest[edge] <= max(at, end) and (
                    graph.clearance[edge] <= best[0]
                ):
                    best = (graph.clearance[edge], edge)
                samples = max(1, tracks.last[edge] - tracks.first[edge])
                walked += abs(end - at) * graph.length[edge] / samples
                if walked > horizon:
                    break
            if best[1] >= 0:
                expected[best[1]] += 1
        simulation.congestion._count()
        width = 2 * np.maximum(graph.clearance, 0.05)
        waits = np.maximum(0.0, expected / (CAPACITY * width) - HORIZON)
        np.testing.assert_allclose(simulation.congestion.delays, waits, rtol=1e-12, atol=1e-9)
        assert waits.max() > 5
        assert expected.sum() > 150

    def test_no_wait_below_the_capacity(self):
        it = evacuation(1.0, count=int(CAPACITY * HORIZON))
        it._simulation.congestion._count()
        assert not it._simulation.congestion.delays.any()


class TestSearch:
    @pytest.mark.parametrize("seed", range(3))
    def test_finds_the_cheapest_path_with_delays(self, seed):
        """Between vertices, by Dijkstra's algorithm in SciPy."""
        it = crowd("office", seed=seed)
        it.add(1, congestion=1.0, radius=0.2)
        simulation = it._simulation
        graph, axis = simulation.index.graph, simulation.index.axis
        rng = np.random.default_rng(seed)
        congestion = simulation.congestion
        core = np.unique(graph.edges[(graph.clearance >= 0.25) & graph.is_core])
        pairs = rng.choice(core, (8, 2))
        has_delay = rng.random(len(graph.length)) < 0.3
        has_delay &= ~np.isin(graph.edges, pairs).any(axis=1)  # a delay at a vertex has two sides
        congestion.delays = np.where(has_delay, rng.random() * 30, 0.0)
        weight = 1.2
        wide = graph.clearance >= 0.25
        cost = (graph.length + weight * congestion.delays)[wide]
        tail, head = graph.edges[wide].T
        n = len(axis.vertices)
        order = np.argsort(-cost)  # of parallel edges the cheapest is written last
        table = {}
        for a, b, c in zip(tail[order], head[order], cost[order], strict=True):
            table[min(a, b), max(a, b)] = c
        rows, columns = np.array(list(table)).T
        exact = dijkstra(coo_array((list(table.values()), (rows, columns)), (n, n)), directed=False)
        starts, goals = axis.vertices[pairs[:, 0]], axis.vertices[pairs[:, 1]]
        some = simulation.goals.add(goals)
        count = np.arange(len(pairs))
        requests = PathRequests(
            count, starts, np.full(len(pairs), 0.25),
            np.column_stack([some.first + count, np.ones_like(count), np.zeros_like(count)]),
            np.full(len(pairs), np.inf), np.full(len(pairs), weight), np.full(len(pairs), -1),
        )  # fmt: skip
        checked = 0
        for batch, found, halves in simulation.planner.find(
            requests, simulation.planner.index, simulation.planner.openings
        ):
            measured = congestion.measure(found, halves, requests.weights[batch])
            best = exact[pairs[batch, 0], pairs[batch, 1]]
            is_path = np.isfinite(best) & (pairs[batch, 0] != pairs[batch, 1])
            # Ends are rounded to samples, at most 1 m apart.
            assert (measured[is_path] >= best[is_path] - 2.0).all()
            assert (measured[is_path] <= best[is_path] + 2.0).all()
            checked += int(is_path.sum())
        assert checked >= 4

    @pytest.mark.parametrize("wait", [0.0, 60.0])
    def test_counts_the_wait_on_the_edge_of_the_start(self, wait):
        it = evacuation(1.0, count=1)
        simulation = it._simulation
        graph, tracks = simulation.index.graph, simulation.tracks
        edge = int(graph.edge_of[simulation.map.locate([(20.1, 5.0)]).piece[0]])
        simulation.congestion.delays = np.where(np.arange(len(graph.length)) == edge, wait, 0.0)
        samples = tracks.balls[tracks.first[edge] : tracks.last[edge] + 1]
        start = samples[[2, -3]][samples[[2, -3], 0].argmin(), :2]  # the side of the hall
        goal = simulation.goals.add(np.array([(25.0, 5.0)])).first
        requests = PathRequests(
            np.zeros(1, np.int64), start[None].copy(), np.full(1, 0.2),
            np.array([[goal, 1, 0]]), np.full(1, np.inf), np.ones(1), np.full(1, -1),
        )  # fmt: skip
        [(_, found, halves)] = simulation.planner.find(
            requests, simulation.planner.index, simulation.planner.openings
        )
        door = int(graph.edge_of[simulation.map.locate([(20.1, 17.0)]).piece[0]])
        assert (door in halves // 2) == (wait > 0.0)
        assert simulation.congestion.measure(found, halves, np.ones(1))[0] < 60.0


def test_narrowest_samples():
    tracks, n = crowd("door")._simulation.tracks, len(cmap("door").edges)
    for edge, sample in enumerate(narrowest_samples(tracks, n)):
        own = tracks.balls[tracks.first[edge] : tracks.last[edge] + 1, 2]
        assert tracks.balls[sample, 2] == own.min()
