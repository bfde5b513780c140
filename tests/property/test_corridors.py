"""Corridors of random scenes: around the shortest backbone, maximal balls, and no gap in them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.backbone import ShortestBackbone
from tests.oracle.corridor import balls_of, line_depth
from tests.oracle.nearest import NearestWall
from tests.property.test_paths import Asked, Point, on_wall, path_or_none, questions

EXACT = 1e-6
"""m, and of a length."""

NARROW = 0.02
"""m. Room R - r below which balls are too close to each other for the rules below to say much."""

SOLID = st.sampled_from([0.1, 0.25, 0.5, 1.0])
"""m. Radii of characters that are no points."""


def corridor_or_none(
    cmap: fw.CorridorMap, a: Point, b: Point, radius: float, **options: str
) -> fw.Corridor | None:
    try:
        return cmap.corridor(a, b, radius=radius, **options)
    except (fw.NoPath, fw.BadQuery):
        return None


def found(it: Asked, **options: str) -> list[fw.Corridor]:
    """Corridors of the questions that have one."""
    some = [corridor_or_none(it.cmap, a, b, it.radius, **options) for a, b in it.pairs]
    return [corridor for corridor in some if corridor is not None]


class TestBackbone:
    @examples(60)
    @given(questions())
    def test_is_the_shortest(self, it: Asked):
        """Between those of a disc that is a hair wider and one that is a hair narrower."""
        upper = ShortestBackbone(it.cmap, it.radius + EXACT)
        lower = ShortestBackbone(it.cmap, it.radius - EXACT)
        for corridor in found(it):
            ends = corridor.start, corridor.goal
            length = lower.length_along(corridor.edges, *ends)
            assert length <= upper.length(*ends) * (1 + EXACT) + 1e-9
            assert length >= lower.length(*ends) * (1 - EXACT) - 1e-9
            # Balls sit on the axis, a quarter of their size apart: chords lose next to nothing.
            assert corridor.length >= length * (1 - 5e-3) - 1e-9

    @examples(40)
    @given(questions())
    def test_is_there_when_a_path_is(self, it: Asked):
        for a, b in it.pairs:
            if on_wall(it, a, b):
                continue
            path = path_or_none(it.cmap, a, b, it.radius)
            for around in ("backbone", "path"):
                corridor = corridor_or_none(it.cmap, a, b, it.radius, around=around)
                assert (corridor is None) == (path is None)

    @examples(40)
    @given(questions())
    def test_around_the_path_is_not_shorter(self, it: Asked):
        for a, b in it.pairs:
            shortest = corridor_or_none(it.cmap, a, b, it.radius)
            other = corridor_or_none(it.cmap, a, b, it.radius, around="path")
            if shortest is not None and other is not None:
                assert shortest.length <= other.length * (1 + 5e-3) + EXACT

    @examples(30)
    @given(questions())
    def test_there_and_back(self, it: Asked):
        for corridor in found(it):
            back = it.cmap.corridor(corridor.goal, corridor.start, radius=it.radius)
            assert back.length == pytest.approx(corridor.length, rel=5e-3, abs=EXACT)

    @examples(30)
    @given(questions())
    def test_ends_in_start_and_goal(self, it: Asked):
        for corridor in found(it):
            np.testing.assert_array_equal(corridor.backbone[0], corridor.start)
            np.testing.assert_array_equal(corridor.backbone[-1], corridor.goal)
            assert corridor.dimension == 2
            assert corridor.radius == it.radius


class TestBalls:
    @examples(40)
    @given(questions())
    def test_touch_walls_and_hold_none(self, it: Asked):
        walls = NearestWall(it.env)
        for corridor in found(it):
            truth = walls.distance(corridor.backbone)
            assert (corridor.radii <= truth + EXACT).all(), "a ball reaches into a wall"
            on_axis = slice(*axis_range(it.cmap, corridor))
            assert np.abs(corridor.radii - truth)[on_axis].max(initial=0) < EXACT

    @examples(30)
    @given(questions())
    def test_shrink_on_the_way_to_the_ends(self, it: Asked):
        """Figure 3: the clearance of the vertex s' minus the distance from it."""
        for corridor in found(it):
            place = it.cmap.locate([corridor.start, corridor.goal])
            first, last = axis_range(it.cmap, corridor)
            for k, spoke in enumerate((slice(None, first), slice(last, None))):
                away = np.hypot(*(corridor.backbone[spoke] - place.position[k]).T)
                expected = place.clearance[k] - away
                np.testing.assert_allclose(corridor.radii[spoke], expected, atol=EXACT)

    @examples(40)
    @given(questions(SOLID))
    def test_are_close_to_each_other(self, it: Asked):
        for corridor in found(it):
            step = np.hypot(*np.diff(corridor.backbone, axis=0).T)
            assert step.max(initial=0) <= 0.5 + 1e-9
            room = corridor.radii - corridor.radius
            nested = np.minimum(room[1:], room[:-1])
            wide = nested > NARROW
            assert (step < nested)[wide].all(), "a centre outside of its neighbour"

    @examples(30)
    @given(questions(SOLID))
    def test_leave_no_gap_along_the_backbone(self, it: Asked):
        for corridor in found(it):
            balls = balls_of(corridor)
            for k in range(len(balls) - 1):
                near = balls[max(0, k - 2) : k + 4]
                room = float(near[:, -1].min()) - it.radius
                worst = line_depth(balls[k, :2], balls[k + 1, :2], near, it.radius, count=8)
                assert worst > 0 or room < NARROW

    @examples(30)
    @given(questions())
    def test_follow_the_half_edges(self, it: Asked):
        for corridor in found(it):
            half = corridor.edges
            tail = it.cmap.edges[half // 2, half % 2]
            head = it.cmap.edges[half // 2, 1 - half % 2]
            np.testing.assert_array_equal(tail[1:], head[:-1])
            inner = half[1:-1] // 2
            assert (it.cmap.edge_clearance[inner] >= corridor.radius - EXACT).all()


def axis_range(cmap: fw.CorridorMap, corridor: fw.Corridor) -> tuple[int, int]:
    """First ball on the axis, and one past the last: the others are on the lines to the ends."""
    first, last = cmap.locate([corridor.start, corridor.goal]).position
    from_first = np.hypot(*(corridor.backbone - first).T)
    from_last = np.hypot(*(corridor.backbone - last).T)
    begin = int(np.flatnonzero(from_first < EXACT)[0])
    return begin, int(np.flatnonzero(from_last < EXACT)[-1]) + 1
