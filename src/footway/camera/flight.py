"""Motion along a course in time: legs that follow the speed diagram, and stays between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.camera.limits import speed_limits
from footway.camera.look import Gaze, LookAhead, Turn, as_gaze, in_space, turn_between
from footway.camera.speed import SpeedDiagram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from footway.camera.course import Course
    from footway.camera.limits import Pace

    Floats = NDArray[np.float64]

_STILL = 1e-6  # rad. Smaller turns are ignored


class HaltRequest(NamedTuple):
    """Requested behaviour of the camera at a halt."""

    dwell: float = 0.0  # s
    look_at: Floats | None = None  # (3,) m


class Moments(NamedTuple):
    """Position and view direction of a camera at n times."""

    times: Floats  # (n,) s
    positions: Floats  # (n, 3) m
    directions: Floats  # (n, 3) unit
    speeds: Floats  # (n,) m/s
    arc_lengths: Floats  # (n,) m


class Stay(NamedTuple):
    """Stay at a halt: the camera turns to its target, rests, and turns to the next leg."""

    arrival: Turn
    dwell: float  # s
    departure: Turn

    @property
    def duration(self) -> float:
        """In seconds."""
        return self.arrival.duration + self.dwell + self.departure.duration

    def directions(self, t: Floats) -> Floats:
        """Return the view direction (n, 3) t seconds (n,) after the arrival."""
        leaving = self.arrival.duration + self.dwell
        return np.where(
            (t < leaving)[:, None],
            self.arrival.directions(t),
            self.departure.directions(t - leaving),
        )


class Flight:
    """A camera's motion along a course, exact at any time."""

    def __init__(
        self, course: Course, pace: Pace, *, height: float, requests: Mapping[int, HaltRequest]
    ) -> None:
        """Plan the motion; keys of `requests` are halts, counted from 0, the start, to the end."""
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
        self._ahead = LookAhead(course, self.diagram, pace.look_ahead)
        count = len(self._ahead.ends)
        self.stays = [self._stay(k, requests.get(k, HaltRequest()), pace) for k in range(count)]
        waits = np.array([stay.duration for stay in self.stays])
        self._waited = np.cumsum(waits)
        self.departures = self._ahead.times + self._waited
        """(k,) s. Departure from the start, every halt, and the end."""
        self.arrivals = self.departures - waits
        """(k,) s. Arrival at each of them."""

    @property
    def duration(self) -> float:
        """Duration including all stays, s."""
        return float(self.departures[-1])

    def at(self, t: Floats) -> Moments:
        """Return the position and view of the camera at times t (n,), s."""
        t = np.clip(t, 0.0, self.duration)
        k = np.searchsorted(self.arrivals, t, side="right") - 1  # the last halt that was reached
        rests = t < self.departures[k]
        times, last = self._ahead.times, len(self.stays) - 1
        # Rounding must not move the camera into another leg.
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
        """Return the time (s) at which the camera passes an arc length; at a halt its arrival."""
        k = int(np.searchsorted(self._ahead.ends, s, side="right")) - 1
        if s == self._ahead.ends[k]:
            return float(self.arrivals[k])
        return float(self.diagram.time_at(s) + self._waited[k])

    def _eye(self, s: Floats) -> Floats:
        place = in_space(self.course.position(s))
        place[:, 2] += self._height
        return place

    def _stay(self, k: int, request: HaltRequest, pace: Pace) -> Stay:
        """Plan the stay at halt k."""
        last = len(self._ahead.ends) - 1
        before = self._ahead.arrival(k - 1) if k > 0 else None
        after = self._ahead.departure(k) if k < last else None
        if request.look_at is not None:
            eye = self._eye(self._ahead.ends[k : k + 1])[0]
            keep = (before or after or Gaze(0.0, 0.0)).heading
            rest = as_gaze(request.look_at - eye, heading=keep)
        elif before is not None:
            rest = before
        else:
            tangent = self.course.tangent(self._ahead.ends[k : k + 1])
            rest = after if request.dwell == 0.0 and after else as_gaze(in_space(tangent)[0])
        arrival = departure = Turn(rest, rest, 0.0)
        if before is not None:
            arrival = _turn(before, rest, pace.turn_rate)
        has_request = request.dwell != 0.0 or request.look_at is not None
        if k < last and (before is not None or has_request):
            departure = _turn(rest, after or rest, pace.turn_rate)
        return Stay(arrival, request.dwell, departure)


def _turn(first: Gaze, last: Gaze, turn_rate: float) -> Turn:
    turn = turn_between(first, last, turn_rate)
    angle = abs(turn.last.heading - first.heading) + abs(turn.last.pitch - first.pitch)
    rate = abs(last.heading_rate) + abs(last.pitch_rate)
    return turn._replace(duration=0.0) if angle + rate < _STILL else turn
