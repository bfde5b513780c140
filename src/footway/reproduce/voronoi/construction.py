"""Figure 1, and the construction time of a smooth roadmap."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import shapely

from footway.plot import RoadmapPanel, draw_roadmaps, save_picture
from footway.reproduce.claims import less_time, stated
from footway.reproduce.report import Picture, Section, Table, ratio
from footway.reproduce.timing import Timing, in_turn
from footway.reproduce.voronoi.judge import judge_roadmap
from footway.reproduce.voronoi.setup import PAPER, RADIUS, build, scene

if TYPE_CHECKING:
    from pathlib import Path

    from footway.environment import Environment
    from footway.reproduce.report import Cell
    from footway.reproduce.voronoi.judge import Verdict
    from footway.reproduce.voronoi.setup import Effort, Scene

SOURCE: Final = "voronoi-roadmaps-2004, sections 2.1 to 2.4 and figure 1"

SECONDS: Final = 1.0
"""s. What figure 1 took, about, on a Pentium IV 2.4 GHz (section 2.4)."""

SHOWN: Final = "office"
FILE: Final = "voronoi-figure-1.png"

_SPARE: Final = 1e-3  # m; for passages that a disc just fits through, rounding decides

COLUMNS: Final = (
    *("", "size, m", "paper, s", "ours, s", "best, s", "CPU s", "paper / ours", "vertices"),
    *("edges", "blends", "folds", "cycles", "holes"),
    *("least clearance of edges, m", "of blends, m", "corner, rad"),
)

_NOTE: Final = (
    "The paper gives only the time of figure 1, about 1 s, and not its size. Our time is that of "
    "building the roadmap with all blends from the environment; `best` is the fastest round, CPU s "
    "are summed over all cores. Holes are those of the free space of the disc, by Shapely; a "
    "roadmap through every passage has at least as many cycles. Folds are pairs of edges that "
    "turn back, for which there is no arc. Corner: the greatest difference of tangents where lines "
    "meet arcs."
)


class Row(NamedTuple):
    """Facts about a roadmap."""

    place: Scene
    timing: Timing
    verdict: Verdict
    holes: int


def run(effort: Effort, folder: Path) -> Section:
    """Build and check the roadmaps of all environments, and draw figure 1."""
    places = [scene(name) for name in effort.environments]
    calls = {place.name: partial(build, place.environment) for place in places}
    timings = in_turn(calls, rounds=effort.builds)
    rows = [_row(place, timings[place.name]) for place in places]
    table = Table("Building a smooth roadmap", COLUMNS, [_cells(row) for row in rows], _NOTE)
    blends = sum(len(row.place.blends.vertex) for row in rows)
    return Section(
        "Figure 1: a smooth roadmap",
        SOURCE,
        [table],
        [_draw(scene(SHOWN), folder)],
        checked=(
            f"at the ends of all {blends:,} blends arc and edge have one tangent, to 1e-6 rad; by "
            f"Shapely every edge and every blend is {RADIUS:g} m or more from the walls, every "
            f"blend {2.0 * RADIUS:g} m or as far as its edges, and all stored clearances agree; "
            "there is a cycle for every hole."
        ),
        wrong=[words for row in rows for words in faults(row)],
        claims=[
            less_time(f"{PAPER}, figure 1", f"a smooth roadmap of the {SHOWN}, s", SECONDS,
                      timings[SHOWN].cpu),
            stated(f"{PAPER}, section 2", "paths are C1",
                   f"{max(row.verdict.corner for row in rows):.0e} rad at {blends:,} blends",
                   held=all(row.verdict.corner <= 1e-6 for row in rows)),
            stated(f"{PAPER}, section 2", "paths keep a minimum clearance",
                   f"{min(min(row.verdict.edges, row.verdict.blends) for row in rows):.3f} m, "
                   f"radius {RADIUS:g} m",
                   held=all(not row.verdict.wrong for row in rows)),
            stated(f"{PAPER}, section 2.3", "a path runs through every corridor between obstacles",
                   ", ".join(f"{row.place.roadmap.n_cycles} of {row.holes}" for row in rows),
                   held=all(row.place.roadmap.n_cycles >= row.holes for row in rows)),
        ],
    )  # fmt: skip


def _row(place: Scene, timing: Timing) -> Row:
    verdict = judge_roadmap(place.name, place.roadmap, place.blends, place.judge)
    return Row(place, timing, verdict, holes_for(place.environment, RADIUS + _SPARE))


def holes_for(environment: Environment, radius: float) -> int:
    """Return the number of holes of the free space of a disc's centre, by Shapely."""
    shapes = [environment.walkable.boundary, environment.lines, environment.points]
    walls = shapely.union_all(shapes)
    free = environment.walkable.difference(shapely.buffer(walls, radius, quad_segs=32))
    return sum(len(part.interiors) for part in shapely.get_parts(free))


def faults(row: Row) -> list[str]:
    """Return which checks fail."""
    place, cycles = row.place, row.place.roadmap.n_cycles
    missing = [f"{place.name}: {cycles} cycles for {row.holes} holes"]
    return [*row.verdict.wrong, *(missing if cycles < row.holes else [])]


def _cells(row: Row) -> tuple[Cell, ...]:
    place, timing, verdict = row.place, row.timing, row.verdict
    x0, y0, x1, y1 = place.environment.bounds
    return (
        *(place.name, f"{x1 - x0:.0f} x {y1 - y0:.0f}", SECONDS, timing.median),
        *(timing.minimum, timing.cpu, ratio(SECONDS, timing.median), place.roadmap.n_nodes),
        *(place.roadmap.n_edges, len(place.blends.vertex), verdict.folds),
        *(place.roadmap.n_cycles, row.holes, f"{verdict.edges:.3f}", f"{verdict.blends:.3f}"),
        f"{verdict.corner:.0e}",
    )


def _draw(place: Scene, folder: Path) -> Picture:
    roadmap = place.roadmap
    size = f"{roadmap.n_nodes} vertices  ·  {roadmap.n_edges} edges"
    details = f"voronoi-roadmaps-2004, figure 1  ·  {size}  ·  {len(place.blends.vertex):,} blends"
    figure = draw_roadmaps(
        [RoadmapPanel("", roadmap)],
        title=f"A smooth roadmap of the {place.name}",
        details=details,
        environment=place.environment,
    )
    save_picture(figure, folder / FILE)
    return Picture(FILE, f"Figure 1. A smooth roadmap of the {place.name}")
