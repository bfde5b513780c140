"""Voronoi-PRM in random scenes, judged by Shapely."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import footway as fw
from footway.roadmap import voronoi_prm
from footway.roadmap.lattice.space import make_space
from footway.roadmap.voronoi.voronoi_prm import free_samples, retract_to_axis
from tests.effort import examples
from tests.oracle.voronoi_retraction import retracted
from tests.strategies import Scene, scenes

if TYPE_CHECKING:
    from footway.environment import Environment

EXACT = 1e-6
SMALL = 1e-4  # m2: a part of the space that is left only by the rounding of a buffer

radii = st.sampled_from([0.11, 0.26, 0.51])


def walls_of(env: Environment) -> shapely.Geometry:
    return shapely.union_all([env.walkable.boundary, env.lines, env.points])


def places_of_disc(env: Environment, radius: float) -> list[shapely.Polygon]:
    """Connected parts of the space of a disc's centre."""
    walls = shapely.buffer(walls_of(env), radius, quad_segs=64)
    return list(shapely.get_parts(env.walkable.difference(walls)))


@examples(25)
@given(scenes(), radii, st.booleans(), st.integers(0, 99))
def test_edges_keep_the_radius(scene: Scene, radius: float, every_passage: bool, seed: int):
    env = scene.environment()
    try:
        roadmap = voronoi_prm(
            env, radius=radius, samples=40, every_passage=every_passage, seed=seed
        )
    except fw.BadInput:
        assert all(part.area < SMALL for part in places_of_disc(env, radius))
        return
    lines = shapely.linestrings(roadmap.nodes[roadmap.edges])
    assert (shapely.distance(lines, walls_of(env)) >= radius - EXACT).all()
    assert env.walkable.covers(shapely.multipoints(roadmap.nodes)) or not roadmap.n_nodes


@examples(25)
@given(scenes(), radii)
def test_the_roadmap_has_the_shape_of_the_space(scene: Scene, radius: float):
    env = scene.environment()
    wider, narrower = (places_of_disc(env, r) for r in (radius - 2e-3, radius + 2e-3))
    shapes = {(len(parts), holes(parts)) for parts in (wider, narrower)}
    # Else a passage is as wide as the disc, and either answer is right.
    assume(len(shapes) == 1)
    assume(min(part.area for part in [*wider, *narrower, env.walkable]) >= SMALL)
    try:
        roadmap = voronoi_prm(env, radius=radius, samples=20)
    except fw.BadInput:
        assert not narrower
        return
    assert roadmap.n_components == len(narrower)
    assert roadmap.n_cycles >= holes(narrower)
    which = [part_of(node, wider) for node in roadmap.nodes]
    ends = np.array(which)[roadmap.edges]
    assert (ends[:, 0] == ends[:, 1]).all()
    assert set(which) == set(range(len(wider)))


def holes(parts: list[shapely.Polygon]) -> int:
    return sum(len(part.interiors) for part in parts)


def part_of(point: np.ndarray, parts: list[shapely.Polygon]) -> int:
    return int(np.argmin([part.distance(shapely.Point(point)) for part in parts]))


@examples(25)
@given(scenes(), st.integers(0, 99))
def test_retraction_agrees_with_the_slow_twin(scene: Scene, seed: int):
    env = scene.environment()
    try:
        walls = make_space(env, radius=0.1)._replace(radius=0.0)
    except fw.BadInput:
        reject()  # no cell is free
    points = free_samples(env, walls, radius=0.1, count=8, seed=seed)
    found, room = retract_to_axis(points, walls)
    all_walls = walls_of(env)
    for point, place, away in zip(points.tolist(), found.tolist(), room.tolist(), strict=True):
        slow = retracted((point[0], point[1]), all_walls, epsilon=1e-7)
        assert away == pytest.approx(shapely.Point(place).distance(all_walls), abs=EXACT)
        assert np.hypot(*np.subtract(slow, place)) < 1e-3 or is_tie(point, slow, place, all_walls)


def is_tie(
    point: list[float], slow: tuple[float, float], place: list[float], walls: shapely.Geometry
) -> bool:
    """Whether both places are right to the last digits.

    Two walls are equally near to the point, or the wall behind the point and the one ahead are
    equally near everywhere from one of the places to the other.
    """
    here = shapely.Point(point)
    contact = shapely.get_point(shapely.shortest_line(here, walls), 1)
    others = walls.difference(contact.buffer(1e-3))
    if here.distance(others) - here.distance(walls) < EXACT:
        return True
    farther = max((shapely.Point(at) for at in (slow, place)), key=contact.distance)
    return farther.distance(contact) - farther.distance(walls) < 1e-8
