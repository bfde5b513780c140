"""Narrow places of a map, and which of them are passages."""

from __future__ import annotations

import pytest

import footway as fw
from footway.roadmap import Roadmap
from footway.roadmap.lattice.space import make_space


@pytest.mark.parametrize(("gap", "count"), [(None, 0), (2.0, 1)])
def test_a_passage_has_walls_across(gap, count):
    """A road past the corner of a hall has a wall beside it and one ahead, but none opposite."""
    walls = [] if gap is None else [[(gap, 10), (gap, 20)]]
    env = fw.Environment.from_polygons(bounds=(0, 0, 20, 20), lines=walls)
    space = make_space(env, resolution=0.5, radius=0.25)
    roadmap = Roadmap.make([(1, 16), (1, 18)], [(0, 1)], space, method="rrm")
    passages = fw.CorridorMap.from_roadmap(roadmap).passages()
    assert [pinch.width for pinch in passages] == pytest.approx([2.0] * count)
