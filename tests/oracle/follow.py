"""The Corridor Map Method as the papers print it, one formula per function; and judges of walks.

Points are (d,) arrays in metres, balls (n, d + 1) arrays of centres B[t] and radii R[t], with d
2 or 3. Judges look at positions only, wherever positions are enough.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import shapely

from tests.oracle.corridor import depth, line_depth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    import footway as fw
    from tests.oracle.nearest import NearestWall

    Floats = NDArray[np.float64]

PATIENCE = 10.0
"""s. Time beyond that for the backbone: to get going, to turn, to stop."""

CHUNK = 16
"""Steps of a walk in one piece for the judge: short pieces have few walls around them."""


# -- cmm-2007 ------------------------------------------------------------------------------------


def attraction_index(x: ArrayLike, balls: Floats, radius: float, current: int = 0) -> int:
    """Largest t whose ball holds the disc, of all from the current one on; -1 for none (def. 5)."""
    gap = np.linalg.norm(balls[current:, :-1] - np.asarray(x), axis=1)
    holding = np.flatnonzero(gap < balls[current:, -1] - radius)
    return int(current + holding[-1]) if len(holding) else -1


def attraction_force(x: ArrayLike, ball: Floats, radius: float) -> Floats:
    """F_0 = f (alpha - x) / |alpha - x|, f = 1 / (R - r - d) - 1 / (R - r)."""
    toward = ball[:-1] - np.asarray(x)
    d = float(np.linalg.norm(toward))
    room = ball[-1] - radius
    f = 1.0 / (room - d) - 1.0 / room
    return np.asarray(f * toward / d) if d > 0 else np.zeros(len(toward))


def repulsive_force(
    x: ArrayLike, radius: float, disc: ArrayLike, disc_radius: float, k: float
) -> Floats:
    """F_i = k / (d_i - r_i - r) (x - O_i) / |x - O_i|."""
    away = np.asarray(x) - np.asarray(disc)
    d = float(np.linalg.norm(away))
    return np.asarray(k / (d - disc_radius - radius) * away / d)


def is_felt(x: ArrayLike, disc: ArrayLike, ball: Floats) -> bool:
    """Whether both the character and the obstacle are in the attraction point's ball."""
    centre = ball[:-1]
    near = [float(np.linalg.norm(np.asarray(p) - centre)) for p in (x, disc)]
    return max(near) < ball[-1]


def shortcut_force(x: ArrayLike, second: ArrayLike) -> Floats:
    """F_s = (alpha(x, dt) - x) / |alpha(x, dt) - x|."""
    toward = np.asarray(second, dtype=float) - np.asarray(x)
    return np.asarray(toward / np.linalg.norm(toward))


def is_valid(x: ArrayLike, second: ArrayLike, balls: Floats, radius: float) -> bool:
    """Whether the disc, moved straight to a second attraction point, stays inside the corridor."""
    length = float(np.linalg.norm(np.asarray(second) - np.asarray(x)))
    return line_depth(x, second, balls, radius, count=math.ceil(length / 0.01) + 1) > 0.0


def shortcut_index(x: ArrayLike, balls: Floats, radius: float, current: int, furthest: int) -> int:
    """Largest valid index from `furthest` down to the attraction point's, one by one."""
    for index in range(furthest, current, -1):
        if is_valid(x, balls[index, :-1], balls, radius):
            return index
    return current


# -- cmm-crowds-2008, section 3 ------------------------------------------------------------------


def turned(toward: ArrayLike, angle: float) -> Floats:
    """R(theta) v / |v| in the plane; positive angles are to the left."""
    x, y = np.asarray(toward, dtype=float) / np.linalg.norm(toward)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * x - s * y, s * x + c * y])


def random_force(x: ArrayLike, alpha: ArrayLike, angle: float, strength: float) -> Floats:
    """F_rand = c_rand R(theta) (alpha - x) / |alpha - x|, theta from -pi/2 to pi/2."""
    return strength * turned(np.asarray(alpha) - np.asarray(x), angle)


