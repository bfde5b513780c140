"""Crowds in random scenes: whatever happens, discs stay in free space, and bits stay the same."""

from __future__ import annotations

import math
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.crowd import assert_clear, assert_same
from tests.oracle.nearest import NearestWall
from tests.strategies import Scene, scenes

if TYPE_CHECKING:
    from footway.environment import Environment

SEEDS = st.integers(0, 2**31 - 1)
SPEEDS = st.sampled_from([0.3, 1.2, 2.0, 8.0])
RADII: st.SearchStrategy[Any] = st.sampled_from([0.02, 0.1, 0.25, 0.5, (0.25, 0.05), (0.4, 0.19)])
COUNTS = st.sampled_from([1, 2, 5, 20, 40])
LANES = st.sampled_from([-2.0, -0.25, 0.0, 1.0])
PACES = st.sampled_from([0.03, 0.1, 0.4, 1.0])


class Part(NamedTuple):
    """One population: what `add` takes."""

    count: int
    options: dict[str, Any]


class Plan(NamedTuple):
    """A scene and all that happens in it, so that it can happen twice."""

    scene: Scene
    env: Environment
    cmap: fw.CorridorMap
    seed: int
    step: float
    parts: list[Part]
    obstacles: list[tuple[tuple[float, float], dict[str, Any]]]
    moves: list[tuple[int, tuple[float, float], tuple[float, float]]]

    def crowd(self, threads: int = 1) -> fw.Crowd:
        """Everything added; what finds no room is left out."""
        it = fw.Crowd(self.cmap, seed=self.seed, step=self.step, threads=threads)
        for part in self.parts:
            add_if_possible(it, part)
        for at, options in self.obstacles:
            it.add_obstacle(at, **options)
        return it

    def act(self, it: fw.Crowd) -> None:
        """What a user does between two steps."""
        for when, at, velocity in self.moves:
            if it.steps == when and self.obstacles:
                it.move_obstacle(when % len(self.obstacles), at, velocity)


