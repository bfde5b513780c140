"""RRM* and retraction on random cells and random maps, judged by definition and by Shapely."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import shapely
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from footway.errors import BadInput
from footway.roadmap import Roadmap
from footway.roadmap.kernels.graph import pairs_in_sight
from footway.roadmap.lattice.rrm import rrm_of_space
from footway.roadmap.lattice.rrm_star import (
    find_published_nodes,
    medial_places,
    reconnect,
    rrm_star,
)
from footway.roadmap.lattice.rrrm import retract
from footway.roadmap.lattice.space import make_space
from footway.roadmap.measures import shortest_path_factor, verify
from tests.effort import examples
from tests.oracle import cycles, lattice
from tests.oracle.clearance import path_clearance
from tests.property.test_reachability import Cells, cells, tuples
from tests.strategies import Scene, obstacle_scenes

EXACT = 1e-9
FACTORS = st.sampled_from([1.0, 1.1, 1.5, 2.0, 5.0, math.inf])


class Made(NamedTuple):
    """A roadmap before and after useful cycles."""

    rrm: Roadmap
    star: Roadmap


def made(some: Cells, usefulness: float = 1.5) -> Made:
    rrm = rrm_of_space(some.space)
    return Made(rrm, rrm_star(rrm, usefulness=usefulness))


def places(roadmap: Roadmap, points: np.ndarray) -> np.ndarray:
    return roadmap.space.lattice(points)


class TestUsefulCycles:
    @examples(30)
    @given(cells(), FACTORS)
    def test_the_factor_never_grows_on_the_nodes_of_the_rrm(self, some: Cells, usefulness: float):
        before, after = made(some, usefulness)
        n = before.n_nodes
        lengths_after = after.distances()[:n, :n]
        corners = tuples(some.space.corners_of(before.nodes))
        one, two = (
            cycles.shortest_path_factor(corners, length, some.free, plane=some.plane)
            for length in (before.distances(), lengths_after)
        )
        assert two <= one + EXACT
        assert math.isclose(shortest_path_factor(before).factor, one, abs_tol=EXACT)

    @examples(30)
    @given(cells(), FACTORS)
    def test_it_covers_and_connects_along_free_lines(self, some: Cells, usefulness: float):
        star = made(some, usefulness).star
        nodes = tuples(some.space.corners_of(star.nodes))
        edges = [(int(a), int(b)) for a, b in star.edges]
        verdict = lattice.judge(nodes, edges, some.free, plane=some.plane)
        assert verdict == ([], [], [])
        assert verify(star).holds

    @examples(30)
    @given(cells(), FACTORS, st.data())
    def test_reconnecting_is_algorithm_2(self, some: Cells, usefulness: float, data: st.DataObject):
        corners = some.space.corners
        rows = data.draw(
            st.lists(st.integers(0, len(corners) - 1), min_size=1, max_size=9, unique=True)
        )
        nodes = corners[rows].astype(np.float64)
        pairs, _ = pairs_in_sight(nodes, some.space)
        seen = {(int(a), int(b)) for a, b in pairs}
        edges = reconnect(nodes, usefulness, some.space)
        by_hand = cycles.useful_edges(nodes.tolist(), usefulness, lambda a, b: (a, b) in seen)
        # Where two paths are equally long, rounding decides: the lengths of all paths say the same.
        found = cycles.distances(nodes.tolist(), [(int(a), int(b)) for a, b in edges])
        assert (np.isfinite(found) == np.isfinite(cycles.distances(nodes.tolist(), by_hand))).all()
        for a, b in seen:
            assert found[a, b] <= max(1.0, usefulness) * math.dist(nodes[a], nodes[b]) + EXACT
        taken = {(int(a), int(b)): math.dist(nodes[a], nodes[b]) for a, b in edges}
        for (a, b), length in taken.items():
            shorter = [edge for edge, other in taken.items() if other < length - EXACT]
            length_without = cycles.distances(nodes.tolist(), shorter)[a, b]
            assert length_without == math.inf or usefulness * length < length_without + EXACT, (
                "each was useful"
            )
        if usefulness == math.inf:
            assert len(edges) == len(by_hand), "a forest"


class TestPublishedNodes:
    @examples(30)
    @given(cells(), st.integers(0, 3))
    def test_are_those_of_algorithm_1(self, some: Cells, seed: int):
        rrm = rrm_of_space(some.space)
        nodes = rrm.space.lattice(rrm.nodes)
        candidates = medial_places(some.space, seed)
        try:
            expected = cycles.published_nodes(
                nodes.tolist(),
                [tuple(edge) for edge in rrm.edges.tolist()],
                candidates.tolist(),
                lambda a, b: lattice.line_is_free(a, b, some.free),
            )
        except cycles.SeveralWays:
            reject()
        found, edges = find_published_nodes(nodes, rrm.edges, some.space, seed)
        np.testing.assert_array_equal(found, candidates[expected])
        assert edges.shape == (2 * len(expected), 2)

    @examples(10)
    @given(cells())
    def test_cover_and_connect(self, some: Cells):
        star = rrm_star(rrm_of_space(some.space), useful_nodes="published")
        assert verify(star).holds


class TestRetraction:
    @examples(25)
    @given(cells())
    def test_least_clearance_never_falls_and_paths_stay_free(self, some: Cells):
        before = made(some).star
        after = retract(before)
        for edge in range(before.n_edges):
            old, new = (places(r, r.path_of(edge)) for r in (before, after))
            assert cycles.is_in_free_cells(new, some.free, step=0.05, slack=EXACT)
            one = cycles.path_clearance(old, some.free, plane=some.plane, step=0.02)
            two = cycles.path_clearance(new, some.free, plane=some.plane, step=0.05)
            # The straight path is sampled too, so its least clearance may be a little less.
            assert two >= one - 0.01

    @examples(25)
    @given(obstacle_scenes(), st.integers(0, 2**32 - 1))
    def test_maps_judged_by_shapely(self, scene: Scene, seed: int):
        environment = scene.environment()
        try:
            space = make_space(environment, resolution=0.5, radius=0.25)
        except BadInput:
            assume(False)  # no free cell
        before = _random_edges(space, seed)
        after = retract(before)
        cell = shapely.box(*_corners(space)).tolist()
        free = shapely.union_all(cell).buffer(EXACT)
        for edge in range(before.n_edges):
            one, two = (path_clearance(r.path_of(edge), environment) for r in (before, after))
            assert two >= one - EXACT
            assert shapely.covers(free, shapely.LineString(after.path_of(edge)))

    @examples(25)
    @given(cells())
    def test_ends_stay_and_steps_are_short(self, some: Cells):
        before = made(some).star
        after = retract(before)
        for edge, (a, b) in enumerate(before.edges):
            path = after.path_of(edge)
            assert np.allclose(path[[0, -1]], before.nodes[[a, b]], atol=EXACT)
            assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() < 2.0


def _random_edges(space: object, seed: int) -> Roadmap:
    """A few straight edges between free corners in sight of each other."""
    rng = np.random.default_rng(seed)
    corners = space.corners[rng.choice(len(space.corners), 12)]
    seen = np.triu(space.sees(corners, corners), 1) & (corners[:, None] != corners).any(axis=2)
    edges = np.argwhere(seen)[:10]
    return Roadmap.make(space.positions(corners), edges, space, method="rrm")


def _corners(space: object) -> tuple[np.ndarray, ...]:
    """Lower left and upper right of all free cells, m."""
    _, j, i = np.nonzero(space.free)
    low = space.positions(np.column_stack([i, j, 0 * i]))
    return low[:, 0], low[:, 1], low[:, 0] + space.resolution, low[:, 1] + space.resolution
