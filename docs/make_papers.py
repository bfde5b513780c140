# ruff: noqa: INP001 - a script, not a package
"""Write docs/papers.md: the papers section by section, our functions, and all claims.

    python docs/make_papers.py [FOLDER]      # folder of `footway reproduce`; out/reproduce

The numbers are those of the last run; claims of experiments without a report in the folder stay as
they are. `make reproduce` runs all experiments and then this.
"""

from __future__ import annotations

import json
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from footway.reproduce import EXPERIMENTS
from footway.reproduce.claims import FILE as VERDICTS
from footway.reproduce.claims import Claim, read_claims
from footway.reproduce.report import as_text

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "docs" / "papers.md"


class Element(NamedTuple):
    """A definition, equation or procedure of a paper, and where it is in Footway."""

    place: str
    what: str
    functions: str  # names below `footway`, separated by spaces
    difference: str = ""  # of our default


class Paper(NamedTuple):
    """A paper and its elements, in order."""

    name: str
    title: str
    elements: tuple[Element, ...]


PAPERS: Final = (
    Paper(
        "cmm-2007",
        "Geraerts and Overmars (2007): the Corridor Map Method",
        (
            Element("definition 1", "path in the free space", "corridor.path.TautPath"),
            Element(
                "definition 2",
                "graph with the largest empty ball at every point of its edges",
                "corridor.CorridorMap.build corridor.CorridorMap.from_roadmap",
                "exact medial axis instead of a sampled graph; `from_roadmap` is the paper's",
            ),
            Element(
                "definition 3",
                "backbone: shortest path in the graph, without edges narrower than the disc",
                "corridor.CorridorMap.corridor corridor.search.Solver.corridor",
                "A* with landmarks instead of Dijkstra",
            ),
            Element("definition 4", "corridor: the balls along the backbone", "corridor.Corridor"),
            Element(
                "figure 3",
                "joining start and goal: radius = clearance on the graph - distance",
                "corridor.kernels.backbone.write_balls",
                "exact clearance, which is never less",
            ),
            Element(
                "definition 5",
                "attraction point: furthest ball that contains the disc",
                "follow.kernels.corridor.advance_near follow.kernels.corridor.advance_far",
                "searched forward from the last one",
            ),
            Element(
                "force F_0",
                "f = 1 / (R - r - d) - 1 / (R - r) toward the attraction point",
                "follow.kernels.forces.attraction follow.kernels.forces.published_attraction",
                "bounded by 1, because finite steps would overshoot: "
                '`attraction="published"` is the paper\'s',
            ),
            Element(
                "theorem 1",
                "integrating the force twice gives a C1 path",
                "follow.cmm.cmm follow.kernels.walk.walk",
                "speed and turn rate are limited, and a guard keeps the disc in free space",
            ),
            Element(
                "adding forces",
                "F_i: f = k / (d_i - r_i - r) away from each obstacle in the ball",
                "follow.kernels.forces.repulsion crowd.models.SocialForce",
                "in crowds obstacles repel as characters do: the model `social_force` with "
                "`repulsion=1` is the paper's",
            ),
            Element(
                "sub-corridor",
                "balls move away from obstacles by half of the overlap and shrink by as much",
                "follow.detour.sub_corridor follow.kernels.detour.detour follow.detour.moved_balls",
                "the path around all obstacles is searched; the printed rule ignores their radii "
                'and may tear the corridor: `avoid="published-corridor"` is the paper\'s',
            ),
            Element(
                "shorter paths",
                "F_s: unit force to the furthest visible point up to dt ahead",
                "follow.kernels.forces.shortening follow.kernels.corridor.furthest_valid",
                "the furthest valid point is found directly, not by small decrements",
            ),
            Element(
                "input graphs", "enhanced Reachability Roadmap Method", "roadmap.lattice.rrrm.rrrm"
            ),
        ),
    ),
    Paper(
        "cmm-crowds-2008",
        "Geraerts, Kamphuis, Karamouzas and Overmars (2008): crowds on corridor maps",
        (
            Element(
                "section 2.1",
                "map from the generalised Voronoi diagram; samples that cover most of the space",
                "medial.medial_axis corridor.CorridorMap.balls",
                "the diagram is exact; samples are optional",
            ),
            Element(
                "section 2.2",
                "A* and a kd-tree for fast corridors",
                "corridor.kernels.graph_search.find_path corridor.search.Solver.locate",
                "landmarks, and a grid of candidate walls",
            ),
            Element(
                "section 3, F_rand",
                "c_rand R(theta) e: direction by Perlin noise at the attraction point",
                "follow.kernels.forces.random_bias follow.kernels.forces.coherent_noise",
            ),
            Element(
                "section 3, F_perp",
                "c_perp = k (R - 2 r) / d to one side: lanes",
                "follow.kernels.forces.lane_bias crowd.Profile",
                "in crowds `lane` is a place across the corridor: `shortcut=0` is the paper's",
            ),
            Element(
                "section 3, corners",
                "tight or wide corners by the direction of the backbone",
                "follow.kernels.forces.corner_bias",
            ),
            Element(
                "section 4, F_c",
                "Helbing and Molnar, equation 3: repulsion by elliptical potentials",
                "crowd.models.social_force.SocialForce crowd.models.social_force.social_forces",
                "between discs, from relative velocities, and with a headway: "
                '`model="helbing_molnar"` is the paper\'s',
            ),
            Element(
                "section 4",
                "grid of cells of 3 + 2 r metres for neighbours",
                "crowd.kernels.cells.fill_cells crowd.kernels.pairs.gather",
            ),
            Element(
                "section 5.1",
                "F = F_a + F_c + F_perp; a new goal on arrival",
                "crowd.Crowd crowd.kernels.step.move_cells crowd.kernels.look_ahead.look_ahead",
                "characters walk to a point further ahead than the attraction point: "
                "`shortcut=0` is the paper's",
            ),
            Element(
                "section 5.2",
                "wandering: a random walk of the attraction point on the graph",
                "crowd.kernels.attraction.draw_edge crowd.tracks.edges_of_wanderers",
            ),
            Element(
                "section 6, g_w",
                "balls of a group no wider than g_w (printed as max, meant as min)",
                "crowd.Crowd.add_group",
            ),
            Element(
                "section 6, g_A",
                "alpha_max: area of the balls from the last to the first is g_A",
                "crowd.kernels.attraction.limit_fronts crowd.kernels.attraction.measure_corridor",
            ),
        ),
    ),
    Paper(
        "rrm-roadmaps-2006",
        "Geraerts and Overmars (2006): high-quality roadmaps",
        (
            Element(
                "definitions 1, 2",
                "coverage and maximal connectivity",
                "roadmap.measures.verify",
                "checked exhaustively on the lattice",
            ),
            Element(
                "section II",
                "guards, connectors, pruning",
                "roadmap.lattice.rrm.rrm roadmap.lattice.rrm.find_guards "
                "roadmap.lattice.rrm.add_connectors roadmap.lattice.rrm.prune",
            ),
            Element(
                "definition 3",
                "K-useful edge: K d(v, v') < G(v, v')",
                "roadmap.kernels.graph.useful_edges",
            ),
            Element(
                "definition 4, algorithm 1",
                "useful nodes on the medial axis",
                "roadmap.lattice.rrm_star.add_useful_nodes "
                "roadmap.lattice.rrm_star.find_published_nodes",
                "by default the places that shorten paths most: "
                '`useful_nodes="published"` is the paper\'s',
            ),
            Element(
                "algorithm 2",
                "edges are reconnected, shortest first; useful nodes of degree 1 go",
                "roadmap.lattice.rrm_star.reconnect roadmap.lattice.rrm_star.rrm_star",
                "edges of the RRM are put back if paths would get longer",
            ),
            Element(
                "section IV",
                "edges are retracted to the medial axis",
                "roadmap.lattice.rrrm.retract roadmap.kernels.retraction.retract_path",
            ),
            Element("section V", "Grid Roadmap Method", "roadmap.lattice.grid.grid"),
            Element(
                "definition 5", "shortest path factor", "roadmap.measures.shortest_path_factor"
            ),
            Element(
                "section V.B.2",
                "queries are joined by clearance, without collision checks",
                "roadmap.measures.coverage roadmap.kernels.roads.look",
            ),
        ),
    ),
    Paper(
        "voronoi-roadmaps-2004",
        "Nieuwenhuisen, Kamphuis, Mooijekind and Overmars (2004): smooth roadmaps, groups, cameras",
        (
            Element(
                "section 2.1",
                "random samples are retracted to the Voronoi diagram",
                "roadmap.voronoi.voronoi_prm.free_samples "
                "roadmap.voronoi.voronoi_prm.retract_to_axis",
                "the crossing is found exactly instead of by bisection",
            ),
            Element(
                "section 2.1, K",
                "edges to neighbours, if paths get K times shorter",
                "roadmap.voronoi.voronoi_prm.useful_neighbours",
            ),
            Element(
                "section 2.2",
                "edges are split and retracted until they have the clearance",
                "roadmap.voronoi.voronoi_prm.retract_edges",
            ),
            Element(
                "figure 6",
                "overlapping edges merge, in four cases",
                "roadmap.voronoi.draft.join_overlaps",
            ),
            Element(
                "section 2.3",
                "a path through every corridor; vertices of degree 2 are bypassed",
                "roadmap.voronoi.passages.passages roadmap.voronoi.draft.bypass_vertices",
            ),
            Element(
                "section 2.4",
                "circular blends, halved until they have the clearance",
                "roadmap.voronoi.blends.blends roadmap.kernels.blend.largest_tangent",
                'the largest radius that fits; `method="halved"` is the paper\'s',
            ),
            Element(
                "section 2.5",
                "queries on the smooth roadmap",
                "corridor.CorridorMap.path roadmap.kernels.blend_search.solve_blended",
            ),
            Element(
                "section 3",
                "corridor of a group; lateral and longitudinal dispersion",
                "crowd.Crowd.add_group crowd.groups.Dispersion",
            ),
            Element(
                "section 4.1",
                "speed diagram: limits of arcs, acceleration and deceleration",
                "camera.speed.SpeedDiagram camera.speed.speed_limits",
                "gentle bends may be faster than turn rate times radius",
            ),
            Element(
                "section 4.2",
                "the camera looks where it will be in 1 s: C1 rotation",
                "camera.look.LookAhead camera.motion.motion",
            ),
            Element("section 4.3", "click to move: tours", "camera.tour.tour"),
        ),
    ),
    Paper(
        "miran-2013",
        "Jaklin, Cook and Geraerts (2013): MIRAN",
        (
            Element("section 2", "regions with a type and weights", "terrain.Terrain.build"),
            Element("algorithm 1", "the loop of MIRAN", "follow.miran.miran"),
            Element(
                "section 3.1",
                "reference point: first closest point between the last two",
                "follow.kernels.miran.reference_point",
            ),
            Element(
                "section 3.2",
                "visible parts of the route up to sigma ahead, candidates every d",
                "follow.kernels.visibility.see follow.kernels.miran.look",
                "visibility is exact, not on pixels",
            ),
            Element(
                "section 3.3",
                "weight of a candidate: sum of w(T) l / d along the line",
                "follow.kernels.miran.line_cost",
            ),
            Element(
                "section 3.4",
                "F_s + F_b + F_o",
                "follow.kernels.steering.take_step follow.kernels.steering.push_from_border",
                "F_b and F_o grow toward the wall or obstacle, F_b from 0 at `clearance`; "
                "in crowds F_o is the local model, or its `repulsion`",
            ),
            Element(
                "section 1.1, IRM",
                "attraction point by the clearance disc on the medial axis",
                "follow.irm.irm follow.kernels.irm.furthest_in_disc",
            ),
            Element(
                "section 4",
                "indicative route: A* on the weighted dual graph, or on a grid",
                "terrain.route.route terrain.kernels.search.dual_path "
                "terrain.kernels.search.search_cells",
                "then improved to nearly the least weight; `improve=False` is the paper's",
            ),
        ),
    ),
)


