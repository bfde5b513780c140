"""Speed limits of a camera where its course turns (voronoi-roadmaps-2004, section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.camera.course import Course

    Floats = NDArray[np.float64]

LEAST, MOST = 1e-6, 1e6
"""Range of all bounds of a camera, in m and s; beyond it 64-bit floats lose precision."""

_HALVINGS = 12  # bisections in the search for an eased limit: 0.03 % of the speed


class Pace(NamedTuple):
    """Bounds of the motion of a camera."""

    speed: float  # m/s, greatest
    acceleration: float  # m/s^2
    deceleration: float  # m/s^2
    turn_rate: float  # rad/s
    look_ahead: float  # s


class Limits(NamedTuple):
    """Speed limits along a course of n pieces."""

    pieces: Floats  # (n,) m/s
    breaks: Floats  # (n + 1,) m/s, at breaks: 0 at a halt, infinite without a corner


def speed_limits(course: Course, pace: Pace) -> Limits:
    """Return the speed limit on every piece of a course, and at its breaks.

    On an arc of radius r the paper's limit is `turn_rate * r`. A shortest path has arcs as small as
    its disc, most of which turn by a few degrees only. The camera would slow down at each of them,
    although its view, which looks ahead, turns gently at any speed. So the limit of an arc is
    raised if, in the `look_ahead` seconds around it, the course turns by so little that the view
    keeps the turn rate at any speed (44 degrees with the defaults), and the velocity changes by at
    most `acceleration * look_ahead`. A faster stretch between two slower ones that takes less than
    `look_ahead` gets the limit of its neighbours.
    """
    turns = _Turns(course)
    arcs = np.flatnonzero(course.curvatures > 0.0)
    pieces = np.full(len(course.starts), pace.speed)
    own = pace.turn_rate / course.curvatures[arcs]
    pieces[arcs] = _eased(turns, course.breaks[arcs], course.breaks[arcs + 1], own, pace)
    breaks = np.full(len(course.breaks), np.inf)
    corners = np.flatnonzero((course.corners > 0.0) & ~course.halts)
    # A corner of a sampled curve represents an arc between the midpoints of its two pieces.
    spread = 0.5 * (course.lengths[corners - 1] + course.lengths[corners])
    own = pace.turn_rate * spread / course.corners[corners]
    at = course.breaks[corners]
    breaks[corners] = _eased(turns, at, at, own, pace)
    breaks[course.halts] = 0.0
    return _without_short_peaks(Limits(pieces, breaks), course.lengths, pace.look_ahead)


class _Turns:
    """Total absolute turning angle of a course up to an arc length."""

    def __init__(self, course: Course) -> None:
        self._breaks, self._curvatures = course.breaks, course.curvatures
        passed = np.where(course.halts, 0.0, course.corners)
        self._before = np.cumsum(passed[:-1]) + np.concatenate(
            [[0.0], np.cumsum(course.curvatures * course.lengths)[:-1]]
        )

    def within(self, first: Floats, last: Floats) -> Floats:
        """Return the turning angle between two arc lengths, rad, including corners at both."""
        return self._up_to(last, "right") - self._up_to(first, "left")

    def _up_to(self, s: Floats, side: str) -> Floats:
        k = np.searchsorted(self._breaks, s, side=side) - 1  # type: ignore[call-overload]
        k = np.clip(k, 0, len(self._curvatures) - 1)
        u = np.clip(s, 0.0, self._breaks[-1]) - self._breaks[k]
        turn: Floats = self._before[k] + self._curvatures[k] * u
        return turn


def _eased(turns: _Turns, first: Floats, last: Floats, own: Floats, pace: Pace) -> Floats:
    """Return the limit of arcs from `first` to `last` (m): their own, or more for small turns."""
    middle, change = 0.5 * (first + last), min(pace.acceleration, pace.deceleration)
    # At a corner of this angle, the view turns at the turn rate at any constant speed: the rate of
    # the chord in the middle is 2 tan(angle / 2) / look_ahead.
    most = 2.0 * atan2(0.5 * pace.turn_rate * pace.look_ahead, 1.0)

    def is_gentle(speed: Floats) -> NDArray[np.bool_]:
        window = speed * pace.look_ahead
        turn = np.maximum.reduce(
            [
                turns.within(first, first + window),
                turns.within(last - window, last),
                turns.within(middle - 0.5 * window, middle + 0.5 * window),
            ]
        )
        gentle: NDArray[np.bool_] = turn <= np.minimum(most, change * pace.look_ahead / speed)
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
