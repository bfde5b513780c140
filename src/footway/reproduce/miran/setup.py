"""Scenes, published numbers, sizes and checks that the experiments on terrain share."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.corridor import CorridorMap
from footway.environment import gallery
from footway.environment.gallery import forest, mckenna_road
from footway.follow import irm, miran
from footway.terrain.route import IndicativeRoute, route
from footway.terrain.terrain import Terrain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from footway.environment import Environment
    from footway.follow import RouteWalk


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        rounds: of each row of table 1.
    """

    rounds: int = 50


FULL: Final = Effort()

QUICK: Final = Effort(rounds=3)

PAPER: Final = "miran-2013"

POINT: Final = 0.0
"""m. Characters of the paper are points (section 2)."""
DISC: Final = 0.25
"""m. Radius of a pedestrian; the paper does not treat discs."""

SPEED: Final = 1.2
METRE: Final = 1.0 / SPEED
"""s. One metre per sample: a unit of the paper's maps, which it discretises."""
FINE: Final = 0.1
"""s. Default of `footway.follow`: 0.12 m per sample."""

MARGIN: Final = 5.0
"""m. Margin of routes in the forest from borders: a quarter of d, so that walks cut no corners."""

CLEARANCE: Final = 1.0
"""m. Distance from walls that the boundary force F_b keeps (section 3.4); the paper gives none."""

IRM_SPACING: Final = 10.0
"""m. The IRM has no d; this is the one of MIRAN in the same scene."""

VILLAGE, ROAD, ADULT, CHILD = "McKenna", "McKenna + Road", "Forest (adult)", "Forest (child)"

LOOP: Final = (
    *((5.0, 80.0), (50.0, 85.5), (90.0, 97.0), (86.0, 80.0), (84.0, 50.0), (92.0, 27.0)),
    *((100.0, 8.0), (126.0, 6.0), (156.0, 12.0), (184.0, 30.0), (184.0, 86.0), (160.0, 96.0)),
    *((148.0, 94.0), (146.0, 108.0), (140.0, 118.5), (90.0, 97.5), (86.0, 112.0), (78.0, 122.0)),
    *((70.0, 148.0), (92.0, 162.0), (128.0, 164.0), (148.0, 178.0), (193.0, 190.0)),
)
"""A route by hand, m, as in figure 7: around the south of the village, and then north."""
LOOP_BEGIN: Final = 2
LOOP_END: Final = 15
"""Indices of the points of the route at which the loop begins and ends."""

_WALKERS: Final[Mapping[str, Mapping[str, float]]] = {
    ROAD: mckenna_road.PEDESTRIAN,
    ADULT: forest.ADULT,
    CHILD: forest.CHILD,
}


class Row(NamedTuple):
    """A row of table 1."""

    scene: str
    method: str
    sigma: float | None  # m; None: IRM has none
    spacing: float | None  # m, the paper's d
    published: float  # ms

    @property
    def name(self) -> str:
        """Name of the row, without its numbers."""
        return f"{self.scene}, {self.method}"


ROWS: Final = (
    Row(VILLAGE, "MIRAN", 100.0, 20.0, 7.13),
    Row(VILLAGE, "MIRAN", 250.0, 20.0, 16.50),
    Row(VILLAGE, "MIRAN", 300.0, 20.0, 16.04),
    Row(VILLAGE, "MIRAN", 400.0, 20.0, 20.90),
    Row(VILLAGE, "MIRAN", 1250.0, 20.0, 63.33),
    Row(ROAD, "MIRAN", 40.0, 10.0, 4.66),
    Row(ROAD, "IRM", None, None, 4.48),
    Row(ADULT, "MIRAN", 80.0, 20.0, 8.00),
    Row(CHILD, "MIRAN", 100.0, 20.0, 10.52),
)
"""Table 1."""


def rows_of(scene: str) -> list[Row]:
    """Return the rows of one scene, in order."""
    return [row for row in ROWS if row.scene == scene]


def walk(
    row: Row,
    *,
    radius: float = POINT,
    step: float = METRE,
    look: float = 0.0,
    clearance: float = CLEARANCE,
    improved: bool = True,
) -> RouteWalk:
    """Walk a row with all forces; the route is cut by terrain again, as for a new route.

    `look` is the distance between updates of the target, as a share of d. Without a clearance the
    boundary force is off. Routes on the grid are as the paper's if they are not improved.
    """
    drawn = replace(route_of(row.scene, radius, improved))
    settings: dict[str, Any] = {"step": step, "speed": SPEED, "clearance": clearance}
    if row.sigma is None or row.spacing is None:
        return irm(drawn, corridor_map(row.scene), look=look * IRM_SPACING, **settings)
    return miran(drawn, sigma=row.sigma, spacing=row.spacing, look=look * row.spacing, **settings)


