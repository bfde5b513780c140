"""Paths in different corridors: all of them, in the order of length, and each only once."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import shapely

import footway as fw
from footway.corridor.kernels.query import find_cell
from tests.effort import PROFILE, TIMES
from tests.oracle.clearance import path_clearance
from tests.oracle.homotopy import TautPaths, loopless_words, reduced
from tests.strategies import Scene

A, B = (1.0, 5.0), (18.0, 8.0)


@cache
def city():
    return fw.CorridorMap.build(fw.load("gallery:city"))


def random_scene(rng, *, on_grid):
    """Up to six obstacles in a square of 20 m; on a grid there are passages of exactly 2 m."""
    obstacles = []
    for _ in range(rng.integers(1, 7)):
        if on_grid:
            corner = rng.integers(2, 18, 2)
            obstacles.append(shapely.box(*corner, *(corner + rng.integers(1, 4, 2))))
        else:
            angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, rng.integers(3, 6)))
            ring = np.column_stack([np.cos(angle), np.sin(angle)])
            centre, size = rng.uniform(2.0, 18.0, 2), rng.uniform(0.3, 2.5)
            obstacles.append(shapely.Polygon(np.round(centre + size * ring, 3)))
    area = shapely.box(0, 0, 20, 20).difference(shapely.union_all(obstacles))
    return Scene(shapely.set_precision(area, 0.001))


def random_ends(rng, cmap, radius, *, on_grid):
    """Two points where the disc fits, at different places along the axis; None if unlucky."""
    for _ in range(100):
        ends = rng.integers(1, 20, (2, 2)).astype(float) if on_grid else rng.uniform(0, 20, (2, 2))
        if not (cmap.clearance(ends) > radius + 1e-3).all() or (ends[0] == ends[1]).all():
            continue
        index = cmap.solver.index
        cells = [
            find_cell(*p, k, index) for p, k in zip(ends, cmap.locate(ends).piece, strict=True)
        ]
        if cells[0] != cells[1]:
            return ends
    return None


@pytest.mark.parametrize("seed", range(int(10 * TIMES[PROFILE])))
def test_they_are_the_shortest_of_all_loopless_corridors(seed):
    rng = np.random.default_rng(seed)
    on_grid = seed % 2 == 1
    scene = random_scene(rng, on_grid=on_grid)
    if scene.polygon.geom_type != "Polygon":
        return
    cmap, radius = scene.corridor_map(), float(rng.choice([0.05, 0.1, 0.25, 0.5, 1.0]))
    taut = TautPaths(scene, radius)
    for _ in range(3):
        ends = random_ends(rng, cmap, radius, on_grid=on_grid)
        if ends is None:
            return
        try:
            paths = cmap.paths_between(*ends, 8, radius=radius)
        except fw.NoPath:
            continue
        words = [reduced(taut.rays.crossed(path.points)) for path in paths]
        loopless = loopless_words(cmap, taut.rays, *ends, radius)
        assert len(set(words)) == len(words) == min(8, len(loopless))
        assert set(words) <= loopless
        lengths = [path.length for path in paths]
        truth = taut.up_to(*ends, lengths[-1] + 1e-6)
        wanted = sorted(length for word, length in truth.items() if word in loopless)
        assert lengths == pytest.approx(wanted[: len(lengths)], abs=1e-5)


def test_they_are_certified_and_have_their_own_corridors(cmap, env):
    paths = cmap.paths_between(A, B, 6, radius=0.3)
    assert len(paths) == 6
    assert [path.length for path in paths] == sorted(path.length for path in paths)
    for path in paths:
        assert path_clearance(path.points, env) >= 0.3 - 1e-6
        assert path.corridor.narrowest >= 0.3 - 1e-9
    assert len({tuple(path.corridor.edges.tolist()) for path in paths}) == 6


def test_the_first_is_the_shortest_and_the_limit_holds():
    rng = np.random.default_rng(5)
    points = rng.uniform(0.0, 500.0, (200, 2))
    points = points[city().clearance(points) > 0.5]
    for start, goal in zip(points[:40:2], points[1:40:2], strict=True):
        paths = city().paths_between(start, goal, 5, radius=0.25)
        assert len(paths) == 5
        assert paths[0].length == pytest.approx(city().path(start, goal).length, abs=1e-6)
        longer = (paths[2].length / paths[0].length - 1.0) * (1.0 + 1e-9)
        again = city().paths_between(start, goal, 5, radius=0.25, longer=longer)
        assert [path.length for path in again] == [path.length for path in paths[: len(again)]]
        assert len(again) >= 3
        back = city().paths_between(goal, start, 5, radius=0.25)
        assert [p.length for p in back] == pytest.approx([p.length for p in paths], abs=1e-6)


def test_fewer_if_fewer_exist_and_none_as_usual(cmap):
    room = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4)))
    assert len(room.paths_between((1, 1), (3, 3), 5)) == 1
    assert [path.length for path in room.paths_between((1, 1), (1, 1))] == [0.0]
    assert len(cmap.paths_between(A, B, 1)) == 1
    with pytest.raises(fw.NoPath, match="widest"):
        cmap.paths_between(A, B, radius=0.6)
    with pytest.raises(fw.BadQuery, match="inside an obstacle"):
        cmap.paths_between((5, 5), B)


def test_the_other_way_round_a_ring_is_an_alternative():
    """Start and goal are beside the same wall: the goal ahead, and the goal behind the start."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 20), obstacles=[[(2, 2), (18, 2), (18, 18), (2, 18)]]
    )
    ring = fw.CorridorMap.build(env)
    for ends in (((5, 1), (15, 1)), ((15, 1), (5, 1))):
        short, long = ring.paths_between(*ends, radius=0.5)
        assert short.length == pytest.approx(10.0)
        assert 50.0 < long.length < 60.0


def test_no_search_in_blocks_that_lead_nowhere():
    """A town behind a single door: no loopless path leads through it."""
    posts = [(x, y) for x in range(12, 30, 2) for y in range(1, 20, 2)]
    wall = [[(10, 0), (10, 9)], [(10, 11), (10, 20)]]
    env = fw.Environment.from_polygons(bounds=(0, 0, 31, 20), lines=wall, points=[(5, 10), *posts])
    assert len(fw.CorridorMap.build(env).paths_between((5, 2), (5, 18), 5, radius=0.2)) == 2


def test_a_roadmap_has_none():
    roadmap = fw.roadmap.rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
    with pytest.raises(fw.BadQuery, match="exact map"):
        fw.CorridorMap.from_roadmap(roadmap).paths_between((2, 2), (17, 11))


def test_a_search_around_a_single_post_ends():
    """Paths that circle a post arrive from all directions, which have no order."""
    squares = [(5, 11, 8, 14), (12, 15, 15, 16), (17, 16, 19, 19), (11, 17, 12, 19), (4, 18, 5, 19)]
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 20),
        obstacles=[shapely.box(*square) for square in squares],
        lines=[[(1.075, 12.467), (4.875, 7.065)]],
        points=[(13.386, 1.177)],
    )
    assert len(fw.CorridorMap.build(env).paths_between((15, 7), (17, 3), 8, radius=0.1)) == 8
