"""A course in time: legs that follow the speed diagram, and stays between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.camera.limits import speed_limits
from footway.camera.look import Ahead, Gaze, Turn, as_gaze, in_space, turn_between
from footway.camera.speed import SpeedDiagram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from footway.camera.course import Course
    from footway.camera.limits import Pace

    Floats = NDArray[np.float64]

_STILL = 1e-6  # rad. A turn of less is none


class Wish(NamedTuple):
    """What the camera is to do where it stands."""

    dwell: float = 0.0  # s
    look_at: Floats | None = None  # (3,) m


class Moments(NamedTuple):
    """Where a camera is and looks, at n times."""

    times: Floats  # (n,) s
    positions: Floats  # (n, 3) m
    directions: Floats  # (n, 3) unit
    speeds: Floats  # (n,) m/s
    arc_lengths: Floats  # (n,) m


class Stay(NamedTuple):
    """What the camera does where it stands: it turns, rests and turns away."""

    arrival: Turn
    dwell: float  # s
    departure: Turn

    @property
    def duration(self) -> float:
        """In seconds."""
        return self.arrival.duration + self.dwell + self.departure.duration

    def directions(self, t: Floats) -> Floats:
        """(n, 3) unit. Where the camera looks t seconds (n,) after it came."""
        leaving = self.arrival.duration + self.dwell
        return np.where(
            (t < leaving)[:, None],
            self.arrival.directions(t),
            self.departure.directions(t - leaving),
        )


class Flight:
    """A camera's motion along a course, exact at any time."""

    def __init__(
        self, course: Course, pace: Pace, *, height: float, wishes: Mapping[int, Wish]
    ) -> None:
        """Plan the motion; `wishes` are by halt: 0 for the start, then each halt, then the end."""
        self.pace = pace
        limits = speed_limits(course, pace)
        self.course, self._height = course, height if course.dimension == 2 else 0.0
        self.diagram = SpeedDiagram(
            course.breaks,
            limits.pieces,
            break_limits=limits.breaks,
            acceleration=pace.acceleration,
            deceleration=pace.deceleration,
        )
        self._ahead = Ahead(course, self.diagram, pace.look_ahead)
        count = len(self._ahead.ends)
        self.stays = [self._stay(k, wishes.get(k, Wish()), pace) for k in range(count)]
        waits = np.array([stay.duration for stay in self.stays])
        self._waited = np.cumsum(waits)
        self.departures = self._ahead.times + self._waited
        """(k,) s. When the camera leaves the start, every halt, and the end."""
        self.arrivals = self.departures - waits
        """(k,) s. When it comes there."""

    @property
    def duration(self) -> float:
        """In seconds, with all stays."""
        return float(self.departures[-1])

    def at(self, t: Floats) -> Moments:
        """Return where the camera is and looks at times t (n,), s."""
        t = np.clip(t, 0.0, self.duration)
        k = np.searchsorted(self.arrivals, t, side="right") - 1  # the last halt that was reached
        rests = t < self.departures[k]
        times, last = self._ahead.times, len(self.stays) - 1
        # Rounding takes nobody from one leg to another.
        moving = np.clip(t - self._waited[k], times[k], times[np.minimum(k + 1, last)])
        s = np.where(rests, self._ahead.ends[k], self.diagram.distance_at(moving))
        directions = self._ahead.directions(moving, np.minimum(k, last - 1))
        for halt in np.unique(k[rests]):
            here = rests & (k == halt)
            directions[here] = self.stays[halt].directions(t[here] - self.arrivals[halt])
        if self.stays[-1].duration > 0.0:
            over = t >= self.duration
            directions[over] = self.stays[-1].directions(np.full(over.sum(), np.inf))
        speeds = np.where(rests, 0.0, self.diagram.speed_after(moving))
        return Moments(t, self._eye(s), directions, speeds, s)

    def time_of(self, s: float) -> float:
        """Time at which the camera passes an arc length, s; the arrival at a halt."""
        k = int(np.searchsorted(self._ahead.ends, s, side="right")) - 1
        if s == self._ahead.ends[k]:
            return float(self.arrivals[k])
        return float(self.diagram.time_at(s) + self._waited[k])

    def _eye(self, s: Floats) -> Floats:
        place = in_space(self.course.position(s))
        place[:, 2] += self._height
        return place

    def _stay(self, k: int, wish: Wish, pace: Pace) -> Stay:
        """What the camera does at halt k."""
        last = len(self._ahead.ends) - 1
        came = self._ahead.arrival(k - 1) if k > 0 else None
        goes = self._ahead.departure(k) if k < last else None
        if wish.look_at is not None:
            eye = self._eye(self._ahead.ends[k : k + 1])[0]
            keep = (came or goes or Gaze(0.0, 0.0)).heading
            rest = as_gaze(wish.look_at - eye, heading=keep)
        elif came is not None:
            rest = came
        else:
            tangent = self.course.tangent(self._ahead.ends[k : k + 1])
            rest = goes if wish.dwell == 0.0 and goes else as_gaze(in_space(tangent)[0])
        arrival = _turn(came, rest, pace.turn_rate) if came is not None else Turn(rest, rest, 0.0)
        no_wish = wish.dwell == 0.0 and wish.look_at is None
        no_way_on = k == last or (came is None and no_wish)
        departure = (
            Turn(rest, rest, 0.0) if no_way_on else _turn(rest, goes or rest, pace.turn_rate)
        )
        return Stay(arrival, wish.dwell, departure)


def _turn(first: Gaze, last: Gaze, turn_rate: float) -> Turn:
    turn = turn_between(first, last, turn_rate)
    angle = abs(turn.last.heading - first.heading) + abs(turn.last.pitch - first.pitch)
    rate = abs(last.heading_rate) + abs(last.pitch_rate)
    return turn._replace(duration=0.0) if angle + rate < _STILL else turn
