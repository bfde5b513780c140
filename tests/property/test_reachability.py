"""Grid and reachability roadmaps on random cells, judged corner by corner by definition."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footway.roadmap import Roadmap
from footway.roadmap.lattice.grid import grid_distances, grid_of_space
from footway.roadmap.lattice.rrm import medial_corners, rrm_of_space
from footway.roadmap.lattice.space import Space, space_of_cells
from footway.roadmap.measures import verify
from tests.effort import examples
from tests.oracle import lattice

EXACT = 1e-9


class Cells(NamedTuple):
    """Random cells and their space."""

    free: np.ndarray
    plane: bool
    space: Space


@st.composite
def cells(draw: st.DrawFn, *, most: int = 7) -> Cells:
    """Cells in two or three dimensions, at least one of them free; sides of different lengths."""
    plane = draw(st.booleans())
    sides = (most, most) if plane else (4, 4, 5)
    shape = [draw(st.integers(1, side)) for side in sides]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    free = rng.random(shape) < draw(st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]))
    free.flat[draw(st.integers(0, free.size - 1))] = True
    return Cells(free[None] if plane else free, plane, space_of_cells(free))


def tuples(corners: np.ndarray) -> list[tuple[int, int, int]]:
    return [(int(i), int(j), int(k)) for i, j, k in corners]


class TestSpace:
    @examples(30)
    @given(cells())
    def test_corners(self, some: Cells):
        assert tuples(some.space.corners) == lattice.free_corners(some.free, plane=some.plane)

    @examples(12)
    @given(cells(most=5), st.data())
    def test_regions(self, some: Cells, data: st.DataObject):
        corners = some.space.corners
        eye = data.draw(st.integers(0, len(corners) - 1))
        seen = some.space.sees(corners[[eye]], corners)[0].tolist()
        everything = tuples(corners)
        assert seen == lattice.region(everything[eye], everything, some.free)

    @examples(60)
    @given(cells(), st.data())
    def test_lines_between_any_points(self, some: Cells, data: st.DataObject):
        top = some.space.is_node.shape[::-1]
        # Quarters of a cell: on planes and off them, and exact in floating point.
        point = st.tuples(*(st.integers(0, 4 * (n - 1)).map(lambda v: v / 4) for n in top))
        a, b = data.draw(point), data.draw(point)
        free = some.space.lines_are_free([a], [b])[0]
        assert free == lattice.line_is_free(a, b, some.free)
        assert some.space.lines_are_free([b], [a])[0] == free

    @examples(60)
    @given(cells(), st.data())
    def test_clearance(self, some: Cells, data: st.DataObject):
        corner = data.draw(st.sampled_from(tuples(some.space.corners)))
        i, j, k = corner
        by_hand = lattice.clearance(corner, some.free, plane=some.plane)
        assert math.isclose(some.space.corner_clearance[k, j, i], by_hand, abs_tol=EXACT)
        offset = [data.draw(st.floats(-0.5, 0.5)) for _ in range(2 if some.plane else 3)]
        point = np.zeros(3)
        point[: len(offset)] = np.array(corner[: len(offset)]) + offset
        found, nearest = some.space.clearance(point[: len(offset)])
        if some.plane and not lattice.line_is_free(corner, point, some.free):
            return  # in a blocked cell: the walls say how far out it is
        by_hand = lattice.clearance(point, some.free, plane=some.plane)
        assert math.isclose(found[0], by_hand, abs_tol=EXACT)
        assert math.isclose(math.dist(nearest[0], point[: len(offset)]), by_hand, abs_tol=EXACT)

    @examples(30)
    @given(cells())
    def test_medial_corners_are_free_and_between_obstacles(self, some: Cells):
        """From one of a medial corner's neighbours another obstacle point is nearest, far off."""
        everything = set(lattice.free_corners(some.free, plane=some.plane))
        for corner in tuples(medial_corners(some.space)):
            assert corner in everything
            here = nearest_obstacle(corner, some)
            steps = np.eye(3, dtype=int)[: 2 if some.plane else 3]
            beside = [
                tuple(int(v) for v in np.add(corner, sign * step))
                for step in steps
                for sign in (-1, 1)
            ]
            apart = [
                math.dist(here, nearest_obstacle(other, some))
                for other in beside
                if other in everything
            ]
            assert max(apart) > 1.5 - EXACT


