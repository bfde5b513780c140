"""Indicative routes on the command line: options, preferences, and the route itself."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.errors import BadFile, BadInput, BadQuery, NoPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.cli.output import Steps
    from footway.environment import Environment
    from footway.terrain import IndicativeRoute, Terrain

    Place = tuple[float, ...]

RADIUS: Final = 0.25
"""m. Of a pedestrian."""

PANEL: Final = "Terrain (with --follow miran or irm)"


class RouteMethod(StrEnum):
    """What is searched for a route (miran-2013, section 4)."""

    TRIANGLES = "triangles"
    GRID = "grid"


def prefer_option(panel: str | None = None) -> Any:
    """Option of the weights; `panel` is the heading in the help."""
    return typer.Option(
        metavar="KIND=WEIGHT",
        help="Weight of a kind of ground, more than 0: 1 is neutral, more is worse; repeat for "
        "more, or mud=40,sidewalk=0.5.",
        show_default="1 each",
        rich_help_panel=panel,
    )


def margin_option(panel: str | None = None) -> Any:
    """Option of the margin; `panel` is the heading in the help."""
    return typer.Option(
        metavar="METRES",
        help="How far an improved route keeps off worse ground, where that costs little.",
        show_default="0.75",
        rich_help_panel=panel,
    )


MarginOption = Annotated[str | None, margin_option(PANEL)]
PreferOption = Annotated[list[str] | None, prefer_option(PANEL)]
RouteOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Follow a route drawn by hand: a GeoJSON LineString, or a .csv of x and y. Without "
        "--start and --goal the walk has its ends.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
RouteMethodOption = Annotated[
    RouteMethod | None,
    typer.Option(
        help="What is searched for the route.", show_default="triangles", rich_help_panel=PANEL
    ),
]
NoImproveOption = Annotated[
    bool,
    typer.Option(
        "--no-improve",
        help="Leave the route as the search found it, through middles of triangles or cells.",
        rich_help_panel=PANEL,
    ),
]


class Wanted(NamedTuple):
    """Which route is wanted.

    Attributes:
        preferences: weight of each kind of ground; None: none were given.
        file: of a route that was drawn by hand.
        method: what is searched; None: the default.
        improve: toward the best weighted way.
        resolution: m, of a grid; None: its default.
        margin: m off worse ground; None: the default.

    """

    preferences: dict[str, float] | None
    file: str | None = None
    method: RouteMethod | None = None
    improve: bool = True
    resolution: float | None = None
    margin: float | None = None


def parse_preferences(texts: Sequence[str] | None) -> dict[str, float] | None:
    """Return the weights of "KIND=WEIGHT[,KIND=WEIGHT]" texts; None where there are none."""
    if not texts:
        return None
    found: dict[str, float] = {}
    for part in (part for text in texts for part in text.split(",")):
        kind, sign, weight = part.rpartition("=")
        kind = kind.strip()
        if not sign or not kind:
            raise _not_a_weight(part)
        if kind in found:
            raise BadInput(f"--prefer: {kind!r} has two weights; give it one")
        try:
            found[kind] = float(weight)
        except ValueError:
            raise _not_a_weight(part) from None
    return found


def _not_a_weight(text: str) -> typer.BadParameter:
    return typer.BadParameter(
        f"{text!r} is not a preference; give a kind of ground and its weight, such as mud=40",
        param_hint="'--prefer'",
    )


def build_terrain(environment: Environment, radius: float, wanted: Wanted, steps: Steps) -> Terrain:
    """Return the terrain of a disc, once the preferences are known to fit it."""
    from footway.terrain import Terrain

    with steps.step("terrain", "Cutting the ground into triangles"):
        terrain = Terrain.build(environment, radius)
        terrain.weights(wanted.preferences)
    return terrain


def find_route(
    terrain: Terrain, start: Place | None, goal: Place | None, wanted: Wanted, steps: Steps
) -> IndicativeRoute:
    """Return the wanted route, found twice: the first time loads kernels, the second is timed.

    `start` and `goal` may only be left out where the route is in a file.
    """
    with steps.step("route", "Looking for the route"):
        _find(terrain, start, goal, wanted)
    begin = time.perf_counter()
    found = _find(terrain, start, goal, wanted)
    steps.seconds["route"] = time.perf_counter() - begin
    return found


def _find(
    terrain: Terrain, start: Place | None, goal: Place | None, wanted: Wanted
) -> IndicativeRoute:
    if wanted.file is not None:
        return _drawn(terrain, start, goal, wanted.file, wanted.preferences)
    assert start is not None
    assert goal is not None
    return _planned(terrain, start, goal, wanted)


def _planned(terrain: Terrain, start: Place, goal: Place, wanted: Wanted) -> IndicativeRoute:
    """Plan a route; what is wrong is said in the words of the command line."""
    from footway.terrain.route import route

    try:
        return route(
            terrain,
            start,
            goal,
            preferences=wanted.preferences,
            method=(wanted.method or RouteMethod.TRIANGLES).value,
            resolution=wanted.resolution,
            improve=wanted.improve,
            **({} if wanted.margin is None else {"margin": wanted.margin}),
        )
    except NoPath as error:
        raise in_cli_words(error) from None


_WORDS: Final = {
    "method='triangles'": "triangles instead of the grid",
    "; see NoPath.obstacles": "",
    "see speed, turn_rate and step": "see --speed, --turn-rate and --step",
}
"""Advice for programs, and the same on the command line."""


def in_cli_words(refusal: NoPath) -> NoPath:
    """Return a refusal with advice in the words of the command line."""
    message = str(refusal)
    for words, others in _WORDS.items():
        message = message.replace(words, others)
    refusal.args = (message,)
    return refusal


def _drawn(
    terrain: Terrain,
    start: Place | None,
    goal: Place | None,
    file: str,
    preferences: dict[str, float] | None,
) -> IndicativeRoute:
    """Read a route; from a start elsewhere, and to a goal elsewhere, a way is planned."""
    import numpy as np

    from footway.terrain import IndicativeRoute

    try:
        drawn = IndicativeRoute.load(file, terrain, preferences)
    except BadFile:
        raise  # it names the file already
    except BadInput as error:  # preferences from the command line were checked with the terrain
        raise BadQuery(f"{file}: {error}") from error
    wanted = Wanted(dict(drawn.preferences))
    points = [drawn.points]
    if start is not None and start != drawn.start:
        points.insert(0, _planned(terrain, start, drawn.start, wanted).points)
    if goal is not None and goal != drawn.goal:
        points.append(_planned(terrain, drawn.goal, goal, wanted).points)
    if len(points) == 1:
        return drawn
    return IndicativeRoute.from_points(terrain, np.vstack(points), drawn.preferences)


def route_facts(route: IndicativeRoute) -> dict[str, Any]:
    """Return a route as plain values, for JSON."""
    return {**route.to_dict(), "ground": route.measure(), "is_improved": route.is_improved}


def weighted_text(route: IndicativeRoute) -> str:
    """Say how much a route weighs, and what improving it has gained."""
    words = f"{route.weighted_length:,.3f} m"
    if not route.is_improved:
        return words
    before = route.weighted_length_before
    gain = 100.0 * (route.weighted_length / before - 1.0)
    return f"{words}, {before:,.3f} m before it was improved ({gain:+.1f} %)"


def ground_text(metres: dict[str, float]) -> str:
    """Return metres by kind of ground, most first; kinds that are not touched are left out."""
    most = sorted(metres.items(), key=lambda item: -item[1])
    return ", ".join(f"{kind} {value:,.2f} m" for kind, value in most if value > 0.0)
