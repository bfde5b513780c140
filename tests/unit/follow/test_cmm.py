"""The Corridor Map Method against the papers' formulas, which tests/oracle/follow.py spells out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway._numba.jit import kernel
from footway.follow.cmm import nested_balls
from footway.follow.kernels import corridor as kernels
from footway.follow.kernels import forces
from tests.effort import examples
from tests.oracle import follow as oracle
from tests.oracle.corridor import balls_of, line_depth
from tests.oracle.follow import assert_stops_without_circling, assert_walk

RADIUS = 0.25


# Functions that only kernels call have no wrapper for Python: these are their wrappers.


@kernel
def attraction(e, d, R, r):
    return forces.attraction(e, d, R, r)


@kernel
def published_attraction(e, d, R, r):
    return forces.published_attraction(e, d, R, r)


@kernel
def shortening(x, target):
    return forces.shortening(x, target)


@kernel
def random_bias(e, alpha, strength, wavelength, seed):
    return forces.random_bias(e, alpha, strength, wavelength, seed)


@kernel
def lane_bias(e, d, R, r, k):
    return forces.lane_bias(e, d, R, r, k)


@kernel
def corner_bias(e, ahead, c):
    return forces.corner_bias(e, ahead, c)


@kernel
def repulsion(x, o, o_radius, r, k):
    return forces.repulsion(x, o, o_radius, r, k)


@kernel
def attraction_index(x, t, r, balls):
    blocks = np.empty((-(-len(balls) // kernels.BLOCK), 4))
    kernels.make_blocks(balls, blocks)
    near = kernels.advance_near(x, t, r, balls)
    return kernels.advance_far(x, near, len(balls) - 1, r, balls, blocks)


@kernel
def reaches(x, to, t, last, r, balls):
    return kernels.reaches(x, to, t, last, r, kernels.longest_stride(balls), balls)


@kernel
def furthest_valid(x, t, guess, limit, r, balls):
    return kernels.furthest_valid(x, t, guess, limit, r, kernels.longest_stride(balls), balls)


@st.composite
def chains(draw: st.DrawFn, *, dimension: int | None = None) -> np.ndarray:
    """Balls (n, 4) of a corridor that wanders about, loops over itself, and swells and shrinks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d = dimension or draw(st.sampled_from([2, 3]))
    count = draw(st.integers(2, 120))
    heading, size = rng.normal(size=d), rng.uniform(0.4, 2.0)
    balls = np.zeros((count, 4))
    for k in range(count):
        balls[k, 3] = size
        if k + 1 < count:
            heading += 0.4 * rng.normal(size=d)
            heading /= np.linalg.norm(heading)
            step = rng.uniform(0.05, 0.5) * (size - RADIUS)
            balls[k + 1, :d] = balls[k, :d] + step * heading
            size = float(np.clip(size + rng.uniform(-0.5, 0.5) * step, 0.35, 3.0))
    return balls


