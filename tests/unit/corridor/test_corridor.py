"""The corridor: a backbone with balls that touch the walls and contain no wall."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.nearest import NearestWall
from tests.strategies import RADII, points_inside, scenes

EXACT = 1e-6


def assert_corridor(env: fw.Environment, corridor: fw.Corridor) -> None:
    """Check the properties of cmm-2007, definition 4; inner balls are those on the axis."""
    walls = NearestWall(env)
    backbone, radii = corridor.backbone, corridor.radii
    assert len(backbone) == len(radii) == len(corridor.left) == len(corridor.right)
    np.testing.assert_array_equal(backbone[0], corridor.start)
    np.testing.assert_array_equal(backbone[-1], corridor.goal)
    truth = walls.distance(backbone)
    assert (radii <= truth + EXACT).all(), "a ball reaches into a wall"
    inner = slice(1, -1)
    assert np.abs(radii - truth)[inner].max() < EXACT, "a ball on the axis is not maximal"
    for contact in (corridor.left, corridor.right):
        assert walls.distance(contact).max() < EXACT
        gap = np.hypot(*(contact - backbone).T)
        assert np.abs(gap - radii)[on_axis(corridor)].max(initial=0.0) < EXACT
    assert corridor.narrowest >= corridor.radius - EXACT
    if corridor.radius > 0:  # in a wall's corner the last balls have no size at all
        assert_overlap(corridor)
    assert corridor.length == pytest.approx(np.hypot(*np.diff(backbone, axis=0).T).sum())


def on_axis(corridor: fw.Corridor) -> np.ndarray:
    """Return which balls are on the axis; all balls between an end and the axis have one place."""
    place = np.column_stack([*corridor.places])
    return (place != place[0]).any(axis=1) & (place != place[-1]).any(axis=1)


def assert_overlap(corridor: fw.Corridor) -> None:
    """Consecutive balls overlap: no gap along the backbone."""
    step = np.hypot(*np.diff(corridor.backbone, axis=0).T)
    reach = corridor.radii[:-1] + corridor.radii[1:]
    assert (step <= reach + EXACT).all()


def assert_edges(cmap: fw.CorridorMap, corridor: fw.Corridor) -> None:
    """Half-edges form a chain: each one begins where the one before it ends."""
    half = corridor.edges
    tail = cmap.edges[half // 2, half % 2]
    head = cmap.edges[half // 2, 1 - half % 2]
    np.testing.assert_array_equal(tail[1:], head[:-1])
    inner = half[1:-1] // 2
    assert (cmap.edge_clearance[inner] >= corridor.radius - EXACT).all()


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        ((2, 2), (15, 8)),
        ((15, 8), (2, 2)),
        ((1, 9), (8.5, 1)),
        ((5, 3), (5, 7)),
        ((2, 2), (2.1, 2.2)),
        ((2, 2), (2, 2)),
        ((12.5, 4), (13.5, 4)),
        ((0.5, 0.5), (0.7, 9.5)),
        ((18, 2), (19.5, 0.5)),
    ],
)
def test_by_hand(env, cmap, start, goal):
    corridor = cmap.corridor(start, goal, radius=0.25)
    assert_corridor(env, corridor)
    assert_edges(cmap, corridor)


def test_contacts_are_on_their_side(cmap):
    """Through the door from left to right: the upper wall is on the left."""
    for start, goal, left in (((7, 5), (12, 5), 5.5), ((12, 5), (7, 5), 4.5)):
        corridor = cmap.corridor(start, goal, radius=0.25)
        door = np.argmin(np.hypot(*(corridor.backbone - (10, 5)).T))
        assert corridor.left[door, 1] == pytest.approx(left)
        assert corridor.right[door, 1] == pytest.approx(10 - left)


def test_the_path_stays_inside(cmap):
    corridor = cmap.corridor((2, 2), (15, 8), radius=0.25)
    path = cmap.path((2, 2), (15, 8), radius=0.25)
    # Balls are at most 0.5 m apart: between two of them a path may be outside by a little.
    gap = np.hypot(*(path.points[:, None] - corridor.backbone).transpose(2, 0, 1)) - corridor.radii
    assert gap.min(axis=1).max() < 0.1


def test_narrow_doors_lead_elsewhere(env):
    """The radius decides between a short path with a narrow door and a long, wide one."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[[(9, 0), (11, 0), (11, 4.7), (9, 4.7)], [(9, 5.3), (11, 5.3), (11, 8), (9, 8)]],
    )
    cmap = fw.CorridorMap.build(env)
    narrow = cmap.corridor((5, 5), (15, 5), radius=0.25)
    wide = cmap.corridor((5, 5), (15, 5), radius=0.5)
    assert narrow.narrowest == pytest.approx(0.3)
    assert wide.narrowest >= 0.5
    assert narrow.backbone[:, 1].max() < 8 < wide.backbone[:, 1].max()


