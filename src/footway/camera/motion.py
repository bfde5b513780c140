"""Camera motion along a path (voronoi-roadmaps-2004, section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast

import numpy as np

from footway._numba.portable_math import tan
from footway.camera.curve import Curve, blended, tangent_lengths, with_halts
from footway.camera.look import Gaze, LookAhead, Turn, as_gaze, in_space, turn_between
from footway.camera.speed import LEAST, MOST, Pace, SpeedDiagram, speed_limits
from footway.constants import TOUCH
from footway.corridor import Path
from footway.corridor.kernels.path import polyline_clearance
from footway.errors import BadQuery
from footway.validation import FARTHEST, floats, number, one_of, shown
from footway.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.corridor.building.path import BuildingPath
    from footway.corridor.kernels.layouts import Grid
    from footway.roadmap.maps.space_map import SpaceMap

COLUMNS = ("time", "x", "y", "z", "dx", "dy", "dz", "speed")
"""Columns of the table of a motion: s, m, unit vector, m/s."""

MOST_FRAMES = 10_000_000


class Moments(NamedTuple):
    """Position and view direction of a camera at n times."""

    times: Floats  # (n,) s
    positions: Floats  # (n, 3) m
    directions: Floats  # (n, 3) unit
    speeds: Floats  # (n,) m/s
    arc_lengths: Floats  # (n,) m


class View(NamedTuple):
    """Position and view direction of a camera at one time."""

    time: float  # s
    position: Floats  # (3,) m
    direction: Floats  # (3,) unit
    speed: float  # m/s
    arc_length: float  # m


class Source(Protocol):
    """Provides the position and view direction of a camera at any time."""

    @property
    def duration(self) -> float:
        """Duration, s."""
        ...

    def at(self, t: Floats) -> Moments:
        """Return the position and view of the camera at times t (n,), s."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class CameraMotion:
    """Position, view direction and speed of a camera in time.

    Attributes:
        source: gives the position and view at any time.
        rate: frames per second.
        curve: lines and arcs of the curve; None for a camera that follows a character.
        diagram: speed by arc length, without stays; None for a camera that follows a character.
        radius: of the disc that the path was found for, m; 0 if unknown.
        clearance: least distance of the curve to any wall, m; NaN if the walls are unknown.
    """

    source: Source
    rate: float
    curve: Curve | None
    diagram: SpeedDiagram | None
    radius: float
    clearance: float

    @cached_property
    def frames(self) -> Moments:
        """Frames every 1 / rate seconds from 0, and one at the end."""
        return self.source.at(frame_times(self.duration, self.rate))

    @property
    def times(self) -> Floats:
        """(n,) s, from 0 to the duration."""
        return self.frames.times

    @property
    def positions(self) -> Floats:
        """(n, 3) m."""
        return self.frames.positions

    @property
    def directions(self) -> Floats:
        """(n, 3) unit vectors."""
        return self.frames.directions

    @property
    def speeds(self) -> Floats:
        """(n,) m/s."""
        return self.frames.speeds

    @property
    def arc_lengths(self) -> Floats:
        """(n,) m, from the start along the curve."""
        return self.frames.arc_lengths

    @property
    def duration(self) -> float:
        """Duration, s."""
        return self.source.duration

    @property
    def length(self) -> float:
        """Length of the curve, m."""
        return float(self.arc_lengths[-1])

    @property
    def table(self) -> Floats:
        """(n, 8) one row per frame: see COLUMNS."""
        frames = self.frames
        return np.column_stack([frames.times, frames.positions, frames.directions, frames.speeds])

    def at(self, time: float) -> View:
        """Return the exact position and view at a time (s), also between frames."""
        time = number(time, "time", "s")
        when, position, direction, speed, s = (each[0] for each in self.source.at(np.array([time])))
        return View(float(when), position, direction, float(speed), float(s))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "duration": self.duration,
            "length": self.length,
            "rate": self.rate,
            "radius": self.radius,
            "clearance": self.clearance if math.isfinite(self.clearance) else None,
            "columns": list(COLUMNS),
            "frames": self.table.tolist(),
        }

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.length:.2f} m in {self.duration:.1f} s, "
            f"{len(self.times)} frames)"
        )


