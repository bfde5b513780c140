"""`footway path`: the shortest path of a disc between two points, with its certificate."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import check_plot, write_plot
from footway.cli.maps import (
    JsonOption,
    LoadedMap,
    MapArgument,
    PlotOption,
    ScaleOption,
    load_map,
)
from footway.cli.numbers import parse_number, parse_point
from footway.cli.output import (
    Steps,
    announced_compilation,
    facts,
    milliseconds,
    pinch_facts,
    place,
    print_json,
    print_lines,
)
from footway.errors import NoPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.corridor import Path, Pinch

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway path gallery:city --start 2,3 --goal 480,451\n\n"
    "  footway path plan.fwmap --start -3,4 --goal 12,9.5 --radius 0.4 --json\n\n"
    "  footway path plan.geojson --start 1,1 --goal 9,9 --clearance 0.8 --plot path.png\n\n"
    "Exit code 3: there is no path, and the message says why."
)


class Query(NamedTuple):
    """What was asked."""

    start: tuple[float, float]
    goal: tuple[float, float]
    radius: float
    clearance: float | None


class Answer(NamedTuple):
    """A path, where the widest way is narrowest, and the time of the query alone."""

    path: Path
    pinch: Pinch
    seconds: float


_BECAUSE = {
    "components": "no way at any radius",
    "pinch": "the way is too narrow",
    "no room": "the disc does not fit at one end",
}


def path(
    map_name: MapArgument,
    *,
    start: Annotated[
        str,
        typer.Option(metavar="X,Y", help="Where the path begins, metres.", show_default=False),
    ],
    goal: Annotated[
        str,
        typer.Option(metavar="X,Y", help="Where the path ends, metres.", show_default=False),
    ],
    radius: Annotated[
        str, typer.Option(metavar="METRES", help="Radius of the disc that walks.")
    ] = "0.25",
    clearance: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Preferred distance to walls, where there is room for more than the radius.",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Find the shortest path of a disc, and certify it.

    The path keeps the radius, and the preferred clearance where there is room, from every wall.

    Where there is none, the exit code is 3 and the message names the reason: no connection at
    all, or the narrowest place of the widest way.
    """
    query = _parse_query(start, goal, radius, clearance)
    metres = parse_number(scale, "--scale")
    check_plot(plot)
    steps = Steps()
    with announced_compilation():
        loaded = load_map(map_name, scale=metres, steps=steps)
        try:
            with steps.step("query", "Looking for the path"):
                answer = _ask(loaded, query)
        except NoPath as refusal:
            if plot is not None:
                _draw_refusal(loaded, query, refusal, plot)
                print_lines([] if json else [f"Wrote {plot}"])
            raise
        if plot is not None:
            with steps.step("plot", f"Drawing {plot}"):
                _draw(loaded, query, answer, plot)
    steps.seconds["query"] = answer.seconds
    if json:
        print_json(_as_json(map_name, query, answer, steps) | {"plot": plot})
    else:
        print_lines(_as_text(query, answer, steps, plot))


def _parse_query(start: str, goal: str, radius: str, clearance: str | None) -> Query:
    disc = parse_number(radius, "--radius")
    assert disc is not None
    return Query(
        parse_point(start, "--start"),
        parse_point(goal, "--goal"),
        disc,
        parse_number(clearance, "--clearance"),
    )


def _ask(loaded: LoadedMap, query: Query) -> Answer:
    """Answer the query twice: the first time loads the compiled kernels, the second is timed."""
    start, goal, radius, clearance = query
    loaded.corridors.path(start, goal, radius=radius, clearance=clearance)
    begin = time.perf_counter()
    found = loaded.corridors.path(start, goal, radius=radius, clearance=clearance)
    seconds = time.perf_counter() - begin
    return Answer(found, loaded.corridors.bottleneck(start, goal), seconds)


def _draw(loaded: LoadedMap, query: Query, answer: Answer, plot: str) -> None:
    from footway.io.picture import draw_path

    cmap, environment = loaded
    corridor = cmap.corridor(query.start, query.goal, radius=query.radius)
    figure = draw_path(
        cmap, answer.path, corridor=corridor, pinch=answer.pinch, environment=environment
    )
    write_plot(figure, plot)


def _draw_refusal(loaded: LoadedMap, query: Query, refusal: NoPath, plot: str) -> None:
    """Draw why there is no path."""
    from footway.io.picture import draw_no_path

    cmap, environment = loaded
    figure = draw_no_path(
        cmap,
        query.start,
        query.goal,
        pinch=refusal.pinch,
        because=_BECAUSE[refusal.reason],
        environment=environment,
    )
    write_plot(figure, plot)


def _as_json(map_name: str, query: Query, answer: Answer, steps: Steps) -> dict[str, Any]:
    return {
        "map": map_name,
        **answer.path.to_dict(),
        "wanted_clearance": query.clearance,
        "bottleneck": pinch_facts(answer.pinch),
        "times_ms": steps.in_ms(),
    }


def _as_text(query: Query, answer: Answer, steps: Steps, plot: str | None) -> Iterator[str]:
    found, pinch, _ = answer
    times = ", ".join(f"{name} {milliseconds(s)}" for name, s in steps.seconds.items())
    yield f"Path from {place(query.start)} to {place(query.goal)}"
    yield from facts(
        [
            ("length", f"{found.length:,.3f} m"),
            ("clearance", f"{found.clearance:.3f} m"),
            ("turns", f"{found.turns}"),
            ("widest way", _widest_way(pinch)),
            ("time", times),
        ]
    )
    yield (
        f"Certified: a disc of radius {query.radius:g} m that follows this path never touches a "
        f"wall; its centre stays {found.clearance:.3f} m or more from every wall."
    )
    if plot is not None:
        yield f"Wrote {plot}"


def _widest_way(pinch: Pinch) -> str:
    """Say which disc just gets through, and where it is squeezed."""
    return f"a radius of {pinch.radius:.3f} m gets through, narrowest at {place(pinch.at)}"
