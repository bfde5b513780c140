"""Speed of a camera: limits in bends and the fastest motion (voronoi-roadmaps-2004, section 4.1).

Figure 11 of the paper is a speed diagram.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2
from footway.errors import BadQuery
from footway.validation import FARTHEST, floats, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from footway.arrays import Bools, Floats, Ints
    from footway.camera.curve import Curve

    Turning = Callable[[Floats, Floats], Floats]

LEAST, MOST = 1e-6, 1e6
"""Range of all bounds of a camera, in m and s; beyond it 64-bit floats lose precision."""

ROUNDING = 1e-12  # share of the length below which a phase is a rounding error

_HALVINGS = 12  # bisections in the search for an eased limit: 0.03 % of the speed


class SpeedDiagram:
    """The fastest motion along a curve with a speed limit on each piece.

    The square of the speed is linear in the arc length between knots, so everything has a closed
    form. At every arc length s it is the greatest that any motion can have:

        v(s)^2 = min(limit(s)^2, limit(r)^2 + 2 a (s - r) for all r < s,
                                 limit(r)^2 + 2 d (r - s) for all r > s)

    for acceleration a and deceleration d. A faster motion would violate one of these bounds, and
    this one violates none: it is time-optimal. The speeds at both ends are limits there.

    Args:
        breaks: (n + 1,) m, ascending from 0: arc lengths at which the limit changes.
        limits: (n,) m/s, positive: greatest speed on each piece.
        acceleration: greatest, m/s^2.
        deceleration: greatest, m/s^2.
        break_limits: (n + 1,) m/s: greatest speed at the breaks; 0 where the camera stops.
        start_speed: m/s, greatest speed at the start.
        end_speed: m/s, greatest speed at the end.

    Attributes:
        knots: (k,) m. Arc lengths at which the acceleration changes.
        speeds: (k,) m/s. Speeds at the knots.
        times: (k,) s. Times at the knots.
        accelerations: (k - 1,) m/s^2. Accelerations between knots.

    Example:
        >>> diagram = SpeedDiagram([0, 4, 5, 9], [1.4, 0.4, 1.4], acceleration=0.5)
        >>> round(float(diagram.speed_at(4.5)), 3), round(diagram.duration, 2)
        (0.4, 12.44)
    """

    def __init__(
        self,
        breaks: ArrayLike,
        limits: ArrayLike,
        *,
        acceleration: float = 0.5,
        deceleration: float = 0.5,
        break_limits: ArrayLike | None = None,
        start_speed: float = 0.0,
        end_speed: float = 0.0,
    ) -> None:
        self.breaks, self.limits, self.break_limits = _checked(breaks, limits, break_limits)
        self.acceleration = number(
            acceleration, "acceleration", "m/s^2", above=0.0, low=LEAST, high=MOST
        )
        self.deceleration = number(
            deceleration, "deceleration", "m/s^2", above=0.0, low=LEAST, high=MOST
        )
        start = number(start_speed, "start speed", "m/s", low=0.0, high=MOST)
        end = number(end_speed, "end speed", "m/s", low=0.0, high=MOST)
        most = self.break_limits.copy()
        most[:-1] = np.minimum(most[:-1], self.limits)
        most[1:] = np.minimum(most[1:], self.limits)
        most[0], most[-1] = min(most[0], start), min(most[-1], end)
        size = np.diff(self.breaks)
        forward = _reached(most**2, 2.0 * self.acceleration * size)
        backward = _reached(forward[::-1], 2.0 * self.deceleration * size[::-1])
        self._set_knots(backward[::-1])

    def _set_knots(self, squares_at_breaks: Floats) -> None:
        """Split every piece into speeding up, constant speed at the limit, and slowing down.

        `squares_at_breaks` (n + 1,) are the squared speeds at the breaks.
        """
        first, last, top = squares_at_breaks[:-1], squares_at_breaks[1:], self.limits**2
        a, d, size = self.acceleration, self.deceleration, np.diff(self.breaks)
        rise, fall = (top - first) / (2.0 * a), (top - last) / (2.0 * d)
        meet = np.clip((last - first + 2.0 * d * size) / (2.0 * (a + d)), 0.0, size)
        is_peak = rise + fall > size
        up = np.where(is_peak, meet, np.clip(rise, 0.0, size))
        down = np.clip(fall, 0.0, size)
        peak = np.minimum(top, np.where(is_peak, first + 2.0 * a * up, top))
        start, end = self.breaks[:-1], self.breaks[1:]
        risen = np.minimum(start + up, end)
        falls = np.where(is_peak, risen, np.maximum(risen, end - down))
        knots = np.column_stack([start, risen, falls]).ravel()
        squares = np.column_stack([first, peak, peak]).ravel()
        rates = np.tile([a, 0.0, -d], len(size))
        knots, squares = np.append(knots, self.breaks[-1]), np.append(squares, last[-1])
        kept = np.diff(knots) > ROUNDING * max(1.0, self.length)
        kept[0] = knots[1] > 0.0
        ends = np.append(kept, True)  # a phase of length 0 gets the speed of the next one
        self.knots, self.accelerations = knots[ends], rates[kept]
        speeds = np.sqrt(squares)
        pace = speeds[:-1] + speeds[1:]
        lasting = 2.0 * np.diff(knots) / np.where(pace > 0.0, pace, 1.0)
        self.speeds, self.times = speeds[ends], np.append(0.0, np.cumsum(lasting))[ends]

    @property
    def length(self) -> float:
        """Length of the curve, m."""
        return float(self.breaks[-1])

    @property
    def duration(self) -> float:
        """Duration, s."""
        return float(self.times[-1])

    def limit_at(self, s: ArrayLike) -> Floats:
        """Return the speed limit at arc lengths s, m/s; at a break the least around it."""
        s = np.clip(_places(s, "arc lengths"), 0.0, self.length)
        right = np.searchsorted(self.breaks, s, side="right") - 1
        left = np.searchsorted(self.breaks, s, side="left") - 1
        n = len(self.limits)
        beside = np.minimum(
            self.limits[np.clip(left, 0, n - 1)], self.limits[np.clip(right, 0, n - 1)]
        )
        here = self.breaks[right] == s
        return np.where(here, np.minimum(beside, self.break_limits[right]), beside)

    def speed_at(self, s: ArrayLike) -> Floats:
        """Return the speed at arc lengths s, m/s."""
        s = np.clip(_places(s, "arc lengths"), 0.0, self.length)
        k = self._phase(self.knots, s)
        u = s - self.knots[k]
        square = np.square(self.speeds[k]) + 2.0 * self.accelerations[k] * u
        speed: Floats = np.sqrt(np.maximum(square, 0.0))
        return np.where(s == self.knots[k + 1], self.speeds[k + 1], speed)

    def time_at(self, s: ArrayLike) -> Floats:
        """Return the time (s) at arc lengths s (m)."""
        s = np.clip(_places(s, "arc lengths"), 0.0, self.length)
        k = self._phase(self.knots, s)
        pace = self.speeds[k] + self.speed_at(s)
        time: Floats = self.times[k] + 2.0 * (s - self.knots[k]) / np.where(pace > 0.0, pace, 1.0)
        return np.where(s == self.knots[k + 1], self.times[k + 1], time)

    def distance_at(self, t: ArrayLike) -> Floats:
        """Return the arc length (m) at times t (s); t is clamped to the duration."""
        t = np.clip(_places(t, "times"), 0.0, self.duration)
        k = self._phase(self.times, t)
        u = t - self.times[k]
        s = self.knots[k] + (self.speeds[k] + 0.5 * self.accelerations[k] * u) * u
        s = np.where(t == self.times[k + 1], self.knots[k + 1], s)
        distance: Floats = np.clip(s, self.knots[k], self.knots[k + 1])
        return distance

    def speed_after(self, t: ArrayLike) -> Floats:
        """Return the speed at times t (s), m/s."""
        t = np.clip(_places(t, "times"), 0.0, self.duration)
        k = self._phase(self.times, t)
        speed: Floats = np.maximum(
            self.speeds[k] + self.accelerations[k] * (t - self.times[k]), 0.0
        )
        return np.where(t == self.times[k + 1], self.speeds[k + 1], speed)

    def _phase(self, knots: Floats, at: Floats) -> Ints:
        """Return the phase in which each value lies."""
        found = np.searchsorted(knots, at, side="right") - 1
        return np.clip(found, 0, len(self.accelerations) - 1)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "breaks": self.breaks.tolist(),
            "limits": self.limits.tolist(),
            "knots": self.knots.tolist(),
            "speeds": self.speeds.tolist(),
            "times": self.times.tolist(),
            "accelerations": self.accelerations.tolist(),
        }

    def __repr__(self) -> str:
        return f"SpeedDiagram({self.length:.2f} m in {self.duration:.2f} s)"


def _places(values: ArrayLike, name: str) -> Floats:
    """Return checked numbers of any shape, none of them NaN."""
    found = floats(values, "(n,)", name=name)
    if np.isnan(found).any():
        raise BadQuery(f"the {name} contain a NaN: give numbers")
    return found


def _reached(squares: Floats, gains: Floats) -> Floats:
    """Return the squared speeds (n + 1,) that are reached if each step gains at most `gains` (n,).

    Computed step by step: cumulative sums would lose precision on slow pieces after fast ones.
    """
    pairs = zip(squares[1:].tolist(), gains.tolist(), strict=True)
    found = accumulate(
        pairs, lambda square, step: min(step[0], square + step[1]), initial=float(squares[0])
    )
    return np.fromiter(found, np.float64, len(squares))


def _checked(
    breaks: ArrayLike, limits: ArrayLike, break_limits: ArrayLike | None
) -> tuple[Floats, Floats, Floats]:
    """Return the checked arrays of a speed diagram."""
    at = floats(breaks, "(n + 1,)", name="breaks of a speed diagram")
    most = floats(limits, "(n,)", name="limits of a speed diagram")
    there = np.full(at.shape, np.inf)
    if break_limits is not None:
        there = floats(break_limits, "(n + 1,)", name="limits at breaks of a speed diagram")
    if at.ndim != 1 or len(at) < 2 or most.shape != (len(at) - 1,) or there.shape != at.shape:
        raise BadQuery(
            f"a speed diagram has one break more than limits, not {at.shape} and {most.shape}"
        )
    if not (np.abs(at) <= FARTHEST).all() or at[0] != 0.0 or (np.diff(at) <= 0.0).any():
        raise BadQuery("the breaks of a speed diagram must ascend from 0 m")
    if not ((most >= LEAST * LEAST) & (most <= MOST)).all() or not (there >= 0.0).all():
        raise BadQuery(
            f"the limits of a speed diagram must be {LEAST * LEAST:g} to {MOST:g} m/s, not "
            f"{most.min():g} to {most.max():g}"
        )
    return at, most, there


# -- speed limits in bends ------------------------------------------------------------------


class Pace(NamedTuple):
    """Bounds of the motion of a camera."""

    speed: float  # m/s, greatest
    acceleration: float  # m/s^2
    deceleration: float  # m/s^2
    turn_rate: float  # rad/s
    look_ahead: float  # s
    arcs: str = "eased"  # or "strict": never faster than turn_rate times the radius on an arc


class Limits(NamedTuple):
    """Speed limits along a curve of n pieces."""

    pieces: Floats  # (n,) m/s
    breaks: Floats  # (n + 1,) m/s, at breaks: 0 at a halt, infinite without a corner


def speed_limits(curve: Curve, pace: Pace) -> Limits:
    """Return the speed limit on every piece of a curve, and at its breaks.

    On an arc of radius r the paper's limit is `turn_rate * r`. A shortest path has arcs as small as
    its disc, most of which turn by a few degrees only. The camera would slow down at each of them,
    although its view, which looks ahead, turns gently at any speed. So the limit of an arc is
    raised if, in the `look_ahead` seconds around it, the curve turns by so little that the view
    keeps the turn rate at any speed (44 degrees with the defaults), and the velocity changes by at
    most `acceleration * look_ahead`. A faster stretch between two slower ones that takes less than
    `look_ahead` gets the limit of its neighbours. With `arcs="strict"` no limit is raised, as in
    the paper.
    """
    turn_within = _turning_angles(curve)
    arcs = np.flatnonzero(curve.curvatures > 0.0)
    pieces = np.full(len(curve.starts), pace.speed)
    own = pace.turn_rate / curve.curvatures[arcs]
    pieces[arcs] = _eased(turn_within, curve.breaks[arcs], curve.breaks[arcs + 1], own, pace)
    breaks = np.full(len(curve.breaks), np.inf)
    corners = np.flatnonzero((curve.corners > 0.0) & ~curve.halts)
    # A corner of a sampled curve represents an arc between the midpoints of its two pieces.
    spread = 0.5 * (curve.lengths[corners - 1] + curve.lengths[corners])
    own = pace.turn_rate * spread / curve.corners[corners]
    at = curve.breaks[corners]
    breaks[corners] = _eased(turn_within, at, at, own, pace)
    breaks[curve.halts] = 0.0
    return _without_short_peaks(Limits(pieces, breaks), curve.lengths, pace.look_ahead)


def _turning_angles(curve: Curve) -> Turning:
    """Return a function of two arc lengths: the absolute angle by which the curve turns between.

    The angle is in rad and includes corners at both arc lengths, but no halts.
    """
    passed = np.where(curve.halts, 0.0, curve.corners)
    before = np.cumsum(passed[:-1]) + np.concatenate(
        [[0.0], np.cumsum(curve.curvatures * curve.lengths)[:-1]]
    )

    def up_to(s: Floats, side: Literal["left", "right"]) -> Floats:
        k = np.searchsorted(curve.breaks, s, side=side) - 1
        k = np.clip(k, 0, len(curve.curvatures) - 1)
        u = np.clip(s, 0.0, curve.breaks[-1]) - curve.breaks[k]
        turn: Floats = before[k] + curve.curvatures[k] * u
        return turn

    return lambda first, last: up_to(last, "right") - up_to(first, "left")


def _eased(turn_within: Turning, first: Floats, last: Floats, own: Floats, pace: Pace) -> Floats:
    """Return the limit of arcs from `first` to `last` (m): their own, or more for small turns."""
    if pace.arcs == "strict":
        return np.minimum(own, pace.speed)
    middle, change = 0.5 * (first + last), min(pace.acceleration, pace.deceleration)
    # At a corner of this angle, the view turns at the turn rate at any constant speed: the rate of
    # the chord in the middle is 2 tan(angle / 2) / look_ahead.
    most = 2.0 * atan2(0.5 * pace.turn_rate * pace.look_ahead, 1.0)

    def is_gentle(speed: Floats) -> Bools:
        window = speed * pace.look_ahead
        turn = np.maximum.reduce(
            [
                turn_within(first, first + window),
                turn_within(last - window, last),
                turn_within(middle - 0.5 * window, middle + 0.5 * window),
            ]
        )
        gentle: Bools = turn <= np.minimum(most, change * pace.look_ahead / speed)
        return gentle

    low = np.minimum(own, pace.speed)
    high = np.full(len(own), pace.speed)
    low = np.where(is_gentle(high), high, low)
    for _ in range(_HALVINGS if (low < high).any() else 0):
        speed = 0.5 * (low + high)
        gentle = is_gentle(speed)
        low, high = np.where(gentle, speed, low), np.where(gentle, high, speed)
    return low


def _without_short_peaks(limits: Limits, lengths: Floats, look_ahead: float) -> Limits:
    """Return the limits without faster stretches that are too short to be useful."""
    chain = np.empty(2 * len(lengths) + 1)
    chain[::2], chain[1::2] = limits.breaks, limits.pieces
    size = np.zeros(len(chain))
    size[1::2] = lengths
    while True:
        first = np.flatnonzero(np.concatenate([[True], np.diff(chain) != 0.0]))
        level, length = chain[first], np.add.reduceat(size, first)
        beside = np.maximum(level[:-2], level[2:])
        low = (level[1:-1] > beside) & (length[1:-1] < look_ahead * beside)
        if not low.any():
            break
        level[1:-1][low] = beside[low]
        chain = np.repeat(level, np.diff(np.concatenate([first, [len(chain)]])))
    return Limits(chain[1::2].copy(), chain[::2].copy())