def motion(
    path: Path | ArrayLike,
    *,
    speed: float = 1.4,
    acceleration: float = 0.5,
    deceleration: float = 0.5,
    turn_rate: float = 0.8,
    look_ahead: float = 1.0,
    arcs: Literal["eased", "strict"] = "eased",
    height: float = 1.7,
    rate: float = 30.0,
    rounding: float = 0.25,
    cmap: CorridorMap | SpaceMap | None = None,
) -> CameraMotion:
    """Return the fastest motion of a camera along a path within its bounds, looking ahead.

    Lines and arcs of a path are followed exactly. Corners of a polyline (a walk, a path in space,
    an array) are rounded, never nearer to walls than the path's radius. If no arc fits at a sharp
    corner, the camera stops and turns. Along a path through a building it climbs stairs, at `speed`
    along the slope, and stands in lifts.

    Args:
        path: a Path, or an (n, 2) or (n, 3) array of points in metres.
        speed: greatest, m/s.
        acceleration: greatest, m/s^2.
        deceleration: greatest, m/s^2.
        turn_rate: rad/s. On an arc of radius r the speed is `turn_rate * r` at most, unless it
            turns so little that the view stays smooth: see `camera.speed.speed_limits`.
        look_ahead: s. The camera looks at its own position this much later.
        arcs: "strict": the speed on an arc of radius r is always `turn_rate * r` at most, as in
            voronoi-roadmaps-2004; "eased": more where it turns only a little.
        height: of the eye above the ground, m, for paths in the plane and through buildings.
        rate: frames per second.
        rounding: m. Largest distance between arcs and the corners of a polyline.
        cmap: map of the path. With it, arcs may use the clearance around each corner; without it,
            only the least clearance of the path. For an array, which has no clearance of its own,
            the map keeps arcs clear of walls and the clearance is measured; without a map it is
            unknown.

    Raises:
        BadQuery: an invalid value, or a path of no length.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> flight = fw.camera.motion(cmap.path((2, 2), (17, 11), radius=0.25))
        >>> flight.table.shape[1], flight.clearance >= 0.25, float(flight.speeds.max()) <= 1.4
        (8, True, True)
    """
    pace = checked_pace(speed, acceleration, deceleration, turn_rate, look_ahead, arcs)
    height, rate = checked_height(height), checked_rate(rate)
    rounding = number(rounding, "rounding", "m", low=0.0, high=FARTHEST)
    if isinstance(path, Path) and hasattr(path, "links"):
        from footway.camera.building_motion import building_motion  # it imports this module

        return building_motion(
            cast("BuildingPath", path), pace, height=height, rate=rate, rounding=rounding
        )
    if cmap is not None and (not hasattr(cmap, "bottleneck") or hasattr(cmap, "building")):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    curve, clearance = plan_curve(path, rounding, cmap)
    radius = float(path.radius) if isinstance(path, Path) else 0.0
    flight = Flight(curve, pace, height=height, requests={})
    frame_times(flight.duration, rate)  # raises if there are too many frames
    return CameraMotion(flight, rate, curve, flight.diagram, radius, clearance)


def plan_curve(
    path: Path | ArrayLike, rounding: float, cmap: CorridorMap | SpaceMap | None
) -> tuple[Curve, float]:
    """Return the curve along a path with rounded corners, and its clearance, m.

    The clearance of an array of points is measured on the map; without a map it is NaN.
    """
    pieces = getattr(path, "pieces", None)
    if pieces is not None:
        curve = Curve.from_pieces(pieces)
    else:
        points = path.points if isinstance(path, Path) else _checked_polyline(path)
        curve = Curve.from_points(points)
    if not len(curve.starts):
        raise BadQuery("the path has no length: a camera needs at least two positions")
    if not isinstance(path, Path):
        if cmap is not None and curve.dimension != getattr(cmap, "dimension", 2):
            raise BadQuery(
                f"the path has {curve.dimension} coordinates, and its map has "
                f"{5 - curve.dimension}: give positions on the map, or leave cmap out"
            )
        margin = rounding if cmap is None else 0.0
        allowed, reach = _corner_bounds(curve, margin, rounding, 0.0, cmap)
        curve = with_halts(blended(curve, tangent_lengths(curve, allowed, reach))[0])
        return curve, math.nan if cmap is None else curve.clearance(cmap)
    radius, clearance = float(path.radius), float(path.clearance)
    if not curve.corners.any():
        return curve, clearance
    margin = max(0.0, clearance - radius)
    allowed, reach = _corner_bounds(curve, min(rounding, margin), rounding, radius, cmap)
    grid = getattr(path, "grid", None)
    if cmap is None and grid is not None:
        allowed = _walk_corner_bounds(curve, allowed, radius, grid)
    tangents = tangent_lengths(curve, allowed, reach)
    deviation = tangents * tan(0.25 * curve.corners)  # distance between the arcs and the path
    if clearance >= radius:
        clearance = max(radius, clearance - float(deviation.max()))
    return with_halts(blended(curve, tangents)[0]), clearance


def _checked_polyline(points: ArrayLike) -> Floats:
    """Return checked points, (n, 2) or (n, 3), m."""
    array = floats(points, "(n, 2) or (n, 3)", name="the positions of a camera path")
    if array.ndim != 2 or array.shape[1] not in (2, 3) or len(array) < 2:
        raise BadQuery(
            f"a camera path has two positions or more, an (n, 2) or (n, 3) array, not {array.shape}"
        )
    return checked_points(array, array.shape[1], name="positions of a camera path")