def lane_force(x: ArrayLike, ball: Floats, radius: float, k: float) -> Floats:
    """F_perp: c_perp = k (R - 2 r) / d, a quarter turn to the left for positive k."""
    toward = ball[:-1] - np.asarray(x)
    strength = k * (ball[-1] - 2.0 * radius) / float(np.linalg.norm(toward))
    return strength * turned(toward, math.pi / 2)


# -- judges --------------------------------------------------------------------------------------


def assert_walk(walk: fw.follow.Walk, *, turn_rate: float = math.pi) -> None:
    """Whatever the forces did: the kinematics of a walk, and that it is smooth and arrives."""
    points, velocities, times = walk.points, walk.velocities, walk.times
    assert points.shape == velocities.shape == (len(times), walk.dimension)
    assert np.isfinite(points).all()
    assert np.isfinite(velocities).all()
    assert (tuple(points[0]), tuple(points[-1])) == (walk.start, walk.goal)
    assert_times(walk)
    # A fused multiplication and addition rounds once, NumPy twice.
    last_bit = 2.0 * np.spacing(np.abs(points).max())
    off = np.abs(points[:-1] + velocities[:-1] * lasting(walk)[:, None] - points[1:]).max(initial=0)
    assert off <= last_bit, f"{walk}: velocities lead {off} m off the points"
    fastest = np.linalg.norm(velocities, axis=1).max()
    assert fastest <= walk.speed * (1 + 1e-12), f"{walk}: {fastest} m/s"
    assert not velocities[-1].any(), f"{walk}: does not stand on the goal"
    turn = worst_turn(points)
    assert turn <= turn_rate * walk.step + 1e-9, f"{walk}: turns by {turn} in one step"
    most = 3.0 * walk.corridor.length / walk.speed + PATIENCE
    assert walk.duration <= most, f"{walk}: more than {most} s"


def lasting(walk: fw.follow.Walk) -> Floats:
    """Seconds that each step takes, (n - 1,): all the same, but the last may be shorter."""
    steps = np.full(len(walk.times) - 1, walk.step)
    steps[-1:] = np.diff(walk.times)[-1:] if len(steps) and shorter_end(walk) else walk.step
    return steps


def shorter_end(walk: fw.follow.Walk) -> bool:
    """Whether the last step is cut; times are sums, so the last bits do not say."""
    return bool(np.diff(walk.times)[-1] < walk.step * (1 - 1e-6))


def assert_times(walk: fw.follow.Walk) -> None:
    """Samples are one step apart; the last step may be shorter."""
    assert walk.times[0] == 0.0
    assert walk.times[-1] == walk.duration
    between = np.diff(walk.times)
    assert (between > 0).all()
    np.testing.assert_allclose(between[:-1], walk.step, rtol=0, atol=1e-9)
    assert between[-1:].max(initial=0) <= walk.step + 1e-9


def assert_stops_without_circling(walk: fw.follow.Walk) -> None:
    """In the ball around the goal it comes nearer with every step, and never goes around it."""
    radius = min(2.0, float(walk.corridor.radii[-1]) - walk.radius)
    distance = np.linalg.norm(walk.points - walk.points[-1], axis=1)
    outside = np.flatnonzero(distance >= radius)
    rise = rises(distance[outside[-1] + 1 :] if len(outside) else distance)
    # A character that turns in a millimetre of room may be off by less than can be seen.
    assert rise <= 1e-6, f"{walk}: goes {rise} m away from the goal again"
    around = winding(last_metres(walk.points, 2.0)[:, :2], walk.goal[:2])
    assert around < 2 * math.pi, f"{walk}: circles the goal by {around}"


def worst_turn(points: Floats) -> float:
    """Largest change of heading from one step of a walk to the next, radians, rounding taken off.

    Over a pause of n steps the heading may change n times as much.
    """
    steps = np.diff(points, axis=0)
    length = np.linalg.norm(steps, axis=1)
    moving = np.flatnonzero(length > 0)
    if len(moving) < 2:
        return 0.0
    # Each coordinate is rounded to its last bit; that turns a step of nanometres by much.
    rounding = 4.0 * np.spacing(np.abs(points).max()) / length[moving]
    turn = angles(steps[moving[:-1]], steps[moving[1:]]) - rounding[:-1] - rounding[1:]
    return float((turn / np.diff(moving)).max())


