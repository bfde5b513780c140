"""Figure 6: share of the free space that the clearance discs of a roadmap cover."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from footway.plot import RoadmapPanel, draw_roadmaps, save_picture
from footway.reproduce.claims import Claim, explained, less_time, more, stated
from footway.reproduce.report import Picture, Section, Table, ratio
from footway.reproduce.roadmaps.setup import SETTINGS, corridors_of, random_pairs, roadmaps_of
from footway.reproduce.timing import undisturbed
from footway.roadmap.measures import By, coverage

if TYPE_CHECKING:
    from pathlib import Path

    from footway.arrays import Floats
    from footway.reproduce.report import Cell
    from footway.reproduce.roadmaps.setup import Built, Effort
    from footway.roadmap import Roadmap


SOURCE: Final = "rrm-roadmaps-2006, section V.B.2 and figure 6"

PUBLISHED: Final = {"nodes": 38.5, "edges": 57.7, "paths": 80.1, "retracted": 98.5}
"""% of the free space of the Field that discs around the configurations cover."""
CONFIGURATIONS: Final = 870
"""Of the Field's retracted roadmap."""
CONNECTION: Final = 0.073
"""ms, to test whether a configuration can be connected to it."""

NAMES: Final = {
    "nodes": "(a) Clearance of the nodes",
    "edges": "(b) Least clearance of each edge",
    "paths": "(c) All configurations",
    "retracted": "(d) All of the retracted roadmap",
}


def run(effort: Effort, folder: Path) -> Section:
    """Measure all environments, and draw the flat ones."""
    built = [roadmaps_of(SETTINGS[name]) for name in effort.environments]
    shares = {b.name: _shares(b) for b in built}
    wrong = [words for b in built for words in _not_growing(b.name, shares[b.name])]
    connecting = {b.name: _connection(b, effort) for b in built}
    return Section(
        "Figure 6: what the clearance of a roadmap covers",
        SOURCE,
        [_coverage_table(shares), _connection_table(built, connecting)],
        [_draw(b, shares[b.name], folder) for b in built if b.setting.size is None],
        checked="(a), (b) and (c) cover more and more; so does the retracted roadmap than (a).",
        wrong=wrong,
        claims=_claims(shares["Field"], connecting["Field"] or 0.0),
    )


def _claims(shares: dict[str, float], milliseconds: float) -> list[Claim]:
    where = "rrm-roadmaps-2006, figure 6"
    found = list(shares.values())
    return [
        *(explained(more(where, f"Field {NAMES[kind]}: covered, %", PUBLISHED[kind], shares[kind]),
                    "another field: passages beside its outer wall have no edge")
          for kind in NAMES),
        stated(where, "each kind of disc covers more than the one before",
               ", ".join(f"{share:.1f}" for share in found) + " %", held=found == sorted(found)),
        less_time("rrm-roadmaps-2006, section V.B.2", "Field: a configuration is connected, ms",
                  CONNECTION, milliseconds),
    ]  # fmt: skip


def _shares(built: Built) -> dict[str, float]:
    """Return the covered share by kind of disc, %."""
    star, retracted = built.roadmaps["RRM*"], built.roadmaps["RRRM"]
    found = {by: 100.0 * coverage(star, by) for by in get_args(By)}
    return found | {"retracted": 100.0 * coverage(retracted, "paths")}


def _not_growing(name: str, shares: dict[str, float]) -> list[str]:
    a, b, c, d = shares.values()
    return [] if a <= b + 1e-9 and b <= c + 1e-9 and a <= d else [f"{name}: {a}, {b}, {c}, {d} %"]


def _coverage_table(shares: dict[str, dict[str, float]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (NAMES[kind], PUBLISHED[kind], *(found[kind] for found in shares.values()))
        for kind in NAMES
    ]
    columns = ("discs around", "Field, paper, %", *(f"{name}, ours, %" for name in shares))
    note = (
        "Shares of the free corners of the lattice. A configuration in a disc can be connected to "
        "the roadmap by comparing distances, without looking at the walls. The paper has numbers "
        "for the Field only."
    )
    return Table("Share of the free space inside clearance discs", columns, rows, note)


def _connection_table(built: list[Built], connecting: dict[str, float | None]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in built:
        is_field = each.setting.name == "field"
        ours = connecting[each.name]
        rows.append(
            (
                each.name,
                CONFIGURATIONS if is_field else None,
                len(each.roadmaps["RRRM"].samples().points),
                CONNECTION if is_field else None,
                ours,
                ratio(CONNECTION, ours) if is_field and ours is not None else None,
            )
        )
    columns = (
        *("", "configurations, paper", "ours", "connecting, paper, ms", "ours, ms"),
        "paper / ours",
    )
    note = (
        "Ours: CPU time to locate one point, as a query does; there is no such call in three "
        "dimensions. It looks at the discs near the point, not at all of them."
    )
    return Table("Connecting a configuration to the retracted roadmap", columns, rows, note)


def _connection(built: Built, effort: Effort) -> float | None:
    """Return the mean time over random positions, CPU ms; None in three dimensions."""
    if built.setting.size is not None:
        return None
    solver = corridors_of(built.roadmaps["RRRM"]).solver
    places = [pair[0][None] for pair in random_pairs(built.roadmaps["GRM"], effort.queries)]
    solver.locate(places[0])
    taken = []
    with undisturbed():
        for _ in range(max(effort.rounds, 3)):
            begin = time.process_time()
            for place in places:
                solver.locate(place)
            taken.append(1000.0 * (time.process_time() - begin) / len(places))
    return float(np.median(taken))


def _draw(built: Built, shares: dict[str, float], folder: Path) -> Picture:
    star, retracted = built.roadmaps["RRM*"], built.roadmaps["RRRM"]
    panels = [
        RoadmapPanel(name, roadmap, f"{shares[kind]:.1f} %", discs=_discs(roadmap, kind))
        for (kind, name), roadmap in zip(NAMES.items(), (star, star, star, retracted), strict=True)
    ]
    figure = draw_roadmaps(
        panels, title=f"{built.name}: what the clearance of the roadmap covers",
        details="rrm-roadmaps-2006, figure 6", environment=built.environment, columns=2,
    )  # fmt: skip
    file = f"roadmaps-figure-6-{built.setting.slug}.png"
    save_picture(figure, folder / file)
    return Picture(file, f"Figure 6. {built.name}: clearance discs of the roadmap")


def _discs(roadmap: Roadmap, kind: str) -> tuple[Floats, Floats]:
    """Return centres and radii, m."""
    nodes = (roadmap.nodes, roadmap.node_clearance)
    if kind == "nodes":
        return nodes
    samples = roadmap.samples()
    clearance = roadmap.edge_clearance[samples.edge] if kind == "edges" else samples.clearance
    return np.concatenate([nodes[0], samples.points]), np.concatenate([nodes[1], clearance])
