"""Dynamic obstacles and sub-corridors, with judges that know nothing of how they are made."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import footway as fw
from footway.errors import BadQuery, NoPath
from footway.follow.detour import Disc, as_discs, describe, sub_corridor
from footway.follow.kernels.detour import detour
from footway.follow.kernels.detour_clearance import BLOCKED, MARGIN, ON_GOAL, ON_START, OPEN
from tests.effort import examples

R = 0.25  # m, radius of the character
SPEED = 1.2
EXACT = 1e-9
FINE = 0.015  # m, between the points of the flood fill
DOUBT = 0.02  # m, by which the flood fill may be wrong: more than half a diagonal

SEEDS = st.integers(0, 2**32 - 1)


# ---- scenes -----------------------------------------------------------------------------------


def hall(length=10.0, radius=1.5, step=0.25, dimension=2):
    """Straight corridor along x, from the origin."""
    x = np.arange(0.0, length + step / 2, step)
    centres = np.zeros((len(x), dimension))
    centres[:, 0] = x
    return fw.Corridor.from_balls(centres, np.full(len(x), radius), radius=R)


def random_balls(rng, dimension):
    """Smooth corridor that does not come back to itself; radii change no faster than 0.8."""
    n, step = int(rng.integers(14, 40)), rng.uniform(0.15, 0.38)
    bend = np.clip(np.cumsum(rng.normal(0, 0.06, n)), -0.25, 0.25)
    heading = rng.uniform(0, 2 * math.pi) + np.cumsum(bend * step)
    steps = np.c_[np.cos(heading), np.sin(heading), np.zeros(n)] * step
    if dimension == 3:
        steps[:, 2] = np.cumsum(rng.normal(0, 0.15, n)) * step
    centres = np.vstack([np.zeros(3), np.cumsum(steps[:-1], axis=0)])
    gaps = np.linalg.norm(np.diff(centres, axis=0), axis=1)
    # Shrunken balls overlap the one before and the one after.
    least = np.maximum(0.45, R + 0.55 * np.maximum(np.r_[0.0, gaps], np.r_[gaps, 0.0]))
    radii = [max(rng.uniform(0.5, 1.8), least[0])]
    for gap, low in zip(gaps, least[1:], strict=True):
        wanted = radii[-1] + rng.uniform(-0.8, 0.8) * gap
        radii.append(float(np.clip(wanted, low, max(2.0, low))))
    return np.c_[centres, radii]


@pytest.mark.parametrize("dimension", [2, 3])
def test_random_balls_are_connected(dimension):
    for seed in range(300):
        balls = random_balls(np.random.default_rng(seed), dimension)
        gaps = np.linalg.norm(np.diff(balls[:, :3], axis=0), axis=1)
        free = balls[:, 3] - R
        assert (free[:-1] + free[1:] >= gaps).all()


def random_discs(rng, balls, dimension, *, speed=0.0):
    """From none to eight, on the backbone, beside it, at the rim and outside."""
    m = int(rng.integers(0, 9))
    at = rng.integers(4, len(balls) - 4, m)
    discs = np.zeros((m, 7))
    off = rng.normal(0, 1, (m, dimension)) * rng.choice([0.0, 0.3, 0.7, 1.0], (m, 1))
    discs[:, :dimension] = balls[at, :dimension] + off * balls[at, 3:]
    discs[:, 3] = rng.uniform(0.05, 0.6, m)
    discs[:, 4 : 4 + dimension] = rng.normal(0, 1, (m, dimension)) * speed
    return discs


def times_of(balls):
    gaps = np.linalg.norm(np.diff(balls[:, :3], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(gaps)]) / SPEED


# ---- judges -----------------------------------------------------------------------------------


def assert_sub_corridor(balls, discs, rows, radius=R):
    """Every promise of a sub-corridor, by brute force. rows: x, y, z, R', time."""
    centres, radii, times = rows[:, :3], rows[:, 3], rows[:, 4]
    np.testing.assert_array_equal(centres[[0, -1]], balls[[0, -1], :3])
    apart = np.linalg.norm(centres[:, None] - balls[None, :, :3], axis=2)
    inside = (balls[None, :, 3] - apart - radii[:, None]).max(axis=1)
    assert inside.min() >= -EXACT, "a ball is in no ball of the corridor"
    assert gap_to_discs(rows, discs) >= -EXACT, "a disc is in a ball"
    room = radii - radius
    assert room[1:-1].min(initial=math.inf) >= MARGIN
    assert room.min() >= -EXACT
    steps = np.linalg.norm(np.diff(centres, axis=0), axis=1)
    assert (steps <= room[1:] + room[:-1] + EXACT).all(), "the sub-corridor is not connected"
    assert np.isfinite(times).all()


