"""From a path to a camera that flies it (voronoi-roadmaps-2004, section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from footway._numba.portable_math import tan
from footway.camera.blending import blended, tangent_lengths, with_halts
from footway.camera.course import Course, course_of_pieces, course_of_points
from footway.camera.flight import Flight, Moments
from footway.camera.limits import LEAST, MOST, Pace
from footway.camera.measuring import course_clearance
from footway.constants import TOUCH
from footway.corridor import Path
from footway.corridor.kernels.path import polyline_clearance
from footway.errors import BadQuery
from footway.validation import FARTHEST, floats, number, shown
from footway.validation import points as checked_points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.camera.speed import SpeedDiagram
    from footway.corridor import CorridorMap
    from footway.corridor.index import Grid
    from footway.corridor.space_map import SpaceMap

    Floats = NDArray[np.float64]

COLUMNS = ("time", "x", "y", "z", "dx", "dy", "dz", "speed")
"""Of a motion's table: s, m, unit vector, m/s."""

MOST_FRAMES = 10_000_000


class View(NamedTuple):
    """Where a camera is and looks at one time."""

    time: float  # s
    position: Floats  # (3,) m
    direction: Floats  # (3,) unit
    speed: float  # m/s
    arc_length: float  # m


class Source(Protocol):
    """What tells where a camera is and looks."""

    @property
    def duration(self) -> float:
        """In seconds."""
        ...

    def at(self, t: Floats) -> Moments:
        """Return where the camera is and looks at times t (n,), s."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class CameraMotion:
    """A camera's position, direction and speed in time.

    Attributes:
        source: tells where the camera is at any time.
        rate: frames per second.
        course: the lines and arcs that it flies along; None for one that follows somebody.
        diagram: its speed by arc length, without stays; None for one that follows somebody.
        radius: of the disc that the path was made for, m; 0 where that is not known.
        clearance: least distance of the course to any wall, m; NaN where no walls are known.

    """

    source: Source
    rate: float
    course: Course | None
    diagram: SpeedDiagram | None
    radius: float
    clearance: float

    @cached_property
    def frames(self) -> Moments:
        """The frames: one every 1 / rate seconds from 0 on, and one at the end."""
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
        """(n,) m, from the start along the course."""
        return self.frames.arc_lengths

    @property
    def duration(self) -> float:
        """In seconds."""
        return self.source.duration

    @property
    def length(self) -> float:
        """Of the way, m."""
        return float(self.arc_lengths[-1])

    @property
    def table(self) -> Floats:
        """(n, 8) one row per frame: see COLUMNS."""
        frames = self.frames
        return np.column_stack([frames.times, frames.positions, frames.directions, frames.speeds])

    def at(self, time: float) -> View:
        """Return where the camera is and looks at a time, s; exact, between frames too."""
        time = number(time, "time", "s")
        moments = self.source.at(np.array([time]))
        position, direction = moments.positions[0], moments.directions[0]
        speed, arc_length = float(moments.speeds[0]), float(moments.arc_lengths[0])
        return View(float(moments.times[0]), position, direction, speed, arc_length)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
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
    height: float = 1.7,
    rate: float = 30.0,
    rounding: float = 0.25,
    cmap: CorridorMap | SpaceMap | None = None,
) -> CameraMotion:
    """Motion of a camera along any path: as fast as its bounds allow, looking ahead.

    Lines and arcs of a path are flown as they are. Corners of a polyline (a walk, a path in space,
    an array) are rounded, never nearer to walls than the path's radius; where a sharp corner has no
    room for an arc the camera stops and turns.

    Args:
        path: a Path, or an (n, 2) or (n, 3) array of points in metres.
        speed: greatest, m/s.
        acceleration: greatest, m/s^2.
        deceleration: greatest, m/s^2.
        turn_rate: rad/s. On an arc of radius r the speed is `turn_rate * r` at most, unless it
            turns by so little that looking ahead hides it: see `camera.limits.speed_limits`.
        look_ahead: s. The camera looks at where it will be so much later.
        height: of the eye above the ground, m, for paths in the plane.
        rate: frames per second.
        rounding: m. How far arcs may leave the corners of a polyline at most.
        cmap: map of the path: corners have the room that there is around each of them, otherwise
            what the path's own clearance leaves. An array has no clearance of its own: with a map
            arcs meet no wall, and what the places leave is measured; without one nothing is known.

    Raises:
        BadQuery: a value that makes no sense, a path of no length.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> flight = fw.camera.motion(cmap.path((2, 2), (17, 11), radius=0.25))
        >>> flight.table.shape[1], flight.clearance >= 0.25, float(flight.speeds.max()) <= 1.4
        (8, True, True)

    """
    pace = checked_pace(speed, acceleration, deceleration, turn_rate, look_ahead)
    height, rate = checked_height(height), checked_rate(rate)
    rounding = number(rounding, "rounding", "m", low=0.0, high=FARTHEST)
    if cmap is not None and not hasattr(cmap, "bottleneck"):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    course, clearance = course_of(path, rounding, cmap)
    radius = float(path.radius) if isinstance(path, Path) else 0.0
    flight = Flight(course, pace, height=height, wishes={})
    frame_times(flight.duration, rate)  # refuses too many
    return CameraMotion(flight, rate, course, flight.diagram, radius, clearance)


def course_of(
    path: Path | ArrayLike, rounding: float, cmap: CorridorMap | SpaceMap | None
) -> tuple[Course, float]:
    """Course along a path with its corners rounded, and its clearance, m."""
    if not isinstance(path, Path):
        return _course_of_array(path, rounding, cmap)
    pieces = getattr(path, "pieces", None)
    course = course_of_points(path.points) if pieces is None else course_of_pieces(pieces)
    _check_length(course)
    radius, clearance = float(path.radius), float(path.clearance)
    if not course.corners.any():
        return course, clearance
    room = max(0.0, clearance - radius)
    allowed, reach = _rooms(course, min(rounding, room), rounding, radius, cmap)
    grid = getattr(path, "grid", None)
    if cmap is None and grid is not None:
        allowed = _rooms_of_walk(course, allowed, radius, grid)
    tangents = tangent_lengths(course, allowed, reach)
    left = tangents * tan(0.25 * course.corners)  # how far the arcs leave the path
    clearance = max(radius, clearance - float(left.max())) if clearance >= radius else clearance
    return with_halts(blended(course, tangents)[0]), clearance


def _course_of_array(
    points: ArrayLike, rounding: float, cmap: CorridorMap | SpaceMap | None
) -> tuple[Course, float]:
    """Course along places, and its clearance, m: measured with a map, NaN without one."""
    course = course_of_points(_as_polyline(points))
    _check_length(course)
    if cmap is not None and course.dimension != getattr(cmap, "dimension", 2):
        raise BadQuery(
            f"the path has {course.dimension} coordinates, and its map has "
            f"{5 - course.dimension}: give places of the map, or leave cmap out"
        )
    room = rounding if cmap is None else 0.0
    allowed, reach = _rooms(course, room, rounding, 0.0, cmap)
    course = with_halts(blended(course, tangent_lengths(course, allowed, reach))[0])
    return course, math.nan if cmap is None else course_clearance(course, cmap)


def _check_length(course: Course) -> None:
    if not len(course.starts):
        raise BadQuery("the path has no length: a camera needs two places at least")


def _rooms(
    course: Course, room: float, rounding: float, radius: float, cmap: Any
) -> tuple[Floats, Floats]:
    """How far arcs may leave each corner, and how long their tangents may be, (n + 1,) m.

    All may leave it by `room`, and with a map by what is free around each, `rounding` at most.
    """
    count = len(course.breaks)
    if cmap is None or room >= rounding:
        return np.full(count, room), np.full(count, np.inf)
    # A place within c - r of a corner with clearance c has clearance r.
    corners = np.vstack([course.starts, course.goal])
    around = np.maximum(cmap.clearance(corners) - radius - TOUCH, 0.0)
    free = around * tan(0.25 * course.corners)
    wide = free > room
    return np.where(wide, np.minimum(free, rounding), room), np.where(wide, around, np.inf)


def _rooms_of_walk(course: Course, allowed: Floats, radius: float, grid: Grid) -> Floats:
    """How far arcs may leave each corner of a walk, (n + 1,) m, by the walls that it knows.

    Only corners that want more than the least clearance of the walk leaves are measured.
    """
    share = np.concatenate(
        [[0.0], 0.5 * np.minimum(course.lengths[:-1], course.lengths[1:]), [0.0]]
    )
    wanted = share * tan(0.25 * course.corners)
    places, allowed = np.vstack([course.starts, course.goal]), allowed.copy()
    for k in np.flatnonzero(wanted > allowed):
        around = float(polyline_clearance(places[k - 1 : k + 2], grid)) - radius
        allowed[k] = max(allowed[k], min(around, wanted[k]))
    return allowed


def frame_times(duration: float, rate: float) -> Floats:
    """Times (n,) of frames, s: every 1 / rate from 0 on, and the end."""
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
    speed: float, acceleration: float, deceleration: float, turn_rate: float, look_ahead: float
) -> Pace:
    """What a camera may do, or one clear line."""
    return Pace(
        number(speed, "speed", "m/s", above=0.0, low=LEAST, high=MOST),
        number(acceleration, "acceleration", "m/s^2", above=0.0, low=LEAST, high=MOST),
        number(deceleration, "deceleration", "m/s^2", above=0.0, low=LEAST, high=MOST),
        number(turn_rate, "turn rate", "rad/s", above=0.0, low=LEAST, high=MOST),
        number(look_ahead, "look-ahead", "s", above=0.0, low=LEAST, high=MOST),
    )


def checked_rate(rate: float) -> float:
    """Frames per second, or one clear line."""
    return number(rate, "rate", "frames per second", low=LEAST, high=MOST)


def checked_height(height: float) -> float:
    """Height of the eye above the ground, m, or one clear line."""
    return number(height, "height", "m", low=-FARTHEST, high=FARTHEST)


def _as_polyline(points: ArrayLike) -> Floats:
    """(n, 2) or (n, 3) finite numbers, or one clear line."""
    array = floats(points, "(n, 2) or (n, 3)", name="the places that a camera flies along")
    if array.ndim != 2 or array.shape[1] not in (2, 3) or len(array) < 2:
        raise BadQuery(
            f"a camera flies along two places or more, an (n, 2) or (n, 3) array, not {array.shape}"
        )
    return checked_points(array, array.shape[1], name="places that a camera flies along")
