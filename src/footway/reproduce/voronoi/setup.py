"""Environments, roadmaps, sizes and drawing that the experiments with smooth roadmaps share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from footway.corridor import CorridorMap
from footway.environment import Environment, gallery
from footway.plot import palette
from footway.plot.canvas import SIDE, WIDTH, add_line_key
from footway.reproduce.voronoi.judge import Judge
from footway.roadmap.voronoi.blends import blends
from footway.roadmap.voronoi.voronoi_prm import voronoi_prm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist

    from footway.arrays import Floats
    from footway.plot.canvas import Canvas
    from footway.roadmap import Roadmap
    from footway.roadmap.voronoi.blends import Blends


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        environments: two-dimensional maps of the gallery.
        builds: rounds of building all roadmaps.
        queries: random queries on a roadmap.
        rounds: of all queries.
        large: map whose Voronoi-PRM is larger than the paper's.
    """

    environments: tuple[str, ...] = (
        "field", "game", "mckenna", "mckenna-road", "office", "forest", "city",
    )  # fmt: skip
    builds: int = 5
    queries: int = 1_000
    rounds: int = 7
    large: str = "city:2x2"


FULL: Final = Effort()

QUICK: Final = Effort(
    environments=("field", "office"), builds=1, queries=40, rounds=2, large="mckenna"
)

RADIUS: Final = 0.25
"""m. Radius of a pedestrian, as in the other experiments; the paper gives none."""

SEED: Final = 2004


class Scene(NamedTuple):
    """A plan of the gallery with its roadmap."""

    name: str
    environment: Environment
    roadmap: Roadmap
    blends: Blends
    cmap: CorridorMap
    judge: Judge


@cache
def scene(name: str) -> Scene:
    """Return a plan of the gallery with its roadmap (cached)."""
    environment = gallery.make(name)
    roadmap, found = build(environment)
    return Scene(name, environment, roadmap, found, map_of(roadmap), Judge(environment))


def build(environment: Environment) -> tuple[Roadmap, Blends]:
    """Build the roadmap with its blends (section 2)."""
    roadmap = voronoi_prm(environment, radius=RADIUS, seed=SEED)
    return roadmap, blends(roadmap)


def map_of(roadmap: Roadmap) -> CorridorMap:
    """Return the roadmap as a corridor map for queries."""
    cmap = CorridorMap.from_roadmap(roadmap)
    assert isinstance(cmap, CorridorMap)
    return cmap


@cache
def exact_map(name: str) -> CorridorMap:
    """Return the corridor map of a plan of the gallery, for shortest paths."""
    return CorridorMap.build(scene(name).environment)


COURTYARD: Final = (
    ((3.0, 11.2), (6.4, 10.4), (7.4, 13.2), (4.4, 14.2)),
    ((11.0, 10.6), (14.2, 12.0), (13.4, 14.6), (10.4, 13.8)),
    ((18.0, 9.6), (21.2, 10.4), (20.6, 14.0), (17.6, 13.4)),
    ((2.6, 3.0), (5.6, 2.2), (6.8, 4.8), (5.0, 7.2), (2.8, 6.2)),
    ((9.2, 5.4), (11.0, 3.0), (13.4, 4.4), (12.0, 7.2)),
    ((16.0, 2.4), (20.8, 3.0), (21.2, 5.6), (16.8, 6.4)),
)
"""Convex blocks of figures 3 and 5, in m."""


@cache
def courtyard() -> Environment:
    """Six blocks in a rectangle of 24 x 16 m."""
    return Environment.from_polygons(
        bounds=(0, 0, 24, 16), obstacles=[list(block) for block in COURTYARD], name="courtyard"
    )


PAPER: Final = "voronoi-roadmaps-2004"


def draw_lines(
    canvas: Canvas,
    lines: Sequence[Floats],
    *,
    colour: str,
    width: float,
    level: float,
    **style: Any,
) -> None:
    """Draw lines (n, 2) m on a map; `width` is in points."""
    drawn = LineCollection(list(lines), colors=colour, linewidths=width, zorder=level)
    drawn.set(capstyle="round", joinstyle="round", **style)
    canvas.axes.add_collection(drawn, autolim=False)


def draw_dots(canvas: Canvas, points: Floats, *, face: str, size: float, level: float) -> None:
    """Draw points (n, 2) m as discs with a dark rim."""
    x, y = points.T
    style: dict[str, Any] = {"edgecolors": palette.INK, "linewidths": 0.6}
    canvas.axes.scatter(x, y, s=size, c=face, zorder=level, **style)


def diagram_lines(cmap: CorridorMap, step: float) -> list[Floats]:
    """Lines (n, 2) m of the Voronoi diagram, with points at most a step apart."""
    axis = cmap.axis(step)
    ends = zip(axis.offsets[:-1], axis.offsets[1:], strict=True)
    return [axis.points[a:b] for a, b in ends]


def draw_key(canvas: Canvas, entries: Mapping[str, Artist], *, columns: int | None = None) -> None:
    """Draw the key of the marks below the maps, in one line or in columns."""
    at = (SIDE / WIDTH - 0.006, 0.28 / canvas.figure.get_figheight())
    style = {"handlelength": 1.6, "columnspacing": 1.4, "borderpad": None}
    add_line_key(canvas, entries, at, columns or len(entries), **style)


def line_key(colour: str, width: float, **style: Any) -> Line2D:
    """Return the mark of a line."""
    return Line2D([], [], color=colour, lw=width, **style)


def dot_key(face: str, size: float = 4.0) -> Line2D:
    """Return the mark of a place."""
    return Line2D([], [], marker="o", lw=0, mfc=face, mec=palette.INK, mew=0.6, ms=size)


def fill_key(colour: str, alpha: float) -> Patch:
    """Return the mark of an area."""
    return Patch(facecolor=colour, alpha=alpha)