def gap_to_discs(rows, discs):
    """Least distance between a ball and a disc at the ball's time."""
    if len(discs) == 0:
        return math.inf
    places = discs[None, :, :3] + rows[:, 4, None, None] * discs[None, :, 4:]
    apart = np.linalg.norm(rows[:, None, :3] - places, axis=2)
    return float((apart - discs[None, :, 3] - rows[:, 3, None]).min())


def flood(balls, discs, radius):
    """Whether start and goal are joined, on a grid of points where the character fits."""
    low = (balls[:, :2] - balls[:, 3:]).min(axis=0) - FINE
    high = (balls[:, :2] + balls[:, 3:]).max(axis=0) + FINE
    x = np.arange(low[0], high[0] + FINE, FINE)[:, None]
    y = np.arange(low[1], high[1] + FINE, FINE)[None, :]
    room = np.full((x.size, y.size), -1.0)
    for bx, by, _, ball in balls:
        np.maximum(room, ball - np.hypot(x - bx, y - by), out=room)
    for dx, dy, _, disc, *_ in discs:
        np.minimum(room, np.hypot(x - dx, y - dy) - disc, out=room)
    parts, _ = ndimage.label(room >= radius, structure=np.ones((3, 3)))
    ends = np.rint((balls[[0, -1], :2] - low) / FINE).astype(int)
    start, goal = (int(parts[i, j]) for i, j in ends)
    return start != 0 and start == goal


# ---- discs ------------------------------------------------------------------------------------


def test_discs_become_numbers():
    named, discs = as_discs([(1, 2, 0.5), Disc((3, 4), 0.25, velocity=(1, -1), name="cart")], 2)
    assert named[0] == Disc((1.0, 2.0), 0.5)
    np.testing.assert_array_equal(discs, [[1, 2, 0, 0.5, 0, 0, 0], [3, 4, 0, 0.25, 1, -1, 0]])
    _, discs = as_discs([(1, 2, 3, 0.5), Disc((3, 4, 5), 0.25)], 3)
    np.testing.assert_array_equal(discs[:, :4], [[1, 2, 3, 0.5], [3, 4, 5, 0.25]])
    assert as_discs([], 2)[1].shape == (0, 7)


def test_names_for_messages():
    named, _ = as_discs([(1, 2, 0.5), Disc((3, 4), 0.25, name="cart")], 2)
    assert describe(named[0], 0) == "obstacle 0 at (1.00, 2.00), radius 0.5 m"
    assert describe(named[1], 1) == 'obstacle 1 "cart" at (3.00, 4.00), radius 0.25 m'


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Disc((1, 2), -0.5), "-0.5 m: it must be more than 0 m"),
        (lambda: Disc((1, 2), 0.0), "0 m: it must be more than 0 m"),
        (lambda: Disc((1, 2), math.nan), "nan m: it must be finite"),
        (lambda: Disc((1, math.inf), 0.5), "inf m: it must be finite"),
        (lambda: Disc((1,), 0.5), "2 or 3 numbers"),
        (lambda: Disc((1, 2), 0.5, velocity=(1, 2, 3)), "has 3 coordinates: its place has 2"),
        (lambda: Disc((1, 2), 0.5, velocity=(1, math.nan)), "nan m/s"),
        (lambda: as_discs([(1, 2)], 2), "obstacle 0 is (1, 2): it must be 3 numbers"),
        (lambda: as_discs([(1, 2, 3)], 3), "it must be 4 numbers"),
        (lambda: as_discs([Disc((1, 2), 0.5)], 3), "has 2 coordinates: the corridor has 3"),
        (lambda: as_discs([(0, 0, 1), "cart"], 2), "obstacle 1 is 'cart'"),
        (lambda: as_discs([(1, 2, -3)], 2), "radius of obstacle 0 is -3 m"),
        (lambda: as_discs(7, 2), "obstacles must be a list of discs, not 7"),
        (lambda: sub_corridor(hall(), [], radius=-1), "radius is -1 m"),
        (lambda: sub_corridor(hall(), [], speed=0), "speed is 0 m/s"),
        (lambda: sub_corridor([(0, 0)], []), "a corridor is needed"),
    ],
)
def test_values_that_make_no_sense(make, says):
    with pytest.raises(BadQuery) as error:
        make()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


