"""Corners on the medial axis of the lattice."""

from __future__ import annotations

import numpy as np

from footway.environment import Environment, Volume
from footway.roadmap.rrm import medial_corners
from footway.roadmap.space import make_space, space_of_cells


def test_the_middle_of_a_corridor():
    middle = medial_corners(space_of_cells(np.ones((4, 20), bool)))
    inner = middle[(middle[:, 0] > 2) & (middle[:, 0] < 18)]
    assert sorted(set(inner[:, 1].tolist())) == [2]
    assert len(inner) == 15


def test_both_sides_of_a_middle_between_corners():
    middle = medial_corners(space_of_cells(np.ones((5, 20), bool)))
    inner = middle[(middle[:, 0] > 3) & (middle[:, 0] < 17)]
    assert sorted(set(inner[:, 1].tolist())) == [2, 3]


def test_the_middle_plane_of_a_flat_volume():
    middle = medial_corners(space_of_cells(np.ones((4, 16, 16), bool)))
    away = middle[((middle[:, :2] > 3) & (middle[:, :2] < 13)).all(axis=1)]
    assert set(away[:, 2].tolist()) == {2}
    assert len(away) == 81


def test_a_long_wall_leaves_no_branches():
    """One large room with a round obstacle: an axis of corners, not a field of them."""
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    pillar = np.column_stack([10 + 3 * np.cos(angle), 10 + 3 * np.sin(angle)])
    room = Environment.from_polygons(bounds=(0, 0, 20, 20), obstacles=[pillar])
    space = make_space(room, resolution=0.25, radius=0.25)
    middle = medial_corners(space)
    assert 100 < len(middle) < 700
    from_centre = np.linalg.norm(space.positions(middle) - 10, axis=1)
    assert from_centre.min() > 6.0


def test_a_passage_of_one_cell_has_none():
    assert len(medial_corners(space_of_cells([[True] * 5]))) == 0


def test_a_passage_of_a_volume_that_is_narrower_than_the_ball_is_wide():
    """Four cells for the middle of a ball of 3 m radius: the axis is in the middle of them."""
    volume = Volume.from_boxes((0, 0, 0, 30, 10, 10), [], resolution=1.0)
    middle = medial_corners(make_space(volume, resolution=None, radius=3.0, size=None))
    inner = middle[(middle[:, 0] > 8) & (middle[:, 0] < 22)]
    assert len(inner) > 0
    assert {tuple(row) for row in inner[:, 1:].tolist()} >= {(5, 5)}