@pytest.mark.parametrize("ends", [((2, 5), (28, 5)), ((2, 1), (28, 1)), ((15, 5), (2, 5))])
def test_narrow_doors_far_from_both_ends_lead_elsewhere(ends):
    """Also if neither end is on the edge of the axis that leads through the door."""
    walls = [
        [(x, low), (x + 2, low), (x + 2, high), (x, high)]
        for x in (9, 19)
        for low, high in ((0, 4.7), (5.3, 8))
    ]
    cmap = fw.CorridorMap.build(
        fw.Environment.from_polygons(bounds=(0, 0, 30, 10), obstacles=walls)
    )
    narrow, wide = (cmap.corridor(*ends, radius=radius) for radius in (0.25, 0.5))
    assert narrow.narrowest == pytest.approx(0.3)
    assert wide.narrowest >= 0.5
    assert narrow.length < wide.length


def test_repr_is_short(cmap):
    assert "radius 0.25" in repr(cmap.corridor((2, 2), (15, 8), radius=0.25))


@examples(40)
@given(st.data(), scenes(), RADII)
def test_random(data, scene, radius):
    env = scene.environment()
    cmap = scene.corridor_map()
    start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
    try:
        corridor = cmap.corridor(start, goal, radius=radius)
    except (fw.NoPath, fw.BadQuery):
        with pytest.raises((fw.NoPath, fw.BadQuery)):
            cmap.path(start, goal, radius=radius)
        return
    assert math.isfinite(corridor.length)
    assert_corridor(env, corridor)
    assert_edges(cmap, corridor)


@pytest.mark.parametrize("step", [0.1, 0.3, 2.5])
def test_the_axis_has_points_at_most_a_step_apart(step):
    """In a room with straight pieces only; and not more points than needed."""
    room = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 4)))
    lines = room.axis(step)
    count = 0
    for first, last in itertools.pairwise(lines.offsets):
        gaps = np.hypot(*np.diff(lines.points[first:last], axis=0).T)
        assert gaps.max() <= step + 1e-9
        count += len(gaps)
    assert count <= room.edge_length.sum() / step + 2 * room.n_edges


@pytest.mark.parametrize("clearance", [None, 0.6])
@pytest.mark.parametrize("goal", [(18, 5), (2, 7)])
def test_of_a_path_is_found_without_a_second_search(cmap, goal, clearance, monkeypatch):
    ends = (2, 5), goal
    expected = cmap.corridor(*ends, radius=0.25, around="path")
    path = cmap.path(*ends, radius=0.25, clearance=clearance)
    if goal == (18, 5):  # behind the door: no straight line
        monkeypatch.setattr(cmap.solver, "solve", None)
    np.testing.assert_array_equal(path.corridor.balls, expected.balls)
    assert path.corridor.edges.tolist() == expected.edges.tolist()


def test_of_a_path_from_another_process_is_refused(cmap):
    path = pickle.loads(pickle.dumps(cmap.path((2, 5), (18, 5), radius=0.25)))
    assert path.length > 16
    with pytest.raises(fw.BadQuery, match="no corridor"):
        _ = path.corridor