# ---- sub-corridors ----------------------------------------------------------------------------


def test_no_discs_change_nothing():
    corridor = hall()
    np.testing.assert_array_equal(sub_corridor(corridor, []).balls, corridor.balls)


def test_discs_outside_change_nothing():
    corridor = hall()
    around = sub_corridor(corridor, [(5, 2.5, 0.9), (-3, 0, 1.0), (5, -1.8, 0.3)])
    np.testing.assert_array_equal(around.balls, corridor.balls)


def test_balls_that_no_disc_touches_stay():
    corridor = hall()
    around = sub_corridor(corridor, [(5, 0, 0.3)])
    kept = {tuple(b) for b in around.balls.tolist()}
    for ball in corridor.balls:
        if math.hypot(ball[0] - 5, ball[1]) - 0.3 >= ball[3]:
            assert tuple(ball.tolist()) in kept
    assert around.start == corridor.start
    assert around.goal == corridor.goal
    assert around.radius == R


@pytest.mark.parametrize("y", [0.0, 0.4, -0.4, 1.0])
def test_it_passes_a_disc_on_the_wider_side(y):
    corridor = hall()
    around = sub_corridor(corridor, [(5, y, 0.4)])
    beside = around.backbone[np.abs(around.backbone[:, 0] - 5) < 0.3]
    side = beside[:, 1] - y
    assert (side > 0).all() or (side < 0).all()
    if y:
        assert np.sign(side[0]) == -np.sign(y)
    assert around.narrowest > R + 0.05


def test_it_does_not_go_to_and_fro():
    """The paper moves balls before a disc back and those after it on: ours go past."""
    around = sub_corridor(hall(), [(5, 0.01, 0.4)])
    steps = np.diff(around.backbone, axis=0)
    turns = np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0])))
    assert (steps[:, 0] > 0).all()
    assert np.abs(turns).max() < 1.0
    assert around.length < 1.12 * hall().length


@pytest.mark.parametrize("spare", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("side", [1, -1])
def test_a_gap_little_wider_than_the_character_is_found(spare, side):
    """Between a disc and the wall, on either side of the backbone."""
    corridor = hall(radius=1.5)
    disc = 1.0
    y = side * (1.5 - (2 * R + spare) - disc)
    around = sub_corridor(corridor, [(5, -y, disc)])
    assert around.narrowest == pytest.approx(R + spare / 2, abs=spare / 4)


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.0, 1.25])
def test_a_gap_between_two_discs_is_found(angle):
    """A row of discs crosses the corridor at an angle; the gap in its middle is 5 mm wider."""
    corridor = hall(radius=1.5)
    along = 0.6 + R + 0.0025 + np.arange(6.0)
    discs = np.zeros((12, 7))
    for side in (1, -1):
        rows = discs[:6] if side == 1 else discs[6:]
        rows[:, 0], rows[:, 1] = 5 + side * along * math.sin(angle), side * along * math.cos(angle)
    discs[:, 3] = 0.6
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)
    assert rows[:, 3].min() == pytest.approx(R + 0.0025, abs=0.001)
    discs[0, :2] -= 0.006 * np.array([math.sin(angle), math.cos(angle)])
    status, _, blame = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == BLOCKED
    assert {0, 6} <= set(blame.tolist())


