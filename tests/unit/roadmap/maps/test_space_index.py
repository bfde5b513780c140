"""The margin that an object has in every cell in which it fits."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.roadmap.lattice.space import make_space, space_of_cells
from footway.roadmap.maps.space_index import margin_of, nearest_free, nearest_within


@pytest.fixture(scope="module")
def volume() -> fw.Volume:
    boxes = [(3, 0, 0, 4, 8, 5), (7, 4, 2, 9, 10, 3), (6, 1, 6, 7, 2, 7)]
    return fw.Volume.from_boxes((0, 0, 0, 12, 10, 9), boxes, resolution=0.5)


def room_of(points: np.ndarray, volume: fw.Volume, half: np.ndarray) -> np.ndarray:
    """Distance between boxes around points and the nearest solid voxel, also around the map."""
    solid = np.pad(volume.solid, 1, constant_values=True)
    low = np.array(volume.origin) + (np.argwhere(solid)[:, ::-1] - 1) * volume.resolution
    found = []
    for point in points:
        below, above = low - point - half, point - half - low - volume.resolution
        gaps = np.maximum(np.maximum(below, above), 0.0)
        found.append(np.linalg.norm(gaps, axis=1).min())
    return np.array(found)


def some_points(space, count, seed):
    low = space.origin
    high = low + np.array(space.free.shape[::-1]) * space.resolution
    points = low + np.random.default_rng(seed).random((20 * count, 3)) * (high - low)
    return points[space.lines_are_free(points, points)][:count]


@pytest.mark.parametrize("radius", [0.1, 0.25, 0.5, 0.6, 0.75, 1.2, 1.3])
def test_a_ball_has_the_margin_and_the_distance_to_cells(volume, radius):
    space = make_space(volume, radius=radius)
    points = some_points(space, 150, 1)
    room = room_of(points, volume, np.zeros(3)) - radius
    bound = space.clearance(points)[0] + margin_of(space)
    assert (room >= bound - 1e-9).all()
    corners = space.positions(space.corners)
    touching = corners[space.clearance(corners)[0] == 0.0]
    least = (room_of(touching, volume, np.zeros(3)) - radius).min()
    assert least == pytest.approx(margin_of(space))


@pytest.mark.parametrize("size", [(0.5, 0.5, 0.5), (1, 1, 1), (1.2, 0.8, 1.4), (1.1, 2.0, 0.3)])
def test_a_box_has_the_margin_and_the_distance_to_cells(volume, size):
    space = make_space(volume, size=size)
    points = some_points(space, 150, 2)
    bound = space.clearance(points)[0] + margin_of(space)
    assert (room_of(points, volume, 0.5 * np.array(size)) >= bound - 1e-9).all()


@pytest.mark.parametrize(
    ("radius", "margin"), [(0.5, 0.0), (0.4, 0.1), (0.5 * 7**0.5, 0.5 * (8**0.5 - 7**0.5))]
)
def test_margins_of_balls(volume, radius, margin):
    assert margin_of(make_space(volume, radius=radius)) == pytest.approx(margin, abs=1e-12)


def test_a_point_among_cells_has_none():
    assert margin_of(space_of_cells(np.ones((2, 3, 4), bool), 0.7)) == 0.0


def test_nearest_places(volume):
    space = make_space(volume, size=(1.2, 0.8, 1.4))
    low, high = np.array([-1, -1, -1]), np.array([13, 11, 10])
    points = low + np.random.default_rng(4).random((200, 3)) * (high - low)
    points = points[~space.lines_are_free(points, points)]
    places, away = nearest_within(points, space, 0.4)
    for point, place, far in zip(points, places, away, strict=True):
        nearest = nearest_free(point, space)
        apart = float(np.linalg.norm(nearest - point))
        assert far == (pytest.approx(apart) if apart <= 0.4 else np.inf)
        assert np.linalg.norm(place - point) == pytest.approx(far if far < np.inf else 0.0)
        assert space.lines_are_free(nearest[None], nearest[None])[0]