def angles(a: Floats, b: Floats) -> Floats:
    """Angle between vectors, (n,) radians from 0 to pi; exact also for tiny ones."""
    one = a / np.linalg.norm(a, axis=1)[:, None]
    other = b / np.linalg.norm(b, axis=1)[:, None]
    apart = np.linalg.norm(one - other, axis=1)
    along = np.linalg.norm(one + other, axis=1)
    return np.asarray(2.0 * np.arctan2(apart, along))


def gap_to_walls(walls: NearestWall, points: Floats) -> float:
    """Least distance of a polyline (n, 2) to any wall, m, by Shapely."""
    return float(walls.of(chunks(points)).min())


def comes_within(walls: NearestWall, points: Floats, distance: float) -> bool:
    """Whether a polyline comes within a distance of some wall: quicker than to measure it."""
    near = walls._tree.query(chunks(points), predicate="dwithin", distance=distance)
    return bool(near.size)


def chunks(points: Floats) -> NDArray[np.object_]:
    """A polyline in short pieces that share their ends."""
    count = max(1, math.ceil((len(points) - 1) / CHUNK))
    index = CHUNK * np.arange(count)[:, None] + np.arange(CHUNK + 1)
    return np.asarray(shapely.linestrings(points[np.minimum(index, len(points) - 1)]))


def gap_to_discs(points: Floats, radius: float, discs: Iterable[tuple[ArrayLike, float]]) -> float:
    """Least distance between a disc on a polyline and discs at rest (centre, radius), m."""
    found = [
        segment_distance(points, np.asarray(centre, dtype=float)) - size - radius
        for centre, size in discs
    ]
    return min(found, default=math.inf)


def segment_distance(points: Floats, centre: Floats) -> float:
    """Least distance of a polyline (n, d) to a point, m."""
    start, along = points[:-1], np.diff(points, axis=0)
    squared = (along**2).sum(axis=1)
    share = ((centre - start) * along).sum(axis=1) / np.where(squared > 0, squared, 1.0)
    foot = start + np.clip(share, 0.0, 1.0)[:, None] * along
    return float(np.linalg.norm(foot - centre, axis=1).min())


def gap_to_moving(
    points: Floats,
    times: Floats,
    radius: float,
    discs: Iterable[tuple[ArrayLike, float, ArrayLike]],
) -> float:
    """Least distance between a walker and moving discs (centre, radius, velocity), m.

    Seen from a moving disc, a walk with straight steps is one as well.
    """
    found = [
        segment_distance(points - times[:, None] * np.asarray(velocity), np.asarray(centre, float))
        - size
        - radius
        for centre, size, velocity in discs
    ]
    return min(found, default=math.inf)


def least_depth(points: Floats, balls: Floats, radius: float) -> float:
    """Least depth of a disc in the corridor, over the points of a polyline, m."""
    rows = range(0, len(points), 256)
    return min(float(depth(points[i : i + 256], balls, radius).min()) for i in rows)


def rises(distance: Floats) -> float:
    """Most by which a sequence rises above its least value so far."""
    return float((distance - np.minimum.accumulate(distance)).max())


def winding(points: Floats, centre: ArrayLike) -> float:
    """How far a walk in the plane turns about a point, radians: 2 pi is once around it."""
    away = points - np.asarray(centre)
    away = away[np.linalg.norm(away, axis=1) > 1e-9]
    angle = np.unwrap(np.arctan2(away[:, 1], away[:, 0]))
    return float(np.abs(angle - angle[:1]).max(initial=0.0))


def last_metres(points: Floats, metres: float) -> Floats:
    """The end of a polyline: its points within this distance of the last, along it."""
    step = np.linalg.norm(np.diff(points, axis=0), axis=1)
    to_go = np.concatenate([np.cumsum(step[::-1])[::-1], [0.0]])
    return points[to_go <= metres]
