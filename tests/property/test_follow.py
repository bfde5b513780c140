"""Walks of the Corridor Map Method in random scenes, judged by positions and by Shapely alone."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.corridor import balls_of, is_open
from tests.oracle.follow import (
    assert_stops_without_circling,
    assert_walk,
    gap_to_discs,
    gap_to_moving,
    gap_to_walls,
    least_depth,
)
from tests.oracle.nearest import NearestWall
from tests.property.test_paths import Asked, Point, on_wall, path_or_none, questions
from tests.strategies import Scene, points_inside, scenes

if TYPE_CHECKING:
    from footway.environment import Environment

EXACT = 1e-6
"""m. What the issue asks of clearances where the place itself is tight."""

ROUNDING = 1e-9
"""m. What we ask of them elsewhere."""

SPARE = 5e-3
"""m. Room beside a character in which a path around discs is found: the cells that are searched
have 1 mm. A corridor with less room may also be refused as too narrow, where a disc touches it."""

SOLID = st.sampled_from([0.01, 0.1, 0.25, 0.5, 1.0])
"""m. Radii of characters that are no points."""

TINY = st.sampled_from([0.0, 1e-6, 1e-3])

BEHAVIOURS = st.fixed_dictionaries(
    {},
    optional={
        "shortcut": st.sampled_from([0.05, 0.3, 1.0]),
        "noise": st.sampled_from([0.2, 0.5, 1.0, 3.0]),
        "lane": st.sampled_from([-2.0, -0.5, 0.2, 1.0]),
        "corner": st.sampled_from([-1.0, -0.3, 0.5, 2.0]),
        "seed": st.integers(0, 2**31 - 1),
    },
)
"""Any mixture of what the papers let one switch on."""

PACES = st.fixed_dictionaries(
    {
        "speed": st.sampled_from([0.3, 1.2, 5.0]),
        "step": st.sampled_from([0.01, 0.1, 0.4]),
        "turn_rate": st.sampled_from([1.0, math.pi, 12.0]),
    }
)


def walk_or_none(
    cmap: fw.CorridorMap, a: Point, b: Point, radius: float, **options: Any
) -> fw.follow.Walk | None:
    try:
        corridor = cmap.corridor(a, b, radius=radius)
    except (fw.NoPath, fw.BadQuery):
        return None
    return fw.follow.cmm(corridor, **options)


def found(it: Asked, **options: Any) -> list[fw.follow.Walk]:
    """Walks of the questions that have one."""
    walks = [walk_or_none(it.cmap, a, b, it.radius, **options) for a, b in it.pairs]
    return [walk for walk in walks if walk is not None]


def assert_clear(env: Environment, walk: fw.follow.Walk) -> None:
    """No wall is nearer than the radius; only where it is tight, rounding may take a little."""
    gap = gap_to_walls(NearestWall(env), walk.points)
    tight = float(walk.corridor.radii.min()) < walk.radius + EXACT
    assert gap >= walk.radius - (EXACT if tight else ROUNDING)
    assert walk.clearance == pytest.approx(gap, abs=ROUNDING)


class TestWalks:
    @examples(60)
    @given(questions(), BEHAVIOURS)
    def test_keep_every_promise(self, it: Asked, behaviour: dict[str, Any]):
        for walk in found(it, **behaviour):
            assert_walk(walk)
            assert_clear(it.env, walk)

    @examples(40)
    @given(questions(SOLID), BEHAVIOURS, PACES)
    def test_keep_them_at_any_pace(
        self, it: Asked, behaviour: dict[str, Any], pace: dict[str, float]
    ):
        for walk in found(it, **behaviour, **pace):
            assert (walk.speed, walk.step) == (pace["speed"], pace["step"])
            assert_walk(walk, turn_rate=pace["turn_rate"])
            assert_clear(it.env, walk)

    @examples(40)
    @given(questions(TINY), BEHAVIOURS)
    def test_of_points(self, it: Asked, behaviour: dict[str, Any]):
        for walk in found(it, **behaviour):
            assert_walk(walk)
            assert_clear(it.env, walk)

    @examples(40)
    @given(questions(SOLID))
    def test_stay_in_the_corridor(self, it: Asked):
        for walk in found(it):
            depth = least_depth(walk.points, balls_of(walk.corridor), walk.radius)
            assert depth >= -EXACT

    @examples(40)
    @given(questions(SOLID))
    def test_stop_without_circling(self, it: Asked):
        for walk in found(it):
            assert_stops_without_circling(walk)

    @examples(30)
    @given(questions(SOLID), BEHAVIOURS)
    def test_stop_without_circling_whatever_they_do(self, it: Asked, behaviour: dict[str, Any]):
        for walk in found(it, **behaviour):
            assert_stops_without_circling(walk)

    @examples(40)
    @given(questions())
    def test_arrive_wherever_a_path_does(self, it: Asked):
        for a, b in it.pairs:
            if not on_wall(it, a, b) and path_or_none(it.cmap, a, b, it.radius) is not None:
                walk = walk_or_none(it.cmap, a, b, it.radius)
                assert walk is not None
                assert walk.goal == b
                assert walk.length >= math.dist(a, b) * (1 - ROUNDING)

    @examples(30)
    @given(questions(SOLID))
    def test_describe_themselves(self, it: Asked):
        for walk in found(it):
            steps = np.hypot(*np.diff(walk.points, axis=0).T)
            assert walk.length == pytest.approx(steps.sum())
            np.testing.assert_allclose(walk.arc_lengths, np.append(0.0, np.cumsum(steps)))
            assert len(walk.headings) == len(walk.points)
            moving = np.hypot(*walk.velocities.T) > EXACT
            heading = np.arctan2(walk.velocities[:, 1], walk.velocities[:, 0])
            apart = np.remainder(walk.headings - heading + math.pi, 2 * math.pi) - math.pi
            assert np.abs(apart[moving]).max(initial=0) < EXACT
            assert walk.gap == math.inf
            assert walk.obstacles == ()

    @examples(20)
    @given(questions(SOLID))
    def test_from_start_to_start(self, it: Asked):
        for a, _ in it.pairs:
            walk = walk_or_none(it.cmap, a, a, it.radius)
            if walk is not None:
                assert walk.length == 0
                assert walk.duration <= walk.step
                np.testing.assert_array_equal(walk.points, [a] * len(walk.points))


class TestTightPlaces:
    """Radii up to the widest that gets through at all: every passage must be passed."""

    @examples(40)
    @given(st.data(), scenes(), st.sampled_from([0.0, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2]))
    def test_are_passed(self, data: st.DataObject, scene: Scene, less: float):
        start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
        env = scene.environment()
        cmap = scene.corridor_map()
        radius = widest(cmap, start, goal) - less
        assume(radius > 1e-3)
        corridor = cmap.corridor(start, goal, radius=radius)
        walk = fw.follow.cmm(corridor)
        assert_walk(walk)
        assert gap_to_walls(NearestWall(env), walk.points) >= radius - EXACT

    @examples(30)
    @given(st.data(), scenes(), BEHAVIOURS)
    def test_are_passed_whatever_they_do(
        self, data: st.DataObject, scene: Scene, behaviour: dict[str, Any]
    ):
        start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
        env = scene.environment()
        cmap = scene.corridor_map()
        radius = widest(cmap, start, goal) - 1e-3
        assume(radius > 1e-3)
        walk = fw.follow.cmm(cmap.corridor(start, goal, radius=radius), **behaviour)
        assert_walk(walk)
        assert gap_to_walls(NearestWall(env), walk.points) >= radius - EXACT

    @pytest.mark.parametrize("spare", [0.0, 1e-6, 1e-4, 1e-3, 1e-2])
    def test_such_as_a_door(self, spare: float):
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 20, 10),
            obstacles=[
                [(9, 0), (11, 0), (11, 4.7), (9, 4.7)],
                [(9, 5.3), (11, 5.3), (11, 10), (9, 10)],
            ],
        )
        cmap = fw.CorridorMap.build(env)
        for start, goal in itertools.permutations([(1, 1), (19, 9), (2, 9.5)], 2):
            radius = cmap.bottleneck(start, goal).radius - spare
            walk = fw.follow.cmm(cmap.corridor(start, goal, radius=radius))
            assert_walk(walk)
            assert gap_to_walls(NearestWall(env), walk.points) >= radius - EXACT

    @pytest.mark.parametrize("spare", [0.0, 1e-9, 1e-6, 1e-4, 1e-3, 1.4e-3, 2e-3, 5e-3, 1e-2, 0.1])
    def test_such_as_a_bend(self, spare: float):
        """A passage of 2 m around a corner, and a character that nearly fills it."""
        env = fw.Environment.from_polygons([(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (0, 2)])
        cmap = fw.CorridorMap.build(env)
        for start, goal in (((1, 1), (9, 9)), ((9, 9), (1, 1))):
            radius = cmap.bottleneck(start, goal).radius - spare
            walk = fw.follow.cmm(cmap.corridor(start, goal, radius=radius))
            assert_walk(walk)
            assert gap_to_walls(NearestWall(env), walk.points) >= radius - EXACT

    @pytest.mark.parametrize("spare", [1e-4, 1e-3, 2e-3, 5e-3, 7e-3, 1e-2, 5e-2])
    def test_such_as_a_door_from_all_sides(self, spare: float):
        """200 walks through one door that leaves millimetres beside the character."""
        half, radius = 0.1 + spare, 0.1
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 8, 10),
            obstacles=[
                [(3.95, 0), (4.05, 0), (4.05, 5 - half), (3.95, 5 - half)],
                [(3.95, 5 + half), (4.05, 5 + half), (4.05, 10), (3.95, 10)],
            ],
        )
        cmap, walls = fw.CorridorMap.build(env), NearestWall(env)
        rng = np.random.default_rng(1)
        starts = rng.uniform((0.2, 0.2), (3.8, 9.8), (200, 2))
        goals = rng.uniform((4.2, 0.2), (7.8, 9.8), (200, 2))
        for start, goal in zip(starts, goals, strict=True):
            walk = fw.follow.cmm(cmap.corridor(start, goal, radius=radius))
            assert_walk(walk)
            assert gap_to_walls(walls, walk.points) >= radius - EXACT


class TestObstacles:
    @examples(40)
    @given(st.data(), questions(SOLID), st.sampled_from(["forces", "corridor"]))
    def test_are_not_touched(self, data: st.DataObject, it: Asked, avoid: str):
        for a, b in it.pairs[:2]:
            corridor = corridor_or_none(it.cmap, a, b, it.radius)
            if corridor is None:
                continue
            discs = data.draw(st.lists(discs_near(corridor), max_size=6))
            walk = walk_around(corridor, discs, avoid)
            if walk is None:
                continue
            assert_walk(walk)
            assert_clear(it.env, walk)
            rest = [((x, y), size) for x, y, size in discs]
            gap = gap_to_discs(walk.points, it.radius, rest)
            assert gap >= -ROUNDING
            assert walk.gap == pytest.approx(gap, abs=EXACT)

    @examples(40)
    @given(st.data(), questions(SOLID), st.sampled_from(["forces", "corridor"]))
    def test_close_only_what_they_close(self, data: st.DataObject, it: Asked, avoid: str):
        """A refusal names discs that close the corridor, to 5 mm, and names no other."""
        for a, b in it.pairs[:2]:
            corridor = corridor_or_none(it.cmap, a, b, it.radius)
            if corridor is None:
                continue
            discs = data.draw(st.lists(discs_near(corridor), min_size=1, max_size=8))
            answer = ask(corridor, discs, avoid)
            if isinstance(answer, fw.BadQuery):
                assert on_an_end(corridor, discs)
            elif isinstance(answer, fw.NoPath) and not is_too_narrow(corridor, answer):
                assert answer.obstacles
                blamed = [discs[k] for k in answer.obstacles]
                assert not is_open(corridor, blamed, it.radius, margin=SPARE)

    @examples(30)
    @given(st.data(), questions(SOLID))
    def test_far_off_change_nothing(self, data: st.DataObject, it: Asked):
        """Discs behind walls, or anywhere else outside of the corridor's balls, are not felt."""
        for walk in found(it):
            discs = data.draw(st.lists(discs_near(walk.corridor, spread=6.0), max_size=4))
            outside = [disc for disc in discs if not touches(walk.corridor, disc)]
            for avoid in ("forces", "corridor"):
                other = fw.follow.cmm(walk.corridor, obstacles=outside, avoid=avoid)
                np.testing.assert_array_equal(other.points, walk.points)

    @examples(30)
    @given(st.data(), questions(SOLID), st.sampled_from(["forces", "corridor"]))
    def test_may_move(self, data: st.DataObject, it: Asked, avoid: str):
        """Clear of walls whatever comes; the gap that a walk claims is the gap."""
        for a, b in it.pairs[:2]:
            corridor = corridor_or_none(it.cmap, a, b, it.radius)
            if corridor is None:
                continue
            rest = data.draw(st.lists(discs_near(corridor), min_size=1, max_size=4))
            pace = st.integers(-10, 10).map(lambda n: n / 10)
            moves = [(data.draw(pace), data.draw(pace)) for _ in rest]
            discs = [
                fw.follow.Disc(at=(x, y), radius=size, velocity=move)
                for (x, y, size), move in zip(rest, moves, strict=True)
            ]
            walk = walk_around(corridor, discs, avoid)
            if walk is None:
                continue
            assert_walk(walk)
            assert_clear(it.env, walk)
            gap = gap_to_moving(
                walk.points, walk.times, it.radius, [(d.at, d.radius, d.velocity) for d in discs]
            )
            assert walk.gap == pytest.approx(gap, abs=EXACT)


