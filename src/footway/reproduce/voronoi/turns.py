"""Figure 7: circular blends and their sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from matplotlib.patches import Circle

from footway.environment import Environment
from footway.plot import palette, save_picture
from footway.plot.canvas import draw_page_bar, new_canvases
from footway.plot.layers import draw_free_space
from footway.plot.shapes import free_space_of
from footway.reproduce.claims import stated
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.judge import Judge, judge_roadmap
from footway.reproduce.voronoi.setup import (
    PAPER,
    dot_key,
    draw_dots,
    draw_key,
    draw_lines,
    line_key,
    scene,
)
from footway.roadmap import Roadmap
from footway.roadmap.lattice.space import make_space
from footway.roadmap.voronoi.blends import blends

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.arrays import Floats
    from footway.plot.canvas import Canvas
    from footway.reproduce.report import Cell
    from footway.reproduce.voronoi.setup import Effort
    from footway.roadmap.voronoi.blends import Blends


SOURCE: Final = "voronoi-roadmaps-2004, section 2.4 and figure 7"

FILE: Final = "voronoi-figure-7.png"

RADIUS: Final = 0.25
CLEARANCE: Final = 0.5
"""m. The disc, and the distance from walls that blends are to keep."""

VIEW: Final = (0.0, 0.0, 10.0, 10.0)
_BLOCK: Final = [(4.3, 0.6), (6.0, 0.6), (5.25, 6.3), (5.0, 6.3)]


class Part(NamedTuple):
    """A part of the figure: a few edges and obstacles."""

    caption: str
    nodes: list[tuple[float, float]]
    edges: list[tuple[int, int]]
    obstacles: list[list[tuple[float, float]]]


PARTS: Final = {
    "a": Part(
        "(a)  degree 2",
        [(1.2, 1.4), (4.2, 8.2), (8.8, 2.0)],
        [(0, 1), (1, 2)],
        [[(7.0, 6.8), (9.2, 6.2), (9.4, 9.0), (7.4, 9.2)], [(0.6, 6.6), (1.8, 7.0), (1.2, 9.0)]],
    ),
    "b": Part(
        "(b)  degree 3",
        [(1.0, 1.6), (5.0, 5.4), (9.0, 1.2), (4.6, 9.2)],
        [(0, 1), (1, 2), (1, 3)],
        [[(6.8, 6.0), (9.2, 5.4), (9.2, 9.0), (7.2, 8.8)], [(0.8, 6.2), (2.4, 6.4), (2.0, 8.8)]],
    ),
    "c": Part(
        "(c)  reduced for its clearance",
        [(1.2, 1.4), (5.2, 8.4), (8.8, 1.4)],
        [(0, 1), (1, 2)],
        [_BLOCK],
    ),
}


def run(effort: Effort, folder: Path) -> Section:
    """Blend the three parts of the figure, and count the blends of whole roadmaps."""
    roadmaps = {name: roadmap_of(part) for name, part in PARTS.items()}
    wrong = [
        words
        for name, (environment, roadmap) in roadmaps.items()
        for words in judge_roadmap(
            f"figure 7 ({name})", roadmap, blends(roadmap), Judge(environment)
        ).wrong
    ]
    places = [scene(name) for name in effort.environments]
    sizes = [compare(place.name, place.roadmap, place.blends) for place in places]
    return Section(
        "Figure 7: circular blends",
        SOURCE,
        [_reduced(roadmaps["c"]), _all_blends(sizes)],
        [_draw(roadmaps, folder)],
        checked=(
            "by Shapely every blend keeps its clearance; the exact one is never smaller than the "
            "one that is found by halving."
        ),
        wrong=[*wrong, *(size.wrong for size in sizes if size.wrong)],
        claims=[
            stated(f"{PAPER}, figure 7", "blends are reduced until they have the clearance",
                   f"radius {min(size.exact for size in sizes):.2f} m in the median, largest that "
                   "fits", printed=f"{min(size.halved for size in sizes):.2f} m, halved",
                   held=not wrong and not any(size.wrong for size in sizes))
        ],
    )  # fmt: skip


def roadmap_of(part: Part) -> tuple[Environment, Roadmap]:
    """Return the roadmap of a part and its environment."""
    environment = Environment.from_polygons(bounds=VIEW, obstacles=part.obstacles)
    space = make_space(environment, radius=RADIUS, resolution=0.5)
    roadmap = Roadmap.make(
        part.nodes, part.edges, space, method="voronoi_prm", parameters={"clearance": CLEARANCE}
    )
    return environment, roadmap


def largest(roadmap: Roadmap) -> Blends:
    """Return blends that begin at the centres of the edges, ignoring obstacles."""
    empty = Environment.from_polygons(bounds=(-50, -50, 60, 60))
    space = make_space(empty, radius=RADIUS, resolution=2.0)
    nodes, edges = roadmap.nodes, roadmap.edges
    return blends(Roadmap.make(nodes, edges, space, method="voronoi_prm"), clearance=0.0)


def _reduced(part: tuple[Environment, Roadmap]) -> Table:
    environment, roadmap = part
    judge = Judge(environment)
    found = {
        "from the centres of the edges": largest(roadmap),
        "halved until it has the clearance (paper)": blends(roadmap, method="halved"),
        "exact (ours)": blends(roadmap),
    }
    rows: list[tuple[Cell, ...]] = [
        (name, each.radius[0], each.tangent[0], f"{_clearance(roadmap, each, judge):.3f}")
        for name, each in found.items()
    ]
    columns = ("", "radius, m", "from the vertex, m", "clearance, m")
    return Table(f"Part (c): a blend that is to keep {CLEARANCE:g} m", columns, rows)


def _clearance(roadmap: Roadmap, found: Blends, judge: Judge) -> float:
    return float(judge.distances(np.array([shapely.linestrings(_points(found, 0, roadmap))]))[0])


class Sizes(NamedTuple):
    """Blends of a roadmap, by two methods."""

    name: str
    turning: int
    full: float  # share that begins in the centre of an edge
    halved: float  # m, median radius
    exact: float  # m, median radius
    gain: float  # mean of exact / halved over those that are reduced
    wrong: str


def compare(name: str, roadmap: Roadmap, exact: Blends) -> Sizes:
    """Compare exact blends of a roadmap with those of the paper's procedure."""
    halved = blends(roadmap, method="halved")
    length = roadmap.lengths[exact.edges].min(axis=1)
    turning = np.isfinite(exact.radius)
    full = exact.tangent[turning] >= 0.5 * length[turning] - 1e-9
    key = [tuple(row) for row in np.column_stack([halved.vertex, halved.edges]).tolist()]
    paper = dict(zip(key, halved.radius.tolist(), strict=True))
    ours = np.column_stack([exact.vertex, exact.edges])[turning].tolist()
    theirs = np.array([paper.get(tuple(row), 0.0) for row in ours])
    radius = exact.radius[turning]
    smaller = float((theirs - radius).max(initial=0.0))
    reduced = ~full & (theirs > 0.0)
    return Sizes(
        name=name,
        turning=int(turning.sum()),
        full=float(full.mean()),
        halved=float(np.median(theirs)),
        exact=float(np.median(radius)),
        gain=float((radius[reduced] / theirs[reduced]).mean()) if reduced.any() else 1.0,
        wrong=f"{name}: an exact blend is {smaller:.4f} m smaller" if smaller > 1e-6 else "",
    )


