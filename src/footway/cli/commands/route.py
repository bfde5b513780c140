"""`footway route`: find an indicative route for terrain preferences.

`footway path --follow miran` and `irm` search their routes with the functions below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import typer

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports
from footway.cli.maps import load_environment, make_yard
from footway.cli.progress import Steps, timed_steps
from footway.errors import BadFile, BadInput, BadQuery, FootwayError, NoPath

if TYPE_CHECKING:
    from footway.environment import Environment
    from footway.terrain import IndicativeRoute, Terrain

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway route gallery:mckenna-road --start 30,77 --goal 84,112 "
    "--prefer sidewalk=0.5,road=4,mud=40\n\n"
    "  footway route park.geojson --start 2,3 --goal 40,12 --prefer mud=20 --prefer path=0.5 "
    "-o route.geojson --plot route.png\n\n"
    "  footway path park.geojson --route route.geojson --follow miran\n\n"
    "Exit code 3: there is no path, and the message says why."
)

RADIUS: Final = 0.25  # default radius of a pedestrian, m


RouteMethod: TypeAlias = Literal["triangles", "grid"]
"""Graph that is searched for a route (miran-2013, section 4)."""


class RouteRequest(NamedTuple):
    """Options of a route; None stands for the default."""

    preferences: dict[str, float] | None = None  # weight of each kind of terrain
    file: str | None = None  # a route drawn by hand
    method: RouteMethod | None = None  # the graph that is searched
    improve: bool = True  # minimise the weighted length after the search
    resolution: float | None = None  # cell size of a grid, m
    margin: float | None = None  # distance to worse terrain, m

    def check(self) -> None:
        """Refuse options that do not apply."""
        if self.margin is not None and not self.improve:
            raise BadInput("--margin is for an improved route; leave it out with --no-improve")


def prefer_option(panel: str | None = None) -> Any:
    """Return the option of the weights; `panel` is the heading in the help."""
    return opt.option(
        "Weight of a kind of terrain, above 0: 1 is neutral, more is worse. May be repeated, "
        "or mud=40,sidewalk=0.5.",
        unit="KIND=WEIGHT",
        default="1 each",
        panel=panel,
        parser=opt.weights,
    )


def margin_option(panel: str | None = None) -> Any:
    """Return the option of the margin; `panel` is the heading in the help."""
    return opt.quantity(
        "METRES",
        "Distance that an improved route keeps from worse terrain if that costs little.",
        "0.75",
        panel=panel,
    )


def no_improve_option(panel: str | None = None) -> Any:
    """Return the option that keeps a route as found; `panel` is the heading in the help."""
    return typer.Option(
        "--no-improve",
        help="Keep the route as the search found it, through centres of triangles or cells.",
        rich_help_panel=panel,
    )


def route(
    map_name: opt.MapArgument,
    *,
    start: Annotated[
        opt.Numbers, opt.option("Start of the route, metres.", unit="X,Y", parser=opt.point)
    ],
    goal: Annotated[
        opt.Numbers, opt.option("End of the route, metres.", unit="X,Y", parser=opt.point)
    ],
    prefer: Annotated[list[opt.Weights] | None, prefer_option()] = None,
    radius: Annotated[
        float, typer.Option(metavar="METRES", help="Radius of the moving disc.", parser=opt.number)
    ] = RADIUS,
    method: Annotated[
        RouteMethod,
        typer.Option(help="Graph to search: triangles of the terrain, or cells of a grid."),
    ] = "triangles",
    resolution: Annotated[
        float | None,
        opt.quantity(
            "METRES", "Side of the cells of the grid.", "a 512th of the map's longer side"
        ),
    ] = None,
    no_improve: Annotated[bool, no_improve_option()] = False,
    margin: Annotated[float | None, margin_option()] = None,
    output: Annotated[
        str | None,
        opt.output_file(
            "Save the route: .geojson (a LineString with properties) or .csv (x and y)."
        ),
    ] = None,
    between: opt.BetweenOption = None,
    up: opt.UpOption = None,
    scale: opt.ScaleOption = None,
    json: opt.JsonOption = False,
    plot: opt.PlotOption = None,
) -> None:
    """Find an indicative route over preferred terrain.

    Prints its length, its weighted length before and after improvement, and its length on each
    kind of terrain. Free space outside all terrain regions has the kind "ground".

    `footway path --follow miran` walks along a route. Of the printed times, `kernels` is the time
    for loading compiled code, and `route` the time for the search.
    """
    weights, improve = opt.preferences(prefer), not no_improve
    request = RouteRequest(weights, None, method, improve, resolution, margin)
    if resolution is not None and method != "grid":
        raise BadInput("--resolution is for --method grid; triangles need none")
    request.check()
    opt.check_plot(plot)
    opt.check_output(output, (".geojson", ".json", ".csv"), "a route")
    opt.check_different((output, plot))
    with timed_steps() as steps:
        environment = load_environment(opt.Source(map_name, scale, between, up), steps)
        terrain = build_terrain(environment, radius, request, steps)
        with steps.step("kernels", "Loading compiled kernels"):
            load_route_kernels(request)

        def draw_no_route(refusal: NoPath) -> Any:
            from footway.corridor import CorridorMap

            cmap = CorridorMap.build(environment)
            return reports.draw_refusal(cmap, environment, start, goal, refusal)

        with reports.drawing_refusals(draw_no_route, plot, quiet=json):
            found = find_route(terrain, start, goal, request, steps)
        if output is not None:
            found.save(output)
        reports.draw(lambda: pictures.draw_route(found), plot, steps)
    if json:
        made = {"times_ms": steps.in_ms(), "output": output, "plot": plot}
        reports.print_json({"map": map_name, **route_facts(found), **made})
        return
    rows = [
        ("length", f"{found.length:,.3f} m"),
        ("weighted", weighted_text(found)),
        ("terrain", terrain_text(found.measure())),
        ("points", f"{len(found.points)}"),
        ("time", steps.as_text()),
    ]
    reports.print_lines([f"Route {reports.ends(found)}", *reports.facts(rows)])
    reports.print_written(output, plot)


# -- shared with `footway path --follow` -----------------------------------------------------------


def build_terrain(
    environment: Environment, radius: float, request: RouteRequest, steps: Steps
) -> Terrain:
    """Build the terrain for a disc, and check the preferences against it."""
    from footway.terrain import Terrain

    with steps.step("terrain", "Triangulating the terrain"):
        terrain = Terrain.build(environment, radius)
        terrain.weights(request.preferences)
    return terrain


def load_route_kernels(request: RouteRequest) -> IndicativeRoute | None:
    """Search a route on a small built-in map, so that the kernels are loaded; return it."""
    from footway.terrain import Terrain

    small = request._replace(preferences={"mud": 9.0}, file=None, resolution=None)
    try:
        return _plan_route(Terrain.build(make_yard(), 0.1), (1.0, 1.0), (15.0, 1.0), small)
    except FootwayError:
        return None


def find_route(
    terrain: Terrain,
    start: opt.Numbers | None,
    goal: opt.Numbers | None,
    request: RouteRequest,
    steps: Steps,
) -> IndicativeRoute:
    """Find the route. `start` and `goal` may be None only if the route comes from a file."""
    with steps.step("route", "Searching the route"):
        if request.file is not None:
            return _read_route(terrain, start, goal, request.file, request.preferences)
        assert start is not None
        assert goal is not None
        return _plan_route(terrain, start, goal, request)


def _plan_route(
    terrain: Terrain, start: opt.Numbers, goal: opt.Numbers, request: RouteRequest
) -> IndicativeRoute:
    from footway.terrain.route import route

    try:
        return route(
            terrain,
            start,
            goal,
            preferences=request.preferences,
            method=request.method or "triangles",
            resolution=request.resolution,
            improve=request.improve,
            **({} if request.margin is None else {"margin": request.margin}),
        )
    except NoPath as error:
        raise in_command_line_terms(error) from None


def _read_route(
    terrain: Terrain,
    start: opt.Numbers | None,
    goal: opt.Numbers | None,
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
    if start is not None and tuple(start) != drawn.start:
        points.insert(0, _plan_route(terrain, start, drawn.start, request).points)
    if goal is not None and tuple(goal) != drawn.goal:
        points.append(_plan_route(terrain, drawn.goal, goal, request).points)
    if len(points) == 1:
        return drawn
    return IndicativeRoute.from_points(terrain, np.vstack(points), drawn.preferences)


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
