"""A camera that visits several places (voronoi-roadmaps-2004, section 4.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway._numba.portable_math import cos, dist, hypot, tan
from footway.camera.blending import SMALLEST, blended, tangent_lengths, with_halts
from footway.camera.course import Course, joined
from footway.camera.flight import Flight, HaltRequest
from footway.camera.limits import MOST
from footway.camera.motion import (
    CameraMotion,
    checked_height,
    checked_pace,
    checked_rate,
    course_of,
    frame_times,
)
from footway.camera.order import shortest_order
from footway.constants import TOUCH
from footway.corridor import CorridorMap
from footway.corridor.kernels.path import polyline_clearance
from footway.errors import BadQuery, NoPath
from footway.validation import FARTHEST, number, one_of, point, sequence, shown
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.corridor import Path

    Floats = NDArray[np.float64]

_CHORDS = 64  # chords of an arc at a stop; their sagitta is subtracted from the clearance
_ROUNDING = 0.25  # m, largest distance between arcs and corners of legs that are polylines

_ON_WALL = 0.0005  # m, rounds to 0 in messages


class Stop(NamedTuple):
    """A place on a tour.

    The camera passes a stop without stopping if it has neither a dwell time nor a `look_at`.
    """

    at: tuple[float, float]  # m
    dwell: float = 0.0  # s of rest, in addition to turning
    look_at: tuple[float, ...] | None = None  # m, x, y (at the eye's height) or x, y, z


@dataclass(frozen=True, eq=False, repr=False)
class Tour(CameraMotion):
    """A camera motion from stop to stop.

    Attributes:
        stops: (n) in the order of the visits.
        order: (n) indices of the stops as given.
        arrivals: (n,) s. Time at which the camera is at, or nearest to, each stop.
        departures: (n,) s. Time at which it leaves; equal to the arrival if it does not stop.
        misses: (n,) m. Distance at which the camera passes each stop: 0 if it stops there.

    """

    stops: tuple[Stop, ...]
    order: tuple[int, ...]
    arrivals: Floats
    departures: Floats
    misses: Floats

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        rows = zip(self.stops, self.order, self.arrivals, self.departures, self.misses, strict=True)
        stops = [
            {
                "stop": order,
                "at": list(stop.at),
                "dwell": stop.dwell,
                "look_at": None if stop.look_at is None else list(stop.look_at),
                "arrival": float(arrival),
                "departure": float(departure),
                "miss": float(miss),
            }
            for stop, order, arrival, departure, miss in rows
        ]
        return super().to_dict() | {"stops": stops}


def tour(
    cmap: CorridorMap,
    stops: Sequence[Stop | tuple[float, float]],
    *,
    radius: float = 0.25,
    clearance: float | None = None,
    order: Literal["kept", "optimised"] = "kept",
    miss: float = 0.5,
    speed: float = 1.4,
    acceleration: float = 0.5,
    deceleration: float = 0.5,
    turn_rate: float = 0.8,
    look_ahead: float = 1.0,
    height: float = 1.7,
    rate: float = 30.0,
) -> Tour:
    """Return the motion of a camera from the first stop to the last, past all others.

    Args:
        cmap: the map.
        stops: places x, y in metres, or `Stop`s with a dwell time and something to look at.
        radius: least distance to walls, m.
        clearance: desired distance to walls, m, where more than the radius is possible.
        order: "kept", or "optimised": the first stop remains first, the others are sorted for a
            short path (optimal up to 12 stops).
        miss: m. Where the camera does not stop, it passes the stop on an arc at most this far from
            it. If no useful arc fits, it stops and turns.
        speed: greatest, m/s. This and the other options are those of `motion`.
        acceleration: greatest, m/s^2.
        deceleration: greatest, m/s^2.
        turn_rate: rad/s.
        look_ahead: s.
        height: of the eye above the ground, m.
        rate: frames per second.

    Raises:
        BadQuery: a stop in a wall, one stop only, the same stop twice in a row, an invalid value.
        NoPath: no path between two stops; the message says where it is too narrow.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> stops = [(2, 2), fw.camera.Stop((17, 2), dwell=2, look_at=(10, 6)), (17, 11)]
        >>> trip = fw.camera.tour(cmap, stops)
        >>> trip.order, trip.clearance >= 0.25
        ((0, 1, 2), True)

    """
    pace = checked_pace(speed, acceleration, deceleration, turn_rate, look_ahead)
    height, rate = checked_height(height), checked_rate(rate)
    miss = number(miss, "miss", "m", low=0.0, high=FARTHEST)
    if not isinstance(cmap, CorridorMap):
        raise BadQuery(
            f"a tour needs a CorridorMap in the plane, not {shown(cmap)}: in space, join the paths "
            "of the map and use `motion`"
        )
    radius = checked_radius(radius, cmap.solver.extent)
    places = checked_stops(cmap, stops, radius)
    chosen = _order(cmap, places, order, radius, clearance)
    places = [places[k] for k in chosen]
    legs = [
        _leg(cmap, (places[k].at, places[k + 1].at), chosen[k : k + 2], radius, clearance)
        for k in range(len(places) - 1)
    ]
    course, arc_lengths, narrowest = _past_stops(cmap, legs, places, radius, miss)
    requests = _halt_requests(course, arc_lengths, places, height)
    flight = Flight(course, pace, height=height, requests=requests)
    frame_times(flight.duration, rate)  # raises if there are too many frames
    arrivals = np.array([flight.time_of(s) for s in arc_lengths])
    stays = [
        flight.stays[_halt_at(course, s)].duration if _stands(course, s) else 0.0
        for s in arc_lengths
    ]
    away = course.position(arc_lengths) - np.array([stop.at for stop in places])
    return Tour(
        flight,
        rate,
        course,
        flight.diagram,
        radius,
        narrowest,
        stops=tuple(places),
        order=tuple(chosen),
        arrivals=arrivals,
        departures=arrivals + np.array(stays),
        misses=np.linalg.norm(away, axis=1),
    )


def _order(
    cmap: CorridorMap, places: list[Stop], order: str, radius: float, clearance: float | None
) -> list[int]:
    """Return the order in which the stops are visited."""
    kept = list(range(len(places)))
    one_of(order, "order", ("kept", "optimised"))
    if order == "kept":
        return kept
    at = np.array([stop.at for stop in places])
    i, j = np.triu_indices(len(places), 1)
    lengths = np.zeros((len(places), len(places)))
    for a, b, path in zip(
        i, j, cmap.paths(at[i], at[j], radius=radius, clearance=clearance), strict=True
    ):
        found = path or _leg(cmap, (at[a], at[b]), [int(a), int(b)], radius, clearance)
        lengths[a, b] = lengths[b, a] = found.length
    return shortest_order(lengths)


def _leg(
    cmap: CorridorMap,
    ends: tuple[Any, Any],
    stops: list[int],
    radius: float,
    clearance: float | None,
) -> Path:
    """Return the path between two stops; raise NoPath with the reason if there is none."""
    try:
        return cmap.path(*ends, radius=radius, clearance=clearance)
    except NoPath as error:
        a, b = stops
        raise NoPath(
            f"no path from stop {a + 1} to stop {b + 1}: {error}",
            reason=error.reason,
            pinch=error.pinch,
        ) from None


def _past_stops(
    cmap: CorridorMap, legs: list[Path], places: list[Stop], radius: float, miss: float
) -> tuple[Course, Floats, float]:
    """Return the course along all legs, the arc length of every stop, and its clearance, m."""
    courses, clearances = zip(*(course_of(leg, _ROUNDING, cmap) for leg in legs), strict=True)
    course, first = joined(courses)
    halts = course.halts.copy()
    halts[first] |= np.array([_is_rest(stop) for stop in places[1:-1]], bool)
    course = replace(course, halts=halts)
    deviation = np.zeros(len(course.breaks))
    deviation[first] = miss
    tangents = tangent_lengths(course, deviation, np.full(len(deviation), np.inf))
    narrowest = min(clearances)
    for k in np.flatnonzero(tangents):
        tangents[k], clear = _fitting(cmap, course, int(k), float(tangents[k]), radius)
        narrowest = min(narrowest, clear)
    course, breaks = blended(course, tangents)
    arc_lengths = np.concatenate([[0.0], breaks[first], [course.length]])
    return with_halts(course), arc_lengths, narrowest


def _fitting(
    cmap: CorridorMap, course: Course, k: int, tangent: float, radius: float
) -> tuple[float, float]:
    """Return the tangent length of an arc at corner k that keeps the radius, and its clearance."""
    one = replace(
        course,
        starts=course.starts[k - 1 : k + 1],
        tangents=course.tangents[k - 1 : k + 1],
        normals=course.normals[k - 1 : k + 1],
        curvatures=course.curvatures[k - 1 : k + 1],
        lengths=course.lengths[k - 1 : k + 1],
        goal=course.starts[k] + course.lengths[k] * course.tangents[k],
        halts=np.zeros(3, bool),
    )
    bend = tan(0.5 * course.corners[k])
    while tangent > SMALLEST * bend:
        arc, _ = blended(one, np.array([0.0, tangent, 0.0]))
        at = float(course.lengths[k - 1]) - tangent
        size = course.corners[k] * tangent / bend
        chords = arc.position(at + np.linspace(0.0, size, _CHORDS + 1))
        sagitta = tangent / bend * (1.0 - cos(0.5 * course.corners[k] / _CHORDS))
        clear = float(polyline_clearance(chords, cmap.solver.index.grid)) - sagitta
        if clear >= radius:
            return tangent, clear
        tangent *= 0.5
    return 0.0, math.inf


def _stands(course: Course, s: float) -> bool:
    """Return whether the camera stands at an arc length: an end or a halt."""
    return s in (0.0, course.length) or bool((course.breaks[course.halts] == s).any())


def _halt_at(course: Course, s: float) -> int:
    """Return the number of a halt; the start is 0."""
    if s == 0.0:
        return 0
    return 1 + int((course.breaks[course.halts] < s).sum())


def _is_rest(stop: Stop) -> bool:
    return stop.dwell > 0.0 or stop.look_at is not None


def _halt_requests(
    course: Course, arc_lengths: Floats, places: list[Stop], height: float
) -> dict[int, HaltRequest]:
    """Return the request for each halt that is a stop."""
    requests = {}
    for stop, s in zip(places, arc_lengths.tolist(), strict=True):
        if _is_rest(stop):
            look_at = stop.look_at
            target = None if look_at is None else np.array([*look_at, height][:3])
            requests[_halt_at(course, s)] = HaltRequest(stop.dwell, target)
    return requests


def checked_stops(cmap: CorridorMap, stops: Sequence[Any], radius: float) -> list[Stop]:
    """Return checked stops at which the camera fits."""
    listed = sequence(stops, "stops")
    if len(listed) < 2:
        raise BadQuery(f"a tour has two stops or more, not {len(listed)}: give another place to go")
    places = [_as_stop(stop, k + 1) for k, stop in enumerate(listed)]
    at = np.array([stop.at for stop in places])
    for k, (place, clear) in enumerate(zip(at, cmap.clearance(at), strict=True)):
        _check_fits(cmap, place, k + 1, float(clear), radius)
        if k > 0 and hypot(*(place - at[k - 1])) < TOUCH:
            raise BadQuery(f"stops {k} and {k + 1} are the same place {_text(place)}: drop one")
    return places


def _check_fits(cmap: CorridorMap, place: Floats, name: int, clear: float, radius: float) -> None:
    """Raise an error for a stop in a wall, or too near to one."""
    if clear > 0.0 and clear >= radius - TOUCH:
        return
    contact = cmap.nearest_obstacle(place[None])[0]
    away = float(hypot(*(place - contact)))
    if clear == 0.0 and away < _ON_WALL:
        raise BadQuery(
            f"stop {name} {_text(place)} lies on a wall: move it {radius:g} m or more off"
        )
    if clear == 0.0:
        raise BadQuery(
            f"stop {name} {_text(place)} is inside an obstacle or outside the map: the nearest "
            f"free point is {away:.3f} m away at {_text(contact)}"
        )
    raise NoPath(
        f"a camera of radius {radius:g} m does not fit at stop {name} {_text(place)}: the nearest "
        f"wall is {clear:.3f} m away at {_text(contact)}; move the stop or use a smaller radius",
        reason="no room",
    )


def _as_stop(stop: Any, name: int) -> Stop:
    """Return a checked stop."""
    stop = stop if isinstance(stop, Stop) else Stop(stop)
    at = tuple(point(stop.at, f"place of stop {name}").tolist())
    dwell = number(stop.dwell, f"dwell time of stop {name}", "s", low=0.0, high=MOST)
    if stop.look_at is None:
        return Stop((at[0], at[1]), dwell)
    look_at = tuple(point(stop.look_at, f"place that stop {name} looks at", 2, 3).tolist())
    if len(look_at) == 2 and dist(at, look_at) < TOUCH:
        raise BadQuery(f"stop {name} looks at its own place {_text(at)}: give another one")
    return Stop((at[0], at[1]), dwell, look_at)


def _text(point: Any) -> str:
    return f"({point[0]:.3f}, {point[1]:.3f})"