def _all_blends(sizes: Sequence[Sizes]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (each.name, each.turning, f"{each.full:.0%}", each.halved, each.exact, f"{each.gain:.2f}")
        for each in sizes
    ]
    columns = (
        *("", "blends", "from a centre", "radius, halved, median, m", "exact, median, m"),
        "exact / halved, mean of those that are reduced",
    )
    note = (
        "The paper halves the radius until there is enough clearance; ours is the largest radius "
        "that has it. The wider an arc, the faster a camera may move along it."
    )
    return Table("All blends of all roadmaps", columns, rows, note)


# The picture -------------------------------------------------------------------------------------


def _draw(roadmaps: dict[str, tuple[Environment, Roadmap]], folder: Path) -> Picture:
    captions = [(PARTS[name].caption, _radii(blends(roadmaps[name][1]))) for name in PARTS]
    title = "Circular blends"
    details = f"{PAPER}, figure 7  ·  clearance {CLEARANCE:g} m"
    canvases = new_canvases(VIEW, captions, title=title, details=details, columns=3)
    for canvas, (environment, roadmap) in zip(canvases, roadmaps.values(), strict=True):
        draw_free_space(canvas, free_space_of(environment))
        _draw_part(canvas, roadmap)
    _draw_halving(canvases[-1], roadmaps["c"][1])
    _draw_key(canvases[-1])
    draw_page_bar(canvases[-1])
    save_picture(canvases[0].figure, folder / FILE)
    return Picture(FILE, "Figure 7. Circular blends at degree 2, at degree 3, and reduced")


