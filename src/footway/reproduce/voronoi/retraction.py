"""Figure 5: edges between samples, retracted to the Voronoi diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway.corridor import CorridorMap
from footway.plot import palette, save_picture
from footway.plot.layers import draw_free_space
from footway.plot.shapes import blended_pieces, free_space_of
from footway.plot.sheet import draw_page_bar, new_sheets, padded
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.judge import CLOSE, Judge
from footway.reproduce.voronoi.setup import (
    PAPER,
    courtyard,
    diagram_lines,
    dot_key,
    draw_dots,
    draw_key,
    draw_lines,
    line_key,
)
from footway.roadmap.space import make_space
from footway.roadmap.voronoi_prm import (
    free_samples,
    retract_edges,
    retract_to_axis,
    useful_neighbours,
    voronoi_prm,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.plot.sheet import Sheet
    from footway.reproduce.voronoi.setup import Effort
    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]

SOURCE: Final = "voronoi-roadmaps-2004, sections 2.1 to 2.3 and figure 5"

FILE: Final = "voronoi-figure-5.png"

RADIUS: Final = 0.25
CLEARANCE: Final = 0.69
"""m. The disc, and the distance from walls that edges are to keep."""

SAMPLES: Final = 28
SEED: Final = 73
USEFULNESS: Final = 1.5
DISTANCE: Final = 8.0
"""m. How far apart neighbours may be."""

_SEEN: Final = 2e-3  # m, tolerance of chords of arcs


class Stages(NamedTuple):
    """Stages of the construction; edges are polylines (n, 2) m."""

    samples: Floats  # (n, 2) m, as they are drawn
    vertices: Floats  # (n, 2) m, the same on the Voronoi diagram
    before: list[Floats]
    after: list[Floats]
    joined: Roadmap  # overlaps joined, vertices bypassed
    full: Roadmap  # with a road through every passage


def run(effort: Effort, folder: Path) -> Section:
    """Build the edges of a few samples, and measure them before and after retraction."""
    del effort  # it takes no time
    environment = courtyard()
    stages = make_stages(environment)
    judge = Judge(environment)
    clearances = {
        "(a) before": _clearances(stages.before, judge),
        "(b) retracted": _clearances(stages.after, judge),
        "(c) joined and bypassed": _clearances(_edges(stages.joined), judge),
        "(d) through every passage": _clearances(_edges(stages.full), judge),
    }
    off = _off_diagram(stages, environment)
    rows = [
        (name, len(clearance), f"{clearance.min():.3f}", f"{clearance.mean():.3f}",
         f"{100.0 * (clearance < CLEARANCE - CLOSE).mean():.0f} %")
        for name, clearance in clearances.items()
    ]  # fmt: skip
    columns = ("", "edges", "least clearance, m", "mean, m", f"edges with less than {CLEARANCE:g}")
    note = (
        f"{SAMPLES} samples, retracted to the Voronoi diagram; the furthest is {off:.0e} m off it. "
        f"K is {USEFULNESS:g}. The paper gives no numbers."
    )
    return Section(
        "Figure 5: retracting edges",
        SOURCE,
        [Table("Clearance of edges, by Shapely", columns, rows, note)],
        [_draw(environment, stages, folder)],
        checked=(
            f"by Shapely every retracted edge keeps {CLEARANCE:g} m; every sample is on the exact "
            "Voronoi diagram."
        ),
        wrong=faults(clearances, off),
    )


def make_stages(environment: Environment) -> Stages:
    """Run sections 2.1 to 2.3 with few samples and without extra passages."""
    walls = make_space(environment, radius=RADIUS)._replace(radius=0.0)
    samples = free_samples(environment, walls, radius=RADIUS, count=SAMPLES, seed=SEED)
    places, _ = retract_to_axis(samples, walls)
    edges = useful_neighbours(
        places, np.empty((0, 2), np.int64), walls, radius=RADIUS, distance=DISTANCE,
        usefulness=USEFULNESS,
    )  # fmt: skip
    chains = retract_edges(
        places[edges[:, 0]], places[edges[:, 1]], walls, radius=RADIUS, desired=CLEARANCE,
        shortest=RADIUS,
    )  # fmt: skip
    joined, full = (
        voronoi_prm(
            environment, radius=RADIUS, clearance=CLEARANCE, samples=SAMPLES, seed=SEED,
            usefulness=USEFULNESS, neighbour_distance=DISTANCE, every_passage=every,
        )
        for every in (False, True)
    )  # fmt: skip
    kept = [k for k, chain in enumerate(chains) if len(chain)]
    before = [places[edges[k]] for k in kept]
    return Stages(samples, places, before, [chains[k] for k in kept], joined, full)


def _edges(roadmap: Roadmap) -> list[Floats]:
    return list(roadmap.nodes[roadmap.edges])


def _clearances(lines: list[Floats], judge: Judge) -> Floats:
    """Return the distance of each line to the walls, (n,) m."""
    return judge.distances(np.array([shapely.linestrings(line) for line in lines], dtype=object))


def _off_diagram(stages: Stages, environment: Environment) -> float:
    """Return the greatest distance of a retracted sample to the exact Voronoi diagram, m."""
    lines = diagram_lines(CorridorMap.build(environment), 1e-3)
    exact = shapely.multilinestrings([shapely.linestrings(line) for line in lines])
    return float(shapely.distance(shapely.points(stages.vertices), exact).max())


def faults(clearances: dict[str, Floats], off: float) -> list[str]:
    """Return where retraction failed."""
    holds = {
        f"figure 5 {name}: an edge has {clearance.min():.4f} m": clearance.min()
        >= CLEARANCE - CLOSE
        for name, clearance in list(clearances.items())[1:]
    }
    holds[f"figure 5: a sample is {off:.2g} m from the Voronoi diagram"] = off <= CLOSE
    return [words for words, held in holds.items() if not held]


def _draw(environment: Environment, stages: Stages, folder: Path) -> Picture:
    view = padded(environment.bounds, 0.012)
    captions = [
        ("(a)  Samples on the diagram, useful edges", f"{len(stages.before)} edges"),
        ("(b)  Edges retracted", f"{sum(len(chain) - 1 for chain in stages.after)} edges"),
        ("(c)  Overlaps joined, vertices bypassed", f"{stages.joined.n_edges} edges"),
        ("(d)  Through every passage, with blends", f"{stages.full.n_edges} edges"),
    ]
    title = "Retracting edges to the Voronoi diagram"
    details = f"{PAPER}, figure 5  ·  clearance {CLEARANCE:g} m"
    sheets = new_sheets(view, captions, title=title, details=details, columns=2)
    lines = diagram_lines(CorridorMap.build(environment), 0.02)
    for sheet in sheets:
        draw_free_space(sheet, free_space_of(environment))
        draw_lines(sheet, lines, colour=palette.WALL, width=0.5, level=1.5)
    judge, joined = Judge(environment), stages.joined
    _draw_moves(sheets[0], stages)
    _draw_edges(sheets[0], stages.before, stages.vertices, judge)
    _draw_edges(sheets[1], stages.after, stages.vertices, judge)
    _draw_edges(sheets[2], _edges(joined), joined.nodes, judge)
    smooth, _ = blended_pieces(stages.full, sheets[3].metres_per_point)
    _draw_edges(sheets[3], list(smooth), np.empty((0, 2)), judge)
    _draw_key(sheets[3])
    draw_page_bar(sheets[3])
    save_picture(sheets[0].figure, folder / FILE)
    return Picture(FILE, f"Figure 5. {title}: before, after, and what becomes of them")


def _draw_moves(sheet: Sheet, stages: Stages) -> None:
    """Draw the samples and their retraction to the diagram."""
    moves = list(np.stack([stages.samples, stages.vertices], axis=1))
    draw_lines(sheet, moves, colour=palette.MUTED, width=0.6, level=1.8, linestyle=(0, (1.5, 1.5)))
    x, y = stages.samples.T
    sheet.axes.plot(x, y, ".", ms=2.5, color=palette.MUTED, zorder=1.9)


def _draw_edges(sheet: Sheet, edges: list[Floats], vertices: Floats, judge: Judge) -> None:
    """Draw vertices and edges; parts too close to a wall have another colour."""
    draw_lines(sheet, edges, colour=palette.HALO, width=2.6, level=2.0, alpha=0.8)
    pieces = [piece for edge in edges for piece in np.stack([edge[:-1], edge[1:]], axis=1)]
    near = _clearances(pieces, judge) < CLEARANCE - _SEEN
    for chosen, colour in ((~near, palette.CORRIDOR), (near, palette.ACCENT)):
        lines = [piece for piece, is_one in zip(pieces, chosen, strict=True) if is_one]
        draw_lines(sheet, lines, colour=colour, width=1.3, level=2.1)
    draw_dots(sheet, vertices, face=palette.HALO, size=11.0, level=3.3)


def _draw_key(sheet: Sheet) -> None:
    entries = {
        "Voronoi diagram": line_key(palette.WALL, 0.6),
        "sample": dot_key(palette.MUTED, 2.0),
        "vertex": dot_key(palette.HALO),
        "edge": line_key(palette.CORRIDOR, 1.4),
        "edge that is too near to an obstacle": line_key(palette.ACCENT, 1.4),
    }
    draw_key(sheet, entries)