@st.composite
def places(draw: st.DrawFn) -> tuple[np.ndarray, int, np.ndarray]:
    """A corridor, one of its balls, and a place of the character in it."""
    balls = draw(chains())
    t = draw(st.integers(0, len(balls) - 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    heading = rng.normal(size=3) * (1.0, 1.0, float(balls[:, 2].any()))
    reach = rng.uniform(0, 0.999) * (balls[t, 3] - RADIUS)
    return balls, t, balls[t, :3] + reach * heading / np.linalg.norm(heading)


def three(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in vector)
    return x, y, z


class TestAttractionPoint:
    @examples(300)
    @given(places())
    def test_is_that_of_definition_5(self, place):
        balls, t, x = place
        index, _ = attraction_index(three(x), t, RADIUS, balls)
        assert index == oracle.attraction_index(x, balls, RADIUS + 1e-9, t)

    @examples(100)
    @given(places())
    def test_others_are_as_far_off_as_it_says(self, place):
        """Until the character has come that far, only the next balls can hold it."""
        balls, t, x = place
        index, gap = attraction_index(three(x), t, RADIUS, balls)
        beyond = balls[index + 1 + kernels.NEAR :]
        off = np.linalg.norm(beyond[:, :3] - x, axis=1) - (beyond[:, 3] - RADIUS)
        assert off.min(initial=math.inf) >= gap - 2e-9


class TestStraightWays:
    @examples(200)
    @given(places(), st.data())
    def test_never_leave_the_corridor_unseen(self, place, data):
        balls, t, x = place
        k = data.draw(st.integers(t, len(balls) - 1))
        share = reaches(three(x), three(balls[k, :3]), t, k, RADIUS, balls)
        end = x + min(share, 1.0) * (balls[k, :3] - x)
        length = float(np.linalg.norm(end - x))
        some = balls[t : k + 1]
        assert line_depth(x, end, some, RADIUS, count=int(length / 0.005) + 1) > -1e-9

    @examples(200)
    @given(places(), st.data())
    def test_stop_where_they_leave_it(self, place, data):
        """A line that is cut short ends at the rim of every ball that contains it."""
        balls, t, x = place
        k = data.draw(st.integers(t, len(balls) - 1))
        to = balls[k, :3]
        share = reaches(three(x), three(to), t, k, RADIUS, balls)
        if share < 1.0:
            length = float(np.linalg.norm(to - x))
            on = x + min(1.0, share + 1e-6 / length) * (to - x)
            behind = np.linalg.norm(balls[t : k + 1, :3] - on, axis=1)
            assert (behind - (balls[t : k + 1, 3] - RADIUS)).min() > -1e-4

    @examples(100)
    @given(places(), st.data())
    def test_furthest_is_valid_and_the_next_is_not(self, place, data):
        balls, t, x = place
        limit = data.draw(st.integers(t, len(balls) - 1))
        guess = data.draw(st.integers(t, limit))
        index = furthest_valid(three(x), t, guess, limit, RADIUS, balls)
        assert t <= index <= limit
        assert index == t or oracle.is_valid(x, balls[index, :3], balls, RADIUS - 1e-6)
        if index < limit:
            to = three(balls[index + 1, :3])
            assert reaches(three(x), to, t, index + 1, RADIUS, balls) < 1.0

    def test_furthest_is_the_one_of_brute_force_in_a_bend(self):
        """A bend hides everything behind it: there the largest valid index is plain to see."""
        turn = np.linspace(0, math.pi / 2, 40)
        bend = np.column_stack([10 + 4 * np.sin(turn), 4 - 4 * np.cos(turn)])
        east = np.column_stack([np.linspace(0, 9.8, 50), np.zeros(50)])
        north = np.column_stack([np.full(50, 14.0), np.linspace(4.2, 14, 50)])
        centres = np.vstack([east, bend, north])
        balls = np.column_stack([centres, np.zeros(len(centres)), np.ones(len(centres))])
        for start in range(0, 90, 13):
            x = balls[start, :3] + (0.0, 0.2, 0.0)
            t = oracle.attraction_index(x, balls, RADIUS, start)
            expected = oracle.shortcut_index(x, balls, RADIUS, t, len(balls) - 1)
            for guess in (t, (t + len(balls)) // 2, len(balls) - 1):
                index = furthest_valid(three(x), t, guess, len(balls) - 1, RADIUS, balls)
                assert abs(index - expected) <= 1


class TestForces:
    @examples(100)
    @given(places())
    def test_attraction_is_that_of_the_paper_up_to_one(self, place):
        balls, t, x = place
        expected = oracle.attraction_force(x, balls[t], RADIUS)
        size = float(np.linalg.norm(expected))
        toward, d = balls[t, :3] - x, float(np.linalg.norm(balls[t, :3] - x))
        got = attraction(three(toward / d), d, float(balls[t, 3]), RADIUS)
        np.testing.assert_allclose(got, expected / max(1.0, size), atol=1e-9)
        published = published_attraction(three(toward / d), d, float(balls[t, 3]), RADIUS)
        if size < 1e6:  # not at the rim itself, where rounding decides
            np.testing.assert_allclose(published, expected, rtol=1e-6, atol=1e-9)

    @examples(50)
    @given(places(), st.sampled_from([0.01, 0.5, 2.0]))
    def test_repulsion(self, place, k):
        balls, t, x = place
        disc = balls[t, :3] + (0.0, 0.03, 0.0)
        distance = float(np.linalg.norm(x - disc))
        size = distance - RADIUS - 0.02
        if size > 0.001:
            got = repulsion(three(x), three(disc), size, RADIUS, k)
            expected = oracle.repulsive_force(x, RADIUS, disc, size, k)
            np.testing.assert_allclose(got, expected, rtol=1e-9)

    @examples(50)
    @given(places())
    def test_shortening(self, place):
        balls, _, x = place
        got = shortening(three(x), three(balls[-1, :3] + 1.0))
        np.testing.assert_allclose(got, oracle.shortcut_force(x, balls[-1, :3] + 1.0), atol=1e-12)

    @examples(100)
    @given(places(), st.integers(0, 99), st.sampled_from([0.2, 1.0]))
    def test_random_bias_turns_the_attraction_by_a_quarter_at_most(self, place, seed, strength):
        balls, t, x = place
        e = (balls[t, :3] - x)[:2]
        e /= max(float(np.linalg.norm(e)), 1e-9)
        if not e.any():
            return
        flat = (float(e[0]), float(e[1]), 0.0)
        got = np.array(random_bias(flat, three(balls[t, :3]), strength, 8.0, seed))[:2]
        assert np.linalg.norm(got) == pytest.approx(strength, rel=1e-9)
        angle = math.atan2(e[0] * got[1] - e[1] * got[0], float(e @ got))
        assert abs(angle) <= math.pi / 2 + 1e-9
        expected = oracle.random_force((0, 0), e, angle, strength)
        np.testing.assert_allclose(got, expected, atol=1e-9)

    def test_random_bias_turns_both_ways_by_nearly_a_quarter(self):
        spots = np.random.default_rng(5).uniform(-200, 200, (3000, 2))
        pulls = [random_bias((1.0, 0.0, 0.0), (*p, 0.0), 1.0, 8.0, 7) for p in spots.tolist()]
        angles = [math.atan2(pull[1], pull[0]) for pull in pulls]
        assert -math.pi / 2 <= min(angles) < -1.2
        assert 1.2 < max(angles) <= math.pi / 2

    @examples(100)
    @given(places(), st.sampled_from([-1.0, -0.2, 0.4, 2.0]))
    def test_lane_bias(self, place, k):
        balls, t, x = place
        flat, x = balls[t, [0, 1, 3]], x[:2]
        d = float(np.linalg.norm(flat[:2] - x))
        if d < 0.01 or flat[2] < 2 * RADIUS:
            return
        e = (flat[:2] - x) / d
        got = lane_bias((float(e[0]), float(e[1]), 0.0), d, float(flat[2]), RADIUS, k)
        np.testing.assert_allclose(got[:2], oracle.lane_force(x, flat, RADIUS, k), atol=1e-9)

    def test_corner_bias_is_across(self):
        got = corner_bias((1.0, 0.0, 0.0), (0.6, 0.8, 0.0), 0.5)
        np.testing.assert_allclose(got, (0.0, 0.4, 0.0), atol=1e-12)


@pytest.fixture(scope="module")
def cmap() -> fw.CorridorMap:
    """Two rooms, a door of 1 m at (10, 5), and a pillar."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[
            [(9.9, 0), (10.1, 0), (10.1, 4.5), (9.9, 4.5)],
            [(9.9, 5.5), (10.1, 5.5), (10.1, 10), (9.9, 10)],
            [(4, 4), (6, 4), (6, 6), (4, 6)],
        ],
    )
    return fw.CorridorMap.build(env)


class TestWalk:
    def test_through_a_door(self, cmap):
        walk = fw.follow.cmm(cmap.corridor((2, 2), (18, 8), radius=RADIUS))
        assert_walk(walk)
        assert_stops_without_circling(walk)
        assert isinstance(walk, fw.Path)
        assert (walk.radius, walk.speed, walk.step) == (RADIUS, 1.2, 0.1)
        assert walk.dimension == 2
        assert walk.clearance >= RADIUS
        assert 0.8 * walk.length / walk.speed <= walk.duration

    def test_looks_on_the_goal_where_it_looked_before(self, cmap):
        walk = fw.follow.cmm(cmap.corridor((1, 1), (18, 9), radius=RADIUS))
        assert (walk.directions[-1] == walk.directions[-2]).all()
        assert (walk.directions[-1] != walk.directions[0]).any()
        assert np.linalg.norm(walk.directions, axis=1) == pytest.approx(np.ones(len(walk.points)))
        assert walk.headings[-1] == pytest.approx(math.atan2(*walk.directions[-1][::-1]))

    def test_takes_its_radius_from_the_corridor(self, cmap):
        corridor = cmap.corridor((2, 2), (18, 8), radius=0.3)
        assert fw.follow.cmm(corridor).radius == 0.3
        small = fw.follow.cmm(corridor, radius=0.1)
        assert small.radius == 0.1
        assert_walk(small)

    def test_is_at_speed_for_most_of_the_way(self, cmap):
        walk = fw.follow.cmm(cmap.corridor((2, 2), (18, 8), radius=RADIUS), speed=1.0)
        pace = np.linalg.norm(walk.velocities, axis=1)
        assert np.median(pace) > 0.95

    def test_begins_at_rest_or_with_its_first_step_in_the_corridor(self, cmap):
        walk = fw.follow.cmm(cmap.corridor((2, 2), (18, 8), radius=RADIUS))
        assert walk.times[0] == 0
        assert np.linalg.norm(walk.velocities[0]) <= walk.speed

    def test_in_one_ball_it_walks_straight(self):
        corridor = fw.Corridor.from_balls([(0, 0), (1, 0), (2, 0)], [5, 5, 5], radius=RADIUS)
        walk = fw.follow.cmm(corridor)
        assert_walk(walk)
        assert walk.length == pytest.approx(2.0)
        assert not walk.points[:, 1].any()

    @pytest.mark.parametrize("step", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
    def test_smaller_steps_change_little(self, cmap, step):
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)
        fine, coarse = fw.follow.cmm(corridor, step=0.01), fw.follow.cmm(corridor, step=step)
        assert_walk(coarse)
        assert coarse.length == pytest.approx(fine.length, rel=0.05)
        assert coarse.duration == pytest.approx(fine.duration, rel=0.15, abs=2 * step)

    @pytest.mark.parametrize("turn_rate", [0.5, 1.0, math.pi, 10.0, 100.0])
    def test_turns_no_faster_than_it_may(self, cmap, turn_rate):
        walk = fw.follow.cmm(cmap.corridor((3, 5), (18, 8), radius=RADIUS), turn_rate=turn_rate)
        assert_walk(walk, turn_rate=turn_rate)

    def test_is_for_json(self, cmap):
        record = fw.follow.cmm(cmap.corridor((2, 2), (18, 8), radius=RADIUS)).to_dict()
        assert {"start", "goal", "radius", "length", "clearance", "points"} <= set(record)

    def test_repr_is_short(self, cmap):
        assert len(repr(fw.follow.cmm(cmap.corridor((2, 2), (18, 8), radius=RADIUS)))) < 200

    def test_stays_in_its_corridor(self, cmap):
        walk = fw.follow.cmm(cmap.corridor((2, 2), (18, 8), radius=RADIUS))
        assert oracle.least_depth(walk.points, balls_of(walk.corridor), RADIUS) >= -1e-9


class TestOwnForces:
    def test_zero_changes_nothing(self, cmap):
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)
        walk = fw.follow.cmm(corridor, forces=[lambda moment: np.zeros(2)])
        np.testing.assert_array_equal(walk.points, fw.follow.cmm(corridor).points)

    def test_add_up(self, cmap):
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)

        def south(moment):
            return np.array([0.0, -0.4])

        def half(moment):
            return np.array([0.0, -0.2])

        one = fw.follow.cmm(corridor, forces=[south])
        two = fw.follow.cmm(corridor, forces=[half, half])
        assert_walk(one)
        np.testing.assert_array_equal(one.points, two.points)
        assert one.points[:, 1].mean() < fw.follow.cmm(corridor).points[:, 1].mean()

    @pytest.mark.parametrize(("push", "share"), [(-0.45, 1.0), (0.5, 1.0), (-0.75, 0.5)])
    def test_the_sum_of_forces_says_where_to_not_how_fast(self, push, share):
        """Only where the forces cancel to less than a half of F_0 does the character slow down."""
        hall = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 4)))

        def wind(moment):
            return np.array([push if moment.position[0] < 12.0 else 0.0, 0.0])

        walk = fw.follow.cmm(hall.corridor((1, 2), (19, 2), radius=RADIUS), forces=[wind])
        x, pace = walk.points[:, 0], np.linalg.norm(walk.velocities, axis=1)
        np.testing.assert_allclose(pace[(x > 6.0) & (x < 11.0)], share * walk.speed, rtol=1e-6)

    def test_know_the_moment(self, cmap):
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)
        seen = []

        def watch(moment):
            seen.append(moment)
            return (0.0, 0.0)

        walk = fw.follow.cmm(corridor, forces=[watch])
        assert len(seen) == len(walk.points) - 1
        np.testing.assert_allclose([m.position for m in seen], walk.points[:-1])
        np.testing.assert_allclose([m.time for m in seen], walk.times[:-1], atol=1e-9)
        index = [m.index for m in seen]
        assert index == sorted(index)
        balls = balls_of(corridor)
        for m in seen:
            assert m.ball_radius == pytest.approx(balls[m.index, 2])
            np.testing.assert_allclose(m.attraction_point, balls[m.index, :2])
            assert np.linalg.norm(m.position - balls[m.index, :2]) <= balls[m.index, 2] - RADIUS

    def test_attraction_points_are_those_of_definition_5(self, cmap):
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)
        balls, expected, got = balls_of(corridor), [], []

        def watch(moment):
            got.append(moment.index)
            last = expected[-1] if expected else 0
            expected.append(oracle.attraction_index(moment.position, balls, RADIUS + 1e-9, last))
            return (0.0, 0.0)

        fw.follow.cmm(corridor, forces=[watch])
        assert got == expected

    @pytest.mark.parametrize("push", [10.0, 1e3, 1e9])
    def test_never_push_it_through_a_wall(self, cmap, push):
        """However strong a force is, the disc stays clear; it arrives or says that it cannot."""
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)

        def gust(moment):
            return np.array([0.0, push if int(moment.time) % 2 else -push])

        try:
            walk = fw.follow.cmm(corridor, forces=[gust])
        except fw.NoPath:
            return
        assert_walk_apart_from_time(walk)

    def test_that_hold_it_back_for_ever_are_an_error(self, cmap):
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)
        with pytest.raises(fw.NoPath) as refusal:
            fw.follow.cmm(
                corridor, forces=[lambda m: -5 * np.sign(m.attraction_point - m.position)]
            )
        assert "\n" not in str(refusal.value)

    def test_know_the_corridor_that_was_just_planned(self, cmap):
        """Around moving obstacles the corridor is planned anew, and is shorter each time."""
        corridor = cmap.corridor((2, 2), (18, 8), radius=RADIUS)
        seen = []

        def watch(moment):
            seen.append(moment)
            return np.zeros(2)

        cart = fw.follow.Disc(tuple(corridor.backbone[len(corridor.backbone) // 2]), 0.3, (0.1, 0))
        walk = fw.follow.cmm(corridor, obstacles=[cart], avoid="corridor", forces=[watch])
        assert len(seen) == len(walk.points) - 1
        for moment in seen:
            apart = np.linalg.norm(moment.attraction_point - moment.position)
            assert apart <= moment.ball_radius - RADIUS + 1e-6


def assert_walk_apart_from_time(walk: fw.follow.Walk) -> None:
    """What holds although a force of the user's may keep it from the goal for long."""
    assert walk.clearance >= walk.radius - 1e-9
    assert oracle.worst_turn(walk.points) <= math.pi * walk.step + 1e-9
    assert np.linalg.norm(walk.velocities, axis=1).max() <= walk.speed * (1 + 1e-12)


def test_a_passage_with_no_margin():
    """Walking on the backbone itself is coming closer, however long the passage."""
    cmap = fw.CorridorMap.build(fw.load("gallery:game"))
    for spare in (0.0, 1e-5, 5e-4):
        corridor = cmap.corridor((22.808, 19.589), (5.940, 38.741), radius=1.1 - spare)
        walk = fw.follow.cmm(corridor)
        assert walk.clearance >= 1.1 - spare - 1e-6


@pytest.mark.parametrize("avoid", ["forces", "corridor"])
@pytest.mark.parametrize("speed", [-0.3, -1.0])
def test_somebody_who_comes_the_other_way(avoid, speed):
    """Obstacles with free space beside them: no collisions and no sudden stops."""
    hall = fw.Corridor.from_balls([(x / 4, 0) for x in range(240)], [1.0] * 240, radius=0.25)
    other = fw.follow.Disc((30, 0.01), 0.4, velocity=(speed, 0))
    walk = fw.follow.cmm(hall, obstacles=[other], avoid=avoid)
    assert walk.gap > 0.0
    assert walk.duration < 1.3 * hall.length / walk.speed


def test_the_same_whatever_was_walked_before():
    """Memory that is used again changes nothing: the limit of time is the corridor's own."""
    cmap = fw.CorridorMap.build(fw.load("gallery:field"))
    corridor = cmap.corridor((2, 2), (17, 11), radius=0.25)

    def slow() -> str:
        try:
            return repr(fw.follow.cmm(corridor, turn_rate=0.005))
        except fw.NoPath as refusal:
            return str(refusal)

    first = slow()
    fw.follow.cmm(corridor, step=1e-3, speed=0.3)
    assert slow() == first


def test_an_obstacle_beyond_all_numbers():
    hall = fw.Corridor.from_balls([(0, 0), (1, 0)], [1, 1], radius=0.2)
    with pytest.raises(fw.BadQuery, match=r"1e\+300.*1e\+09"):
        fw.follow.cmm(hall, obstacles=[(1e300, 0, 1)])
    assert math.isfinite(fw.follow.cmm(hall, obstacles=[(1e9, 0, 1)]).gap)


def test_a_stronger_repulsion_keeps_a_greater_gap():
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 6)))
    corridor = cmap.corridor((1, 3), (19, 3), radius=0.25)
    gaps = [
        fw.follow.cmm(corridor, obstacles=[(10, 3.1, 0.4)], repulsion=k).gap
        for k in (0.1, 0.4, 1.6)
    ]
    assert gaps[0] < gaps[1] < gaps[2]