class Choice(NamedTuple):
    """A choice of the papers that a user has, under the same name everywhere; "": not there."""

    what: str
    python: str  # name below `footway`, and its parameter
    command: str = ""  # command, and the parameter of its option
    scenario: str = ""  # table of `footway.scenario.models`, and its key


CHOICES: Final = (
    Choice("F_0 bounded, or as printed", "follow.cmm attraction", "path attraction"),
    Choice("F_i: k (cmm-2007)", "follow.cmm repulsion", "path repulsion"),
    Choice("F_o: c_o (miran-2013)", "follow.miran repulsion", "path repulsion"),
    Choice("k of F_i and c_o in crowds: `repulsion` of the model", "Crowd model",
           "simulate model", "Scenario model"),
    Choice("obstacles: force or sub-corridor, as printed", "follow.cmm avoid", "path avoid"),
    Choice("attraction point and F_perp in crowds: 0", "Crowd.add shortcut", "",
           "ProfileTable shortcut"),
    Choice("dt of F_s", "follow.cmm shortcut", "path shortcut", "ProfileTable shortcut"),
    Choice("k of F_perp", "follow.cmm lane", "path lane", "ProfileTable lane"),
    Choice("k of F_rand", "follow.cmm noise", "path noise", "ProfileTable noise"),
    Choice("c_s of F_s", "follow.miran steering", "path steering", "ProfileTable steering"),
    Choice("c_b of F_b", "follow.miran boundary", "path boundary", "ProfileTable boundary"),
    Choice("where F_b begins", "follow.miran clearance", "path clearance",
           "ProfileTable clearance"),
    Choice("sigma", "follow.miran sigma", "path sigma", "ProfileTable sigma"),
    Choice("d, between candidates", "follow.miran spacing", "path spacing", "ProfileTable spacing"),
    Choice("weights of terrain", "route preferences", "path prefer", "ProfileTable preferences"),
    Choice("route as found by A*, or improved", "route improve", "route no_improve"),
    Choice("F_c of Helbing and Molnar as published, and others", "Crowd model",
           "simulate model", "Scenario model"),
    Choice("g_w", "Crowd.add_group width", "", "Group width"),
    Choice("g_A", "Crowd.add_group group_area", "", "Group group_area"),
    Choice("lateral dispersion", "Crowd.add_group lateral", "", "Group lateral"),
    Choice("longitudinal dispersion", "Crowd.add_group longitudinal", "", "Group longitudinal"),
    Choice("useful nodes: ours, or algorithm 1", "roadmap.rrm_star useful_nodes",
           "build useful_nodes", "RoadmapTable useful_nodes"),
    Choice("K of useful cycles", "roadmap.rrm_star usefulness", "build usefulness",
           "RoadmapTable usefulness"),
    Choice("blends: largest, or halved", "roadmap.voronoi_prm blends", "build blends",
           "RoadmapTable blends"),
    Choice("clearance of a smooth roadmap", "roadmap.voronoi_prm clearance", "build clearance",
           "RoadmapTable clearance"),
    Choice("speed on arcs: eased, or turn rate times radius", "camera.motion arcs", "camera arcs"),
)  # fmt: skip

