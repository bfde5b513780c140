"""`footway path`: from here to there, on the shortest path or as a character walks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import check_plot, write_plot
from footway.cli.follow import (
    AvoidOption,
    CornerOption,
    FollowOption,
    LaneOption,
    NoiseOption,
    ObstacleOption,
    OutputOption,
    SeedOption,
    ShortcutOption,
    SpeedOption,
    StepOption,
    TurnRateOption,
    Walked,
    ask_walk,
    parse_manner,
)
from footway.cli.maps import (
    JsonOption,
    LoadedMap,
    MapArgument,
    PlotOption,
    ScaleOption,
    is_saved,
    load_map,
    load_saved,
)
from footway.cli.numbers import parse_number, parse_place, parse_point
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
from footway.cli.path_in_space import ask_in_space
from footway.errors import BadInput, NoPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.follow import Manner
    from footway.cli.path_in_space import InSpace
    from footway.corridor import Pinch
    from footway.corridor.path import TautPath

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway path gallery:city --start 2,3 --goal 480,451\n\n"
    "  footway path plan.fwmap --start -3,4 --goal 12,9.5 --radius 0.4 --json\n\n"
    "  footway path plan.geojson --start 1,1 --goal 9,9 --clearance 0.8 --plot path.png\n\n"
    "  footway path gallery:game --start 12,12 --goal 90,88 --follow cmm --shortcut 0.1 "
    "--lane -0.5 --plot walk.png\n\n"
    "  footway path house.fwmap --start 5,5,3 --goal 50,30,13\n\n"
    "Exit code 3: there is no path, and the message says why."
)


RADIUS: Final = 0.25
"""m. Of a pedestrian."""


class Query(NamedTuple):
    """What was asked."""

    start: tuple[float, ...]  # x, y, and z where the map is a roadmap in three dimensions
    goal: tuple[float, ...]
    radius: float | None  # None: that of the object
    clearance: float | None


BECAUSE = {
    "components": "no way at any radius",
    "pinch": "the way is too narrow",
    "no room": "the disc does not fit at one end",
    "blocked": "dynamic obstacles close the way",
}
"""What a picture says, by the reason why there is no path."""


def path(
    map_name: MapArgument,
    *,
    start: Annotated[
        str,
        typer.Option(metavar="X,Y[,Z]", help="Where the path begins, metres.", show_default=False),
    ],
    goal: Annotated[
        str,
        typer.Option(metavar="X,Y[,Z]", help="Where the path ends, metres.", show_default=False),
    ],
    radius: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Radius of the disc that walks.",
            show_default="0.25; on a roadmap that of its object",
        ),
    ] = None,
    clearance: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Preferred distance to walls, where there is room for more than the radius.",
            show_default=False,
        ),
    ] = None,
    follow: FollowOption = None,
    speed: SpeedOption = None,
    step: StepOption = None,
    turn_rate: TurnRateOption = None,
    shortcut: ShortcutOption = None,
    noise: NoiseOption = None,
    lane: LaneOption = None,
    corner: CornerOption = None,
    seed: SeedOption = None,
    output: OutputOption = None,
    obstacle: ObstacleOption = None,
    avoid: AvoidOption = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Find the shortest path of a disc, and certify it; or walk it with --follow.

    The path keeps the radius, and the preferred clearance where there is room, from every wall.
    With --follow a character walks through the corridor around the shortest backbone instead,
    with velocities and times, around dynamic obstacles.

    Where there is no way, the exit code is 3 and the message names the reason: no connection at
    all, the narrowest place of the widest way, or the obstacles that close it.

    On a saved roadmap the path runs along the roadmap; in three dimensions points are X,Y,Z.
    """
    query = _parse_query(map_name, start, goal, radius, clearance)
    wishes = {
        "speed": speed,
        "step": step,
        "turn_rate": turn_rate,
        "shortcut": shortcut,
        "noise": noise,
        "lane": lane,
        "corner": corner,
        "seed": seed,
        "output": output,
        "obstacle": obstacle,
        "avoid": avoid,
    }
    manner = parse_manner(follow, wishes)
    if manner is not None and query.clearance is not None:
        raise BadInput("--clearance is for the shortest path; leave it out with --follow")
    metres = parse_number(scale, "--scale")
    check_plot(plot)
    steps = Steps()
    with announced_compilation():
        loaded, query = _load(map_name, query, scale=metres, steps=steps)
        try:
            answer = _ask(loaded, query, manner, steps)
        except NoPath as refusal:
            if plot is not None:
                _draw_refusal(loaded, query, refusal, plot)
                print_lines([] if json else [f"Wrote {plot}"])
            raise
        if plot is not None:
            with steps.step("plot", f"Drawing {plot}"):
                write_plot(answer.draw(loaded), plot)
    if json:
        made = {"times_ms": steps.in_ms(), "plot": plot}
        print_json({"map": map_name, **answer.as_json(), **made})
    else:
        times = ", ".join(f"{name} {milliseconds(s)}" for name, s in steps.seconds.items())
        print_lines(answer.as_text(times))
        print_lines([f"Wrote {plot}"] if plot is not None else [])