class TestGrid:
    @examples(25)
    @given(cells())
    def test_edges(self, some: Cells):
        roadmap = grid_of_space(some.space)
        corners = tuples(some.space.corners)
        found = {frozenset((corners[a], corners[b])) for a, b in roadmap.edges}
        assert len(found) == roadmap.n_edges
        assert found == {
            frozenset((a, b))
            for a in corners
            for b in lattice.neighbours(a, some.free, plane=some.plane)
        }
        assert verify(roadmap).holds

    @examples(25)
    @given(cells(), st.data())
    def test_distances(self, some: Cells, data: st.DataObject):
        corners = some.space.corners
        source = data.draw(st.integers(0, len(corners) - 1))
        found = grid_distances(some.space, corners[[source]], corners)[0]
        known = lattice.distances(tuples(corners)[source], some.free, plane=some.plane)
        expected = [known.get(corner, math.inf) for corner in tuples(corners)]
        np.testing.assert_allclose(found, expected, atol=EXACT)


class TestReachability:
    @examples(40)
    @given(cells(), st.integers(0, 3))
    def test_covers_and_connects(self, some: Cells, seed: int):
        roadmap = rrm_of_space(some.space, seed=seed)
        verdict = judged(roadmap, some)
        assert verdict == ([], [], [])
        assert roadmap.n_cycles == 0

    @examples(25)
    @given(cells(most=5))
    def test_no_node_can_go(self, some: Cells):
        roadmap = rrm_of_space(some.space)
        for node in range(roadmap.n_nodes):
            rest = np.delete(np.arange(roadmap.n_nodes), node)
            assert any(judged(all_lines(roadmap, rest), some)), node

    @examples(25)
    @given(cells(), st.data())
    def test_verify_sees_what_is_wrong(self, some: Cells, data: st.DataObject):
        roadmap = rrm_of_space(some.space)
        kept = data.draw(st.lists(st.booleans(), min_size=roadmap.n_nodes).map(np.array))
        some_nodes = all_lines(roadmap, np.flatnonzero(kept[: roadmap.n_nodes]))
        dropped = some_nodes.edges[1:] if data.draw(st.booleans()) else some_nodes.edges
        less = Roadmap.make(some_nodes.nodes, dropped, some.space, method="rrm")
        found, verdict = verify(less), judged(less, some)
        assert tuples(found.uncovered) == verdict.uncovered
        assert found.connected == (not verdict.apart)
        assert len(found.colliding) == len(verdict.colliding) == 0


def nearest_obstacle(corner: tuple[int, int, int], some: Cells) -> list[float]:
    size = 2 if some.plane else 3
    return some.space.clearance(np.array(corner[:size], float))[1][0].tolist()


def all_lines(roadmap: Roadmap, kept: np.ndarray) -> Roadmap:
    """Some nodes of a roadmap with every free line between them."""
    corners = roadmap.space.corners_of(roadmap.nodes[kept]).reshape(-1, 3)
    edges = np.argwhere(np.triu(roadmap.space.sees(corners, corners), 1))
    return Roadmap.make(roadmap.nodes[kept], edges, roadmap.space, method="rrm")


def judged(roadmap: Roadmap, some: Cells) -> lattice.Verdict:
    corners = tuples(some.space.corners_of(roadmap.nodes).reshape(-1, 3))
    edges = [(int(a), int(b)) for a, b in roadmap.edges]
    return lattice.judge(corners, edges, some.free, plane=some.plane)
