"""Figure 7: sigma determines how closely a route is followed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from footway.plot import Line, RoutePanel, draw_routes, palette, save_picture
from footway.reproduce.claims import Claim, stated
from footway.reproduce.miran.setup import (
    FINE,
    LOOP_BEGIN,
    LOOP_END,
    PAPER,
    POINT,
    VILLAGE,
    route_of,
    rows_of,
    sharpest_turn,
    walk,
)
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.follow import RouteWalk
    from footway.reproduce.miran.setup import Effort
    from footway.reproduce.report import Cell
    from footway.terrain import IndicativeRoute

SOURCE: Final = f"{PAPER}, section 5 and figure 7"
FILE: Final = "miran-figure-7.png"

_CLOSE: Final = 1.0  # m: what a walk may gain by chance
COLOURS: Final = ("#e2402a", "#e39a2d", "#4fa3d1", "#7a3e9d", "#2f7d4f")


def run(effort: Effort, folder: Path) -> Section:
    """Walk along the route with five values of sigma."""
    del effort  # it takes no time
    walks = {row.sigma or 0.0: walk(row, step=FINE) for row in rows_of(VILLAGE)}
    return Section(
        "Figure 7: one route, five values of sigma",
        SOURCE,
        [_table(walks)],
        [_draw(walks, folder)],
        checked=(
            "the larger sigma, the shorter the walk and the farther it keeps from the route; no "
            "walk touches a wall."
        ),
        wrong=faults(walks),
        claims=_claims(walks),
    )


def _claims(walks: Mapping[float, RouteWalk]) -> list[Claim]:
    where = f"{PAPER}, figure 7"
    cut = route_of(VILLAGE, POINT).cut
    loop = float(cut.lengths[LOOP_END] - cut.lengths[LOOP_BEGIN])
    skip = float(np.diff(walks[300.0].references).max())
    least = min(walk.clearance for walk in walks.values())
    lengths = [walks[sigma].length for sigma in sorted(walks)]
    turn = max(sharpest_turn(walk) for walk in walks.values())
    return [
        stated(where, "smaller sigma: closer to the route", ", ".join(f"{m:.0f}" for m in lengths)
               + " m", held=not faults(walks)),
        stated(where, "sigma = 300 neither follows nor skips the loop entirely",
               f"skips {skip:.0f} m of {loop:.0f} m", held=0.2 * loop < skip < loop),
        stated(where, "walks keep clear of obstacles", f"{least:.2f} m at least", held=least > 0.1),
        stated(where, "walks are smooth", f"{turn:.0f} degrees between samples of {FINE * 1.2:g} m",
               held=turn < 20.0),
    ]  # fmt: skip


def farthest(walk: RouteWalk) -> float:
    """Return the greatest distance of the route from the walk, m."""
    return float(shapely.distance(_places(walk.route), shapely.linestrings(walk.points)).max())


def _places(route: IndicativeRoute) -> NDArray[np.object_]:
    """Return points of a route, a metre apart."""
    along = np.linspace(0.0, route.length, int(route.length) + 2)
    places: NDArray[np.object_] = shapely.points([route.point_at(s) for s in along])
    return places


def faults(walks: Mapping[float, RouteWalk]) -> list[str]:
    """Return where a larger sigma does not skip more."""
    found = [walks[sigma] for sigma in sorted(walks)]
    wrong = []
    for what, values in (
        ("longer", [each.length for each in found]),
        ("keep closer to the route", [-farthest(each) for each in found]),
    ):
        if any(b > a + _CLOSE for a, b in pairwise(values)):
            wrong.append(f"figure 7: a larger sigma makes the walk {what}")
    return wrong + [
        f"figure 7: sigma {sigma:g} touches a wall"
        for sigma, each in walks.items()
        if each.clearance <= 0.0
    ]


def _table(walks: Mapping[float, RouteWalk]) -> Table:
    cut = route_of(VILLAGE, POINT).cut
    loop = cut.lengths[LOOP_END] - cut.lengths[LOOP_BEGIN]
    rows: list[tuple[Cell, ...]] = [
        (
            f"{sigma:g}",
            walk.length,
            farthest(walk),
            float(np.diff(walk.references).max()),
            f"{walk.clearance:.2f}",
            f"{sharpest_turn(walk):.0f}",
        )
        for sigma, walk in walks.items()
    ]
    columns = (
        *("sigma", "walk, m", "route, farthest from the walk, m", "longest skip, m"),
        *("clearance, m", "sharpest turn, degrees"),
    )
    note = (
        f"The route is {cut.length:.0f} m long, the loop in it {loop:.0f} m. The paper gives no "
        "numbers: with a sigma of 300 its character neither follows the loop nor skips it "
        "entirely, and so does ours."
    )
    return Table("McKenna, d = 20", columns, rows, note)


def _draw(walks: Mapping[float, RouteWalk], folder: Path) -> Picture:
    """Draw each walk on its own, and all of them together."""
    route = Line(route_of(VILLAGE, POINT).points, "indicative route", palette.INK, is_route=True)
    lines = [
        Line(walk.points, f"sigma = {sigma:g}", colour)
        for (sigma, walk), colour in zip(walks.items(), COLOURS, strict=True)
    ]
    panels = [
        RoutePanel(line.name, [route, line], f"{walk.length:.0f} m")
        for line, walk in zip(lines, walks.values(), strict=True)
    ]
    panels.append(
        RoutePanel("all of them", [route, *lines], f"route {route_of(VILLAGE, POINT).length:.0f} m")
    )
    title = "One route, five values of sigma"
    environment = next(iter(walks.values())).route.terrain.environment
    figure = draw_routes(environment, panels, title=title, details=f"{PAPER}, figure 7", columns=3)
    save_picture(figure, folder / FILE)
    return Picture(FILE, f"Figure 7. {title}")