def _parse_query(
    map_name: str, start: str, goal: str, radius: str | None, clearance: str | None
) -> Query:
    parse = parse_place if is_saved(map_name) else parse_point
    return Query(
        parse(start, "--start"),
        parse(goal, "--goal"),
        parse_number(radius, "--radius"),
        parse_number(clearance, "--clearance"),
    )


def _load(
    map_name: str, query: Query, *, scale: float | None, steps: Steps
) -> tuple[LoadedMap, Query]:
    """Load the map; return the query with its radius, if it has as many dimensions as the map."""
    if not is_saved(map_name):
        return load_map(map_name, scale=scale, steps=steps), _with_radius(query)
    from footway.corridor import CorridorMap

    saved = load_saved(map_name, scale=scale, steps=steps)
    in_space = not isinstance(saved, CorridorMap)
    for option, point in (("--start", query.start), ("--goal", query.goal)):
        if len(point) != (3 if in_space else 2):
            wanted = "X,Y,Z" if in_space else "X,Y"
            raise BadInput(
                f"{option}: the map has {wanted.count(',') + 1} dimensions; give {wanted}"
            )
    if isinstance(saved, CorridorMap):
        query = _with_radius(query, saved.solver.made_for)
    return LoadedMap(saved, None), query


def _with_radius(query: Query, made_for: float | None = None) -> Query:
    """Give a query the radius that its roadmap was made for, where it has none of its own."""
    if query.radius is not None:
        return query
    return query._replace(radius=RADIUS if made_for is None else made_for)


def _ask(
    loaded: LoadedMap, query: Query, manner: Manner | None, steps: Steps
) -> Shortest | InSpace | Walked:
    if manner is not None:
        return ask_walk(loaded, query, manner, steps)
    smap = loaded.in_space
    return ask_in_space(smap, query, steps) if smap else _ask_shortest(loaded, query, steps)


def _ask_shortest(loaded: LoadedMap, query: Query, steps: Steps) -> Shortest:
    """Answer the query twice: the first time loads the compiled kernels, the second is timed."""
    start, goal, radius, clearance = query
    assert radius is not None
    with steps.step("query", "Looking for the path"):
        loaded.corridors.path(start, goal, radius=radius, clearance=clearance)
    begin = time.perf_counter()
    found = loaded.corridors.path(start, goal, radius=radius, clearance=clearance)
    steps.seconds["query"] = time.perf_counter() - begin
    return Shortest(query, found, loaded.corridors.bottleneck(start, goal))


@dataclass(frozen=True)
class Shortest:
    """The shortest path, and where the widest way is narrowest, ready to be drawn and printed."""

    query: Query
    path: TautPath
    pinch: Pinch

    def draw(self, loaded: LoadedMap) -> Figure:
        """Return a picture of the path, its corridor and its pinch."""
        from footway.io.picture import draw_path

        cmap, environment = loaded
        start, goal, radius, _ = self.query
        corridor = cmap.corridor(start, goal, radius=radius, around="path")
        return draw_path(
            cmap, self.path, corridor=corridor, pinch=self.pinch, environment=environment
        )

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            **self.path.to_dict(),
            "wanted_clearance": self.query.clearance,
            "bottleneck": pinch_facts(self.pinch),
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return what a person wants to know."""
        found = self.path
        yield f"Path from {place(self.query.start)} to {place(self.query.goal)}"
        yield from facts(
            [
                ("length", f"{found.length:,.3f} m"),
                ("clearance", f"{found.clearance:.3f} m"),
                ("turns", f"{found.turns}"),
                ("widest way", _widest_way(self.pinch)),
                ("time", times),
            ]
        )
        yield (
            f"Certified: a disc of radius {self.query.radius:g} m that follows this path never "
            f"touches a wall; its centre stays {found.clearance:.3f} m or more from every wall."
        )


def _draw_refusal(loaded: LoadedMap, query: Query, refusal: NoPath, plot: str) -> None:
    """Draw why there is no path."""
    from footway.io.picture import draw_no_path, draw_roadmap

    cmap, environment = loaded
    if loaded.in_space is not None:
        write_plot(draw_roadmap(loaded.in_space.roadmap), plot)
        return
    figure = draw_no_path(
        cmap,
        (query.start[0], query.start[1]),
        (query.goal[0], query.goal[1]),
        pinch=refusal.pinch,
        because=BECAUSE[refusal.reason],
        environment=environment,
    )
    write_plot(figure, plot)


def _widest_way(pinch: Pinch) -> str:
    """Say which disc just gets through, and where it is squeezed."""
    return f"a radius of {pinch.radius:.3f} m gets through, narrowest at {place(pinch.at)}"
