"""Figures 1 to 7 of cmm-2007: graphs, corridors and paths, and the time of the input graphs."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from matplotlib.patches import Circle
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from footway.corridor import CorridorMap
from footway.follow import cmm
from footway.plot import Panel, RoadmapPanel, draw_roadmaps, layers, palette, save_picture
from footway.plot.canvas import draw_page_bar, new_canvases, padded
from footway.plot.shapes import free_space_of
from footway.reproduce.claims import apart, less_time, stated
from footway.reproduce.cmm.obstacles import discs_along
from footway.reproduce.cmm.queries import CELLS
from footway.reproduce.cmm.setup import RADIUS, Scene, draw_figure, faults, scene
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.setup import courtyard
from footway.roadmap import Roadmap
from footway.roadmap.lattice.grid import grid
from footway.roadmap.lattice.rrrm import rrrm
from footway.roadmap.lattice.space import make_space
from footway.roadmap.measures import coverage
from footway.roadmap.voronoi.voronoi_prm import free_samples, useful_neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.arrays import Floats
    from footway.corridor import Corridor
    from footway.follow import Walk
    from footway.plot.canvas import Canvas
    from footway.reproduce.claims import Claim
    from footway.reproduce.cmm.setup import Effort


SOURCE: Final = 'cmm-2007, "Introduction" to "Experimental Setup", figures 1 to 7'

GRID: Final = (1_792, 3_321)
CMM: Final = (44, 50)
"""Nodes and edges of figures 1(a) and 1(c)."""
SMALLER: Final = 6.0
"""The PRM graph of figure 1(b) is "almost six times as small" as the grid."""
SECONDS: Final = {"game": 150.0, "field": 20.0}
"""s. Construction of the input graphs by the enhanced Reachability Roadmap Method."""

CELL: Final = 0.39
"""m. Cells of the grid of figure 1: then it has about as many nodes as the paper's."""
SAMPLES: Final = 280
"""Of the PRM of figure 1."""
QUESTION: Final = Question((2.2, 0.8), (22.4, 15.2))
DISCS: Final = 5
SHORTCUTS: Final = (0.0, 0.05, 0.1, 0.25)
SEED: Final = 7
DISC_SEED: Final = 2
"""Of a placement that the forces alone get through."""


def run(effort: Effort, folder: Path) -> Section:
    """Draw the figures, and build the input graphs of both test environments."""
    del effort  # it takes seconds
    place, example = running_example()
    corridor = place.corridor(QUESTION)
    plain = cmm(corridor)
    discs = discs_along(corridor, DISCS, seed=DISC_SEED)
    avoiding = {
        "(a) extending the force function in": cmm(corridor, obstacles=discs),
        "(b) updating": cmm(corridor, obstacles=discs, avoid="corridor"),
    }
    shorter = {dt: cmm(corridor, shortcut=dt) for dt in SHORTCUTS}
    inputs = [build_input(name) for name in SECONDS]
    graphs = example_graphs(example)
    walks = [plain, *avoiding.values(), *shorter.values()]
    exact = CorridorMap.build(place.environment).corridor(*QUESTION, radius=RADIUS)
    missing = radii_missing(exact)
    lengths = [walk.length for walk in shorter.values()]
    return Section(
        "Figures 1 to 7: from graph to path",
        SOURCE,
        [_graph_table(graphs, place), _input_table(inputs)],
        [
            _draw_graphs(graphs, plain, folder),
            _draw_phases(place, example, plain, folder),
            _draw_extension(place, exact, folder),
            draw_figure(4, place, [Panel(f"{name} the corridor", [walk], details=_metres(walk),
                                         corridor=walk.corridor if k else corridor)
                                   for k, (name, walk) in enumerate(avoiding.items())],
                        title="Five small obstacles", folder=folder),
            draw_figure(5, place, [Panel(f"dt = {dt:g}", [walk], details=_metres(walk))
                                   for dt, walk in shorter.items()],
                        title="Shorter paths in one corridor", folder=folder),
            *(_draw_input(each, folder) for each in inputs),
        ],
        checked=(
            "all walks arrive and keep clear of walls and obstacles; between an end of the query "
            "and the graph, no radius is less than the clearance on the graph less the distance."
        ),
        wrong=[
            *faults(walks, "running example"),
            *([f"figure 3: a radius lacks {missing:.2g} m"] if missing > 1e-6 else []),
        ],
        claims=[
            *_graph_claims(graphs, place),
            stated("cmm-2007, figure 3", "radii toward the start: clearance less distance",
                   "exact clearance, never less", held=missing <= 1e-6, file="cmm-figure-3.png"),
            stated("cmm-2007, figure 4", "both techniques avoid five obstacles",
                   " and ".join(f"{walk.gap:.2f}" for walk in avoiding.values()) + " m apart",
                   held=all(walk.gap >= 0.0 for walk in avoiding.values())
                   and next(iter(avoiding.values())).corridor is corridor,  # forces alone
                   file="cmm-figure-4.png"),
            stated("cmm-2007, figure 5", "larger dt, shorter path",
                   ", ".join(f"{length:.2f}" for length in lengths) + " m",
                   held=all(np.diff(lengths) < 1e-3) and lengths[-1] < lengths[0],
                   file="cmm-figure-5.png"),
            *(claim for each in inputs for claim in _input_claims(each)),
        ],
    )  # fmt: skip


