"""Motions of cameras along paths through a building, over stairs and in lifts.

Each walked part of a path is a motion in plan (`Flight`) whose speed along the slope keeps the
bound. The eye is above the floor; its height is averaged over half a metre, so that it changes
smoothly where stairs begin. Between parts the camera stands in a lift and turns to where it leaves.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2, cos, hypot, sin
from footway.camera.look import Gaze, Turn, as_directions, as_gaze, turn_between
from footway.camera.motion import CameraMotion, Flight, Moments, Stay, frame_times, plan_curve
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Bools, Floats
    from footway.camera.curve import Curve
    from footway.camera.speed import Pace
    from footway.corridor.building.path import BuildingPath
    from footway.environment import Building

_HALF = 0.25  # m in plan; the eye's height is averaged over twice this length
_LEAST = 0.05  # m in plan; least distance at which the camera looks ahead for its pitch


class Ground(NamedTuple):
    """Heights of the floor along a walked part, by arc length in plan."""

    at: Floats  # (k,) m
    heights: Floats  # (k,) m
    lengths: Floats  # (k,) m along the slope

    def smooth(self, s: Floats) -> Floats:
        """Return heights at arc lengths s (n,), averaged over half a metre, (n,) m."""
        rise = 0.5 * (self.heights[1:] + self.heights[:-1]) * np.diff(self.at)
        whole = np.concatenate([[0.0], np.cumsum(rise)])
        return (self._sum(s + _HALF, whole) - self._sum(s - _HALF, whole)) / (2.0 * _HALF)

    def _sum(self, s: Floats, whole: Floats) -> Floats:
        """Return the integral of the heights from 0 to s; level beyond both ends."""
        inside = np.clip(s, 0.0, self.at[-1])
        k = np.clip(np.searchsorted(self.at, inside, side="right") - 1, 0, len(self.at) - 2)
        u = inside - self.at[k]
        step = np.maximum(self.at[k + 1] - self.at[k], 1e-12)
        slope = (self.heights[k + 1] - self.heights[k]) / step
        found: Floats = whole[k] + u * (self.heights[k] + 0.5 * slope * u)
        found += np.minimum(s, 0.0) * self.heights[0]
        found += np.maximum(s - self.at[-1], 0.0) * self.heights[-1]
        return found


class TimedWalk(NamedTuple):
    """A walked part in time."""

    begin: float  # s
    flight: Flight
    ground: Ground
    before: float  # m walked before it, along the slope

    @property
    def end(self) -> float:
        """Time at which it ends, s."""
        return self.begin + self.flight.duration


class Pause(NamedTuple):
    """Standing in a lift, or at a stop."""

    begin: float  # s
    stay: Stay
    place: Floats  # (2,) m
    low: float  # m, height of the eye at its begin
    high: float  # m, at its end

    @property
    def end(self) -> float:
        """Time at which it ends, s."""
        return self.begin + self.stay.duration


class Wait(NamedTuple):
    """A pause that is requested between two parts."""

    seconds: float
    rise: float = 0.0  # m
    look_at: Floats | None = None  # (3,) m


class BuildingMotion:
    """A camera's motion through a building: parts and pauses alternately, exact at any time."""

    def __init__(
        self,
        parts: Sequence[tuple[Curve, Ground]],
        waits: Sequence[Wait],
        pace: Pace,
        height: float,
    ) -> None:
        """Plan the motion; `waits` are before the first part, between parts, and at the end."""
        assert len(waits) == len(parts) + 1
        self._height, self._ahead = height, pace.look_ahead
        flights = []
        for curve, ground in parts:
            whole, slower = _split(curve, ground)
            flights.append(Flight(whole, pace, height=0.0, requests={}, slower=slower))
        self.walks: list[TimedWalk] = []
        self.pauses: list[Pause] = []
        now = walked = 0.0
        for k, wait in enumerate(waits):
            before = self._gaze(self.walks[-1], at_end=True) if self.walks else None
            after = None
            if k < len(parts):
                walk = TimedWalk(now, flights[k], parts[k][1], walked)
                after = self._gaze(walk, at_end=False)
            curve, ground = parts[min(k, len(parts) - 1)]
            place = curve.position(0.0) if k < len(parts) else curve.goal
            floor = float(ground.smooth(ground.at[:1] if k < len(parts) else ground.at[-1:])[0])
            first = before or after or Gaze(0.0, 0.0)
            rest, last = first, after or first
            if wait.look_at is not None:
                eye = np.array([*place, floor - wait.rise + height])
                rest = as_gaze(wait.look_at - eye, heading=first.heading)
            elif before is None:
                rest = last
            arrival, departure = (turn_between(*pair, pace.turn_rate)
                                  for pair in ((first, rest), (rest, last)))  # fmt: skip
            if after is None and wait.look_at is not None:
                departure = Turn(rest, rest, 0.0)
            turns = arrival.duration + departure.duration
            dwell = max(wait.seconds - (turns if wait.rise else 0.0), 0.0)
            stay = Stay(arrival, dwell, departure)
            self.pauses.append(
                Pause(now, stay, np.asarray(place), floor - wait.rise + height, floor + height)
            )
            now = self.pauses[-1].end
            if k < len(parts):
                self.walks.append(TimedWalk(now, flights[k], parts[k][1], walked + abs(wait.rise)))
                now = self.walks[-1].end
                walked = self.walks[-1].before + float(parts[k][1].lengths[-1])

    @property
    def duration(self) -> float:
        """Duration including all pauses, s."""
        return self.pauses[-1].end

    def at(self, t: Floats) -> Moments:
        """Return the position and view of the camera at times t (n,), s."""
        t = np.clip(t, 0.0, self.duration)
        n = len(t)
        out = Moments(t, np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n), np.zeros(n))
        for k, pause in enumerate(self.pauses):
            here = (t >= pause.begin) & (t <= pause.end)
            self._stand(pause, here, t, self._walked_before(k), out)
        for walk in self.walks:
            here = (t > walk.begin) & (t < walk.end)
            if here.any():
                self._walk(walk, here, t, out)
        return out

    def _walked_before(self, k: int) -> float:
        if k == 0:
            return 0.0
        walk = self.walks[k - 1]
        return walk.before + float(walk.ground.lengths[-1])

    def _stand(self, pause: Pause, here: Bools, t: Floats, walked: float, out: Moments) -> None:
        since = t[here] - pause.begin
        share = since / pause.stay.duration if pause.stay.duration > 0.0 else np.ones(len(since))
        ease = share * share * (3.0 - 2.0 * share)
        rise = pause.high - pause.low
        out.positions[here] = np.column_stack(
            [np.tile(pause.place, (len(since), 1)), pause.low + ease * rise]
        )
        out.directions[here] = pause.stay.directions(since)
        slope = 6.0 * share * (1.0 - share) / max(pause.stay.duration, 1e-12)
        out.speeds[here] = np.abs(rise) * slope
        out.arc_lengths[here] = walked + ease * abs(rise)

    def _walk(self, walk: TimedWalk, here: Bools, t: Floats, out: Moments) -> None:
        since = t[here] - walk.begin
        moments = walk.flight.at(since)
        s, ground = moments.arc_lengths, walk.ground
        z = ground.smooth(s)
        out.positions[here] = np.column_stack([moments.positions[:, :2], z + self._height])
        out.directions[here] = self._directions(walk, since, moments)
        slope = (ground.smooth(s + 1e-3) - ground.smooth(s - 1e-3)) / 2e-3
        out.speeds[here] = moments.speeds * np.sqrt(1.0 + slope * slope)
        out.arc_lengths[here] = walk.before + np.interp(s, ground.at, ground.lengths)

    def _directions(self, walk: TimedWalk, since: Floats, moments: Moments) -> Floats:
        """Return the view directions (n, 3): ahead in plan, and up or down by the slope ahead."""
        s = moments.arc_lengths
        ahead = walk.flight.at(since + self._ahead).arc_lengths
        far = np.maximum(ahead - s, _LEAST)
        pitch = atan2(walk.ground.smooth(s + far) - walk.ground.smooth(s), far)
        x, y = moments.directions[:, :2].T
        return as_directions(np.array(atan2(y, x)), np.array(pitch))

    def _gaze(self, walk: TimedWalk, *, at_end: bool) -> Gaze:
        since = np.array([walk.flight.duration if at_end else 0.0])
        return as_gaze(self._directions(walk, since, walk.flight.at(since))[0])


