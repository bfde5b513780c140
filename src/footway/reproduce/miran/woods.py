"""Figure 1: an adult and a child in the forest with different preferences.

Two recipes: the paper's, which follows the route of A* on a grid with its sigma and d; and ours,
which improves that route before. A third table shows what makes the difference: d.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.plot import Line, RoutePanel, draw_routes, palette, save_picture
from footway.plot.canvas import padded
from footway.reproduce.claims import Claim, stated
from footway.reproduce.miran.setup import ADULT, CHILD, FINE, MARGIN, PAPER, rows_of, walk
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from footway.follow import RouteWalk
    from footway.reproduce.miran.setup import Effort
    from footway.reproduce.report import Cell
    from footway.terrain import IndicativeRoute

    Walks = Mapping[str, RouteWalk]

SOURCE: Final = f"{PAPER}, section 4 and figure 1"
FILE: Final = "miran-figure-1.png"

COLOURS: Final = {ADULT: palette.ACCENT, CHILD: "#5b3a9b"}
NAMES: Final = {ADULT: "adult", CHILD: "child"}
_CAUSES: Final = {
    "the adult avoids puddles": "as printed not: d is too large for our path",
    "the adult avoids fallen trees": "as printed not: the route on the grid crosses the tip of one",
}
SPACINGS: Final = (20.0, 10.0, 5.0, 2.5)
"""m. Values of d; the paper's is the first. Our path is 30 m wide."""


def run(effort: Effort, folder: Path) -> Section:
    """Plan the routes on a grid, as the paper does, and walk them by both recipes."""
    del effort  # it takes no time
    printed, ours = (
        {name: walk(rows_of(name)[0], step=FINE, improved=improved) for name in NAMES}
        for improved in (False, True)
    )
    return Section(
        "Figure 1: an adult and a child in the forest",
        SOURCE,
        [
            _table(printed, "as in the paper: A* on a grid, not improved"),
            _table(ours, f"ours: the same route, improved with a margin of {MARGIN:g} m"),
            _cause_table(),
        ],
        [_draw(printed, ours, folder)],
        checked=(
            "ours: the adult's route and walk pass the view and no puddle or fallen tree, the "
            "child's lead through puddles and over fallen trees and not past the view."
        ),
        wrong=faults(ours),
        claims=_claims(printed, ours),
    )


def statements(walks: Walks) -> dict[str, tuple[str, bool]]:
    """Return what section 4 says about the two walks, metres of ours, and whether it holds."""
    adult, child = walks[ADULT].measure(), walks[CHILD].measure()
    return {
        "the adult passes the view": (f"{adult['view']:.1f} m", adult["view"] > 1.0),
        "the adult avoids puddles": (f"{adult['puddle']:.1f} m", adult["puddle"] < 1.0),
        "the adult avoids fallen trees": (f"{adult['tree']:.1f} m", adult["tree"] < 1.0),
        "the child walks through puddles": (f"{child['puddle']:.1f} m", child["puddle"] > 1.0),
        "the child climbs over fallen trees": (f"{child['tree']:.1f} m", child["tree"] > 1.0),
        "the child does not pass the view": (f"{child['view']:.1f} m", child["view"] == 0.0),
    }


def _claims(printed: Walks, ours: Walks) -> list[Claim]:
    other = statements(printed)
    return [
        stated(f"{PAPER}, figure 1", what, metres, printed=other[what][0], held=held,
               why="" if other[what][1] else _CAUSES[what])
        for what, (metres, held) in statements(ours).items()
    ]  # fmt: skip


def faults(walks: Walks) -> list[str]:
    """Return which statements about routes and walks do not hold."""
    routes = {name: each.route for name, each in walks.items()}
    return [
        f"figure 1, {what}: not so that {words} ({metres})"
        for what, found in (("route", routes), ("walk", walks))
        for words, (metres, held) in statements(found).items()  # type: ignore[arg-type]
        if not held
    ]


def _table(walks: Walks, recipe: str) -> Table:
    lines: dict[str, IndicativeRoute | RouteWalk] = {}
    lines |= {f"{NAMES[name]}, route": each.route for name, each in walks.items()}
    lines |= {f"{NAMES[name]}, walk": each for name, each in walks.items()}
    lengths = {name: line.measure() for name, line in lines.items()}
    kinds = [kind for kind in lengths["adult, walk"] if any(m[kind] for m in lengths.values())]
    rows: list[tuple[Cell, ...]] = [
        (f"{kind}, m", *(f"{metres[kind]:.1f}" for metres in lengths.values())) for kind in kinds
    ]
    rows += [
        ("length, m", *(line.length for line in lines.values())),
        ("weighted length, m", *(line.weighted_length for line in lines.values())),
    ]
    note = (
        "Weights of the adult: forest 30, path 2, puddle 10, tree 30, view 1; of the child: forest "
        "30, path 2, puddle 1, tree 1, view 10. The adult walks with sigma = 80, the child with "
        "100; d = 20."
    )
    return Table(f"Forest, metres by kind of terrain, {recipe}", ("", *lines), rows, note)


def _cause_table() -> Table:
    """Vary d along the unimproved route, to find out whether forest or method is the cause."""
    rows: list[tuple[Cell, ...]] = []
    for spacing in SPACINGS:
        cells = []
        for name in NAMES:
            row = rows_of(name)[0]._replace(spacing=spacing)
            metres = walk(row, step=FINE, improved=False).measure()
            cells += [f"{metres[kind]:.1f}" for kind in ("puddle", "tree", "forest")]
        rows.append((f"{spacing:g}", *cells))
    kinds = ("puddle", "tree", "forest")
    columns = ("d, m", *(f"{who}, {kind}, m" for who in NAMES.values() for kind in kinds))
    note = (
        "Along the route of A* on the grid, which touches no puddle for the adult. With d = 20 the "
        "adult cuts corners through puddles and forest; with d = 5 not. So the cause is the scale "
        "of our forest, whose path is 30 m wide, not the method: d must be small compared with "
        "what it is to avoid. The metres on a fallen tree remain: the route itself crosses its tip."
    )
    return Table("The paper's recipe with other values of d", columns, rows, note)


def _draw(printed: Walks, ours: Walks, folder: Path) -> Picture:
    panels = []
    for caption, walks in (("as in the paper", printed), ("ours: route improved", ours)):
        lines = [
            Line(walk.route.points, f"route, {NAMES[name]}", COLOURS[name], is_route=True)
            for name, walk in walks.items()
        ]
        lines += [
            Line(w.points, f"walk, {NAMES[name]}", COLOURS[name]) for name, w in walks.items()
        ]
        adult = walks[ADULT].measure()
        panels.append(RoutePanel(caption, lines, f"adult: {adult['puddle']:.0f} m of puddles"))
    title = "An adult and a child in the forest"
    environment = ours[ADULT].route.terrain.environment
    figure = draw_routes(
        environment, panels, title=title, details=f"{PAPER}, figure 1",
        view=padded(environment.bounds, 0.004), columns=2,
    )  # fmt: skip
    save_picture(figure, folder / FILE)
    return Picture(FILE, f"Figure 1. {title}: by the paper's recipe, and by ours")