def test_a_disc_that_leaves_no_gap_closes_it():
    gap = 2 * R - 0.001
    with pytest.raises(NoPath) as error:
        sub_corridor(hall(radius=1.5), [(2, 0, 0.1), (5, 0, 1.5 - gap)])
    assert error.value.reason == "blocked"
    assert error.value.obstacles == (1,)
    assert "obstacle 1 at (5.00, 0.00), radius 1.001 m" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_disc_larger_than_the_corridor_closes_it():
    with pytest.raises(NoPath) as error:
        sub_corridor(hall(radius=1.0), [Disc((5, 0.5), 3.0, name="truck")])
    assert error.value.obstacles == (0,)
    assert 'obstacle 0 "truck"' in str(error.value)


def test_a_chain_of_discs_is_named_and_nothing_else():
    chain = [(5, y, 0.3) for y in (-1.4, -0.5, 0.4, 1.3)]
    others = [(2, 0, 0.3), (8, 0.5, 0.3), (5.6, -1.4, 0.2), (4.5, 3.0, 0.4)]
    with pytest.raises(NoPath) as error:
        sub_corridor(hall(), [*others, *chain])
    assert sorted(error.value.obstacles) == [4, 5, 6, 7]


def test_the_first_of_two_chains_is_named():
    first, second = [(4, y, 0.8) for y in (-0.8, 0.8)], [(7, y, 0.8) for y in (-0.8, 0.8)]
    with pytest.raises(NoPath) as error:
        sub_corridor(hall(), [*second, *first])
    assert sorted(error.value.obstacles) == [2, 3]


def test_tangent_discs_let_it_pass_beside_them():
    corridor = hall()
    _, discs = as_discs([(5, 0.3, 0.3), (5, -0.3, 0.3), (5.6, 0.3, 0.3)], 2)
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)


def test_a_disc_that_touches_the_start_is_no_obstacle_to_leave():
    corridor = hall()
    _, discs = as_discs([(-0.6, 0, 0.3), (0.2, 0.56, 0.3)], 2)
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)


@pytest.mark.parametrize(("end", "x"), [("start", 0.3), ("goal", 9.9)])
def test_a_disc_on_an_end_is_refused(end, x):
    with pytest.raises(BadQuery) as error:
        sub_corridor(hall(), [(4, 0.8, 0.1), (x, 0, 0.4)])
    message = str(error.value)
    assert f"obstacle 1 at ({x:.2f}, 0.00), radius 0.4 m lies on top of the {end}" in message
    assert "0.650 m is the least" in message
    assert "\n" not in message


def test_a_radius_larger_than_the_corridor():
    with pytest.raises(NoPath) as error:
        sub_corridor(hall(radius=0.5), [(5, 0, 0.1)], radius=0.6)
    assert error.value.reason == "pinch"
    assert "does not fit the corridor: it is narrowest at" in str(error.value)
    with pytest.raises(NoPath, match="does not fit the corridor"):
        sub_corridor(hall(radius=0.5), [], radius=0.501)
    assert sub_corridor(hall(radius=0.5), [], radius=0.5).radius == 0.5


def test_a_disc_that_comes_to_an_end_is_as_near_as_it_is_then():
    """At (9.9, 0) when the character comes to the goal, after 10 m."""
    comes = Disc((9.9, 0.1 * 10 / SPEED), 0.4, velocity=(0, -0.1))
    with pytest.raises(BadQuery, match=r"on top of the goal: its centre is 0\.100 m away"):
        sub_corridor(hall(), [comes], speed=SPEED)
    there = Disc((0.2, 0), 0.4, velocity=(0, -0.1))
    with pytest.raises(BadQuery, match=r"on top of the start: its centre is 0\.200 m away"):
        sub_corridor(hall(), [there], speed=SPEED)


