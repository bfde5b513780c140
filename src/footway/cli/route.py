"""`footway route`: find an indicative route for terrain preferences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from footway.cli.files import check_different, check_plot, check_writable, write_plot
from footway.cli.maps import (
    JsonOption,
    MapArgument,
    PlotOption,
    ScaleOption,
    load_environment,
)
from footway.cli.no_path_picture import draw_refusal, drawing_refusals
from footway.cli.output import (
    Steps,
    announced_compilation,
    facts,
    milliseconds,
    place,
    print_json,
    print_lines,
)
from footway.cli.parsing import parse_number, parse_point
from footway.cli.routes import (
    RADIUS,
    RouteMethod,
    RouteRequest,
    build_terrain,
    find_route,
    margin_option,
    parse_preferences,
    prefer_option,
    route_facts,
    terrain_text,
    weighted_text,
)
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.errors import NoPath
    from footway.terrain import IndicativeRoute

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway route gallery:mckenna-road --start 30,77 --goal 84,112 "
    "--prefer sidewalk=0.5,road=4,mud=40\n\n"
    "  footway route park.geojson --start 2,3 --goal 40,12 --prefer mud=20 --prefer path=0.5 "
    "-o route.geojson --plot route.png\n\n"
    "  footway path park.geojson --route route.geojson --follow miran\n\n"
    "Exit code 3: there is no path, and the message says why."
)

_FILES: Final = (".geojson", ".json", ".csv")


def route(
    map_name: MapArgument,
    *,
    start: Annotated[
        str, typer.Option(metavar="X,Y", help="Start of the route, metres.", show_default=False)
    ],
    goal: Annotated[
        str, typer.Option(metavar="X,Y", help="End of the route, metres.", show_default=False)
    ],
    prefer: Annotated[list[str] | None, prefer_option()] = None,
    radius: Annotated[
        str | None,
        typer.Option(metavar="METRES", help="Radius of the moving disc.", show_default="0.25"),
    ] = None,
    method: Annotated[
        RouteMethod,
        typer.Option(help="Graph to search: triangles of the terrain, or cells of a grid."),
    ] = RouteMethod.TRIANGLES,
    resolution: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Side of the cells of the grid.",
            show_default="a 512th of the map's longer side",
        ),
    ] = None,
    no_improve: Annotated[
        bool,
        typer.Option(
            "--no-improve",
            help="Keep the route as the search found it, through centres of triangles or cells.",
        ),
    ] = False,
    margin: Annotated[str | None, margin_option()] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Save the route: .geojson (a LineString with properties) or .csv (x and y).",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Find an indicative route over preferred terrain.

    Prints its length, its weighted length before and after improvement, and its length on each
    kind of terrain. Free space outside all terrain regions has the kind "ground".

    `footway path --follow miran` walks along a route. The time includes loading compiled kernels.
    """
    ends = parse_point(start, "--start"), parse_point(goal, "--goal")
    request = RouteRequest(
        parse_preferences(prefer),
        method=method,
        improve=not no_improve,
        resolution=_checked_resolution(resolution, method),
        margin=_checked_margin(margin, improve=not no_improve),
    )
    size, metres = parse_number(radius, "--radius"), parse_number(scale, "--scale")
    check_plot(plot)
    _check_output(output, plot)
    steps = Steps()
    with announced_compilation():
        environment = load_environment(map_name, scale=metres, steps=steps)
        terrain = build_terrain(environment, RADIUS if size is None else size, request, steps)

        def draw(refusal: NoPath) -> Figure:
            from footway.corridor import CorridorMap

            return draw_refusal(CorridorMap.build(environment), environment, *ends, refusal)

        with drawing_refusals(draw, plot, quiet=json):
            found = find_route(terrain, *ends, request, steps)
        if output is not None:
            found.save(output)
        if plot is not None:
            _draw(found, plot, steps)
    if json:
        made = {"times_ms": steps.in_ms(), "output": output, "plot": plot}
        print_json({"map": map_name, **route_facts(found), **made})
    else:
        print_lines(_as_text(found, steps))
        print_lines(f"Wrote {file}" for file in (output, plot) if file is not None)


def _checked_resolution(text: str | None, method: RouteMethod) -> float | None:
    if text is not None and method is not RouteMethod.GRID:
        raise BadInput("--resolution is for --method grid; triangles need none")
    return parse_number(text, "--resolution")


def _checked_margin(text: str | None, *, improve: bool) -> float | None:
    if text is not None and not improve:
        raise BadInput("--margin is for an improved route; leave it out with --no-improve")
    return parse_number(text, "--margin")


def _check_output(output: str | None, plot: str | None) -> None:
    if output is None:
        return
    if Path(output).suffix.lower() not in _FILES:
        raise BadInput(f"{output}: the name of a route must end in .geojson, .json or .csv")
    check_writable(output)
    check_different(file for file in (output, plot) if file is not None)


def _draw(found: IndicativeRoute, plot: str, steps: Steps) -> None:
    from footway.plot import draw_route

    with steps.step("plot", f"Drawing {plot}"):
        write_plot(draw_route(found), plot)


def _as_text(found: IndicativeRoute, steps: Steps) -> Iterator[str]:
    """Return the lines to print."""
    times = ", ".join(f"{name} {milliseconds(s)}" for name, s in steps.seconds.items())
    yield f"Route from {place(found.start)} to {place(found.goal)}"
    yield from facts(
        [
            ("length", f"{found.length:,.3f} m"),
            ("weighted", weighted_text(found)),
            ("ground", terrain_text(found.measure())),
            ("points", f"{len(found.points)}"),
            ("time", times),
        ]
    )
