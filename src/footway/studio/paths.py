"""A path with the corridor that it runs in: what a click on start and goal shows."""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.capacity import nearest_free
from footway.errors import BadInput, BadQuery, FootwayError, NoPath
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import Corridor, Pinch
    from footway.environment import Environment
    from footway.studio.documents import Document
    from footway.studio.requests import Path as PathAsk
    from footway.terrain import Terrain

    Arrays = dict[str, NDArray[Any]]

_ROOMY: Final = 1.02  # times the radius, of a place to go to: who touches a wall has no way on
_LOOKED_AT: Final = 500  # points of a path, to see whether it stays in its corridor
KEPT: Final = 32  # terrains, one for each radius that was asked for last


@dataclass
class Grounds:
    """Terrains by radius; making one takes longer than a path, and a slider asks for many."""

    _kept: OrderedDict[float, Terrain] = field(default_factory=OrderedDict)
    _of: Environment | None = None

    def of(self, environment: Environment, radius: float) -> Terrain:
        """Return the terrain of a disc."""
        from footway.environment.partition import partition
        from footway.terrain.terrain import Terrain, make_ground

        if self._of is not environment:
            self._kept.clear()
            self._of = environment
        if radius not in self._kept:
            cut = partition(environment, radius=radius)
            self._kept[radius] = Terrain(environment, radius, cut.kinds, make_ground(cut))
        self._kept.move_to_end(radius)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return self._kept[radius]


def path(document: Document, ask: PathAsk, grounds: Grounds) -> Answer:
    """Return the path, its corridor's backbone, radii and walls, and what it measures.

    A path over terrain that leaves the corridor of the shortest way comes without one.

    Raises:
        BadInput: a point in a wall, a kind of ground that the map does not have.
        NoPath: there is none, and why.

    """
    begin = time.perf_counter()
    made = _short(document, ask) if ask.method == "short" else _walk(document, ask, grounds)
    made.facts["milliseconds"] = 1000.0 * (time.perf_counter() - begin)
    made.facts["method"] = ask.method
    return made


def warm(document: Document) -> None:
    """Find a path between the two ends of the map, so that kernels and memory are there."""
    from footway import follow

    roomy = document.balls[document.balls[:, 2] > 0.5 * document.largest_radius]
    start, goal = roomy[0, :2], roomy[-1, :2]
    with suppress(FootwayError):
        cmap = document.corridors
        cmap.path(start, goal, radius=0.1)
        corridor = cmap.corridor(start, goal, radius=0.1, around="path")
        _ = corridor.left
        follow.cmm(corridor)


def _short(document: Document, ask: PathAsk) -> Answer:
    cmap = document.corridors
    clearance = None if ask.clearance is None else max(ask.clearance, ask.radius)
    found = cmap.path(ask.start, ask.goal, radius=ask.radius, clearance=clearance)
    corridor = cmap.corridor(ask.start, ask.goal, radius=ask.radius, around="path")
    facts = {"length": found.length, "clearance": found.clearance, "turns": found.turns}
    return Answer(facts, {"path": found.points, **_corridor(corridor)})


def _walk(document: Document, ask: PathAsk, grounds: Grounds) -> Answer:
    """A character that walks through the corridor, or along an indicative route."""
    from footway import follow

    cmap = document.corridors
    corridor = cmap.corridor(ask.start, ask.goal, radius=ask.radius)
    if ask.method == "cmm":
        walk: Any = follow.cmm(corridor, radius=ask.radius, speed=ask.speed)
        return _walked(walk, {}, _corridor(corridor))
    from footway.terrain.route import route

    if document.environment is None:
        raise BadInput(f"{document.name}: has no ground; {ask.method} needs the map itself")
    terrain = grounds.of(document.environment, ask.radius)
    way = route(terrain, ask.start, ask.goal, preferences=ask.preferences)
    if ask.method == "irm":
        walk = follow.irm(way, cmap, speed=ask.speed)
    else:
        walk = follow.miran(way, speed=ask.speed, sigma=ask.sigma, spacing=ask.spacing)
    facts = {"weighted_length": walk.weighted_length, "ground": walk.measure()}
    around = _corridor(corridor) if _stays_in(corridor, walk.points, ask.radius) else {}
    return _walked(walk, facts, {"route": way.points, **around})


def _walked(walk: Any, facts: dict[str, Any], arrays: Arrays) -> Answer:
    facts |= {"length": walk.length, "clearance": walk.clearance, "duration": walk.duration}
    return Answer(facts, {"path": walk.points[:, :2], "times": walk.times, **arrays})


def _stays_in(corridor: Corridor, points: NDArray[np.float64], radius: float) -> bool:
    """Whether a disc touches the corridor's balls all along: terrain may lead another way."""
    some = points[:: 1 + len(points) // _LOOKED_AT, None, :2]
    off = hypot(*np.moveaxis(some - corridor.backbone, 2, 0)) - corridor.radii
    return bool((off.min(axis=1) <= radius).all())


def _corridor(corridor: Corridor) -> Arrays:
    """Backbone, radii, and the nearest wall on either side."""
    return {
        "backbone": corridor.backbone,
        "radii": corridor.radii,
        "left": corridor.left,
        "right": corridor.right,
    }


def why_not(document: Document, ask: PathAsk, error: Exception) -> dict[str, Any]:
    """Return what a page wants to know of a refusal: the pinch, or the nearest free place."""
    facts: dict[str, Any] = {}
    if isinstance(error, NoPath):
        facts["reason"] = error.reason
        facts["pinch"] = None if error.pinch is None else pinch_facts(error.pinch)
    elif not isinstance(error, BadQuery):
        return {}
    ends, cmap = np.array([ask.start, ask.goal]), document.corridors
    tight = np.flatnonzero(cmap.clearance(ends) < ask.radius)
    if len(tight):
        k = int(tight[0])
        place = nearest_free(cmap, ends[k : k + 1], np.array([_ROOMY * ask.radius]))[0]
        facts |= {"end": ("start", "goal")[k], "nearest": place.tolist()}
    return facts


def pinch_facts(pinch: Pinch) -> dict[str, Any]:
    """Return a pinch as plain values."""
    return {
        "at": list(pinch.at),
        "width": pinch.width,
        "walls": [list(pinch.left), list(pinch.right)],
    }
