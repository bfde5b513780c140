"""Answer requests for paths and camera motions."""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway._numba.portable_math import cos, dist, hypot, sin
from footway.crowd.free_space import nearest_free
from footway.errors import BadInput, BadQuery, FootwayError, NoPath
from footway.studio import buildings
from footway.studio.protocol import replies
from footway.studio.protocol.replies import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import Corridor, Pinch
    from footway.environment import Environment
    from footway.studio.documents import Document
    from footway.studio.protocol.requests import Path as PathRequest
    from footway.studio.protocol.requests import Walk
    from footway.terrain import Terrain

    Arrays = dict[str, NDArray[Any]]
    Found = tuple[dict[str, Any], Arrays, Corridor | None]  # facts, arrays, corridor

_MARGIN: Final = (
    1.02  # of the radius for the suggested position: a disc that touches a wall has no path
)
_MAX_SAMPLES: Final = 500  # points of a path that are checked to be in its corridor
MAX_TERRAINS: Final = 32  # in the cache, one for each radius
_AHEAD = 5.0  # m, distance of the point that the camera looks at first
_APART = 0.05  # m, minimum distance of two stops


@dataclass
class TerrainCache:
    """Cache of terrains by radius: building one takes longer than finding a path."""

    _terrains: OrderedDict[float, Terrain] = field(default_factory=OrderedDict)
    _environment: Environment | None = None

    def get(self, environment: Environment, radius: float) -> Terrain:
        """Return the terrain for a disc with a radius."""
        from footway.environment.partition import partition
        from footway.terrain.terrain import Terrain, make_mesh

        if self._environment is not environment:
            self._terrains.clear()
            self._environment = environment
        if radius not in self._terrains:
            cut = partition(environment, radius=radius)
            self._terrains[radius] = Terrain(environment, radius, cut.kinds, make_mesh(cut))
        self._terrains.move_to_end(radius)
        while len(self._terrains) > MAX_TERRAINS:
            self._terrains.popitem(last=False)
        return self._terrains[radius]


def path(document: Document, request: PathRequest, terrains: TerrainCache) -> Answer:
    """Return a path, its measures, and backbone, radii and walls of its corridor.

    A path over terrain that leaves the corridor of the shortest path is returned without one.

    Raises:
        BadInput: a point in a wall, or an unknown kind of terrain.
        NoPath: there is no path; the error has the reason.
    """
    begin = time.perf_counter()
    is_short = request.method == "short" or document.building_map is not None
    find = _find_path if is_short else _find_walk
    facts, arrays, corridor = find(document, request, terrains)
    if corridor is not None and "backbone" not in arrays:
        arrays |= {
            "backbone": corridor.backbone,
            "radii": corridor.radii,
            "left": corridor.left,  # nearest wall points on either side
            "right": corridor.right,
        }
    facts |= {"milliseconds": 1000.0 * (time.perf_counter() - begin), "method": request.method}
    return Answer(replies.Path(**facts), arrays)


def _find_path(document: Document, request: PathRequest, _: TerrainCache) -> Found:
    """Find the shortest path; one search finds the path and its corridor."""
    if document.open_links is not None:
        return buildings.find_path(document.open_links, request)
    clearance = None if request.clearance is None else max(request.clearance, request.radius)
    found = document.corridors.path(
        request.start, request.goal, radius=request.radius, clearance=clearance
    )
    facts = {"length": found.length, "clearance": found.clearance, "turns": found.turns}
    return facts, {"path": found.points}, found.corridor