def sharpest_turn(walk: RouteWalk) -> float:
    """Return the greatest change of direction between two samples, degrees."""
    step = np.diff(walk.points, axis=0)
    heading = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
    return float(np.degrees(np.abs(np.diff(heading)).max(initial=0.0)))


@cache
def route_of(scene: str, radius: float, improved: bool = True) -> IndicativeRoute:
    """Return the route of a scene: by hand in the village, by A* on a grid in the forest."""
    terrain = Terrain.build(environment_of(scene), radius)
    preferences = _WALKERS.get(scene)
    if scene in {ADULT, CHILD}:
        return route(
            terrain, forest.START, forest.GOAL, preferences=preferences, method="grid",
            margin=MARGIN, improve=improved,
        )  # fmt: skip
    points = LOOP if scene == VILLAGE else mckenna_road.ROUTE
    return IndicativeRoute.from_points(terrain, points, preferences)


def environment_of(scene: str) -> Environment:
    """Return the map of a scene (cached)."""
    return _gallery({VILLAGE: "mckenna", ROAD: "mckenna-road"}.get(scene, "forest"))


@cache
def corridor_map(scene: str) -> CorridorMap:
    """Return the corridor map of a scene (cached), for the IRM."""
    return CorridorMap.build(environment_of(scene))


@cache
def _gallery(name: str) -> Environment:
    return gallery.make(name)


REGIONS: Final = 100
SEED: Final = 2013
CITIZEN: Final[Mapping[str, float]] = {"road": 3.0, "mud": 10.0, "grass": 1.5, "sidewalk": 0.6}
"""Weights of the kinds of terrain in the city."""


@cache
def city() -> Environment:
    """Return the city with a hundred regions of four kinds at random, 8 to 35 m around."""
    random = np.random.default_rng(SEED)
    base = gallery.make("city")
    x0, y0, x1, y1 = base.bounds
    kinds = list(CITIZEN)
    regions = []
    for k in range(REGIONS):
        centre = random.uniform((x0 + 20.0, y0 + 20.0), (x1 - 20.0, y1 - 20.0))
        corners = int(random.integers(4, 9))
        turn = np.sort(random.uniform(0.0, 2.0 * np.pi, corners))
        reach = random.uniform(8.0, 35.0, corners)
        ring = centre + reach[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
        regions.append((kinds[k % len(kinds)], [(float(x), float(y)) for x, y in ring]))
    return base.with_terrain(regions)


_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(walks: Mapping[Row, RouteWalk]) -> list[str]:
    """Return which walks do not arrive, touch a wall, skip too much or are measured wrongly."""
    return [f"{_named(row)}: {words}" for row, walk in walks.items() for words in _of(row, walk)]


def _named(row: Row) -> str:
    return row.name if row.sigma is None else f"{row.name}, sigma {row.sigma:g}"


def _of(row: Row, walk: RouteWalk) -> Iterator[str]:
    missing = math.dist(walk.goal, walk.route.goal)
    if missing > _CLOSE:
        yield f"stops {missing:.3g} m before its goal"
    if walk.clearance < walk.radius - _CLOSE:
        yield f"{walk.clearance:.4f} m from a wall, with a radius of {walk.radius:g} m"
    ahead = float((walk.attractions - walk.references).max())
    if row.sigma is not None and ahead > row.sigma + _CLOSE:
        yield f"is drawn to a point {ahead:.2f} m ahead on the route"
    if np.diff(walk.references).min() < -_CLOSE:
        yield "its reference point moves back"
    off = abs(sum(walk.measure().values()) - walk.length)
    if off > _CLOSE * max(1.0, walk.length):
        yield f"metres by kind of terrain are {off:.2g} m off its length"
    if not _is_free(walk):
        yield "crosses an obstacle, by Shapely"


def _is_free(walk: RouteWalk) -> bool:
    """Whether the walk is in walkable space by Shapely; it may run along walls."""
    line = shapely.linestrings(walk.points)
    walkable = shapely.buffer(walk.route.terrain.environment.walkable, 10.0 * _CLOSE)
    return bool(shapely.covers(walkable, line))


def verdict(walks: Sequence[RouteWalk]) -> str:
    """Describe how many walks arrive, and their other properties."""
    return (
        f"{len(walks)} walks arrive, by Shapely none crosses an obstacle, no reference point moves "
        "back, none is drawn to a point more than sigma ahead, and metres by kind of terrain add up"
    )
