"""A camera that visits several places (voronoi-roadmaps-2004, section 4.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway._numba.portable_math import cos, dist, hypot, tan
from footway.camera.building_motion import BuildingMotion, Wait, parts_of
from footway.camera.curve import SMALLEST, Curve, blended, join, tangent_lengths, with_halts
from footway.camera.motion import (
    CameraMotion,
    Flight,
    HaltRequest,
    checked_height,
    checked_pace,
    checked_rate,
    frame_times,
    plan_curve,
)
from footway.camera.speed import MOST
from footway.constants import TOUCH
from footway.corridor import CorridorMap
from footway.corridor.kernels.path import polyline_clearance
from footway.errors import BadQuery, NoPath
from footway.validation import FARTHEST, number, one_of, point, sequence, shown
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats, Ints
    from footway.camera.speed import Pace
    from footway.corridor import Path

EXACT = 12  # stops. Up to this number the order is optimal (Held and Karp 1962) and found in 0.1 s

_MOVED = (1, 2, 3)  # numbers of consecutive stops that are moved to shorten an order
_CHORDS = 64  # chords of an arc at a stop; their sagitta is subtracted from the clearance
_ROUNDING = 0.25  # m, largest distance between arcs and the corners of paths that are polylines
_ON_WALL = 0.0005  # m, rounds to 0 in messages


class Stop(NamedTuple):
    """A place on a tour.

    On a plan the camera passes a stop that has neither a dwell time nor a `look_at`.
    """

    at: tuple[Any, ...]  # x, y in m; in a building also the name of a floor or link
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
    arcs: Literal["eased", "strict"] = "eased",
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
            it. If no useful arc fits, it stops and turns. In a building it stops at every stop.
        speed: greatest, m/s. This and the other options are those of `motion`.
        acceleration: greatest, m/s^2.
        deceleration: greatest, m/s^2.
        turn_rate: rad/s.
        look_ahead: s.
        arcs: speed on arcs, "eased" or "strict".
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
    pace = checked_pace(speed, acceleration, deceleration, turn_rate, look_ahead, arcs)
    height, rate = checked_height(height), checked_rate(rate)
    miss = number(miss, "miss", "m", low=0.0, high=FARTHEST)
    if not isinstance(cmap, CorridorMap):
        raise BadQuery(
            f"a tour needs a CorridorMap in the plane, not {shown(cmap)}: in space, join the paths "
            "of the map and use `motion`"
        )
    radius = checked_radius(radius, cmap.solver.extent)
    is_building = hasattr(cmap, "building")
    places = _stops_in_building(cmap, stops) if is_building else checked_stops(cmap, stops, radius)
    one_of(order, "order", ("kept", "optimised"))
    if is_building and clearance is not None:
        raise BadQuery("a clearance is for maps of one floor: in a building give a larger radius")
    wanted = {} if is_building else {"clearance": clearance}

    def find_path(a: int, b: int) -> Path:
        try:
            return cmap.path(places[a].at, places[b].at, radius=radius, **wanted)  # type: ignore[arg-type]
        except NoPath as error:
            raise NoPath(
                f"no path from stop {a + 1} to stop {b + 1}: {error}",
                reason=error.reason,
                pinch=error.pinch,
            ) from None

    chosen = list(range(len(places)))
    if order == "optimised":
        at: Any = [stop.at for stop in places] if is_building else np.array([s.at for s in places])
        lengths = np.zeros((len(places), len(places)))
        i, j = np.triu_indices(len(places), 1)
        starts, goals = ([at[k] for k in ends.tolist()] for ends in (i, j))
        found = cmap.paths(starts, goals, radius=radius, **wanted)  # type: ignore[arg-type]
        for a, b, path in zip(i.tolist(), j.tolist(), found, strict=True):
            lengths[a, b] = lengths[b, a] = (path or find_path(a, b)).length
        chosen = shortest_order(lengths)
    paths = [find_path(a, b) for a, b in pairwise(chosen)]
    places = [places[k] for k in chosen]
    if is_building:
        return _through_building(paths, places, chosen, pace, height=height, rate=rate)
    curve, arc_lengths, narrowest = _past_stops(cmap, paths, places, radius, miss)
    halts = [_halt_at(curve, s) for s in arc_lengths.tolist()]
    requests = {}
    for stop, halt in zip(places, halts, strict=True):
        if halt is not None and _is_rest(stop):
            target = None if stop.look_at is None else np.array([*stop.look_at, height][:3])
            requests[halt] = HaltRequest(stop.dwell, target)
    flight = Flight(curve, pace, height=height, requests=requests)
    frame_times(flight.duration, rate)  # raises if there are too many frames
    arrivals = np.array([flight.time_of(s) for s in arc_lengths])
    stays = [0.0 if halt is None else flight.stays[halt].duration for halt in halts]
    away = curve.position(arc_lengths) - np.array([stop.at for stop in places])
    return Tour(
        flight, rate, curve, flight.diagram, radius, narrowest, stops=tuple(places),
        order=tuple(chosen), arrivals=arrivals, departures=arrivals + np.array(stays),
        misses=np.linalg.norm(away, axis=1),
    )  # fmt: skip


def _listed(stops: Sequence[Any]) -> list[Stop]:
    """Return two stops or more; their values are not checked yet."""
    listed = sequence(stops, "stops")
    if len(listed) < 2:
        raise BadQuery(f"a tour has two stops or more, not {len(listed)}: add another stop")
    return [stop if isinstance(stop, Stop) else Stop(stop) for stop in listed]


def _checked(stop: Stop, at: tuple[Any, ...], name: int, *dimensions: int) -> Stop:
    """Return a stop at a checked place, with checked values; `dimensions` of what it looks at."""
    dwell = number(stop.dwell, f"dwell time of stop {name}", "s", low=0.0, high=MOST)
    if stop.look_at is None:
        return Stop(at, dwell)
    target = point(stop.look_at, f"place that stop {name} looks at", *dimensions)
    return Stop(at, dwell, tuple(target.tolist()))


def _stops_in_building(cmap: Any, stops: Sequence[Any]) -> list[Stop]:
    """Return checked stops (x, y, floor) in a building."""
    found: list[Stop] = []
    for k, stop in enumerate(_listed(stops)):
        cmap.clearance([stop.at])  # raises if it is no place
        at = (float(stop.at[0]), float(stop.at[1]), stop.at[2])
        checked = _checked(stop, at, k + 1, 3)
        if found and found[-1].at == at:
            raise BadQuery(f"stops {k} and {k + 1} are the same place {_text(at)}: drop one")
        found.append(checked)
    return found


def _through_building(
    paths: list[Any],
    places: list[Stop],
    order: list[int],
    pace: Pace,
    *,
    height: float,
    rate: float,
) -> Tour:
    """Return the motion along paths through a building, with a stop at the end of each."""
    parts: list[Any] = []
    waits = [Wait(places[0].dwell, 0.0, _target(places[0]))]
    pauses, narrowest = [0], math.inf
    for path, stop in zip(paths, places[1:], strict=True):
        more, around, clear = parts_of(path, _ROUNDING)
        narrowest = min(narrowest, clear)
        waits[-1] = Wait(waits[-1].seconds + around[0].seconds, around[0].rise, waits[-1].look_at)
        parts += more
        waits += around[1:]
        pauses.append(len(parts))
        waits[-1] = Wait(waits[-1].seconds + stop.dwell, waits[-1].rise, _target(stop))
    source = BuildingMotion(parts, waits, pace, height)
    frame_times(source.duration, rate)  # raises if there are too many frames
    stays = [source.pauses[k] for k in pauses]
    return Tour(
        source, rate, None, None, float(paths[0].radius), narrowest,
        stops=tuple(places), order=tuple(order),
        arrivals=np.array([stay.begin for stay in stays]),
        departures=np.array([stay.end for stay in stays]), misses=np.zeros(len(places)),
    )  # fmt: skip


def _target(stop: Stop) -> Floats | None:
    return None if stop.look_at is None else np.array(stop.look_at)


def _past_stops(
    cmap: CorridorMap, paths: list[Path], places: list[Stop], radius: float, miss: float
) -> tuple[Curve, Floats, float]:
    """Return the curve along all paths, the arc length of every stop, and its clearance, m."""
    planned = (plan_curve(path, _ROUNDING, cmap) for path in paths)
    curves, clearances = zip(*planned, strict=True)
    curve, first = join(curves)
    halts = curve.halts.copy()
    halts[first] |= np.array([_is_rest(stop) for stop in places[1:-1]], bool)
    curve = replace(curve, halts=halts)
    deviation = np.zeros(len(curve.breaks))
    deviation[first] = miss
    tangents = tangent_lengths(curve, deviation, np.full(len(deviation), np.inf))
    narrowest = min(clearances)
    for k in np.flatnonzero(tangents):
        tangents[k], clear = _fitting(cmap, curve, int(k), float(tangents[k]), radius)
        narrowest = min(narrowest, clear)
    curve, breaks = blended(curve, tangents)
    arc_lengths = np.concatenate([[0.0], breaks[first], [curve.length]])
    return with_halts(curve), arc_lengths, narrowest


def _fitting(
    cmap: CorridorMap, curve: Curve, k: int, tangent: float, radius: float
) -> tuple[float, float]:
    """Return the tangent length of an arc at corner k that keeps the radius, and its clearance."""
    one = replace(
        curve,
        starts=curve.starts[k - 1 : k + 1],
        tangents=curve.tangents[k - 1 : k + 1],
        normals=curve.normals[k - 1 : k + 1],
        curvatures=curve.curvatures[k - 1 : k + 1],
        lengths=curve.lengths[k - 1 : k + 1],
        goal=curve.starts[k] + curve.lengths[k] * curve.tangents[k],
        halts=np.zeros(3, bool),
    )
    bend = tan(0.5 * curve.corners[k])
    while tangent > SMALLEST * bend:
        arc, _ = blended(one, np.array([0.0, tangent, 0.0]))
        at = float(curve.lengths[k - 1]) - tangent
        size = curve.corners[k] * tangent / bend
        chords = arc.position(at + np.linspace(0.0, size, _CHORDS + 1))
        sagitta = tangent / bend * (1.0 - cos(0.5 * curve.corners[k] / _CHORDS))
        clear = float(polyline_clearance(chords, cmap.solver.index.grid)) - sagitta
        if clear >= radius:
            return tangent, clear
        tangent *= 0.5
    return 0.0, math.inf


def _halt_at(curve: Curve, s: float) -> int | None:
    """Return the number of the halt at an arc length, counted from the start; None: it moves."""
    if s == 0.0:
        return 0
    halts = curve.breaks[curve.halts]
    if s != curve.length and s not in halts:
        return None
    return 1 + int((halts < s).sum())


def _is_rest(stop: Stop) -> bool:
    return stop.dwell > 0.0 or stop.look_at is not None


def checked_stops(cmap: CorridorMap, stops: Sequence[Any], radius: float) -> list[Stop]:
    """Return checked stops at which the camera fits."""
    places = [_as_stop(stop, k + 1) for k, stop in enumerate(_listed(stops))]
    at = np.array([stop.at for stop in places])
    for k, (place, clear) in enumerate(zip(at, cmap.clearance(at), strict=True)):
        if k > 0 and hypot(*(place - at[k - 1])) < TOUCH:
            raise BadQuery(f"stops {k} and {k + 1} are the same place {_text(place)}: drop one")
        if clear > 0.0 and clear >= radius - TOUCH:
            continue
        contact = cmap.nearest_obstacle(place[None])[0]
        away, name = float(hypot(*(place - contact))), f"stop {k + 1} {_text(place)}"
        if clear == 0.0 and away < _ON_WALL:
            raise BadQuery(f"{name} lies on a wall: move it {radius:g} m or more off")
        if clear == 0.0:
            advice = cmap.solver.describe_free_point(place, radius)
            raise BadQuery(f"{name} is inside an obstacle or outside the map: {advice}")
        raise NoPath(
            f"a camera of radius {radius:g} m does not fit at {name}: the nearest wall is "
            f"{clear:.3f} m away at {_text(contact)}; move the stop or use a smaller radius",
            reason="no room",
        )
    return places


def _as_stop(stop: Stop, name: int) -> Stop:
    """Return a checked stop on a plan."""
    x, y = point(stop.at, f"place of stop {name}").tolist()
    found = _checked(stop, (x, y), name, 2, 3)
    if (
        found.look_at is not None
        and len(found.look_at) == 2
        and dist((x, y), found.look_at) < TOUCH
    ):
        raise BadQuery(f"stop {name} looks at its own place {_text((x, y))}: give another one")
    return found


def _text(point: Any) -> str:
    return f"({point[0]:.3f}, {point[1]:.3f})"


# -- order of the stops ---------------------------------------------------------------------


def shortest_order(lengths: Floats) -> list[int]:
    """Return a short order of n places that starts at place 0; `lengths` (n, n) m, symmetric.

    Optimal up to EXACT places; beyond, no reversal of a stretch (2-opt) and no move of up to three
    consecutive places (or-opt) makes it shorter.
    """
    if len(lengths) <= 2:
        return list(range(len(lengths)))
    return _exact(lengths) if len(lengths) <= EXACT else _improved(lengths, _nearest(lengths))


def _exact(lengths: Floats) -> list[int]:
    """Run Held and Karp's dynamic programming over sets of places, for an open path."""
    count = len(lengths) - 1  # place 0 is in every set and always first
    best = np.full((1 << count, count), np.inf)
    previous = np.zeros((1 << count, count), np.int64)
    distances = lengths[1:, 1:]
    for k in range(count):
        best[1 << k, k] = lengths[0, k + 1]
    for size in range(2, count + 1):
        for chosen in combinations(range(count), size):
            members = list(chosen)
            whole = sum(1 << k for k in members)
            rest = np.array([whole ^ (1 << k) for k in members])
            options = best[rest][:, members] + distances[np.ix_(members, members)]
            previous[whole, members] = np.array(members)[options.argmin(axis=1)]
            best[whole, members] = options.min(axis=1)
    whole = (1 << count) - 1
    order = [int(best[whole].argmin())]
    while whole.bit_count() > 1:
        last = order[-1]
        order.append(int(previous[whole, last]))
        whole ^= 1 << last
    return [0, *(k + 1 for k in reversed(order))]


