"""The body of all followers: settings, memory for samples, and the loop around the kernels."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import numpy as np

from footway.constants import TOUCH
from footway.errors import BadQuery, NoPath
from footway.follow.detour import as_discs, check_ends
from footway.follow.kernels.free_zone import FreeZone
from footway.follow.kernels.irm import irm_walk
from footway.follow.kernels.layouts import (
    ALPHA_X,
    ARRIVED,
    ATTRACTION,
    NO_MEMORY,
    OUT_OF_SIGHT,
    REFERENCE,
    STALLED,
    WALKING,
    Body,
    Guide,
    RouteState,
    Settings,
    Surroundings,
    Trail,
)
from footway.follow.kernels.miran import miran_walk
from footway.follow.kernels.visibility import make_workspace
from footway.follow.walk import RouteWalk
from footway.terrain.cut_route import cut_route
from footway.validation import FARTHEST, flag, number, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footway.follow.detour import Obstacle
    from footway.follow.kernels.irm import ClearanceIndex
    from footway.follow.kernels.walk import WalkState
    from footway.terrain.cut_route import CutRoute
    from footway.terrain.route import IndicativeRoute


LONGEST_STEP = 3600.0  # s between samples; a larger value is probably in another unit
MOST_SAMPLES = 20_000_000  # per walk: more would not fit in memory
MOST_REPLANS = 100  # paths back to the route in one walk
_SAMPLES = 1 << 13  # initial capacity of a walk


class _Limits(NamedTuple):
    """Limits of a parameter: see `validation.number`."""

    unit: str
    low: float = -math.inf
    above: float = -math.inf
    high: float = math.inf


_LIMITS: Final = {
    "radius": _Limits("m", low=0.0, high=FARTHEST),
    "speed": _Limits("m/s", above=0.0, high=FARTHEST),
    "step": _Limits("s", above=0.0, high=LONGEST_STEP),
    "turn_rate": _Limits("rad/s", above=0.0),
    "shortcut": _Limits("", low=0.0, high=1.0),
    "noise": _Limits("", low=0.0, high=100.0),
    "wavelength": _Limits("m", low=TOUCH, high=FARTHEST),
    "lane": _Limits("", low=-100.0, high=100.0),
    "corner": _Limits("", low=-100.0, high=100.0),
    "sigma": _Limits("m", above=0.0, high=FARTHEST),
    "spacing": _Limits("m", above=0.0, high=FARTHEST),
    "look": _Limits("m", low=0.0, high=FARTHEST),
    "clearance": _Limits("m", low=0.0, high=FARTHEST),
    "steering": _Limits("", above=0.0),
    "boundary": _Limits("", low=0.0),
    "repulsion": _Limits("m", low=0.0),
}


def make_settings(**parameters: Any) -> Settings:
    """Validate parameters of a follower and return them for the kernels."""
    for name, value in parameters.items():
        unit, low, above, high = _LIMITS[name]
        # Most are good, and `number` would take half of the time of a short walk.
        if type(value) is not float or not (above < value < math.inf and low <= value <= high):
            parameters[name] = number(value, name, unit, low=low, above=above, high=high)
    return Settings(**parameters)


class _Trails(threading.local):
    """Unused trails of the calling thread, reused because allocation takes longer than a walk."""

    def __init__(self) -> None:
        self.free: list[Trail] = []


_trails = _Trails()


def make_trail(samples: int) -> Trail:
    """Allocate memory for samples."""
    return Trail(*(np.empty((samples, columns)) for columns in (3, 3, 3, 4)))


class Walker(ABC):
    """Walk of one character: the loop around the kernel of a follower."""

    state: WalkState | RouteState

    def __init__(
        self, settings: Settings, obstacles: Sequence[Obstacle], dimension: int, length: float
    ) -> None:
        self.settings, self.dimension = settings, dimension
        self.named, self.discs = as_discs(obstacles, dimension)
        samples = length / (settings.speed * settings.step)
        if samples > MOST_SAMPLES:
            raise BadQuery(
                f"{samples:.3g} samples of {settings.step:g} s at {settings.speed:g} m/s are too "
                f"many: take a longer step or a higher speed, for at most {MOST_SAMPLES:,}"
            )
        self.trail = _trails.free.pop() if _trails.free else make_trail(_SAMPLES)
        self.count = 0

    @abstractmethod
    def advance(self, steps: int) -> tuple[int, int]:
        """Call the kernel for up to `steps` steps: (status, samples written)."""

    def run(self, steps: int | None = None) -> int:
        """Advance until the character arrives, is stuck, or has taken `steps` steps: status."""
        made = 0
        while True:
            capacity = len(self.trail.points) - self.count - 2
            if capacity < 8:
                more = make_trail(len(self.trail.points) + 64)
                both = zip(self.trail, more, strict=True)
                self.trail = Trail(*(np.concatenate(pair) for pair in both))
                continue
            status, count = self.advance(capacity if steps is None else min(capacity, steps - made))
            self.count += count
            made += count
            if status != WALKING or made == steps:
                return status

    def samples(self) -> dict[str, Any]:
        """Return the fields that all walks have: see `Walk`."""
        s, rows, d = self.settings, slice(0, self.count), self.dimension
        stands = self.trail.directions[rows, :d].copy() if self.state.stood else None
        return {
            "radius": s.radius,
            "speed": s.speed,
            "step": s.step,
            "points": self.trail.points[rows, :d].copy(),
            "velocities": self.trail.velocities[rows, :d].copy(),
            "stands": stands,
            "obstacles": self.named,
            "discs": self.discs,
        }

    def release(self) -> None:
        """Keep the memory of the samples for the next walk, unless it is large."""
        if len(self.trail.points) == _SAMPLES:
            _trails.free.append(self.trail)


class RouteWalker(Walker):
    """Walk along an indicative route by MIRAN or, with an index of clearances, by IRM."""

    state: RouteState

    def __init__(
        self,
        route: IndicativeRoute,
        preferences: Mapping[str, float] | None,
        settings: Settings,
        obstacles: Sequence[Obstacle],
        *,
        replan: bool,
        index: ClearanceIndex | None = None,
    ) -> None:
        self.route, self.replan, self.index = route, flag(replan, "replan"), index
        chosen = route.preferences if preferences is None else preferences
        self.weights = route.terrain.weights(chosen)
        self.preferences = dict(chosen)
        cut = route.cut
        if not len(cut.pieces):
            raise BadQuery(f"a route of {cut.length:.3g} m is too short: draw a longer one")
        super().__init__(settings, obstacles, 2, cut.length)
        if self.named:
            check_ends(self.named, self.discs, settings.radius, cut.points[[0, -1]])
        x, y = cut.points[0].tolist()
        self.state = RouteState(Body(x, y, _first_triangle(cut)), Guide(0.0, 0, 0.0, x, y))
        self.replanned = 0
        self.joined, self.ahead = 0.0, 0.0  # m: see _on_route
        self._begin(cut)

    def _begin(self, cut: CutRoute) -> None:
        """Prepare to follow the route, or a path back to it and the rest of it."""
        mesh = self.route.terrain.mesh
        pieces = len(cut.pieces) if self.index is None else 0  # IRM needs no visibility
        workspace = make_workspace(len(mesh.triangles), pieces)
        self.surroundings = Surroundings(cut, mesh, self.weights, workspace)
        self.zone = FreeZone()

    def advance(self, steps: int) -> tuple[int, int]:
        """Call the kernel for up to `steps` steps: (status, samples written)."""
        s, discs, around, first = self.settings, self.discs, self.surroundings, self.count
        if self.index is not None:
            status, count, self.state = irm_walk(
                self.state, steps, s, self.index, discs, around, self.trail, first
            )
        else:
            status, count, self.state, self.zone = miran_walk(
                self.state, steps, s, self.zone, discs, around, self.trail, first
            )
        if self.replanned:
            columns = [REFERENCE, ATTRACTION]
            places = self.trail.progress[first : first + count, columns]
            self.trail.progress[first : first + count, columns] = self._on_route(places)
        return status, count

    def walk(self) -> RouteWalk:
        """Walk to the goal and return the walk."""
        while (status := self.run()) != ARRIVED:
            if status == STALLED and self.settings.clearance > 0.0 and not self.named:
                # The boundary force holds the character; without it every goal is reached.
                self.settings = self.settings._replace(clearance=0.0)
                self.state = self.state._replace(idle=0.0)
            elif status == STALLED:
                raise self._stuck()
            if status == OUT_OF_SIGHT:
                self._replan()
            if status == NO_MEMORY:
                around = self.surroundings
                size = 2 * len(around.workspace.cones)
                workspace = make_workspace(size, len(around.route.pieces))
                self.surroundings, self.zone = around._replace(workspace=workspace), FreeZone()
        progress = self.trail.progress[: self.count]
        walk = RouteWalk(
            made_in=_no_corridor,
            **self.samples(),
            grid=None,
            route=self.route,
            preferences=self.preferences,
            references=progress[:, REFERENCE].copy(),
            attractions=progress[:, ATTRACTION].copy(),
            attraction_points=progress[:, ALPHA_X:].copy(),
            replanned=self.replanned,
        )
        self.release()
        return walk

    def _on_route(self, places: Any) -> Any:
        """Convert m along the route that is followed to the original; the path back counts as 0."""
        return np.maximum(self.joined, places - self.ahead)

    def _replan(self) -> None:
        """Plan a path back to the reference point and follow it and the rest of the route."""
        body, guide = self.state.body, self.state.guide
        x = np.array([body.x, body.y])
        if not self.replan or self.replanned >= MOST_REPLANS:
            raise NoPath(
                f"the route is out of sight from {np.round(x, 3).tolist()} after "
                f"{self.state.time:.1f} s: obstacles or forces pushed the character off it",
                reason="blocked",
                obstacles=tuple(range(len(self.named))),
            )
        joined, cut = float(self._on_route(guide.reference)), self.route.cut
        goal = cut.at(joined)
        path = np.vstack([x, goal])
        if not self.route.terrain.sees(x, goal):
            from footway.terrain.route import route  # a slow import that is rarely needed

            path = route(self.route.terrain, x, goal, preferences=self.preferences).points
        rest = cut.points[cut.lengths > joined]
        made = cut_route(np.vstack([path, rest]), self.route.terrain.mesh)
        self.joined, self.ahead = joined, made.length - (cut.length - joined) - joined
        self.state = self.state._replace(guide=Guide(0.0, 0, 0.0, guide.x, guide.y))
        self.replanned += 1
        self._begin(made)

    def _stuck(self) -> NoPath:
        body = self.state.body
        cause = (
            "obstacles hold it there; see NoPath.obstacles" if self.named
            else "it walks or turns too slowly; see speed, turn_rate and step"
        )  # fmt: skip
        return NoPath(
            f"the character gets no further on its route at "
            f"{np.round([body.x, body.y], 3).tolist()} after {self.state.time:.1f} s: {cause}",
            reason="blocked",
            obstacles=tuple(range(len(self.named))),
        )


def route_settings(route: IndicativeRoute, radius: float | None, **parameters: float) -> Settings:
    """Validate a route and the parameters of `miran` or `irm`.

    The radius must be that of the route's terrain: another one would have other free space.
    """
    if not hasattr(route, "terrain") or not hasattr(route, "points"):
        raise BadQuery(f"an indicative route is needed, not {shown(route)}: see fw.route")
    made_for = route.terrain.radius
    if radius is not None and number(radius, "radius", "m") != made_for:
        raise BadQuery(
            f"the radius is {radius:g} m, but the route was made for {made_for:g} m: "
            "make the route's terrain for the same radius"
        )
    return make_settings(radius=made_for, **parameters)


def _first_triangle(cut: CutRoute) -> int:
    """Return the triangle at the start that contains most of what follows.

    Other triangles only touch the start or lie behind it: a route may begin on a wall without
    thickness, which has triangles on both sides.
    """
    first, last = cut.along.T
    begins = first <= first.min() + 1e-9
    return int(cut.triangle[np.where(begins, last, -1.0).argmax()])


def _no_corridor() -> NoReturn:
    raise BadQuery("a walk along a route has no corridor: see its route")