def test_a_narrow_door_next_to_a_disc_stays_open():
    """The door leaves the character two millimetres; a disc beyond it must not close it."""
    x = np.arange(0.0, 6.0, 0.002)
    radii = np.minimum(1.0, R + 0.002 + np.maximum(0.0, np.abs(x - 3) - 0.05) * 0.7)
    corridor = fw.Corridor.from_balls(np.c_[x, 0 * x], radii, radius=R)
    _, discs = as_discs([(4.2, 0.05, 0.12)], 2)
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)


def test_sparse_balls_are_refined_around_a_small_disc():
    corridor = hall(step=0.5, radius=0.9)
    _, discs = as_discs([(5.25, 0, 0.15)], 2)
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)
    assert len(rows) > len(corridor.balls)


def test_a_disc_that_moves_is_taken_where_it_will_be():
    corridor = hall()
    gone, comes = Disc((5, 0), 1.2, velocity=(0, 3)), Disc((5, -5 / SPEED), 1.3, velocity=(0, 1))
    np.testing.assert_array_equal(sub_corridor(corridor, [gone]).balls, corridor.balls)
    with pytest.raises(NoPath) as error:
        sub_corridor(corridor, [gone, comes])
    assert error.value.obstacles == (1,)


@pytest.mark.parametrize("avoid", ["forces", "corridor"])
def test_the_gap_of_a_walk_is_between_the_rims(avoid):
    walk = fw.follow.cmm(hall(), obstacles=[(5, 0.3, 0.4)], avoid=avoid, step=0.02)
    apart = np.hypot(*(walk.points - (5, 0.3)).T).min()
    assert walk.gap == pytest.approx(apart - 0.4 - R, abs=1e-3)
    assert walk.gap > 0


def test_in_three_dimensions_it_can_go_over_a_disc():
    """A post across a flat corridor closes it; a ball of the same size in a tube does not."""
    flat, tube = hall(radius=1.1), hall(radius=1.1, dimension=3)
    with pytest.raises(NoPath):
        sub_corridor(flat, [(5, y, 0.4) for y in (-0.8, 0, 0.8)])
    discs = [(5, y, 0, 0.4) for y in (-0.8, 0, 0.8)]
    around = sub_corridor(tube, discs)
    assert np.abs(around.backbone[:, 2]).max() > 0.4
    assert around.dimension == 3


def test_plain_arrays():
    corridor = hall()
    _, discs = as_discs([(5, 0, 0.4)], 2)
    status, rows, blame = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert (status, len(blame)) == (OPEN, 0)
    np.testing.assert_array_equal(rows[:, :4], sub_corridor(corridor, [(5, 0, 0.4)]).balls)
    discs[0, 3] = 2.0
    status, _, blame = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert (status, blame.tolist()) == (BLOCKED, [0])
    discs[0] = 0, 0.1, 0, 0.3, 0, 0, 0
    status, _, blame = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert (status, blame.tolist()) == (ON_START, [0])


def test_balls_in_one_place():
    corridor = fw.Corridor.from_balls([(0, 0), (0, 0)], [2, 2], radius=R)
    around = sub_corridor(corridor, [(1, 0, 0.5)])
    np.testing.assert_allclose(around.radii, 0.5)


# ---- paths that skip a part of the backbone ----------------------------------------------------


def there_and_back(dimension=2, goal=0.0):
    """Corridor from x = 0 to x = 1 and back to `goal`, as from a wall to the medial axis."""
    x = np.array([0.0, 0.4, 0.8, 1.0, 0.6, goal])
    centres = np.zeros((len(x), dimension))
    centres[:, 0] = x
    return fw.Corridor.from_balls(centres, 1.3 + x, radius=R)