class TestSameBits:
    @examples(20)
    @given(questions(SOLID), BEHAVIOURS)
    def test_every_time(self, it: Asked, behaviour: dict[str, Any]):
        for a, b in it.pairs:
            first = walk_or_none(it.cmap, a, b, it.radius, **behaviour)
            for again in (it.cmap, fw.CorridorMap.build(it.env)):
                assert_same(first, walk_or_none(again, a, b, it.radius, **behaviour))

    @examples(20)
    @given(questions(SOLID), BEHAVIOURS)
    def test_in_batches(self, it: Asked, behaviour: dict[str, Any]):
        """Query k has the seed of the batch, plus k."""
        starts, goals = np.array(it.pairs).transpose(1, 0, 2)
        first = behaviour.get("seed", 0)
        single = [
            walk_or_none(it.cmap, a, b, it.radius, **behaviour | {"seed": first + k})
            for k, (a, b) in enumerate(it.pairs)
        ]
        for threads in (1, 2):
            batch = fw.follow.cmm_batch(
                it.cmap, starts, goals, radius=it.radius, threads=threads, **behaviour
            )
            assert len(batch) == len(single)
            for one, other in zip(single, batch, strict=True):
                assert_same(one, other)

    @examples(20)
    @given(questions(SOLID))
    def test_in_space_at_height_zero(self, it: Asked):
        for walk in found(it):
            flat = walk.corridor
            level = np.column_stack([flat.backbone, np.zeros(len(flat.radii))])
            lifted = fw.follow.cmm(fw.Corridor.from_balls(level, flat.radii, radius=flat.radius))
            by_hand = fw.follow.cmm(
                fw.Corridor.from_balls(flat.backbone, flat.radii, radius=flat.radius)
            )
            assert not lifted.points[:, 2].any()
            np.testing.assert_array_equal(lifted.points[:, :2], by_hand.points)
            np.testing.assert_array_equal(lifted.times, by_hand.times)