class TestPublishedAttraction:
    """F_0 and its integration as printed; the guard is the same."""

    @pytest.mark.parametrize("step", [0.02, 0.1, 0.5])
    def test_walks_arrive_in_free_space(self, step):
        cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        for seed in range(5):
            start, goal = cmap.random_points(2, radius=RADIUS, seed=seed)
            corridor = cmap.corridor(start, goal, radius=RADIUS)
            walk = fw.follow.cmm(corridor, step=step, attraction="published")
            assert walk.points[-1].tolist() == pytest.approx(goal.tolist())
            assert walk.clearance >= RADIUS - 1e-6
            assert np.linalg.norm(walk.velocities, axis=1).max() <= 1.2 + 1e-9

    def test_velocity_is_the_integral_of_the_force(self):
        """In a wide hall, while speed and turn rate do not limit it: v + F_0 dt."""
        hall = fw.Corridor.from_balls([(x, 0.0) for x in range(9)], [4.0] * 9, radius=RADIUS)
        walk = fw.follow.cmm(hall, speed=10.0, step=0.01, attraction="published")
        balls = nested_balls(hall, RADIUS)
        for k in range(5, 20):
            x, v = np.append(walk.points[k], 0.0), np.append(walk.velocities[k - 1], 0.0)
            inside = np.linalg.norm(balls[:, :3] - x, axis=1) < balls[:, 3] - RADIUS
            force = oracle.attraction_force(x, balls[np.flatnonzero(inside)[-1]], RADIUS)
            np.testing.assert_allclose(walk.velocities[k], (v + 0.01 * force)[:2], rtol=1e-6)
