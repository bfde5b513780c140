"""Walks along an indicative route, and the loop that computes them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from footway.corridor.kernels.path import polyline_clearance
from footway.errors import BadQuery, NoPath
from footway.follow.detour import as_discs, check_ends
from footway.follow.kernels.steering import (
    ALPHA,
    ARRIVED,
    ATTRACTION,
    FIELDS,
    LINE,
    OUT_OF_SIGHT,
    REFERENCE,
    STALLED,
    STOOD,
    TIME,
    TRIANGLE,
    BodyParameters,
    X,
)
from footway.follow.settings import LONGEST_STEP
from footway.follow.walk import Walk
from footway.terrain.cut_route import make_course
from footway.validation import FARTHEST, flag, number, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from footway.follow.detour import Disc
    from footway.terrain.cut_route import CutRoute
    from footway.terrain.route import IndicativeRoute

    Floats = NDArray[np.float64]
    Obstacle = Disc | tuple[float, ...]

MOST_SAMPLES = 20_000_000  # per walk: more would not fit in memory
MOST_REPLANS = 100  # paths back to the route in one walk
SPARE = 256  # samples allocated beyond those for the route's length


@dataclass(frozen=True, eq=False, repr=False)
class RouteWalk(Walk):
    """A walk along an indicative route.

    Attributes:
        route: the route that was followed.
        preferences: weight of each kind of terrain for the character.
        references: (n,) m along the route: the reference point of each sample.
        attractions: (n,) m along the route: the attraction point of each sample.
        attraction_points: (n, 2) coordinates of the attraction points, m.
        replanned: how often the route was out of sight and a path back to it was planned.

    """

    route: IndicativeRoute
    preferences: Mapping[str, float]
    references: Floats
    attractions: Floats
    attraction_points: Floats
    replanned: int

    @cached_property
    def clearance(self) -> float:  # type: ignore[override]
        """Least distance of the walk to any wall, m; computed on first access."""
        from footway.terrain.terrain import wall_grid  # imports Shapely

        return float(polyline_clearance(self.points, wall_grid(self.route.terrain.environment)))

    def measure(self) -> dict[str, float]:
        """Return the exact length of the walk on each kind of terrain, m."""
        return self.route.terrain.measure(self.points, self.preferences)

    @cached_property
    def weighted_length(self) -> float:
        """Length of the walk, m, weighted by the terrain."""
        return self.route.terrain.weighted_length(self.points, self.preferences)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return super().to_dict() | {
            "weighted_length": self.weighted_length,
            "ground": self.measure(),
            "references": self.references.tolist(),
            "attractions": self.attractions.tolist(),
            "replanned": self.replanned,
        }

    def __repr__(self) -> str:
        return (
            f"RouteWalk({self.length:.2f} m in {self.duration:.1f} s along a route of "
            f"{self.route.length:.2f} m, radius {self.radius:g} m)"
        )


class Trail(NamedTuple):
    """Buffers for the samples of a walk."""

    points: Floats  # (n, 2)
    velocities: Floats  # (n, 2)
    directions: Floats  # (n, 2)
    places: Floats  # (n, 4) reference and attraction point along the route, x, y of the latter


def check_route(route: object) -> None:
    """Raise BadQuery if `route` is not an indicative route."""
    if not hasattr(route, "terrain") or not hasattr(route, "points"):
        raise BadQuery(f"an indicative route is needed, not {shown(route)}: see fw.route")


def radius_of(route: IndicativeRoute, radius: float | None) -> float:
    """Return the radius of the route's terrain; another radius would have other free space."""
    made_for = route.terrain.radius
    if radius is not None and number(radius, "radius", "m") != made_for:
        raise BadQuery(
            f"the radius is {radius:g} m, but the route was made for {made_for:g} m: "
            "make the route's terrain for the same radius"
        )
    return made_for


def body_parameters(
    route: IndicativeRoute,
    *,
    radius: float | None,
    speed: float,
    step: float,
    turn_rate: float,
    look: float,
    clearance: float,
    steering: float,
    boundary: float,
    obstacle: float,
    sigma: float = math.inf,
    spacing: float = math.inf,
) -> BodyParameters:
    """Validate the parameters of `miran` or `irm` and return them for the kernels."""
    return BodyParameters(
        radius=radius_of(route, radius),
        speed=number(speed, "speed", "m/s", above=0.0, high=FARTHEST),
        step=number(step, "step", "s", above=0.0, high=LONGEST_STEP),
        turn_rate=number(turn_rate, "turn_rate", "rad/s", above=0.0),
        sigma=sigma,
        spacing=spacing,
        look=number(look, "look", "m", low=0.0, high=FARTHEST),
        clearance=number(clearance, "clearance", "m", low=0.0, high=FARTHEST),
        steering=number(steering, "steering", "", above=0.0),
        boundary=number(boundary, "boundary", "", low=0.0),
        obstacle=number(obstacle, "obstacle", "m", low=0.0),
        smooth=True,
    )