def _corner_bounds(
    curve: Curve, margin: float, rounding: float, radius: float, cmap: Any
) -> tuple[Floats, Floats]:
    """Return the largest deviation from each corner and tangent length of its arc, (n + 1,) m.

    The deviation is `margin`, or with a map the clearance around the corner, at most `rounding`.
    """
    count = len(curve.breaks)
    if cmap is None or margin >= rounding:
        return np.full(count, margin), np.full(count, np.inf)
    # A point within c - r of a corner with clearance c has at least clearance r.
    corners = np.vstack([curve.starts, curve.goal])
    around = np.maximum(cmap.clearance(corners) - radius - TOUCH, 0.0)
    free = around * tan(0.25 * curve.corners)
    wide = free > margin
    return np.where(wide, np.minimum(free, rounding), margin), np.where(wide, around, np.inf)


def _walk_corner_bounds(curve: Curve, allowed: Floats, radius: float, grid: Grid) -> Floats:
    """Return the largest deviation from each corner of a walk, (n + 1,) m, by its own wall grid.

    Only corners that could use more than the least clearance of the walk allows are measured.
    """
    share = np.concatenate([[0.0], 0.5 * np.minimum(curve.lengths[:-1], curve.lengths[1:]), [0.0]])
    wanted = share * tan(0.25 * curve.corners)
    places, allowed = np.vstack([curve.starts, curve.goal]), allowed.copy()
    for k in np.flatnonzero(wanted > allowed):
        around = float(polyline_clearance(places[k - 1 : k + 2], grid)) - radius
        allowed[k] = max(allowed[k], min(around, wanted[k]))
    return allowed


def frame_times(duration: float, rate: float) -> Floats:
    """Return the times (n,) of frames, s: every 1 / rate from 0, and the end."""
    if duration * rate > MOST_FRAMES:
        raise BadQuery(
            f"{duration:g} s at {rate:g} frames per second are more than {MOST_FRAMES:,} frames: "
            "use a lower rate or a higher speed"
        )
    times = np.arange(math.floor(duration * rate) + 1) / rate
    if duration - times[-1] < 1e-6 and len(times) > 1:
        times[-1] = duration
        return times
    return np.append(times, duration)


def checked_pace(
    speed: float,
    acceleration: float,
    deceleration: float,
    turn_rate: float,
    look_ahead: float,
    arcs: str = "eased",
) -> Pace:
    """Return the checked bounds of a camera."""
    one_of(arcs, "speed on arcs", ("eased", "strict"))
    return Pace(
        number(speed, "speed", "m/s", above=0.0, low=LEAST, high=MOST),
        number(acceleration, "acceleration", "m/s^2", above=0.0, low=LEAST, high=MOST),
        number(deceleration, "deceleration", "m/s^2", above=0.0, low=LEAST, high=MOST),
        number(turn_rate, "turn rate", "rad/s", above=0.0, low=LEAST, high=MOST),
        number(look_ahead, "look-ahead", "s", above=0.0, low=LEAST, high=MOST),
        arcs,
    )


def checked_rate(rate: float) -> float:
    """Return the checked number of frames per second."""
    return number(rate, "rate", "frames per second", low=LEAST, high=MOST)


def checked_height(height: float) -> float:
    """Return the checked height of the eye above the ground, m."""
    return number(height, "height", "m", low=-FARTHEST, high=FARTHEST)


class HaltRequest(NamedTuple):
    """Requested behaviour of the camera at a halt."""

    dwell: float = 0.0  # s
    look_at: Floats | None = None  # (3,) m


class Stay(NamedTuple):
    """Stay at a halt: the camera turns to its target, rests, and turns to the next stage."""

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
    """A camera's motion along a curve, exact at any time."""

    def __init__(
        self,
        curve: Curve,
        pace: Pace,
        *,
        height: float,
        requests: Mapping[int, HaltRequest],
        slower: Floats | None = None,
    ) -> None:
        """Plan the motion; keys of `requests` are halts, counted from 0, the start, to the end.

        `slower` (n,) is the share of its speed that each piece of the curve allows.
        """
        self.pace = pace
        limits = speed_limits(curve, pace)
        if slower is not None:
            limits = limits._replace(pieces=limits.pieces * slower)
        self.curve, self._height = curve, height if curve.dimension == 2 else 0.0
        self.diagram = SpeedDiagram(
            curve.breaks, limits.pieces, break_limits=limits.breaks,
            acceleration=pace.acceleration, deceleration=pace.deceleration,
        )  # fmt: skip
        self._ahead = LookAhead(curve, self.diagram, pace.look_ahead)
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
        # Rounding must not move the camera into another stage.
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
        place = in_space(self.curve.position(s))
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
            tangent = self.curve.tangent(self._ahead.ends[k : k + 1])
            rest = after if request.dwell == 0.0 and after else as_gaze(in_space(tangent)[0])
        arrival = departure = Turn(rest, rest, 0.0)
        if before is not None:
            arrival = turn_between(before, rest, pace.turn_rate)
        has_request = request.dwell != 0.0 or request.look_at is not None
        if k < last and (before is not None or has_request):
            departure = turn_between(rest, after or rest, pace.turn_rate)
        return Stay(arrival, request.dwell, departure)
