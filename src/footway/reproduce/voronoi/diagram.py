"""Figure 3: a Voronoi diagram in which the four boundaries are separate obstacles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely
from matplotlib.patches import PathPatch

from footway.corridor import CorridorMap
from footway.plot import palette, save_picture
from footway.plot.canvas import draw_page_bar, new_canvases, padded
from footway.plot.layers import draw_free_space, outline
from footway.plot.shapes import free_space_of
from footway.reproduce.claims import stated
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.setup import (
    COURTYARD,
    PAPER,
    courtyard,
    diagram_lines,
    draw_key,
    draw_lines,
    fill_key,
    line_key,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.arrays import Floats, Shapes
    from footway.environment import Environment
    from footway.reproduce.report import Cell
    from footway.reproduce.voronoi.setup import Effort


SOURCE: Final = "voronoi-roadmaps-2004, section 2.1 and figure 3"

FILE: Final = "voronoi-figure-3.png"

_STEP: Final = 0.01  # m between points of the diagram
_GRID: Final = 1e-6  # m, rounding of the ends of adjacent lines
_OFF: Final = 1e-4  # m, tolerance of the chords of parabolas
_TINTS: Final = (0, 1, 2, 3, 4)  # of palette.POPULATIONS: a plane graph needs four


class Cells(NamedTuple):
    """Cells of the free space, each nearest to one obstacle."""

    shapes: Shapes  # (n,) polygons
    owners: NDArray[np.int64]  # (n,) obstacle of each cell; the four boundaries last


def run(effort: Effort, folder: Path) -> Section:
    """Split the free space along the diagram, and check the nearest obstacle by Shapely."""
    del effort  # it takes no time
    environment = courtyard()
    cmap = CorridorMap.build(environment)
    lines = diagram_lines(cmap, _STEP)
    obstacles = obstacles_of(environment)
    cells = cells_of(environment, lines, obstacles)
    off = _off_balance(np.concatenate(lines), obstacles)
    rows: list[tuple[Cell, ...]] = [
        ("obstacles, with four boundaries", len(obstacles)),
        ("cells of the diagram", len(cells.shapes)),
        ("edges of the diagram", cmap.n_edges),
        ("difference of the two nearest obstacles, greatest, m", f"{off:.0e}"),
    ]
    note = "The paper gives no numbers. Ends of the diagram lie in the corners of the rectangle."
    return Section(
        "Figure 3: the Voronoi diagram",
        SOURCE,
        [Table("The Voronoi diagram of six blocks", ("", "ours"), rows, note)],
        [_draw(environment, cells, lines, folder)],
        checked="by Shapely each cell is nearest to one obstacle, and each obstacle has one cell.",
        wrong=faults(cells, len(obstacles), off),
        claims=[
            stated(f"{PAPER}, figure 3", "each obstacle and each boundary has a cell",
                   f"{len(cells.shapes)} cells, {len(obstacles)} obstacles",
                   held=not faults(cells, len(obstacles), off))
        ],
    )  # fmt: skip


def obstacles_of(environment: Environment) -> Shapes:
    """Return the obstacles, then the four sides of the rectangle."""
    x0, y0, x1, y1 = environment.bounds
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
    sides = [shapely.linestrings(corners[k : k + 2]) for k in range(4)]
    return np.array([*(shapely.Polygon(block) for block in COURTYARD), *sides], dtype=object)


def cells_of(environment: Environment, lines: list[Floats], obstacles: Shapes) -> Cells:
    """Return the cells into which the diagram divides the rectangle."""
    rim = shapely.box(*environment.bounds).exterior
    cuts = shapely.union_all([rim, *map(shapely.linestrings, lines)], grid_size=_GRID)
    shapes = shapely.get_parts(shapely.polygonize(shapely.get_parts(cuts)))
    free = shapely.intersection(shapes, environment.walkable)
    inner = shapely.point_on_surface(free)
    away = shapely.distance(inner[:, None], obstacles[None])
    return Cells(free, away.argmin(axis=1))


def _off_balance(points: Floats, obstacles: Shapes) -> float:
    """Return the greatest difference of distances to the two nearest obstacles, m."""
    away = np.sort(shapely.distance(shapely.points(points)[:, None], obstacles[None]), axis=1)
    return float((away[:, 1] - away[:, 0]).max())


def faults(cells: Cells, obstacles: int, off: float) -> list[str]:
    """Return where the diagram is not a Voronoi diagram."""
    holds = {
        f"figure 3: {len(cells.shapes)} cells for {obstacles} obstacles": (
            sorted(cells.owners.tolist()) == list(range(obstacles))
        ),
        f"figure 3: a point of the diagram is {off:.2g} m nearer to one obstacle": off <= _OFF,
    }
    return [words for words, held in holds.items() if not held]


def _tints(shapes: Shapes) -> list[str]:
    """Return a colour for each cell, different from its neighbours'."""
    near = shapely.distance(shapes[:, None], shapes[None]) < _STEP
    chosen: list[int] = []
    for k in range(len(shapes)):
        taken = {chosen[j] for j in range(k) if near[k, j]}
        chosen.append(next(tint for tint in (*_TINTS, len(_TINTS)) if tint not in taken))
    return [palette.POPULATIONS[tint] for tint in chosen]


def _draw(environment: Environment, cells: Cells, lines: list[Floats], folder: Path) -> Picture:
    view = padded(environment.bounds, 0.012)
    title = "The Voronoi diagram of six blocks and four boundaries"
    (canvas,) = new_canvases(view, [("", "")], title=title, details=f"{PAPER}, figure 3")
    draw_free_space(canvas, free_space_of(environment))
    for shape, colour in zip(cells.shapes, _tints(cells.shapes), strict=True):
        parts = shapely.orient_polygons(shapely.get_parts(shape))
        fill = PathPatch(outline(parts), facecolor=colour, alpha=0.13, edgecolor="none")
        fill.set_zorder(1.15)
        canvas.axes.add_patch(fill)
    draw_lines(canvas, lines, colour=palette.INK, width=1.6, level=2.0)
    entries = {
        "Voronoi diagram": line_key(palette.INK, 1.6),
        "nearest to one obstacle": fill_key(palette.CORRIDOR, 0.25),
    }
    draw_key(canvas, entries)
    draw_page_bar(canvas)
    save_picture(canvas.figure, folder / FILE)
    return Picture(FILE, f"Figure 3. {title}")
