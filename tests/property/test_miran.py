"""MIRAN on random terrain, routes and weights: its lemmas, its theorem, and what a walk promises.

The proofs assume a character that moves straight toward each attraction point (miran-2013, section
3.5): so does the walk of `straight`. Routes go through corners, along walls, back and over
themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from footway.follow.kernels.layouts import Settings
from footway.follow.walker import RouteWalker
from footway.terrain.route import IndicativeRoute
from footway.terrain.terrain import Terrain
from tests.effort import examples
from tests.oracle import miran as oracle
from tests.oracle.follow import gap_to_walls, worst_turn
from tests.oracle.nearest import NearestWall
from tests.strategies import Scene, boxes, scenes, stars

if TYPE_CHECKING:
    from footway.follow import RouteWalk

EXACT = 1e-6
"""m. Rounding of clearances and curve lengths."""

RADII = st.sampled_from([0.0, 0.1, 0.25, 0.5])

WEIGHTS = st.sampled_from([0.01, 0.5, 1.0, 2.0, 4.0, 40.0, 1000.0])

KINDS = ("mud", "road", "sidewalk")


@dataclass(frozen=True)
class Query:
    """A route on a terrain, and the parameters of a walk along it."""

    env: fw.Environment
    route: IndicativeRoute
    sigma: float
    spacing: float

    def __repr__(self) -> str:
        return (
            f"Query({self.env.walkable.wkt!r}, {self.env.lines.wkt!r}, {self.env.points.wkt!r}, "
            f"{[(r.kind, r.polygon.wkt) for r in self.env.terrain]}, {self.route.terrain.radius}, "
            f"{self.route.points.tolist()}, {self.route.preferences}, {self.sigma}, {self.spacing})"
        )


def with_terrain(scene: Scene, regions: list[tuple[str, Any]]) -> fw.Environment:
    """The scene with kinds of terrain; regions in millimetres, those outside are left out."""
    inside = [(kind, one) for kind, one in regions if one.is_valid and one.area > 1.0]
    metres = [(kind, [(x / 1_000, y / 1_000) for x, y in p.exterior.coords]) for kind, p in inside]
    env = scene.environment()
    kept = [(kind, ring) for kind, ring in metres if touches(env, ring)]
    return fw.Environment.from_polygons(
        scene.polygon, lines=scene.lines, points=scene.points, terrain=kept
    )


def touches(env: fw.Environment, ring: list[tuple[float, float]]) -> bool:
    return bool(shapely.Polygon(ring).intersection(env.walkable).area > 1e-3)


@st.composite
def places(draw: st.DrawFn, terrain: Terrain) -> tuple[float, float]:
    """A point of the terrain: often a corner of a triangle, or on a side of one."""
    mesh = terrain.mesh
    corners = mesh.points[mesh.triangles[draw(st.integers(0, len(mesh.triangles) - 1))]]
    u, v = draw(st.integers(0, 10)) / 10, draw(st.integers(0, 10)) / 10
    if u + v > 1.0:
        u, v = 1.0 - u, 1.0 - v
    x, y = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0])
    return float(x), float(y)


@st.composite
def queries(draw: st.DrawFn, radii: st.SearchStrategy[float] = RADII) -> Query:
    """A terrain of several kinds, and a route over it that may cross itself and turn back."""
    scene = draw(scenes())
    shapes = st.tuples(st.sampled_from(KINDS), st.one_of(boxes(), stars()))
    env = with_terrain(scene, draw(st.lists(shapes, max_size=4)))
    try:
        terrain = Terrain.build(env, radius=draw(radii))
    except fw.BadInput:
        assume(False)
    points = [draw(places(terrain))]
    for place in draw(st.lists(places(terrain), min_size=1, max_size=10)):
        if place != points[-1] and terrain.sees(points[-1], place):
            points.append(place)
    assume(np.linalg.norm(np.diff(points, axis=0), axis=1).sum() > EXACT)
    # On a wall without thickness a point is on neither side: it might leave it through the wall.
    on_wall = shapely.LineString(points).distance(env.lines) < EXACT
    assume(terrain.radius > 0.0 or not on_wall)
    preferences = {kind: draw(WEIGHTS) for kind in terrain.kinds}
    try:
        route = IndicativeRoute.from_points(terrain, points, preferences)
    except fw.BadInput:
        assume(False)
    spacing = draw(st.sampled_from([0.2, 0.5, 2.0, 5.0]))
    sigma = spacing * draw(st.sampled_from([1.0, 1.5, 3.0, 10.0, 100.0]))
    return Query(env, route, sigma, spacing)


def straight(it: Query, stride: float = 0.25) -> RouteWalk:
    """Walk of a character that moves straight toward each attraction point."""
    body = Settings(
        radius=it.route.terrain.radius, speed=stride, step=1.0, turn_rate=10.0, sigma=it.sigma,
        spacing=it.spacing, look=0.0, clearance=0.0, steering=1.0, boundary=0.0, repulsion=0.0,
        smooth=False,
    )  # fmt: skip
    return RouteWalker(it.route, None, body, (), replan=False).walk()


def assert_on_route(walk: RouteWalk, sigma: float) -> None:
    """Lemma 2 and the bound on shortcuts, seen from the samples."""
    assert walk.references[0] == 0.0
    assert walk.references[-1] == pytest.approx(walk.route.length, abs=EXACT)
    assert (np.diff(walk.references) >= 0.0).all()
    assert (np.diff(walk.references) <= sigma + EXACT).all()
    assert (walk.attractions >= walk.references - EXACT).all()
    assert (walk.attractions - walk.references <= sigma + EXACT).all()


class TestProofs:
    @examples(150)
    @given(queries())
    def test_lemmas_and_theorem(self, it: Query):
        # Out of sight would be raised: lemma 1. No advance would be raised: lemma 2.
        walk = straight(it)
        assert_on_route(walk, it.sigma)
        assert walk.goal == it.route.goal
        assert walk.replanned == 0

    @examples(60)
    @given(queries(), st.data())
    def test_a_look_is_the_papers(self, it: Query, data: st.DataObject):
        walk = straight(it)
        weights = it.route.terrain.weights(it.route.preferences)
        world = oracle.World.of(it.route.terrain.mesh, weights)
        route = oracle.Route(it.route.points)
        for k in data.draw(st.lists(st.integers(0, len(walk.points) - 2), max_size=4)):
            low, high = (walk.references[k - 1], walk.attractions[k - 1]) if k else (0.0, 0.0)
            seen = oracle.look(
                walk.points[k], low, high, route, world, sigma=it.sigma, spacing=it.spacing
            )
            assert_same_look(seen, walk, k, route, world)


def assert_same_look(
    seen: oracle.Step, walk: RouteWalk, k: int, route: oracle.Route, world: oracle.World
) -> None:
    """The same reference point, and of the same candidates one that is as good as the best."""
    x, r, at = walk.points[k], walk.references[k], walk.attractions[k]
    if world.walls.distance(shapely.Point(x)) < EXACT:
        return  # on a wall: whether it hides what lies along it is up to rounding, in the twin
    near, ours = (np.linalg.norm(route.at(s) - x) for s in (seen.reference, r))
    assert ours == pytest.approx(near, abs=1e-7)
    if abs(seen.reference - r) > EXACT or at - r < EXACT or abs(at - seen.attraction) < EXACT:
        return  # two places are equally near, or all is the same
    among = np.array([s for s in seen.candidates if s - r > 1e-9])
    same = among[np.abs(among - at).argmin()]
    assert same == pytest.approx(at, abs=EXACT)
    weights = [world.weighted_length(x, route.at(s)) / (s - r) for s in (same, seen.attraction)]
    assert weights[0] <= weights[1] * (1.0 + 1e-5)


class TestWalks:
    @examples(150)
    @given(queries())
    def test_reach_the_goal_and_keep_clear(self, it: Query):
        walk = fw.follow.miran(it.route, sigma=it.sigma, spacing=it.spacing)
        assert walk.goal == it.route.goal
        assert_on_route(walk, it.sigma)
        assert gap_to_walls(NearestWall(it.env), walk.points) >= walk.radius - EXACT
        assert np.linalg.norm(walk.velocities, axis=1).max() <= walk.speed * (1.0 + 1e-9)
        assert worst_turn(walk.points) <= np.pi * walk.step + 1e-6
        assert sum(walk.measure().values()) == pytest.approx(walk.length, abs=1e-6)