class RouteWalker(ABC):
    """Walk of one character: the loop around the kernels of a follower."""

    def __init__(
        self,
        route: IndicativeRoute,
        preferences: Mapping[str, float] | None,
        body: BodyParameters,
        obstacles: Sequence[Obstacle],
        *,
        replan: bool,
    ) -> None:
        self.route, self.body, self.replan = route, body, flag(replan, "replan")
        chosen = route.preferences if preferences is None else preferences
        self.weights = route.terrain.weights(chosen)
        self.preferences = dict(chosen)
        self.named, self.discs = as_discs(obstacles, 2)
        self.ground, self.course = route.terrain.ground, route.course
        if not len(self.course.pieces):
            raise BadQuery(
                f"a route of {self.course.length:.3g} m leads nowhere: draw a longer one"
            )
        self.replanned, self.count = 0, 0
        self.joined, self.ahead = 0.0, 0.0  # m: see _on_route
        samples = self.course.length / (body.speed * body.step)
        if samples > MOST_SAMPLES:
            raise BadQuery(
                f"{samples:.3g} samples of {body.step:g} s at {body.speed:g} m/s are too many: "
                f"take a longer step or a higher speed, for at most {MOST_SAMPLES:,}"
            )
        self.trail = _make_trail(int(samples) + SPARE)
        self.state = np.zeros(FIELDS)
        self.state[X : X + 2] = self.state[ALPHA : ALPHA + 2] = self.course.points[0]
        self.state[TRIANGLE] = _first_triangle(self.course)
        if self.named:
            check_ends(self.named, self.discs, body.radius, self.course.points[[0, -1]])
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Prepare to follow a course: the route, or a path back to it and the rest of it."""

    @abstractmethod
    def run(self, steps: int, first: int) -> tuple[int, int]:
        """Walk up to `steps` steps from sample `first` on: (status, samples written)."""

    def walk(self) -> RouteWalk:
        """Walk to the goal and return the walk."""
        while True:
            capacity = len(self.trail.points) - self.count - 2
            if capacity < 8:
                self.trail = Trail(*(np.concatenate([a, np.empty_like(a)]) for a in self.trail))
                continue
            status, count = self.run(capacity, self.count)
            if self.replanned:
                rows = self.trail.places[self.count : self.count + count, :2]
                rows[:] = self._on_route(rows)
            self.count += count
            if status == ARRIVED:
                return self._finished()
            if status == STALLED:
                raise self._stuck()
            if status == OUT_OF_SIGHT:
                self._replan()

    def _on_route(self, places: Floats) -> Floats:
        """Convert lengths along the course to the route; the path back counts as no progress."""
        return np.maximum(self.joined, places - self.ahead)

    def _replan(self) -> None:
        """Plan a path to the reference point, from where the course follows the route again."""
        x = self.state[X : X + 2].copy()
        if not self.replan or self.replanned >= MOST_REPLANS:
            raise NoPath(
                f"the route is out of sight from {np.round(x, 3).tolist()} after "
                f"{self.state[TIME]:.1f} s: obstacles or forces pushed the character off it",
                reason="blocked",
                obstacles=tuple(range(len(self.named))),
            )
        joined = float(self._on_route(self.state[REFERENCE]))
        course = self.route.course
        path = _path_back(self.route, x, course.at(joined), self.preferences)
        rest = course.points[course.lengths > joined]
        self.course = make_course(np.vstack([path, rest]), self.ground)
        self.joined, self.ahead = joined, self.course.length - (course.length - joined) - joined
        self.state[[REFERENCE, ATTRACTION, LINE]] = 0.0
        self.replanned += 1
        self.begin()

    def _stuck(self) -> NoPath:
        place = np.round(self.state[X : X + 2], 3).tolist()
        cause = (
            "obstacles hold it there; see NoPath.obstacles" if self.named
            else "a lower clearance or boundary may help" if self.body.clearance
            else "it walks or turns too slowly; see speed, turn_rate and step"
        )  # fmt: skip
        return NoPath(
            f"the character comes no further on its route at {place} after "
            f"{self.state[TIME]:.1f} s: {cause}",
            reason="blocked",
            obstacles=tuple(range(len(self.named))),
        )

    def _finished(self) -> RouteWalk:
        """Return the finished walk."""
        rows = slice(0, self.count)
        places = self.trail.places[rows]
        return RouteWalk(
            _no_corridor,
            self.body.radius,
            self.body.speed,
            self.body.step,
            self.trail.points[rows].copy(),
            self.trail.velocities[rows].copy(),
            self.trail.directions[rows].copy() if self.state[STOOD] else None,
            self.named,
            self.discs,
            None,
            self.route,
            self.preferences,
            places[:, 0].copy(),
            places[:, 1].copy(),
            places[:, 2:].copy(),
            self.replanned,
        )


def _first_triangle(course: CutRoute) -> int:
    """Return the triangle at the start that contains most of what follows.

    Other triangles only touch the start or lie behind it: a route may begin on a wall without
    thickness, which has triangles on both sides.
    """
    begins = course.along[:, 0] <= course.along[:, 0].min() + 1e-9
    return int(course.triangle[np.where(begins, course.along[:, 1], -1.0).argmax()])


def _make_trail(samples: int) -> Trail:
    return Trail(*(np.empty((samples, columns)) for columns in (2, 2, 2, 4)))


def _no_corridor() -> NoReturn:
    raise BadQuery("a walk along a route has no corridor: see its route")


def _path_back(
    route: IndicativeRoute, start: Floats, goal: Floats, preferences: Mapping[str, float]
) -> Floats:
    """Return points (n, 2) of a path from the character to a point of its route."""
    if route.terrain.sees(start, goal):
        return np.vstack([start, goal])
    from footway.terrain.route import route as plan  # a slow import that is rarely needed

    return plan(route.terrain, tuple(start), tuple(goal), preferences=preferences).points