def _find_walk(document: Document, request: PathRequest, terrains: TerrainCache) -> Found:
    """Find the walk of a character through the corridor, or along an indicative route."""
    from footway import follow

    cmap, facts, arrays, walk = document.corridors, {}, {}, None
    corridor = cmap.corridor(request.start, request.goal, radius=request.radius)
    is_inside = True  # the walk, in the corridor
    if request.method == "cmm":
        walk = follow.cmm(corridor, radius=request.radius, speed=request.speed)
    else:
        from footway.terrain.route import route

        if document.environment is None:
            raise BadInput(
                f"{document.name}: has no terrain; {request.method} needs the map itself"
            )
        terrain = terrains.get(document.environment, request.radius)
        made = route(terrain, request.start, request.goal, preferences=request.preferences)
        if request.method == "irm":
            walk = follow.irm(made, cmap, speed=request.speed)
        else:
            walk = follow.miran(
                made, speed=request.speed, sigma=request.sigma, spacing=request.spacing
            )
        facts = {"weighted_length": walk.weighted_length, "ground": walk.measure()}
        arrays = {"route": made.points}
        # Over terrain a walk may leave the corridor: does the disc overlap it all along?
        some = walk.points[:: 1 + len(walk.points) // _MAX_SAMPLES, None, :2]
        off = hypot(*np.moveaxis(some - corridor.backbone, 2, 0)) - corridor.radii
        is_inside = bool((off.min(axis=1) <= request.radius).all())
    facts |= {"length": walk.length, "clearance": walk.clearance, "duration": walk.duration}
    arrays |= {"path": walk.points[:, :2], "times": walk.times}
    return facts, arrays, corridor if is_inside else None


def warm_up(document: Document) -> None:
    """Find a path across the map, so that kernels are compiled and loaded."""
    from footway import follow

    if document.building_map is not None:
        with suppress(FootwayError):
            buildings.warm_up(document.building_map)
        return
    wide = document.balls[document.balls[:, 2] > 0.5 * document.largest_radius]
    with suppress(FootwayError):
        found = document.corridors.path(wide[0, :2], wide[-1, :2], radius=0.1)
        _ = found.corridor.left
        follow.cmm(found.corridor)


def refusal_facts(
    document: Document, request: PathRequest, error: Exception
) -> replies.RefusalFacts:
    """Return facts about a refusal for the page: the pinch, or the nearest free position."""
    facts: dict[str, Any] = {}
    if isinstance(error, NoPath):
        facts["reason"] = error.reason
        facts["pinch"] = None if error.pinch is None else pinch_facts(error.pinch)
    elif not isinstance(error, BadQuery):
        return replies.RefusalFacts()
    if document.building_map is not None:
        facts |= buildings.refusal_facts(document.building_map, request, error, _MARGIN)
        return replies.RefusalFacts(**facts)
    ends, cmap = np.array([request.start, request.goal]), document.corridors
    tight = np.flatnonzero(cmap.clearance(ends) < request.radius)
    if len(tight):
        k = int(tight[0])
        place = nearest_free(cmap, ends[k : k + 1], np.array([_MARGIN * request.radius]))[0]
        facts |= {"end": ("start", "goal")[k], "nearest": place.tolist()}
    return replies.RefusalFacts(**facts)


def pinch_facts(pinch: Pinch) -> replies.PinchFacts:
    """Return a pinch for the page."""
    at, left, right = (replies.Place(*map(float, p)) for p in (pinch.at, pinch.left, pinch.right))
    where = pinch.where or None
    return replies.PinchFacts(at=at, width=pinch.width, walls=(left, right), where=where)


def _apart(stops: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return stops without those at the place of the one before."""
    kept = stops[:1]
    for stop in stops[1:]:
        if dist(stop[:2], kept[-1][:2]) > _APART or stop[2:] != kept[-1][2:]:
            kept.append(stop)
    return kept


def walk(document: Document, request: Walk) -> Answer:
    """Return the camera's motion (n, 7): time, position, direction.

    It starts at the camera's position, or at the nearest free one, and looks along `heading` first.

    Raises:
        BadInput: a stop in a wall.
        NoPath: a stop cannot be reached.
    """
    from footway import camera

    cmap, links = document.corridors, document.open_links
    stops: list[tuple[Any, ...]]
    if links is not None:
        cmap = links.map
        stops, height = buildings.stops_of(links, request)
    else:
        place = nearest_free(cmap, np.array([request.start]), np.array([request.radius]))[0]
        stops, height = [tuple(place.tolist()), *request.stops], None
    stops = _apart(stops)
    if len(stops) < 2:
        return Answer(replies.Walk(duration=0.0, length=0.0), {"camera": np.empty((0, 7))})
    first: Any = stops[0]
    if request.heading is not None:
        x, y = first[:2]
        ahead = (x + _AHEAD * cos(request.heading), y + _AHEAD * sin(request.heading))
        first = camera.Stop(first, 0.0, ahead if height is None else (*ahead, height))
    made = camera.tour(
        cmap,
        [first, *stops[1:]],
        radius=request.radius,
        speed=request.speed,
        height=request.eye_height,
    )
    facts = replies.Walk(
        duration=made.duration,
        length=made.length,
        clearance=made.clearance,
        arrivals=made.arrivals.tolist(),
    )
    return Answer(facts, {"camera": made.table[:, :7]})