def widest(cmap: fw.CorridorMap, start: Point, goal: Point) -> float:
    """Radius of the widest disc that gets from start to goal, m; 0 where none does."""
    try:
        return cmap.bottleneck(start, goal).radius
    except (fw.NoPath, fw.BadQuery):
        return 0.0


def corridor_or_none(cmap: fw.CorridorMap, a: Point, b: Point, radius: float) -> fw.Corridor | None:
    try:
        return cmap.corridor(a, b, radius=radius)
    except (fw.NoPath, fw.BadQuery):
        return None


@st.composite
def discs_near(
    draw: st.DrawFn, corridor: fw.Corridor, *, spread: float = 1.0
) -> tuple[float, float, float]:
    """Draw a disc about the backbone: x, y, radius in metres."""
    k = draw(st.integers(0, len(corridor.radii) - 1))
    x, y = corridor.backbone[k]
    reach = float(corridor.radii[k]) * spread
    share = st.integers(-100, 100).map(lambda n: n / 100)
    size = draw(st.integers(1, 60)) / 100
    return float(x + reach * draw(share)), float(y + reach * draw(share)), size


def touches(corridor: fw.Corridor, disc: tuple[float, float, float]) -> bool:
    """Whether a disc reaches into some ball, or nearly."""
    x, y, size = disc
    gap = np.hypot(*(corridor.backbone - (x, y)).T) - corridor.radii
    return bool(gap.min() < size + 1e-3)


