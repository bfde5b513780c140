"""The medial axis against its definition: topology, clearance and contacts, judged by Shapely."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import shapely
from hypothesis import given

from footway.corridor import CorridorMap
from footway.corridor.balls import on_pieces
from footway.environment import Environment, gallery
from footway.medial import MedialAxis, medial_axis
from tests.effort import examples
from tests.oracle import topology
from tests.oracle.nearest import NearestWall
from tests.strategies import Scene, scenes

EXACT = 1e-6
"""m. What the issue asks of every distance."""

GALLERY = ["game", "field", "office", "city", "mckenna"]


class Built(NamedTuple):
    """A scene with its axis and its judge."""

    env: Environment
    axis: MedialAxis
    walls: NearestWall


def built(env: Environment) -> Built:
    return Built(env, medial_axis(env.walls), NearestWall(env))


@cache
def gallery_map(name: str) -> Built:
    return built(gallery.make(name))


class TestTopology:
    @examples(40)
    @given(scenes("obstacles"))
    def test_obstacles(self, scene: Scene):
        assert_topology(scene.environment())

    @examples(25)
    @given(scenes("touching"))
    def test_touching(self, scene: Scene):
        assert_topology(scene.environment())

    @examples(25)
    @given(scenes("mazes"))
    def test_mazes(self, scene: Scene):
        assert_topology(scene.environment())

    @pytest.mark.parametrize("name", GALLERY)
    def test_gallery(self, name: str):
        assert_topology(gallery_map(name).env)

    @pytest.mark.parametrize("name", ["city", "mckenna"])
    def test_houses_that_touch_nothing_are_the_holes(self, name: str):
        env = gallery_map(name).env
        assert topology.holes(env) == env.holes

    @pytest.mark.parametrize(
        ("lines", "points", "components", "holes"),
        [
            ([], [], 1, 0),
            ([[(2, 5), (8, 5)]], [], 1, 1),
            ([[(0, 5), (8, 5)]], [], 1, 0),
            ([[(0, 5), (10, 5)]], [], 2, 0),
            ([[(3, 3), (7, 3), (7, 7), (3, 7), (3, 3)]], [], 2, 1),
            ([[(2, 2), (8, 8)], [(2, 8), (8, 2)]], [], 1, 1),
            ([], [(3, 3), (7, 7)], 1, 2),
            ([[(2, 5), (8, 5)]], [(5, 5), (5, 8)], 1, 2),
        ],
    )
    def test_by_hand(self, lines, points, components, holes):
        env = Environment.from_polygons(bounds=(0, 0, 10, 10), lines=lines, points=points)
        assert (topology.components(env), topology.holes(env)) == (components, holes)
        assert_topology(env)

    def test_boxes_that_touch_in_a_corner_make_one_hole(self):
        boxes = [shapely.box(2, 2, 5, 5), shapely.box(5, 5, 8, 8)]
        env = Environment.from_polygons(bounds=(0, 0, 10, 10), obstacles=boxes)
        assert topology.holes(env) == 1
        assert_topology(env)

    def test_boxes_that_touch_in_a_corner_close_a_room(self):
        boxes = [shapely.box(0, 4, 5, 5), shapely.box(5, 5, 10, 6)]
        env = Environment.from_polygons(bounds=(0, 0, 10, 10), obstacles=boxes)
        assert topology.components(env) == 2
        assert_topology(env)


class TestGeometry:
    @examples(60)
    @given(scenes())
    def test_random(self, scene: Scene):
        assert_geometry(built(scene.environment()))

    @pytest.mark.parametrize("name", GALLERY)
    def test_gallery(self, name: str):
        assert_geometry(gallery_map(name))

    @examples(50)
    @given(scenes())
    def test_polylines(self, scene: Scene):
        assert_polylines(scene.environment(), step=0.4)

    @pytest.mark.parametrize("name", ["field", "mckenna"])
    def test_polylines_of_the_gallery(self, name: str):
        assert_polylines(gallery_map(name).env, step=0.5)


def assert_topology(env: Environment) -> None:
    cmap = CorridorMap.build(env)
    expected = topology.components(env), topology.holes(env)
    assert (cmap.n_components, cmap.n_cycles) == expected
    assert cmap.n_cycles == cmap.n_edges - cmap.n_vertices + cmap.n_components


def assert_geometry(it: Built) -> None:
    axis = it.axis
    assert_maximal(it, axis.events, axis.clearance, axis.left, axis.right)
    assert_graph(axis)
    piece = np.flatnonzero(axis.piece_left >= 0)
    shares = np.linspace(0, 1, 7)
    samples = on_pieces(axis, np.repeat(piece, 7), np.tile(shares, len(piece)))
    assert_maximal(it, *samples)
    assert_monotone(it.walls.distance(samples.points).reshape(-1, 7))
    assert_sides(samples.points, samples.left, samples.right)


def assert_maximal(it: Built, points, clearance, left, right) -> None:
    """Free points whose two contacts are wall points, both at the distance of the nearest wall."""
    truth = it.walls.distance(points)
    assert np.abs(clearance - truth).max() < EXACT
    for contact in (left, right):
        assert np.abs(np.hypot(*(points - contact).T) - truth).max() < EXACT
        assert it.walls.distance(contact).max() < EXACT
    deep = points[truth > EXACT]
    shapely.prepare(it.env.walkable)
    assert shapely.contains_xy(it.env.walkable, deep[:, 0], deep[:, 1]).all()


def assert_graph(axis: MedialAxis) -> None:
    """Edges begin and end in their vertices; no vertex joins just two ends, unless in a ring."""
    first, last = axis.offsets[:-1], axis.offsets[1:] - 1
    np.testing.assert_array_equal(axis.events[first], axis.vertices[axis.edges[:, 0]])
    np.testing.assert_array_equal(axis.events[last], axis.vertices[axis.edges[:, 1]])
    degree = np.bincount(axis.edges.ravel(), minlength=len(axis.vertices))
    rings = axis.edges[axis.edges[:, 0] == axis.edges[:, 1], 0]
    assert set(np.flatnonzero(degree == 2)) <= set(rings)


def assert_monotone(clearance) -> None:
    step = np.diff(clearance, axis=1)
    grows, falls = (step > -EXACT).all(axis=1), (step < EXACT).all(axis=1)
    assert (grows | falls).all()


def assert_sides(points, left, right) -> None:
    """The left contact is left of the piece, seen along it, the right one on its right."""
    triple = points.reshape(-1, 7, 2)
    along = triple[:, -1] - triple[:, 0]
    at = slice(3, None, 7)
    for contact, sign in ((left, 1), (right, -1)):
        out = contact[at] - points[at]
        turn = along[:, 0] * out[:, 1] - along[:, 1] * out[:, 0]
        assert (sign * turn > -EXACT * np.hypot(*along.T)).all()


def assert_polylines(env: Environment, *, step: float) -> None:
    cmap = CorridorMap.build(env)
    lines = cmap.axis(step)
    assert len(lines.offsets) == cmap.n_edges + 1
    assert lines.offsets[-1] == len(lines.points)
    assert np.abs(NearestWall(env).distance(lines.points) - lines.clearance).max() < EXACT
    length = cmap.edge_length
    for edge, (first, last) in enumerate(zip(lines.offsets[:-1], lines.offsets[1:], strict=True)):
        chord = np.hypot(*np.diff(lines.points[first:last], axis=0).T)
        np.testing.assert_allclose(lines.points[first], cmap.vertices[cmap.edges[edge, 0]])
        np.testing.assert_allclose(lines.points[last - 1], cmap.vertices[cmap.edges[edge, 1]])
        assert chord.sum() <= length[edge] + EXACT
        assert chord.max(initial=0.0) < 2 * step
        # A curve that is much shorter than the step is a chord or two.
        assert chord.sum() >= 0.98 * length[edge] - 0.05 * step, "the length is that of the curve"
