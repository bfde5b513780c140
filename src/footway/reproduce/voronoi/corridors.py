"""Figure 9: corridors of a group around a path near obstacles and around a roadmap path."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from matplotlib.patches import Circle

from footway.corridor import Corridor, CorridorMap
from footway.environment import gallery
from footway.plot import layers, palette, save_picture
from footway.plot.canvas import draw_page_bar, new_canvases
from footway.plot.layers import draw_free_space
from footway.plot.shapes import free_space_of
from footway.reproduce.claims import stated
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.judge import Judge, path_faults
from footway.reproduce.voronoi.setup import (
    PAPER,
    RADIUS,
    SEED,
    dot_key,
    draw_dots,
    draw_key,
    draw_lines,
    fill_key,
    line_key,
    map_of,
)
from footway.roadmap.voronoi.voronoi_prm import voronoi_prm

if TYPE_CHECKING:
    from pathlib import Path

    from footway.arrays import Floats
    from footway.corridor import TautPath
    from footway.environment import Environment
    from footway.plot.canvas import Box, Canvas
    from footway.plot.shapes import FreeSpace
    from footway.reproduce.report import Cell
    from footway.reproduce.voronoi.setup import Effort


SOURCE: Final = "voronoi-roadmaps-2004, sections 3.1 and 3.2 and figure 9"

FILE: Final = "voronoi-figure-9.png"

QUESTION: Final = Question((14.0, 14.8), (41.9, 27.5))
VIEW: Final = (6.0, 5.0, 46.0, 43.0)
WIDTH: Final = 2.5
"""m. Width of the group: no circle of its corridor has a larger radius."""

CLEARANCE: Final = 1.5
"""m. Clearance of the roadmap: more than a single entity needs, as section 3.1 prefers."""

_SPACING: Final = 0.05  # m between circles
_SHARE: Final = 0.47  # of the path behind the entity
_ASIDE: Final = 0.8  # of the clearance: distance of the entity from the path


class PathPair(NamedTuple):
    """Two paths of the same query, and the corridors around them."""

    near: TautPath  # around corners, as near as the disc can go
    far: TautPath  # on the roadmap
    around_near: Corridor
    around_far: Corridor


def run(effort: Effort, folder: Path) -> Section:
    """Build a corridor around both paths, and compare their widths."""
    del effort  # it takes no time
    environment = gallery.make("field")
    pair = find_path_pair(environment)
    corridors = {
        "(a) around a path near obstacles": pair.around_near,
        "(b) around a path of the roadmap": pair.around_far,
    }
    rows: list[tuple[Cell, ...]] = [
        (name, each.length, f"{each.narrowest:.2f}", f"{each.radii.mean():.2f}",
         f"{(each.radii >= WIDTH - 1e-9).mean():.0%}")
        for name, each in corridors.items()
    ]  # fmt: skip
    columns = ("", "length, m", "narrowest circle, m", "mean, m", f"circles of {WIDTH:g} m")
    note = (
        f"A disc of {RADIUS:g} m; circles of the corridor have the clearance of the path, and "
        f"{WIDTH:g} m at most, the width of the group. The paper gives no numbers."
    )
    judge = Judge(environment)
    return Section(
        "Figure 9: corridors for groups",
        SOURCE,
        [Table("Corridors around two paths", columns, rows, note)],
        [_draw(environment, pair, folder)],
        checked="the roadmap's corridor is wider, and no circle of it is cut by a wall.",
        wrong=[
            *path_faults(pair.near, judge, "figure 9 (a)"),
            *path_faults(pair.far, judge, "figure 9 (b)"),
            *faults(pair, judge),
        ],
        claims=[
            stated(f"{PAPER}, figure 9", "the roadmap's corridor has no artificial narrow passage",
                   f"narrowest {pair.around_far.narrowest:.2f} m, near obstacles "
                   f"{pair.around_near.narrowest:.2f} m",
                   held=pair.around_far.narrowest > pair.around_near.narrowest)
        ],
    )  # fmt: skip


def find_path_pair(environment: Environment) -> PathPair:
    """Find paths on the exact map and on the roadmap."""
    exact = CorridorMap.build(environment)
    roadmap = voronoi_prm(environment, radius=RADIUS, clearance=CLEARANCE, seed=SEED)
    near = exact.path(*QUESTION, radius=RADIUS)
    far = map_of(roadmap).path(*QUESTION, radius=RADIUS)
    return PathPair(near, far, corridor_around(near, exact), corridor_around(far, exact))


def corridor_around(path: TautPath, exact: CorridorMap) -> Corridor:
    """Return the union of clearance circles along a path, bounded by the group's width."""
    along = path.arc_lengths
    at = np.linspace(0.0, along[-1], int(along[-1] / _SPACING) + 2)
    points = np.column_stack([np.interp(at, along, column) for column in path.points.T])
    radii = np.minimum(exact.clearance(points), WIDTH)
    return Corridor.from_balls(points, radii, radius=path.radius)