_CHOICES: Final = """## Choices

Every strength and every printed variant of the papers can be chosen, under one name. Scenarios
describe crowds: they have no single walks and no cameras, and obstacles act on a crowd through its
local model, whose parameters are keys of `model`. Groups are not made on the command line.
"""

_RUNS: Final = """## Runs

The tables can be run one at a time. Times are processor times, which are longer on a busy machine.
"""

_INTRODUCTION: Final = """# The papers, section by section

Each table names definitions, equations and procedures of a paper and the functions of Footway that
implement them. Where our default differs, the last column says how; the paper's own version can be
chosen there, or is shown beside ours by `footway reproduce`. The papers are listed in the
[README](../README.md#references).

```python
import footway as fw

cmap = fw.CorridorMap.build(fw.load("gallery:field"))  # definition 2 of cmm-2007
corridor = cmap.corridor((2.5, 45.5), (44, 3), radius=0.25)  # definitions 3 and 4
walk = fw.follow.cmm(corridor)  # definition 5, theorem 1
assert walk.clearance >= 0.25
```

After each table come the claims of the paper with the numbers of the last run. This page is
written by `make reproduce`; figures are in the folder `out/reproduce` that it makes. A claim that
gets worse than its verdict in `src/footway/reproduce/verdicts.toml` makes `footway reproduce` fail.
"""