def _split(curve: Curve, ground: Ground) -> tuple[Curve, Floats]:
    """Divide a curve where the slope changes; also return the share of the speed on each piece."""
    inner = ground.at[(ground.at > 1e-6) & (ground.at < curve.length - 1e-6)]
    cuts = np.unique(np.concatenate([curve.breaks, inner]))
    cuts = cuts[np.concatenate([[True], np.diff(cuts) > 1e-9])]
    middle = 0.5 * (cuts[1:] + cuts[:-1])
    k = curve.piece_at(middle)
    turned = (curve.curvatures[k] * np.maximum(cuts[:-1] - curve.breaks[k], 0.0))[:, None]
    tangents = cos(turned) * curve.tangents[k] + sin(turned) * curve.normals[k]
    normals = cos(turned) * curve.normals[k] - sin(turned) * curve.tangents[k]
    normals[curve.curvatures[k] == 0.0] = 0.0
    halts = np.zeros(len(cuts), bool)
    for at in curve.breaks[curve.halts].tolist():
        halts[int(np.argmin(np.abs(cuts - at)))] = True
    halts[[0, -1]] = False
    whole = replace(
        curve, starts=curve.position(cuts[:-1]), tangents=tangents, normals=normals,
        curvatures=curve.curvatures[k], lengths=np.diff(cuts), halts=halts,
    )  # fmt: skip
    j = np.clip(np.searchsorted(ground.at, middle, side="right") - 1, 0, len(ground.at) - 2)
    plan, length = np.diff(ground.at)[j], np.diff(ground.lengths)[j]
    share = np.where(plan > 1e-9, plan / np.maximum(length, 1e-12), 1.0)
    return whole, share