def attraction_point(corridor: Corridor, place: Floats, first: int) -> int:
    """Return the furthest circle from `first` on that contains a point (2,) m."""
    held = np.hypot(*(corridor.backbone - place).T) <= corridor.radii
    outside = np.flatnonzero(~held[first:])
    return first + int(outside[0]) - 1 if len(outside) else len(held) - 1


def faults(pair: PathPair, judge: Judge) -> list[str]:
    """Return which statements of section 3.1 the figure does not show."""
    near, far = pair.around_near, pair.around_far
    away = judge.distances(shapely.points(far.backbone))
    holds = {
        f"figure 9: the roadmap's corridor is {far.radii.mean():.2f} m wide on average, no more "
        f"than {near.radii.mean():.2f} m": far.radii.mean() > near.radii.mean(),
        "figure 9: a circle of the corridor goes into a wall": bool(
            (far.radii <= away + 1e-6).all()
        ),
    }
    return [words for words, held in holds.items() if not held]


# The picture -------------------------------------------------------------------------------------


def _draw(environment: Environment, pair: PathPair, folder: Path) -> Picture:
    captions = [
        ("(a)  Near obstacles", f"narrowest {pair.around_near.narrowest:.2f} m"),
        ("(b)  From the roadmap", f"narrowest {pair.around_far.narrowest:.2f} m"),
        ("(c)  The attraction point", ""),
    ]
    title = "The corridor around a backbone path"
    details = f"{PAPER}, figure 9  ·  circles of {WIDTH:g} m at most"
    canvases = new_canvases(VIEW, captions, title=title, details=details, columns=3)
    free_space = free_space_of(environment)
    _draw_path(canvases[0], free_space, pair.near, pair.around_near)
    _draw_path(canvases[1], free_space, pair.far, pair.around_far)
    last = _draw_attraction(canvases[2], free_space, pair)
    _draw_key(canvases[0])
    draw_page_bar(canvases[1])
    draw_page_bar(last)
    save_picture(canvases[0].figure, folder / FILE)
    return Picture(
        FILE, f"Figure 9. {title}: near obstacles, far from them, and the attraction point"
    )


def _draw_path(canvas: Canvas, free_space: FreeSpace, path: TautPath, corridor: Corridor) -> None:
    draw_free_space(canvas, free_space)
    layers.draw_corridor(canvas, corridor, free_space.walkable)
    draw_lines(canvas, [path.points], colour=palette.HALO, width=2.8, level=2.9, alpha=0.8)
    draw_lines(canvas, [path.points], colour=palette.ACCENT, width=1.3, level=3.0)
    for end, face in ((path.start, palette.HALO), (path.goal, palette.ACCENT)):
        draw_dots(canvas, np.array([end]), face=face, size=15.0, level=3.5)


def _draw_attraction(canvas: Canvas, free_space: FreeSpace, pair: PathPair) -> Canvas:
    """Draw an entity beside the path and the circle of its attraction point, magnified."""
    corridor = pair.around_far
    k = int(_SHARE * len(corridor.radii))
    along = corridor.backbone[k + 1] - corridor.backbone[k]
    left = np.array([-along[1], along[0]]) / np.hypot(*along)
    place = corridor.backbone[k] + _ASIDE * corridor.radii[k] * left
    at = attraction_point(corridor, place, k)
    canvas = _zoomed(canvas, corridor.backbone[at], 7.0)
    _draw_path(canvas, free_space, pair.far, corridor)
    for ball, style in ((k, ":"), (at, "-")):
        ring: dict[str, Any] = {"fc": "none", "ec": palette.INK, "lw": 0.9, "ls": style}
        x, y = corridor.backbone[ball].tolist()
        canvas.axes.add_patch(Circle((x, y), corridor.radii[ball], zorder=3.2, **ring))
    arrow = {"arrowstyle": "-|>", "color": palette.INK, "lw": 0.9, "shrinkA": 4, "shrinkB": 3}
    ends = tuple(corridor.backbone[at].tolist()), tuple(place.tolist())
    canvas.axes.annotate("", *ends, arrowprops=arrow, zorder=3.6)
    disc = Circle(ends[1], RADIUS, fc=palette.PINCH, ec=palette.HALO, lw=0.6, zorder=3.7)
    canvas.axes.add_patch(disc)
    draw_dots(canvas, corridor.backbone[[at]], face=palette.INK, size=13.0, level=3.8)
    return canvas


def _zoomed(canvas: Canvas, middle: Floats, width: float) -> Canvas:
    """Return the canvas, zoomed to a part of the map of this width, m."""
    height = width * (VIEW[3] - VIEW[1]) / (VIEW[2] - VIEW[0])
    x, y = middle.tolist()
    view: Box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    canvas.axes.set(xlim=(view[0], view[2]), ylim=(view[1], view[3]))
    return replace(canvas, view=view)


def _draw_key(canvas: Canvas) -> None:
    entries = {
        "backbone path": line_key(palette.ACCENT, 1.4),
        "corridor": fill_key(palette.CORRIDOR, 0.3),
        "entity": dot_key(palette.PINCH),
        "attraction point": dot_key(palette.INK),
    }
    draw_key(canvas, entries, columns=2)