def resolve(name: str) -> tuple[Any, Path]:
    """Return what a name below `footway` stands for, and the file that defines its module.

    Raises:
        AttributeError: there is no such function, class or method.
    """
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(["footway", *parts[:count]]))
        except ModuleNotFoundError:
            continue
        module = found
        for part in parts[count:]:
            found = getattr(found, part)
        file = Path(module.__file__)
        home = sys.modules.get(getattr(found, "__module__", "") or "")
        if home is not None and home.__name__.startswith("footway") and home.__file__:
            file = Path(home.__file__)
        return found, file
    raise AttributeError(f"there is no footway.{name}")


def definitions(paper: Paper) -> list[str]:
    """Return the table of a paper's elements as lines of Markdown."""
    lines = [f"## {paper.title}", "", "| | in the paper | ours | difference |", "|---|---|---|---|"]
    for element in paper.elements:
        links = []
        for name in element.functions.split():
            _, file = resolve(name)
            links.append(f"[`{name}`](../{file.relative_to(ROOT)})")
        cells = (element.place, element.what, ", ".join(links), element.difference)
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def choices() -> list[str]:
    """Return the table of choices as lines of Markdown."""
    lines = [_CHOICES, "| | Python | command line | scenario |", "|---|---|---|---|"]
    for choice in CHOICES:
        function, parameter = choice.python.split()
        command, option = (*choice.command.split(), "", "")[:2]
        cells = (
            choice.what,
            f"`{function}({parameter}=)`",
            f"`{command} --{option.replace('_', '-')}`" if command else "",
            f"`{choice.scenario.split()[1]}`" if choice.scenario else "",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def claims(paper: Paper, folder: Path, page: str) -> list[str]:
    """Return the claims of a paper in the last run as lines of Markdown.

    Claims of reports that the folder lacks stay as they are on the page.
    """
    lines = [
        "| claim | published | as printed | by default | verdict | figure |",
        "|---|---|---|---|---|---|",
    ]
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in section_of(page, paper.title)}
    for name, verdicts in tomllib.loads(VERDICTS.read_text(encoding="utf-8")).items():
        if (file := folder / f"{name}.json").exists():
            found = [Claim(**claim) for claim in json.loads(file.read_text("utf-8"))["claims"]]
            lines += [_row(one, paper) for one in found if one.place.startswith(f"{paper.name},")]
        else:
            known = (key.removeprefix(f"{paper.name}, ") for key in verdicts)
            lines += [rows[claim] for claim in known if claim in rows]
    return [*lines, ""]