def add_if_possible(it: fw.Crowd, part: Part) -> None:
    """Add a population, or a group or a source by its options."""
    options = dict(part.options)
    kind = options.pop("kind")
    try:
        if kind == "group":
            centre = it.map.axis(0.5).points
            it.add_group(part.count, start=centre[len(centre) // 2], **options)
        elif kind == "source":
            x0, y0, x1, y1 = it.map.bounds
            it.add_source(part.count, area=shapely.box(x0, y0, x1, y1), rate=20.0, **options)
        else:
            it.add(part.count, **options)
    except (fw.BadQuery, fw.NoPath) as error:
        assert "\n" not in str(error)  # noqa: PT017  # no room is fine


@st.composite
def parts(draw: st.DrawFn) -> Part:
    kind = draw(st.sampled_from(["goals", "goals", "wander", "source", "group"]))
    profile = fw.Profile(
        radius=draw(RADII),
        speed=draw(SPEEDS),
        lane=draw(LANES),
        noise=draw(st.sampled_from([0.0, 1.0])),
    )
    options: dict[str, Any] = {"kind": kind, "profile": profile}
    if kind == "group":
        return Part(
            draw(st.integers(1, 8)), options | {"width": draw(st.sampled_from([1.0, None]))}
        )
    options["premovement"] = draw(st.sampled_from([0.0, 0.5, (1.0, 0.3)]))
    if kind == "goals":
        options["then"] = draw(st.sampled_from(["repeat", "stay"]))
    else:
        options["behaviour"] = draw(st.sampled_from(["goals", "wander"]))
    return Part(draw(COUNTS), options)


@st.composite
def plans(draw: st.DrawFn, *, most: int = 3, with_obstacles: bool = True) -> Plan:
    """Draw a scene and a crowd in it, and obstacles that appear, move and vanish."""
    scene: Scene = draw(scenes())
    env = scene.environment()
    spot = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(
        lambda p: (float(p[0]), p[1] + 0.3)
    )
    pace = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).map(lambda p: (p[0] * 0.7, p[1] * 0.7))
    obstacles, moves = [], []
    if with_obstacles:
        for _ in range(draw(st.integers(0, 3))):
            begin = draw(st.integers(0, 20)) / 10
            size = draw(st.sampled_from([0.1, 0.5, 2.0]))
            end = begin + draw(st.sampled_from([0.1, 1.0, math.inf]))
            options = {"radius": size, "velocity": draw(pace), "appears": begin, "vanishes": end}
            obstacles.append((draw(spot), options))
        moves = draw(st.lists(st.tuples(st.integers(0, 30), spot, pace), max_size=3))
    return Plan(
        scene,
        env,
        scene.corridor_map(),
        draw(SEEDS),
        draw(PACES),
        draw(st.lists(parts(), min_size=1, max_size=most)),
        obstacles,
        moves,
    )


class TestNobodyOverlapsAWall:
    @examples(20)
    @given(plans(with_obstacles=False))
    def test_in_any_scene(self, plan: Plan):
        it = plan.crowd()
        assert_steps(plan, it, 25)

    @examples(15)
    @given(plans())
    def test_with_obstacles_that_come_and_go(self, plan: Plan):
        it = plan.crowd()
        assert_steps(plan, it, 40)

    @examples(15)
    @given(plans(most=1), SEEDS)
    def test_with_forces_that_make_no_sense(self, plan: Plan, seed: int):
        it = plan.crowd()
        rng = np.random.default_rng(seed)
        it.each_step(lambda one: rng.normal(0.0, 300.0, (len(one), 2)))
        assert_steps(plan, it, 25)

    @examples(12)
    @given(plans(most=1, with_obstacles=False), SEEDS)
    def test_with_starts_as_close_to_walls_as_can_be(self, plan: Plan, seed: int):
        """Discs that touch a wall, and each other, from the beginning."""
        rng = np.random.default_rng(seed)
        low, high = np.array(plan.env.bounds).reshape(2, 2)
        points = rng.uniform(low, high, (200, 2))
        inside = shapely.contains_xy(plan.env.walkable, *points.T)
        room = plan.cmap.clearance(points)
        inside &= room > 0.01
        points, room = points[inside][:20], room[inside][:20]
        it = fw.Crowd(plan.cmap, seed=plan.seed, step=plan.step)
        for at, gap in zip(points, room, strict=True):
            it.add(1, radius=min(5.0, gap * (1 - 1e-6)), starts=[at], behaviour="wander")
        assert_steps(plan, it, 15)


def assert_steps(plan: Plan, it: fw.Crowd, steps: int) -> None:
    """Everything that must hold after each step."""
    walls = NearestWall(plan.env)
    assert_clear(walls, plan.env.walkable, it)
    ids = it.ids
    for _ in range(steps):
        plan.act(it)
        it.step()
        assert_clear(walls, plan.env.walkable, it)
        assert set(ids.tolist()) <= set(it.ids.tolist()), "nobody disappears"
        ids = it.ids
        assert (np.diff(ids) > 0).all()
        speed = np.hypot(*it.velocities.T)
        assert (speed <= it.speeds * (1 + 1e-5)).all()


class TestSameBits:
    @examples(10)
    @given(plans())
    def test_for_one_and_two_threads(self, plan: Plan):
        with mock.patch("footway.crowd.simulation._FEW", 2):
            one, two = plan.crowd(threads=1), plan.crowd(threads=2)
            for _ in range(40):
                for it in (one, two):
                    plan.act(it)
                    it.step()
                assert_same(one, two)

    @examples(10)
    @given(plans(), st.integers(0, 40))
    def test_for_a_run_that_is_resumed(self, plan: Plan, after: int):
        one = plan.crowd()
        for _ in range(after):
            plan.act(one)
            one.step()
        with tempfile.TemporaryDirectory() as folder:
            one.save(f"{folder}/crowd.npz")
            other = fw.Crowd.load(f"{folder}/crowd.npz", plan.cmap)
        assert_same(one, other)
        for _ in range(40):
            for it in (one, other):
                plan.act(it)
                it.step()
            assert_same(one, other)