def on_an_end(corridor: fw.Corridor, discs: list[tuple[float, float, float]]) -> bool:
    """Whether some disc leaves no room for the character on its start or its goal, to 1 mm."""
    return any(
        math.dist((x, y), end) < size + corridor.radius + 1e-3
        for x, y, size in discs
        for end in (corridor.start, corridor.goal)
    )


def ask(
    corridor: fw.Corridor, discs: list[Any], avoid: str
) -> fw.follow.Walk | fw.NoPath | fw.BadQuery:
    """A walk, or the reason why there is none."""
    try:
        return fw.follow.cmm(corridor, obstacles=discs, avoid=avoid)
    except (fw.NoPath, fw.BadQuery) as refusal:
        return refusal


def walk_around(corridor: fw.Corridor, discs: list[Any], avoid: str) -> fw.follow.Walk | None:
    """A walk, or None where discs block it or are on an end: nothing else may happen."""
    answer = ask(corridor, discs, avoid)
    if isinstance(answer, fw.NoPath):
        assert answer.reason == "blocked" or is_too_narrow(corridor, answer)
        assert all(0 <= k < len(discs) for k in answer.obstacles)
        return None
    if isinstance(answer, fw.BadQuery):
        assert "start" in str(answer) or "goal" in str(answer)
        return None
    return answer


def is_too_narrow(corridor: fw.Corridor, refusal: fw.NoPath) -> bool:
    """Whether the walls are to blame, and the discs are not: only where there is little room."""
    return refusal.reason == "pinch" and corridor.narrowest < corridor.radius + SPARE


def assert_same(a: fw.follow.Walk | None, b: fw.follow.Walk | None) -> None:
    """To the last bit."""
    assert (a is None) == (b is None)
    if a is not None and b is not None:
        np.testing.assert_array_equal(a.points, b.points)
        np.testing.assert_array_equal(a.velocities, b.velocities)
        np.testing.assert_array_equal(a.times, b.times)
