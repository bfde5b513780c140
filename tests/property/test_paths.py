"""Paths in random scenes: found or not, shortest, certified; judged by oracles and Shapely."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.clearance import path_clearance
from tests.oracle.nearest import NearestWall
from tests.oracle.reachable import Reachable
from tests.oracle.shortest import ShortestOracle
from tests.strategies import RADII, Scene, points_inside, scenes

if TYPE_CHECKING:
    from footway.environment import Environment

EXACT = 1e-6
"""m, and of a length. What the issue asks of clearances, and we ask of lengths."""

QUERIES = 3
"""Queries in each scene: the map and the oracles cost more than they do."""

ALL_RADII = (0.0, 0.1, 0.25, 0.5, 1.0)
Point = tuple[float, float]


class Asked(NamedTuple):
    """A map and questions to it; the scene is there for its repr."""

    scene: Scene
    env: Environment
    cmap: fw.CorridorMap
    radius: float
    pairs: list[tuple[Point, Point]]


@st.composite
def questions(draw: st.DrawFn, radii: st.SearchStrategy[float] = RADII) -> Asked:
    """Draw a scene, a radius, and pairs of points anywhere in it."""
    scene: Scene = draw(scenes())
    spot = points_inside(scene)
    pairs = draw(st.lists(st.tuples(spot, spot), min_size=QUERIES, max_size=QUERIES))
    env = scene.environment()
    return Asked(scene, env, scene.corridor_map(), draw(radii), pairs)


def path_or_none(cmap: fw.CorridorMap, a: Point, b: Point, radius: float) -> fw.Path | None:
    try:
        return cmap.path(a, b, radius=radius)
    except (fw.NoPath, fw.BadQuery):
        return None


class TestAgainstOracles:
    @examples(60)
    @given(questions())
    def test_found_and_shortest(self, it: Asked):
        reachable = it.scene.oracle(Reachable, it.radius)
        shortest = it.scene.oracle(ShortestOracle, it.radius)
        for a, b in it.pairs:
            expected = reachable.connected(a, b)
            path = path_or_none(it.cmap, a, b, it.radius)
            if expected is None or on_wall(it, a, b):  # too close to call
                continue
            assert (path is not None) == expected, "missed" if expected else "invented"
            if path is not None:
                assert path.length == pytest.approx(shortest.length(a, b), rel=EXACT, abs=1e-9)

    @examples(40)
    @given(questions())
    def test_bottleneck(self, it: Asked):
        a, b = it.pairs[0]
        try:
            pinch = it.cmap.bottleneck(a, b)
        except (fw.NoPath, fw.BadQuery):
            # A disc of 1 mm goes wherever a point goes but through gaps below the grid.
            assert it.scene.oracle(Reachable, 1e-3).connected(a, b) is not True
            return
        if pinch.radius < 1e-3:
            return
        assert it.scene.oracle(Reachable, 0.99 * pinch.radius).connected(a, b)
        assert not it.scene.oracle(Reachable, 1.01 * pinch.radius).connected(a, b)
        assert_pinch(it.env, pinch)
        it.cmap.path(a, b, radius=pinch.radius * (1 - EXACT))
        with pytest.raises(fw.NoPath) as refusal:
            it.cmap.path(a, b, radius=pinch.radius * (1 + EXACT))
        assert refusal.value.reason in ("pinch", "no room")


class TestCertificate:
    @examples(60)
    @given(questions())
    def test_is_true(self, it: Asked):
        for path in found(it):
            truth = path_clearance(path.points, it.env)
            assert truth >= it.radius - EXACT
            assert path.clearance <= truth + 1e-6  # never claims too much
            assert truth == pytest.approx(path.clearance, abs=1e-3 * it.radius + EXACT)
            assert path.radius == it.radius

    @examples(40)
    @given(questions())
    def test_length_is_that_of_the_points(self, it: Asked):
        for path in found(it):
            polyline = float(np.hypot(*np.diff(path.points, axis=0).T).sum())
            # Points of arcs lie up to 0.1 % of the radius outside.
            assert path.length * (1 - EXACT) <= polyline <= path.length * 1.002 + EXACT
            assert path.arc_lengths[0] == 0
            assert path.arc_lengths[-1] == pytest.approx(polyline, abs=EXACT)
            assert len(path.arc_lengths) == len(path.headings) == len(path.points)

    @examples(40)
    @given(questions())
    def test_begins_and_ends_where_it_should(self, it: Asked):
        for a, b in it.pairs:
            path = path_or_none(it.cmap, a, b, it.radius)
            if path is not None:
                assert (path.start, path.goal) == (a, b)
                np.testing.assert_array_equal(path.points[[0, -1]], [a, b])

    @examples(60)
    @given(questions(st.sampled_from(ALL_RADII[1:])))
    def test_has_no_kinks(self, it: Asked):
        for path in found(it):
            ends = tangents(path.pieces)
            for (_, leaving), (entering, _) in itertools.pairwise(ends):
                turn = leaving[0] * entering[1] - leaving[1] * entering[0]
                assert abs(math.atan2(turn, float(leaving @ entering))) < EXACT

    @examples(30)
    @given(questions())
    def test_pieces_join(self, it: Asked):
        for path in found(it):
            joints = path.pieces[1:, :2] - path.pieces[:-1, 2:4]
            assert np.abs(joints).max(initial=0) < 1e-9


class TestConsistency:
    @examples(50)
    @given(questions())
    def test_symmetric(self, it: Asked):
        for a, b in it.pairs:
            there = path_or_none(it.cmap, a, b, it.radius)
            back = path_or_none(it.cmap, b, a, it.radius)
            assert (there is None) == (back is None)
            if there is not None and back is not None:
                assert there.length == pytest.approx(back.length, rel=1e-9, abs=1e-9)

    @examples(30)
    @given(questions())
    def test_wider_discs_have_longer_paths(self, it: Asked):
        for a, b in it.pairs:
            lengths = [
                math.inf if path is None else path.length
                for path in (path_or_none(it.cmap, a, b, radius) for radius in ALL_RADII)
            ]
            for narrow, wide in itertools.pairwise(lengths):
                assert narrow <= wide * (1 + 1e-9)

    @examples(20)
    @given(questions())
    def test_same_bits_every_time(self, it: Asked):
        for a, b in it.pairs:
            first = path_or_none(it.cmap, a, b, it.radius)
            for again in (it.cmap, fw.CorridorMap.build(it.env)):
                assert_same(first, path_or_none(again, a, b, it.radius))

    @examples(20)
    @given(questions())
    def test_batches_are_single_paths(self, it: Asked):
        starts, goals = np.array(it.pairs).transpose(1, 0, 2)
        single = [path_or_none(it.cmap, a, b, it.radius) for a, b in it.pairs]
        for threads in (1, 2):
            batch = it.cmap.paths(starts, goals, radius=it.radius, threads=threads)
            assert len(batch) == len(single)
            for one, other in zip(single, batch, strict=True):
                assert_same(one, other)

    @examples(30)
    @given(questions())
    def test_start_is_goal(self, it: Asked):
        reachable = it.scene.oracle(Reachable, it.radius)
        for a, _ in it.pairs:
            path = path_or_none(it.cmap, a, a, it.radius)
            fits = reachable.fits(a)
            assert fits is None or on_wall(it, a) or (path is not None) == fits
            if path is not None:
                assert path.length == 0
                np.testing.assert_array_equal(path.points, [a, a])


def test_batches_of_the_city_do_not_depend_on_threads():
    """Enough queries for several batches per thread, in another order each time."""
    cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
    rng = np.random.default_rng(5)
    starts, goals = rng.uniform(0, 200, (2, 300, 2))
    one = cmap.paths(starts, goals, radius=0.5, threads=1)
    assert sum(path is not None for path in one) > 150
    for threads in (2, 3):
        for a, b in zip(one, cmap.paths(starts, goals, radius=0.5, threads=threads), strict=True):
            assert_same(a, b)


def on_wall(it: Asked, *points: Point) -> bool:
    """Whether a point is so close to a wall that rounding decides on which side of it."""
    return bool((NearestWall(it.env).distance(points) < EXACT).any())


def found(it: Asked) -> list[fw.Path]:
    """Answers to the questions that have one."""
    paths = [path_or_none(it.cmap, a, b, it.radius) for a, b in it.pairs]
    return [path for path in paths if path is not None]


def assert_pinch(env: Environment, pinch: fw.Pinch) -> None:
    """The widest disc touches the walls on both sides, and no wall is nearer."""
    walls = NearestWall(env)
    assert walls.distance([pinch.at])[0] == pytest.approx(pinch.radius, abs=EXACT)
    for contact in (pinch.left, pinch.right):
        assert math.dist(contact, pinch.at) == pytest.approx(pinch.radius, abs=EXACT)
        assert walls.distance([contact])[0] < EXACT
    assert pinch.width == 2 * pinch.radius
    assert env.walkable.intersects(shapely.Point(pinch.at))


def assert_same(a: fw.Path | None, b: fw.Path | None) -> None:
    """To the last bit."""
    assert (a is None) == (b is None)
    if a is not None and b is not None:
        assert (a.length, a.clearance) == (b.length, b.clearance)
        np.testing.assert_array_equal(a.pieces, b.pieces)
        np.testing.assert_array_equal(a.points, b.points)


def tangents(pieces: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Unit directions at the beginning and end of every piece that is long enough to have one."""
    ends = []
    for x0, y0, x1, y1, cx, cy, radius, sweep, _ in pieces:
        if radius > 0:
            side = math.copysign(1.0, sweep)
            out = np.array([[x0 - cx, y0 - cy], [x1 - cx, y1 - cy]]) * side / radius
            first, last = np.column_stack([-out[:, 1], out[:, 0]])
            ends.append((first, last))
        elif math.hypot(x1 - x0, y1 - y0) > 1e-6:
            along = np.array([x1 - x0, y1 - y0]) / math.hypot(x1 - x0, y1 - y0)
            ends.append((along, along))
    return ends