def _radii(found: Blends) -> str:
    return "radius " + ", ".join(f"{radius:.2f}" for radius in found.radius) + " m"


def _draw_part(canvas: Canvas, roadmap: Roadmap) -> None:
    """Draw edges, their centres, and the blends."""
    found = blends(roadmap)
    ends = roadmap.nodes[roadmap.edges]
    draw_lines(canvas, list(ends), colour=palette.MUTED, width=0.9, level=2.0)
    draw_dots(canvas, roadmap.nodes, face=palette.HALO, size=13.0, level=3.3)
    draw_dots(canvas, ends.mean(axis=1), face=palette.CORRIDOR, size=9.0, level=3.4)
    arcs = [_points(found, k, roadmap) for k in range(len(found.vertex))]
    draw_lines(canvas, arcs, colour=palette.HALO, width=4.0, level=2.9, alpha=0.8)
    draw_lines(canvas, arcs, colour=palette.ACCENT, width=1.9, level=3.0)


def _draw_halving(canvas: Canvas, roadmap: Roadmap) -> None:
    """Draw the blends too close to the wall, and the disc that the last one touches."""
    full, kept = largest(roadmap), float(blends(roadmap, method="halved").radius[0])
    style: dict[str, Any] = {"linestyle": (0, (3.0, 2.0))}
    radius = float(full.radius[0])
    while radius > kept * (1.0 - 1e-9):
        arc = _points(_scaled(full, radius / float(full.radius[0])), 0, roadmap)
        draw_lines(canvas, [arc], colour=palette.PINCH, width=0.9, level=2.5, **style)
        radius *= 0.5
    for corner in _BLOCK[2:]:
        disc = Circle(corner, CLEARANCE, fc="none", ec=palette.WALL, lw=0.7, ls=":", zorder=2.4)
        canvas.axes.add_patch(disc)


def _scaled(found: Blends, share: float) -> Blends:
    """Return the blends with a share of the radius, still tangent to their edges."""
    return found._replace(radius=share * found.radius, tangent=share * found.tangent)


def _points(found: Blends, k: int, roadmap: Roadmap) -> Floats:
    """Return points (n, 2) m of blend k; centre and sweep follow from the tangent."""
    vertex = roadmap.nodes[found.vertex[k]]
    ends = roadmap.nodes[roadmap.edges[found.edges[k]]].sum(axis=1) - 2.0 * vertex
    one, two = ends / np.hypot(*ends.T)[:, None]
    middle = (one + two) / np.hypot(*(one + two))
    centre = vertex + float(np.hypot(found.tangent[k], found.radius[k])) * middle
    first = vertex + found.tangent[k] * one - centre
    angle = np.arctan2(first[1], first[0]) + np.linspace(0.0, found.sweep[k], 200)
    points: Floats = centre + found.radius[k] * np.column_stack([np.cos(angle), np.sin(angle)])
    return points


def _draw_key(canvas: Canvas) -> None:
    entries = {
        "vertex": dot_key(palette.HALO),
        "centre of an edge": dot_key(palette.CORRIDOR, 3.5),
        "edge": line_key(palette.MUTED, 0.9),
        "blend": line_key(palette.ACCENT, 1.9),
        "from the centres, then halved (paper)": line_key(palette.PINCH, 0.9, dashes=(3.0, 2.0)),
        f"{CLEARANCE:g} m around a corner": line_key(palette.WALL, 0.8, ls=":"),
    }
    draw_key(canvas, entries)