@cache
def running_example() -> tuple[Scene, Roadmap]:
    """Return the running example with the map of its input graph, built as in the paper."""
    environment = courtyard()
    roadmap = rrrm(environment, resolution=0.2, radius=RADIUS, seed=SEED)
    cmap = CorridorMap.from_roadmap(roadmap)
    assert isinstance(cmap, CorridorMap)
    return Scene("courtyard", environment, cmap), roadmap


def example_graphs(example: Roadmap) -> dict[str, Roadmap]:
    """Return the three graphs of figure 1; the grid has no diagonals, as the paper's."""
    environment = courtyard()
    lattice = grid(environment, resolution=CELL, radius=RADIUS)
    across = lattice.nodes[lattice.edges[:, 0]] - lattice.nodes[lattice.edges[:, 1]]
    straight = lattice.edges[(np.abs(across) > 1e-9).sum(axis=1) == 1]
    walls = make_space(environment, radius=RADIUS)._replace(radius=0.0)
    nodes = free_samples(environment, walls, radius=RADIUS, count=SAMPLES, seed=SEED)
    edges = useful_neighbours(
        nodes, np.empty((0, 2), np.int64), walls, radius=RADIUS, distance=2.5, usefulness=1.5
    )
    return {
        "grid": Roadmap.make(lattice.nodes, straight, lattice.space, method="grid"),
        "PRM": Roadmap.make(nodes, edges, example.space, method="grid"),  # drawn without blends
        "CMM": example,
    }


def shortest_on(roadmap: Roadmap) -> Floats:
    """Return the points (n, 2) m of the shortest path along edges between the nearest nodes."""
    first, last = roadmap.edges.T
    shape = (roadmap.n_nodes, roadmap.n_nodes)
    graph = coo_array((roadmap.lengths, (first, last)), shape=shape).tocsr()
    start, goal = (int(np.hypot(*(roadmap.nodes - end).T).argmin()) for end in QUESTION)
    _, before = dijkstra(graph, directed=False, indices=start, return_predecessors=True)
    chain = [goal]
    while chain[-1] != start:
        chain.append(int(before[chain[-1]]))
    return np.vstack([QUESTION.start, roadmap.nodes[chain[::-1]], QUESTION.goal])


def radii_missing(corridor: Corridor) -> float:
    """Return how much a radius between start and graph is below clearance less distance, m."""
    count = _spoke(corridor)
    distance = np.hypot(*(corridor.backbone[:count] - corridor.backbone[count]).T)
    printed = corridor.radii[count] - distance
    return float((printed - corridor.radii[:count]).max(initial=0.0))


def _spoke(corridor: Corridor) -> int:
    """Return how many balls lie between the start and the graph: those on one straight line."""
    step = np.diff(corridor.backbone[:200], axis=0)
    first = step[int((np.hypot(*step.T) > 1e-9).argmax())]
    turn = step[:, 0] * first[1] - step[:, 1] * first[0]
    return int((np.abs(turn) > 1e-9).argmax())


class Input(NamedTuple):
    """Input graph of a test environment."""

    place: Scene
    roadmap: Roadmap
    seconds: float
    covered: float  # share of the free space in its corridors, %


def build_input(name: str) -> Input:
    """Build the graph on 100 x 100 cells, as the paper does."""
    place = scene(name)
    x0, y0, x1, y1 = place.cmap.bounds
    begin = time.process_time()
    roadmap = rrrm(place.environment, resolution=max(x1 - x0, y1 - y0) / CELLS, radius=RADIUS)
    seconds = time.process_time() - begin
    return Input(place, roadmap, seconds, 100.0 * coverage(roadmap, "paths"))