def hairpin(apart=1.0):
    """Corridor along x to a half circle and back, between lines that are `apart`."""
    angles = np.linspace(-math.pi / 2, math.pi / 2, 9)[1:-1]
    turn = np.c_[4 + 0.5 * apart * np.cos(angles), 0.5 * apart * (1 + np.sin(angles))]
    there = np.c_[np.arange(0, 4.1, 0.25), np.zeros(17)]
    centres = np.vstack([there, turn, there[::-1] + np.array([0, apart])])
    return fw.Corridor.from_balls(centres, np.full(len(centres), 1.0), radius=R)


@pytest.mark.parametrize("goal", [(1.3, 1.58), (1.29, 1.58), (1.2, 1.58), (1.3, 1.9)])
def test_a_disc_beside_a_character_that_need_not_move(goal):
    lines = [[(3.133, 0), (0.001, 0.002)]]
    env = fw.Environment.from_polygons(bounds=(0, 0, 20, 20), lines=lines)
    corridor = fw.CorridorMap.build(env).corridor((1.3, 1.58), goal, radius=R)
    disc = Disc((1.66, 1.58), 0.01)
    walk = fw.follow.cmm(corridor, obstacles=[disc], avoid="corridor")
    assert walk.points[-1] == pytest.approx(goal, abs=0.1)
    assert walk.gap >= 0.0


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("goal", [0.0, 0.01, -0.2])
@pytest.mark.parametrize("size", [0.01, 0.6])
def test_a_disc_where_the_backbone_turns_back(dimension, goal, size):
    corridor = there_and_back(dimension, goal)
    _, discs = as_discs([(1.0, *[0.0] * (dimension - 1), size)], dimension)
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), dimension)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)


def test_a_disc_that_moves_where_the_backbone_turns_back():
    corridor = there_and_back()
    _, discs = as_discs([Disc((1.0, 0.0), 0.3, velocity=(0.05, 0.0))], 2)
    status, rows, _ = detour(corridor.balls, discs, R, times_of(corridor.balls), 2)
    assert status == OPEN
    assert_sub_corridor(corridor.balls, discs, rows)


def test_a_bend_that_is_closed_is_cut_off():
    """The two lines are so close that their balls overlap: the path skips the bend."""
    corridor = hairpin()
    discs = [(4.5, 0.5, 1.2)]
    around = sub_corridor(corridor, discs)
    assert around.backbone[:, 0].max() < 3.3
    assert around.narrowest > R + 0.1
    assert (around.start, around.goal) == (corridor.start, corridor.goal)
    with pytest.raises(NoPath):
        sub_corridor(hairpin(apart=1.6), discs)  # shrunken balls do not overlap


def test_discs_that_close_a_corridor_in_two_places_are_named():
    """One disc closes the bend, and a row of others closes the shortcut."""
    corridor = hairpin()
    row = [(-0.8 + 0.5 * i, 0.5, 0.2) for i in range(9)]
    discs = [(4.5, 0.5, 1.2), (1.0, -0.9, 0.05), *row]
    with pytest.raises(NoPath) as error:
        sub_corridor(corridor, discs)
    assert error.value.reason == "blocked"
    named = set(error.value.obstacles)
    assert 0 in named
    assert 1 not in named
    assert len(named) > 2
    for k in named:
        sub_corridor(corridor, [discs[i] for i in named if i != k])


# ---- random scenes ----------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("speed", [0.0, 0.6])
@given(seed=SEEDS)
@examples(40)
def test_every_promise_holds(dimension, speed, seed):
    rng = np.random.default_rng(seed)
    balls = random_balls(rng, dimension)
    discs = random_discs(rng, balls, dimension, speed=speed)
    status, rows, blame = detour(balls, discs, R, times_of(balls), dimension)
    if status == OPEN:
        assert_sub_corridor(balls, discs, rows)
        assert len(blame) == 0
    else:
        assert len(rows) == 0
        assert len(set(blame.tolist())) == len(blame) > 0
        assert blame.max() < len(discs)