def _row(claim: Claim, paper: Paper) -> str:
    where = claim.place.removeprefix(f"{paper.name}, ")
    verdict = f"{claim.verdict}: {claim.why}" if claim.why else claim.verdict
    values = (as_text(value) for value in (claim.published, claim.printed, claim.ours))
    cells = (f"{where}: {claim.what}", *values, verdict, f"`{claim.file}`")
    return f"| {' | '.join(cells)} |"


def section_of(page: str, title: str) -> list[str]:
    """Return the lines of a section of the page."""
    _, _, found = page.partition(f"## {title}\n")
    return found.split("\n## ")[0].splitlines()


def runs(folder: Path, page: str) -> list[str]:
    """Return when and where each report was made, as lines of Markdown: here, or for the page."""
    lines = [_RUNS, "| table | date | processor |", "|---|---|---|"]
    for name in EXPERIMENTS:
        begin = f"| `footway reproduce {name}` |"
        if (file := folder / f"{name}.json").exists():
            machine = json.loads(file.read_text(encoding="utf-8"))["machine"]
            cores = f"{machine['processor']}, {machine['cores']} cores"
            lines.append(f"{begin} {machine['date']} | {cores} |")
        else:
            lines += [line for line in page.splitlines() if line.startswith(begin)]
    return [*lines, ""]


def main(folder: Path) -> None:
    """Write the page from the reports in a folder."""
    read_claims(folder)  # raises an error that says what to do if there is none
    page = TARGET.read_text(encoding="utf-8")
    lines = [_INTRODUCTION, *runs(folder, page), *choices()]
    for paper in PAPERS:
        lines += [*definitions(paper), *claims(paper, folder, page)]
    TARGET.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "reproduce"))