def _graph_table(graphs: dict[str, Roadmap], place: Scene) -> Table:
    published: dict[str, tuple[Any, Any]] = {"grid": GRID, "PRM": (None, None), "CMM": CMM}
    rows = [(name, *published[name], each.n_nodes, each.n_edges) for name, each in graphs.items()]
    exact = scene_map(place)
    rows.append(("exact map, without dead ends", None, None, *exact))
    note = (
        f"Cells of {CELL:g} m, {SAMPLES} samples, and the RRRM on cells of 0.2 m. Our default is "
        "the exact map. The paper's environment is not known."
    )
    columns = ("graph", "nodes, paper", "edges, paper", "nodes, ours", "edges, ours")
    return Table("Figure 1: three graphs of one environment", columns, rows, note)


def scene_map(place: Scene) -> tuple[int, int]:
    """Return vertices and edges of the exact map without dead ends."""
    exact = CorridorMap.build(place.environment)
    core = exact.solver.index.graph.is_core
    return len(np.unique(exact.edges[core])), int(core.sum())


def _graph_claims(graphs: dict[str, Roadmap], place: Scene) -> list[Claim]:
    sizes = {name: each.n_nodes + each.n_edges for name, each in graphs.items()}
    vertices, edges = scene_map(place)
    smaller = sizes["grid"] / sizes["PRM"]
    where = "cmm-2007, figure 1"
    return [
        stated(where, "the CMM graph is the smallest", f"{vertices}, {edges}",
               says="44 nodes, 50 edges; grid 1,792, 3,321",
               printed=f"{graphs['CMM'].n_nodes}, {graphs['CMM'].n_edges}; grid "
               f"{graphs['grid'].n_nodes:,}, {graphs['grid'].n_edges:,}",
               held=max(vertices + edges, sizes["CMM"]) < sizes["PRM"] < sizes["grid"]),
        apart(where, "the PRM graph is smaller than the grid, times", SMALLER, smaller,
              why="the number of samples is ours to choose"),
    ]  # fmt: skip


def _input_table(inputs: Sequence[Input]) -> Table:
    rows = [
        (each.place.name, SECONDS[each.place.name], each.seconds, each.roadmap.n_nodes,
         each.roadmap.n_edges, each.roadmap.n_cycles, each.covered)
        for each in inputs
    ]  # fmt: skip
    columns = ("", "paper, s", "ours, CPU s", "nodes", "edges", "cycles", "covered, %")
    note = "RRRM on 100 x 100 cells, as in the paper; covered: free corners within its corridors."
    return Table("Figure 7: the input graphs", columns, rows, note)


def _input_claims(each: Input) -> list[Claim]:
    name, file = each.place.name.capitalize(), f"cmm-figure-7-{each.place.name}.png"
    where = "cmm-2007, figure 7"
    return [
        less_time(where, f"{name}: input graph, s", SECONDS[each.place.name], each.seconds,
                  file=file),
        apart(where, f"{name}: corridors cover a large portion of the free space", "yes",
              "all of it: the map is exact", printed=f"{each.covered:.1f} %",
              why="the paper gives no number", file=file),
        stated(where, f"{name}: many alternative routes", f"{each.roadmap.n_cycles} cycles",
               held=each.roadmap.n_cycles >= 5, file=file),
    ]  # fmt: skip


# The pictures ------------------------------------------------------------------------------------


def _metres(walk: Walk) -> str:
    return f"{walk.length:.1f} m"


def _draw_graphs(graphs: dict[str, Roadmap], walk: Walk, folder: Path) -> Picture:
    paths = {name: shortest_on(graphs[name]) for name in ("grid", "PRM")} | {"CMM": walk.points}
    panels = [
        RoadmapPanel(f"({letter}) {name}", each, f"{each.n_nodes:,} nodes, {each.n_edges:,} edges",
                     path=paths[name])
        for letter, (name, each) in zip("abc", graphs.items(), strict=True)
    ]  # fmt: skip
    title = "Three methods for path finding"
    figure = draw_roadmaps(
        panels, title=title, details="cmm-2007, figure 1", environment=courtyard(), columns=2
    )
    save_picture(figure, folder / "cmm-figure-1.png")
    return Picture("cmm-figure-1.png", f"Figure 1. {title}: A* on a grid, PRM and CMM")