@given(seed=SEEDS)
@examples(60)
def test_open_ones_are_found_and_closed_ones_are_named(seed):
    """Compare with a flood fill on a fine grid; undecided cases are skipped."""
    rng = np.random.default_rng(seed)
    balls = random_balls(rng, 2)
    discs = random_discs(rng, balls, 2)
    status, _, blame = detour(balls, discs, R, times_of(balls), 2)
    if status in (ON_START, ON_GOAL):
        return
    if flood(balls, discs, R + DOUBT):
        assert status == OPEN
    elif not flood(balls, discs, R - DOUBT):
        assert status != OPEN
    if status != OPEN:
        assert not flood(balls, discs[blame], R + DOUBT), "those named do not close it"
        for k in range(len(blame)):
            fewer = np.delete(discs[blame], k, axis=0)
            assert detour(balls, fewer, R, times_of(balls), 2)[0] == OPEN, "one name too many"


@given(seed=SEEDS)
@examples(10)
def test_the_same_question_has_the_same_answer(seed):
    rng = np.random.default_rng(seed)
    balls = random_balls(rng, 2)
    discs = random_discs(rng, balls, 2, speed=0.3)
    first = detour(balls, discs, R, times_of(balls), 2)
    again = detour(balls.copy(), discs.copy(), R, times_of(balls), 2)
    assert first[0] == again[0]
    np.testing.assert_array_equal(first[1], again[1])
    np.testing.assert_array_equal(first[2], again[2])


# ---- as published -------------------------------------------------------------------------------


def test_published_balls_are_those_of_the_paper():
    """One disc beside a hall: B' and R' of each ball, from the formulas."""
    corridor, (ox, oy) = hall(), (5.0, 0.4)
    around = sub_corridor(corridor, [(ox, oy, 0.3)], published=True)
    for (x, y), radius, (px, py), moved in zip(
        corridor.backbone, corridor.radii, around.backbone, around.radii, strict=True
    ):
        d = math.hypot(x - ox, y - oy)
        dist = (radius - d) / 2 if d < radius else 0.0
        assert (px, py) == pytest.approx((x + dist * (x - ox) / d, y + dist * (y - oy) / d))
        assert moved == pytest.approx(radius - dist)


def test_published_balls_lie_in_the_corridor_and_touch_the_centres_of_discs():
    corridor = hall()
    discs = [(3.0, 0.5, 0.2), (3.4, -0.9, 0.2), (7.0, -0.3, 0.2)]
    around = sub_corridor(corridor, discs, published=True)
    gone = np.linalg.norm(around.backbone - corridor.backbone, axis=1)
    assert (gone + around.radii <= corridor.radii + EXACT).all()
    for x, y, _ in discs[2:]:  # one that no other disc is near to
        off = np.linalg.norm(around.backbone - (x, y), axis=1) - around.radii
        assert abs(off.min()) < EXACT


def test_published_corridor_tears_where_ours_leads_around():
    """A disc on the backbone: the balls before it move back, those after it forward."""
    corridor, disc = hall(radius=0.8), (5.0, 0.0, 0.2)
    with pytest.raises(NoPath, match="gap between balls"):
        fw.follow.cmm(corridor, obstacles=[disc], avoid="published-corridor")
    walk = fw.follow.cmm(corridor, obstacles=[disc], avoid="corridor")
    assert walk.gap >= 0.0


def test_published_corridor_ignores_the_radius_of_an_obstacle():
    disc = (5.0, 0.6, 1.0)
    walk = fw.follow.cmm(hall(), obstacles=[disc], avoid="published-corridor")
    assert walk.goal == (10.0, 0.0)
    assert walk.gap < 0.0
    assert walk.points[:, 1].min() < -0.1


def test_published_corridor_predicts_moving_obstacles():
    still = sub_corridor(hall(), [(5.0, 0.4, 0.3)], published=True)
    moving = [Disc((5.0, -4.6), 0.3, velocity=(0.0, 1.0))]  # 0.4 m above the backbone after 5 s
    met = sub_corridor(hall(), moving, speed=1.0, published=True)
    k = 20  # at x = 5
    assert met.balls[k] == pytest.approx(still.balls[k])
