"""Figure 1: an adult and a child in the forest with different preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.plot import Line, RoutePanel, draw_routes, palette, save_picture
from footway.plot.sheet import padded
from footway.reproduce.miran.setup import ADULT, CHILD, FINE, MARGIN, PAPER, rows_of, walk
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from footway.follow import RouteWalk
    from footway.reproduce.miran.setup import Effort
    from footway.reproduce.report import Cell
    from footway.terrain import IndicativeRoute

SOURCE: Final = f"{PAPER}, section 4 and figure 1"
FILE: Final = "miran-figure-1.png"

COLOURS: Final = {ADULT: palette.ACCENT, CHILD: "#5b3a9b"}
NAMES: Final = {ADULT: "adult", CHILD: "child"}


def run(effort: Effort, folder: Path) -> Section:
    """Plan the routes on a grid, as the paper does, and walk them."""
    del effort  # it takes no time
    walks = {name: walk(rows_of(name)[0], step=FINE) for name in (ADULT, CHILD)}
    return Section(
        "Figure 1: an adult and a child in the forest",
        SOURCE,
        [_table(walks)],
        [_draw(walks, folder)],
        checked=(
            "the adult's route and walk pass the view and no puddle or fallen tree, the child's "
            "lead through puddles and over fallen trees and not past the view."
        ),
        wrong=faults(walks),
    )


def faults(walks: Mapping[str, RouteWalk]) -> list[str]:
    """Return where the two do not take different routes."""
    wrong = []
    for what, found in (
        ("route", {name: each.route.measure() for name, each in walks.items()}),
        ("walk", {name: each.measure() for name, each in walks.items()}),
    ):
        adult, child = found[ADULT], found[CHILD]
        holds = {
            "the adult does not pass the view": adult["view"] > 1.0,
            "the child passes the view": child["view"] == 0.0,
            "the child goes through no puddle": child["puddle"] > 1.0,
            "the child climbs over no tree": child["tree"] > 1.0,
            "the adult goes through puddles": adult["puddle"] < 0.1 * child["puddle"],
            "the adult climbs over trees": adult["tree"] < 0.1 * child["tree"],
        }
        wrong += [f"figure 1, {what}: {words}" for words, held in holds.items() if not held]
    return wrong


def _table(walks: Mapping[str, RouteWalk]) -> Table:
    lines: dict[str, IndicativeRoute | RouteWalk] = {}
    lines |= {f"{NAMES[name]}, route": walk.route for name, walk in walks.items()}
    lines |= {f"{NAMES[name]}, walk": walk for name, walk in walks.items()}
    ground = {name: line.measure() for name, line in lines.items()}
    kinds = [kind for kind in ground["adult, walk"] if any(m[kind] for m in ground.values())]
    rows: list[tuple[Cell, ...]] = [
        (f"{kind}, m", *(f"{metres[kind]:.1f}" for metres in ground.values())) for kind in kinds
    ]
    rows += [
        ("length, m", *(line.length for line in lines.values())),
        ("weighted length, m", *(line.weighted_length for line in lines.values())),
    ]
    note = (
        "Weights of the adult: forest 30, path 2, puddle 10, tree 30, view 1; of the child: forest "
        "30, path 2, puddle 1, tree 1, view 10. Routes are found by A* on a grid, as in the paper, "
        f"and then improved, up to {MARGIN:g} m off borders. The adult walks with sigma = 80, the "
        "child with 100; d = 20."
    )
    return Table("Forest, metres by kind of ground", ("", *lines), rows, note)


def _draw(walks: Mapping[str, RouteWalk], folder: Path) -> Picture:
    lines = [
        Line(walk.route.points, f"route, {NAMES[name]}", COLOURS[name], is_route=True)
        for name, walk in walks.items()
    ]
    lines += [Line(w.points, f"walk, {NAMES[name]}", COLOURS[name]) for name, w in walks.items()]
    title = "An adult and a child in the forest"
    environment = walks[ADULT].route.terrain.environment
    figure = draw_routes(
        environment,
        [RoutePanel("", lines)],
        title=title,
        details=f"{PAPER}, figure 1",
        view=padded(environment.bounds, 0.004),
    )
    save_picture(figure, folder / FILE)
    return Picture(FILE, f"Figure 1. {title}")