def _draw_phases(place: Scene, roadmap: Roadmap, walk: Walk, folder: Path) -> Picture:
    captions = [
        ("(a) Graph", ""), ("(b) Corridor map", ""),
        ("(c) Corridor and backbone path", ""), ("(d) Final path", _metres(walk)),
    ]  # fmt: skip
    view = padded(place.environment.bounds, 0.012)
    canvases = new_canvases(
        view, captions, title="Construction and query", details="cmm-2007, figure 2", columns=2
    )
    samples = roadmap.samples()
    balls = shapely.buffer(shapely.points(samples.points), samples.clearance + RADIUS)
    for k, canvas in enumerate(canvases):
        layers.draw_free_space(canvas, free_space_of(place.environment))
        if k == 1:
            layers.fill(
                canvas, shapely.union_all(balls), zorder=1.2, facecolor=palette.CORRIDOR, alpha=0.25
            )
        if k < 2:
            _draw_roadmap(canvas, roadmap)
        else:
            layers.draw_corridor(canvas, walk.corridor, place.environment.walkable)
            layers.draw_backbone(canvas, walk.corridor)
    layers.draw_walk_line(canvases[3], walk, colour=palette.ACCENT)
    draw_page_bar(canvases[-1])
    save_picture(canvases[0].figure, folder / "cmm-figure-2.png")
    return Picture("cmm-figure-2.png", "Figure 2. The construction phase and the query phase")


def _draw_roadmap(canvas: Canvas, roadmap: Roadmap) -> None:
    samples = roadmap.samples()
    for edge in range(roadmap.n_edges):
        canvas.axes.plot(*samples.points[samples.edge == edge].T, color=palette.INK, lw=1.0)
    canvas.axes.plot(*roadmap.nodes.T, "o", ms=4.0, mfc=palette.HALO, mec=palette.INK, zorder=3.0)


def _draw_extension(place: Scene, corridor: Corridor, folder: Path) -> Picture:
    """Draw how the corridor is extended to the start: balls that shrink toward it."""
    count = _spoke(corridor)
    x, y = corridor.backbone[count].tolist()
    reach = 1.15 * float(corridor.radii[count])
    view = (x - 2.0 * reach, y - reach, x + 2.0 * reach, y + reach)
    title = "Extending the corridor to the start"
    (canvas,) = new_canvases(view, [("", "")], title=title, details="cmm-2007, figure 3")
    layers.draw_free_space(canvas, free_space_of(place.environment))
    layers.draw_corridor(canvas, corridor, place.environment.walkable)
    layers.draw_backbone(canvas, corridor)
    for k in np.linspace(0, count, 6).astype(int):
        centre = tuple(corridor.backbone[k].tolist())
        ring: dict[str, Any] = {"fc": "none", "ec": palette.INK, "lw": 0.8}
        canvas.axes.add_patch(Circle(centre, corridor.radii[k], zorder=3.0, **ring))
        canvas.axes.plot(*centre, "o", ms=3.0, color=palette.INK, zorder=3.1)
    for at, words in ((corridor.backbone[0], "s"), (corridor.backbone[count], "s'")):
        canvas.axes.annotate(words, at, xytext=(5, 5), textcoords="offset points", fontsize=9)
    draw_page_bar(canvas)
    save_picture(canvas.figure, folder / "cmm-figure-3.png")
    return Picture("cmm-figure-3.png", f"Figure 3. {title}: s is the start, s' its closest point")


def _draw_input(each: Input, folder: Path) -> Picture:
    name = each.place.name
    samples = each.roadmap.samples()
    discs = (samples.points, samples.clearance + RADIUS)
    size = f"{each.roadmap.n_nodes} nodes, {each.roadmap.n_edges} edges"
    panels = [
        RoadmapPanel(f"{name.capitalize()}: input graph", each.roadmap, size),
        RoadmapPanel("Corridor map", each.roadmap, f"{each.covered:.1f} %", discs=discs),
    ]
    details = "cmm-2007, figures 6 and 7  ·  RRRM on 100 x 100 cells"
    figure = draw_roadmaps(
        panels, title=f"{name.capitalize()}: input graph and corridor map", details=details,
        environment=each.place.environment,
    )  # fmt: skip
    file = f"cmm-figure-7-{name}.png"
    save_picture(figure, folder / file)
    return Picture(file, f"Figures 6 and 7. {name.capitalize()}: environment, graph, corridor map")