def _nearest(lengths: Floats) -> list[int]:
    """Return the nearest-neighbour order."""
    order, left = [0], set(range(1, len(lengths)))
    while left:
        order.append(min(left, key=lambda k: (lengths[order[-1], k], k)))
        left.remove(order[-1])
    return order


def _improved(lengths: Floats, order: list[int]) -> list[int]:
    """Reverse stretches and move places, best change first, until nothing gets shorter.

    Each step evaluates all n^2 changes at once, by the few distances that each replaces.
    """
    n = len(order)
    distances = np.zeros((n + 1, n + 1))  # an artificial last place at distance 0 from all others
    distances[:n, :n] = lengths
    chain = np.array([*order, n])
    while True:
        changes = [_reversals(distances, chain), *(_moves(distances, chain, k) for k in _MOVED)]
        k = int(np.argmin([change.min() for change in changes]))
        i, j = (int(x) for x in np.unravel_index(changes[k].argmin(), changes[k].shape))
        if changes[k][i, j] >= -1e-9:
            return [int(place) for place in chain[:-1]]
        if k == 0:
            chain[i : j + 1] = chain[i : j + 1][::-1].copy()
        else:
            size = _MOVED[k - 1]
            moved, rest = chain[i : i + size], np.delete(chain, slice(i, i + size))
            after = j + 1 if j < i else j + 1 - size
            chain = np.concatenate([rest[:after], moved, rest[after:]])


def _reversals(distances: Floats, chain: Ints) -> Floats:
    """Return the change of length (n, n) m if places i to j are reversed; infinite if invalid."""
    n = len(chain) - 1
    steps = distances[chain[:-1], chain[1:]]
    longer = np.full((n, n), np.inf)
    i, j = np.triu_indices(n, 1)
    i, j = i[i > 0], j[i > 0]
    joins = distances[chain[i - 1], chain[j]] + distances[chain[i], chain[j + 1]]
    longer[i, j] = joins - steps[i - 1] - steps[j]
    return longer


def _moves(distances: Floats, chain: Ints, size: int) -> Floats:
    """Return the change of length (n, n) m if `size` places from i are moved after place j."""
    n = len(chain) - 1
    steps = distances[chain[:-1], chain[1:]]
    i, j = np.indices((n, n))
    last = np.minimum(i + size - 1, n - 1)
    taken = steps[i - 1] + steps[last] - distances[chain[i - 1], chain[last + 1]]
    put = distances[chain[j], chain[i]] + distances[chain[last], chain[j + 1]] - steps[j]
    possible = (i > 0) & (i + size <= n) & ((j < i - 1) | (j > last))
    return np.where(possible, put - taken, np.inf)
