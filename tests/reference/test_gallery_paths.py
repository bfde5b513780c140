"""What the issue promises about queries on the gallery: none missed, none invented, all clear.

The full size is 1,000 queries per environment and radius; a smaller one points at what broke.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import Environment, gallery
from tests.oracle.nearest import NearestWall
from tests.oracle.reachable import Components, Reachable
from tests.oracle.shortest import ShortestOracle

GALLERY = ["game", "field", "office", "city", "mckenna"]
RADII = [0.1, 0.25, 0.5, 1.0]
SHORTEST = [("city", 0.25), ("game", 0.25), ("game", 0.0)]


class Site(NamedTuple):
    """A gallery environment with its map and its judge."""

    env: Environment
    cmap: fw.CorridorMap
    walls: NearestWall


@cache
def site(name: str) -> Site:
    env = gallery.make(name)
    return Site(env, fw.CorridorMap.build(env), NearestWall(env))


@pytest.mark.parametrize("radius", [0.25])
@pytest.mark.parametrize("name", GALLERY)
def test_none_missed_none_invented_all_clear_in_short(name: str, radius: float):
    assert_answers(name, radius, count=150)


@pytest.mark.slow
@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("name", GALLERY)
def test_none_missed_none_invented_all_clear(name: str, radius: float):
    assert_answers(name, radius, count=1_000)


@pytest.mark.parametrize(("name", "radius"), SHORTEST)
def test_paths_are_the_shortest_in_short(name: str, radius: float):
    assert_shortest(name, radius, count=100)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "radius"), SHORTEST)
def test_paths_are_the_shortest(name: str, radius: float):
    assert_shortest(name, radius, count=1_000)


def assert_answers(name: str, radius: float, *, count: int) -> None:
    it = site(name)
    starts, goals = free_points(it.env, seed=11, count=2 * count).reshape(2, count, 2)
    paths = it.cmap.paths(starts, goals, radius=radius)
    found = np.array([path is not None for path in paths])
    sure, maybe = verdicts(it.env, radius, starts, goals)
    assert sure.sum() > count / 20, "the queries must say something"
    missed, invented = np.flatnonzero(sure & ~found), np.flatnonzero(found & ~maybe)
    assert not len(missed), f"missed {describe(starts, goals, missed)}"
    assert not len(invented), f"invented {describe(starts, goals, invented)}"
    answers = [path for path in paths if path is not None]
    lines = np.array([shapely.LineString(path.points) for path in answers])
    gap = it.walls.of(lines)
    assert gap.min() >= radius - 1e-6
    certificate = np.array([path.clearance for path in answers])
    assert (certificate - gap).max() <= 1e-6  # never claims too much
    assert (gap - certificate).max() <= 1e-3 * radius + 1e-6
    shapely.prepare(it.env.walkable)
    assert shapely.covers(it.env.walkable, lines).all(), "no path leaves the walkable area"


def assert_shortest(name: str, radius: float, *, count: int) -> None:
    it = site(name)
    starts, goals = free_points(it.env, seed=12, count=2 * count).reshape(2, count, 2)
    oracle = ShortestOracle(it.env.walkable, radius, lines=it.env.lines, points=it.env.points)
    paths = it.cmap.paths(starts, goals, radius=radius)
    pairs = [
        (path.length, oracle.length(a, b))
        for path, a, b in zip(paths, starts, goals, strict=True)
        if path is not None
    ]
    assert len(pairs) > 0.6 * count
    length, optimum = np.array(pairs).T
    ratio = length / optimum
    assert ratio.mean() <= 1.003
    assert np.quantile(ratio, 0.99) <= 1.02
    assert ratio.max() <= 1.000001, "every path is the shortest"
    assert ratio.min() >= 0.999999, "nothing is shorter than the shortest"


def free_points(env: Environment, *, seed: int, count: int) -> np.ndarray:
    """Random points (count, 2) of the walkable area, at any clearance."""
    rng = np.random.default_rng(seed)
    low, high = np.array(env.bounds).reshape(2, 2)
    shapely.prepare(env.walkable)
    points = rng.uniform(low, high, (5 * count, 2))
    free = points[shapely.contains_xy(env.walkable, points[:, 0], points[:, 1])]
    assert len(free) >= count
    return free[:count]


def verdicts(
    env: Environment, radius: float, starts: np.ndarray, goals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which pairs are surely, and which perhaps, connected for a disc; (n,) bool each."""
    oracle = Reachable(env.walkable, radius, lines=env.lines, points=env.points)
    answers = []
    for area in (oracle.surely_free, oracle.maybe_free):
        a, b = component_of(area, starts), component_of(area, goals)
        answers.append((a >= 0) & (a == b))
    return answers[0], answers[1]


def component_of(area: Components, points: np.ndarray) -> np.ndarray:
    """As `Components.of`, for (n, 2) points at once."""
    polygons = np.array(area.polygons)
    shapely.prepare(polygons)
    spots = shapely.points(points)
    spot, polygon = shapely.STRtree(polygons).query(spots)
    inside = shapely.intersects(polygons[polygon], spots[spot])
    label = np.full(len(points), -1)
    label[spot[inside]] = polygon[inside]
    return label


def describe(starts: np.ndarray, goals: np.ndarray, which: np.ndarray) -> str:
    some = [(starts[k].tolist(), goals[k].tolist()) for k in which[:3]]
    return f"{len(which)} of {len(starts)}, such as {some}"
