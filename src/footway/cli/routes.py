"""Indicative routes on the command line: options, parsing and the search."""

from __future__ import annotations

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
"""Default radius of a pedestrian, m."""

PANEL: Final = "Terrain (with --follow miran or irm)"


class RouteMethod(StrEnum):
    """Graph that is searched for a route (miran-2013, section 4)."""

    TRIANGLES = "triangles"
    GRID = "grid"


def prefer_option(panel: str | None = None) -> Any:
    """Option of the weights; `panel` is the heading in the help."""
    return typer.Option(
        metavar="KIND=WEIGHT",
        help="Weight of a kind of terrain, above 0: 1 is neutral, more is worse. May be repeated, "
        "or mud=40,sidewalk=0.5.",
        show_default="1 each",
        rich_help_panel=panel,
    )


def margin_option(panel: str | None = None) -> Any:
    """Option of the margin; `panel` is the heading in the help."""
    return typer.Option(
        metavar="METRES",
        help="Distance that an improved route keeps from worse terrain if that costs little.",
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
        "--start and --goal, the walk starts and ends where the route does.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
RouteMethodOption = Annotated[
    RouteMethod | None,
    typer.Option(
        help="Graph that is searched for the route.",
        show_default="triangles",
        rich_help_panel=PANEL,
    ),
]
NoImproveOption = Annotated[
    bool,
    typer.Option(
        "--no-improve",
        help="Keep the route as the search found it, through centres of triangles or cells.",
        rich_help_panel=PANEL,
    ),
]


class RouteRequest(NamedTuple):
    """Options of a route; None stands for the default.

    Attributes:
        preferences: weight of each kind of terrain.
        file: a route drawn by hand.
        method: the graph that is searched.
        improve: minimise the weighted length after the search.
        resolution: cell size of a grid, m.
        margin: distance to worse terrain, m.

    """

    preferences: dict[str, float] | None
    file: str | None = None
    method: RouteMethod | None = None
    improve: bool = True
    resolution: float | None = None
    margin: float | None = None


def parse_preferences(texts: Sequence[str] | None) -> dict[str, float] | None:
    """Return the weights of "KIND=WEIGHT[,KIND=WEIGHT]" texts; None without any."""
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
        f"{text!r} is not a preference; give a kind of terrain and its weight, such as mud=40",
        param_hint="'--prefer'",
    )


def build_terrain(
    environment: Environment, radius: float, request: RouteRequest, steps: Steps
) -> Terrain:
    """Build the terrain for a disc, and check the preferences against it."""
    from footway.terrain import Terrain

    with steps.step("terrain", "Triangulating the terrain"):
        terrain = Terrain.build(environment, radius)
        terrain.weights(request.preferences)
    return terrain


def find_route(
    terrain: Terrain, start: Place | None, goal: Place | None, request: RouteRequest, steps: Steps
) -> IndicativeRoute:
    """Find the route. `start` and `goal` may be None only if the route comes from a file."""
    with steps.step("route", "Searching the route"):
        if request.file is not None:
            return _read_route(terrain, start, goal, request.file, request.preferences)
        assert start is not None
        assert goal is not None
        return _plan_route(terrain, start, goal, request)


def _plan_route(
    terrain: Terrain, start: Place, goal: Place, request: RouteRequest
) -> IndicativeRoute:
    from footway.terrain.route import route

    try:
        return route(
            terrain,
            start,
            goal,
            preferences=request.preferences,
            method=(request.method or RouteMethod.TRIANGLES).value,
            resolution=request.resolution,
            improve=request.improve,
            **({} if request.margin is None else {"margin": request.margin}),
        )
    except NoPath as error:
        raise in_command_line_terms(error) from None


_WORDS: Final = {
    "method='triangles'": "triangles instead of the grid",
    "; see NoPath.obstacles": "",
    "see speed, turn_rate and step": "see --speed, --turn-rate and --step",
}
"""Advice in terms of the Python API, and the same for the command line."""


def in_command_line_terms(refusal: NoPath) -> NoPath:
    """Replace names of the Python API in a message by those of the command line."""
    message = str(refusal)
    for words, others in _WORDS.items():
        message = message.replace(words, others)
    refusal.args = (message,)
    return refusal


def _read_route(
    terrain: Terrain,
    start: Place | None,
    goal: Place | None,
    file: str,
    preferences: dict[str, float] | None,
) -> IndicativeRoute:
    """Read a route. If start or goal differ from its ends, plan a route to them."""
    import numpy as np

    from footway.terrain import IndicativeRoute

    try:
        drawn = IndicativeRoute.load(file, terrain, preferences)
    except BadFile:
        raise  # its message names the file
    except BadInput as error:  # preferences from the command line were checked with the terrain
        raise BadQuery(f"{file}: {error}") from error
    request = RouteRequest(dict(drawn.preferences))
    points = [drawn.points]
    if start is not None and start != drawn.start:
        points.insert(0, _plan_route(terrain, start, drawn.start, request).points)
    if goal is not None and goal != drawn.goal:
        points.append(_plan_route(terrain, drawn.goal, goal, request).points)
    if len(points) == 1:
        return drawn
    return IndicativeRoute.from_points(terrain, np.vstack(points), drawn.preferences)


def route_facts(route: IndicativeRoute) -> dict[str, Any]:
    """Return a route as JSON values."""
    return {**route.to_dict(), "ground": route.measure(), "is_improved": route.is_improved}


def weighted_text(route: IndicativeRoute) -> str:
    """Describe the weighted length of a route, and the gain by improving it."""
    words = f"{route.weighted_length:,.3f} m"
    if not route.is_improved:
        return words
    before = route.weighted_length_before
    gain = 100.0 * (route.weighted_length / before - 1.0)
    return f"{words}, {before:,.3f} m before it was improved ({gain:+.1f} %)"


def terrain_text(metres: dict[str, float]) -> str:
    """Describe the length on each kind of terrain, longest first, without unused kinds."""
    most = sorted(metres.items(), key=lambda item: -item[1])
    return ", ".join(f"{kind} {value:,.2f} m" for kind, value in most if value > 0.0)