def parts_of(
    path: BuildingPath, rounding: float
) -> tuple[list[tuple[Curve, Ground]], list[Wait], float]:
    """Return the walked parts of a path, the rides before, between and after them, and clearance.

    A part of no length is left out: then a ride begins or ends the motion.
    """
    if not hasattr(path.parts[0], "pieces"):
        raise BadQuery("a camera follows a path through a building, not a walk: see `cmap.path`")
    building: Building = path.parts[0].source.base.building  # type: ignore[union-attr]
    step = hypot(*np.diff(path.points[:, :2], axis=0).T)
    rise = np.diff(path.points[:, 2])
    rides = np.flatnonzero((step == 0.0) & (rise != 0.0))
    first = np.concatenate([[0], rides + 1])
    last = np.concatenate([rides, [len(path.points) - 1]])
    parts: list[tuple[Curve, Ground]] = []
    waits, clearance = [Wait(0.0)], math.inf
    for k, (begin, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        part = path.parts[k]
        if part.length > 1e-6:
            curve, clear = plan_curve(part, rounding, None)
            clearance = min(clearance, clear)
            at = np.concatenate([[0.0], np.cumsum(step[begin:end])])
            at *= curve.length / at[-1]
            z = path.points[begin : end + 1, 2]
            slope = np.concatenate([[0.0], np.cumsum(hypot(np.diff(at), np.diff(z)))])
            parts.append((curve, Ground(at, z, slope)))
            waits.append(Wait(0.0))
        if k < len(rides):
            lift = building.links[building.layers[int(path.sheets[rides[k]])].link]
            up = float(rise[rides[k]])
            seconds = lift.seconds(up)  # type: ignore[union-attr]
            waits[-1] = Wait(waits[-1].seconds + seconds, waits[-1].rise + up)
    return parts, waits, clearance


def building_motion(
    path: BuildingPath, pace: Pace, *, height: float, rate: float, rounding: float
) -> CameraMotion:
    """Return the motion of a camera along a path through a building: see `motion`."""
    parts, waits, clearance = parts_of(path, rounding)
    if not parts:
        raise BadQuery("the path has no length: a camera needs at least two positions")
    source = BuildingMotion(parts, waits, pace, height)
    frame_times(source.duration, rate)  # raises if there are too many frames
    return CameraMotion(source, rate, None, None, path.radius, clearance)
