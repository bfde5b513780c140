"""Figures 4, 5 and 6: samples and edges are retracted to the Voronoi diagram; overlaps merge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway.corridor import CorridorMap
from footway.environment import Environment
from footway.plot import palette, save_picture
from footway.plot.canvas import draw_page_bar, new_canvases, padded
from footway.plot.layers import draw_free_space
from footway.plot.shapes import blended_pieces, free_space_of
from footway.reproduce.claims import stated
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.diagram import obstacles_of
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
from footway.roadmap.lattice.space import make_space
from footway.roadmap.voronoi.draft import Draft, join_overlaps
from footway.roadmap.voronoi.voronoi_prm import (
    free_samples,
    retract_edges,
    retract_to_axis,
    useful_neighbours,
    voronoi_prm,
)

if TYPE_CHECKING:
    from pathlib import Path

    from footway.arrays import Floats
    from footway.plot.canvas import Canvas
    from footway.reproduce.voronoi.setup import Effort
    from footway.roadmap import Roadmap


SOURCE: Final = "voronoi-roadmaps-2004, sections 2.1 to 2.3 and figures 4, 5 and 6"

FILE: Final = "voronoi-figure-5.png"

RADIUS: Final = 0.25
CLEARANCE: Final = 0.69
"""m. The disc, and the distance from walls that edges are to keep."""

SAMPLES: Final = 28
SEED: Final = 73
USEFULNESS: Final = 1.5
DISTANCE: Final = 8.0
"""m. How far apart neighbours may be."""

EPSILON: Final = 1e-4
"""m. Precision of the bisection, as printed; ours is exact to rounding."""

HALL: Final = (0.0, 0.0, 10.0, 4.0)
OVERLAPS: Final = {
    "(a)": [[(1.0, 2.0), (9.0, 2.0)], [(3.0, 2.1), (7.0, 1.9)]],
    "(b)": [[(1.0, 2.0), (6.0, 2.0)], [(4.0, 2.1), (9.0, 2.0)]],
    "(c)": [[(1.0, 2.0), (9.0, 2.0)], [(4.0, 2.1), (7.0, 3.5)]],
    "(d)": [[(1.0, 2.0), (5.0, 2.0)], [(5.1, 2.1), (9.0, 2.2)]],
}
"""Pairs of overlapping edges in that hall, m, by the parts of figure 6."""

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
    off = _off_diagram(stages.vertices, environment)
    printed = [retract_as_printed(sample, environment) for sample in stages.samples]
    printed_off = _off_diagram(np.array([steps[-1] for steps in printed]), environment)
    merged = {name: merge_edges(edges) for name, edges in OVERLAPS.items()}
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
        "Figures 4, 5 and 6: retracting samples and edges",
        SOURCE,
        [Table("Clearance of edges, by Shapely", columns, rows, note)],
        [
            _draw_sample(environment, max(printed, key=_travel), folder),
            _draw(environment, stages, folder),
            _draw_overlaps(merged, folder),
        ],
        checked=(
            f"by Shapely every retracted edge keeps {CLEARANCE:g} m; every sample is on the exact "
            "Voronoi diagram."
        ),
        wrong=faults(clearances, off),
        claims=[
            stated("voronoi-roadmaps-2004, figure 4", "samples are within epsilon of the diagram",
                   f"{off:.0e} m", printed=f"{printed_off:.0e} m, epsilon {EPSILON:.0e} m",
                   held=max(off, printed_off) <= EPSILON, file="voronoi-figure-4.png"),
            stated("voronoi-roadmaps-2004, figure 5", "retracted edges keep the clearance",
                   f"{clearances['(d) through every passage'].min():.3f} m of {CLEARANCE:g} m",
                   printed=f"{clearances['(b) retracted'].min():.3f} m",
                   held=not faults(clearances, off), file=FILE),
            stated("voronoi-roadmaps-2004, figure 6", "four kinds of overlapping edges merge",
                   f"{sum(is_merged(*merged[name]) for name in merged)} of 4",
                   held=all(is_merged(*merged[name]) for name in merged),
                   file="voronoi-figure-6.png"),
        ],
    )  # fmt: skip


def retract_as_printed(sample: Floats, environment: Environment) -> list[Floats]:
    """Retract a sample (2,) m by the procedure of section 2.1; return all positions on the way.

    Steps away from the nearest obstacle, as long as the distance to it, until another obstacle is
    nearest; then bisection.
    """
    parts = obstacles_of(environment)

    def nearest(at: Floats) -> tuple[int, float]:
        away = shapely.distance(parts, shapely.points(at))
        return int(away.argmin()), float(away.min())

    first, away = nearest(sample)
    foot = shapely.get_coordinates(shapely.shortest_line(parts[first], shapely.points(sample)))[0]
    direction = (sample - foot) / np.hypot(*(sample - foot))
    steps = [sample, sample + away * direction]
    while nearest(steps[-1])[0] == first:
        steps.append(steps[-1] + nearest(steps[-1])[1] * direction)
    low, high = steps[-2], steps[-1]
    while np.hypot(*(high - low)) > EPSILON:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if nearest(middle)[0] == first else (low, middle)
    return [*steps, 0.5 * (low + high)]


def _travel(steps: list[Floats]) -> float:
    """Return how well a retraction can be drawn: its distance, if it takes few steps, m."""
    return float(np.hypot(*(steps[-1] - steps[0]))) if len(steps) <= 4 else 0.0


def merge_edges(edges: list[list[tuple[float, float]]]) -> tuple[Floats, Floats]:
    """Return lines (n, 2, 2) m before and after two edges in an empty hall are merged."""
    walls = make_space(Environment.from_polygons(bounds=HALL), radius=RADIUS)._replace(radius=0.0)
    draft = Draft(walls, radius=RADIUS, desired=2.0 * RADIUS)
    before = np.array(edges)
    ends = draft.add_vertices(before.reshape(-1, 2)).reshape(-1, 2)
    draft.add_edges(ends, is_passage=True)
    join_overlaps(draft)
    nodes, joined = draft.compacted([])
    return before, nodes[joined]


def is_merged(before: Floats, after: Floats) -> bool:
    """Whether edges are connected now, none leaves the old ones, and no two run side by side."""
    lines = shapely.linestrings(after)
    whole = shapely.union_all(shapely.buffer(lines, 1e-3))
    room = shapely.union_all(shapely.buffer(shapely.linestrings(before), RADIUS))
    beside = [
        shapely.intersection(shapely.buffer(a, 0.1), b).length
        for k, a in enumerate(lines)
        for b in lines[:k]
    ]
    return whole.geom_type == "Polygon" and bool(room.covers(whole)) and max(beside) < 0.5


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


def _off_diagram(vertices: Floats, environment: Environment) -> float:
    """Return the greatest distance of retracted samples (n, 2) to the exact Voronoi diagram, m."""
    lines = diagram_lines(CorridorMap.build(environment), 1e-3)
    exact = shapely.multilinestrings([shapely.linestrings(line) for line in lines])
    return float(shapely.distance(shapely.points(vertices), exact).max())


def faults(clearances: dict[str, Floats], off: float) -> list[str]:
    """Return where retraction failed."""
    holds = {
        f"figure 5 {name}: an edge has {clearance.min():.4f} m": clearance.min()
        >= CLEARANCE - CLOSE
        for name, clearance in list(clearances.items())[1:]
    }
    holds[f"figure 5: a sample is {off:.2g} m from the Voronoi diagram"] = off <= CLOSE
    return [words for words, held in holds.items() if not held]


def _draw_sample(environment: Environment, steps: list[Floats], folder: Path) -> Picture:
    """Draw the sample, the steps away from its nearest obstacle, and the retracted sample."""
    captions = [
        ("(a)  The sample and its nearest obstacle", ""), ("(b)  Steps away from it", ""),
        ("(c)  Bisection", f"precision {EPSILON:g} m"),
    ]  # fmt: skip
    x, y = steps[-1].tolist()
    view = (x - 3.0, y - 3.0, x + 3.0, y + 3.0)
    title = "Retracting a sample to the Voronoi diagram"
    canvases = new_canvases(view, captions, title=title, details=f"{PAPER}, figure 4", columns=3)
    parts = obstacles_of(environment)
    nearest = parts[int(shapely.distance(parts, shapely.points(steps[0])).argmin())]
    foot = shapely.get_coordinates(shapely.shortest_line(nearest, shapely.points(steps[0])))[0]
    shown = ([foot, steps[0]], [foot, *steps[:-1]], [steps[-3], steps[-1], steps[-2]])
    for canvas, points in zip(canvases, shown, strict=True):
        draw_free_space(canvas, free_space_of(environment))
        lines = diagram_lines(CorridorMap.build(environment), 0.02)
        draw_lines(canvas, lines, colour=palette.WALL, width=0.7, level=1.5)
        draw_lines(canvas, [np.array(points)], colour=palette.CORRIDOR, width=1.2, level=2.0)
        draw_dots(canvas, np.array(points), face=palette.HALO, size=13.0, level=3.0)
    draw_dots(canvases[0], steps[0][None], face=palette.ACCENT, size=16.0, level=3.4)
    draw_dots(canvases[2], steps[-1][None], face=palette.ACCENT, size=16.0, level=3.4)
    draw_page_bar(canvases[-1])
    save_picture(canvases[0].figure, folder / "voronoi-figure-4.png")
    return Picture("voronoi-figure-4.png", f"Figure 4. {title}")


def _draw_overlaps(merged: dict[str, tuple[Floats, Floats]], folder: Path) -> Picture:
    captions = [
        (f"{name}  {what}", f"{len(lines)} edges")
        for name, pair in merged.items()
        for what, lines in zip(("before", "merged"), pair, strict=True)
    ]
    title = "Overlapping edges are merged"
    canvases = new_canvases(HALL, captions, title=title, details=f"{PAPER}, figure 6", columns=2)
    hall = free_space_of(Environment.from_polygons(bounds=HALL))
    for canvas, lines in zip(
        canvases, (each for pair in merged.values() for each in pair), strict=True
    ):
        draw_free_space(canvas, hall)
        for k, line in enumerate(lines):
            colour = (palette.CORRIDOR, palette.ACCENT, palette.PINCH)[k % 3]
            draw_lines(canvas, [line], colour=colour, width=1.6, level=2.0)
        draw_dots(canvas, lines.reshape(-1, 2), face=palette.HALO, size=13.0, level=3.0)
    draw_page_bar(canvases[-1])
    save_picture(canvases[0].figure, folder / "voronoi-figure-6.png")
    return Picture("voronoi-figure-6.png", f"Figure 6. {title}, in four cases")


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
    canvases = new_canvases(view, captions, title=title, details=details, columns=2)
    lines = diagram_lines(CorridorMap.build(environment), 0.02)
    for canvas in canvases:
        draw_free_space(canvas, free_space_of(environment))
        draw_lines(canvas, lines, colour=palette.WALL, width=0.5, level=1.5)
    judge, joined = Judge(environment), stages.joined
    _draw_moves(canvases[0], stages)
    _draw_edges(canvases[0], stages.before, stages.vertices, judge)
    _draw_edges(canvases[1], stages.after, stages.vertices, judge)
    _draw_edges(canvases[2], _edges(joined), joined.nodes, judge)
    smooth, _ = blended_pieces(stages.full, canvases[3].metres_per_point)
    _draw_edges(canvases[3], list(smooth), np.empty((0, 2)), judge)
    _draw_key(canvases[3])
    draw_page_bar(canvases[3])
    save_picture(canvases[0].figure, folder / FILE)
    return Picture(FILE, f"Figure 5. {title}: before, after, and what becomes of them")


def _draw_moves(canvas: Canvas, stages: Stages) -> None:
    """Draw the samples and their retraction to the diagram."""
    moves = list(np.stack([stages.samples, stages.vertices], axis=1))
    draw_lines(canvas, moves, colour=palette.MUTED, width=0.6, level=1.8, linestyle=(0, (1.5, 1.5)))
    x, y = stages.samples.T
    canvas.axes.plot(x, y, ".", ms=2.5, color=palette.MUTED, zorder=1.9)


def _draw_edges(canvas: Canvas, edges: list[Floats], vertices: Floats, judge: Judge) -> None:
    """Draw vertices and edges; parts too close to a wall have another colour."""
    draw_lines(canvas, edges, colour=palette.HALO, width=2.6, level=2.0, alpha=0.8)
    pieces = [piece for edge in edges for piece in np.stack([edge[:-1], edge[1:]], axis=1)]
    near = _clearances(pieces, judge) < CLEARANCE - _SEEN
    for chosen, colour in ((~near, palette.CORRIDOR), (near, palette.ACCENT)):
        lines = [piece for piece, is_one in zip(pieces, chosen, strict=True) if is_one]
        draw_lines(canvas, lines, colour=colour, width=1.3, level=2.1)
    draw_dots(canvas, vertices, face=palette.HALO, size=11.0, level=3.3)


def _draw_key(canvas: Canvas) -> None:
    entries = {
        "Voronoi diagram": line_key(palette.WALL, 0.6),
        "sample": dot_key(palette.MUTED, 2.0),
        "vertex": dot_key(palette.HALO),
        "edge": line_key(palette.CORRIDOR, 1.4),
        "edge that is too near to an obstacle": line_key(palette.ACCENT, 1.4),
    }
    draw_key(canvas, entries)
