"""`footway path`: from here to there, on the shortest path or as a character walks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import check_plot, write_plot
from footway.cli.follow import (
    AvoidOption,
    CornerOption,
    FollowOption,
    LaneOption,
    LookOption,
    NoiseOption,
    ObstacleOption,
    OutputOption,
    SeedOption,
    ShortcutOption,
    SigmaOption,
    SpacingOption,
    SpeedOption,
    StepOption,
    TurnRateOption,
    Walked,
    ask_walk,
    parse_manner,
)
from footway.cli.follow_route import OnRoute, walk_route
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
from footway.cli.no_path_picture import draw_why, refusal_drawn
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
from footway.cli.parsing import parse_number, parse_place, parse_point
from footway.cli.path_in_space import ask_in_space
from footway.cli.routes import (
    RADIUS,
    MarginOption,
    NoImproveOption,
    PreferOption,
    RouteMethodOption,
    RouteOption,
)
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.follow import Manner
    from footway.cli.path_in_space import InSpace
    from footway.corridor import Pinch
    from footway.corridor.path import TautPath
    from footway.errors import NoPath

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway path gallery:city --start 2,3 --goal 480,451\n\n"
    "  footway path plan.fwmap --start -3,4 --goal 12,9.5 --radius 0.4 --json\n\n"
    "  footway path plan.geojson --start 1,1 --goal 9,9 --clearance 0.8 --plot path.png\n\n"
    "  footway path gallery:game --start 12,12 --goal 90,88 --follow cmm --shortcut 0.1 "
    "--lane -0.5 --plot walk.png\n\n"
    "  footway path gallery:mckenna-road --start 30,77 --goal 84,112 --follow miran --sigma 5 "
    "--prefer sidewalk=0.5,road=4,mud=40 --plot walk.png\n\n"
    "  footway path park.geojson --route drawn.geojson --follow miran --prefer mud=20\n\n"
    "  footway path house.fwmap --start 5,5,3 --goal 50,30,13\n\n"
    "Exit code 3: there is no path, and the message says why."
)

_METHODS: Final = {
    "shortest": "searching all corridors: no shorter path exists",
    "widened": "moving the shortest path away from walls",
    "backbone": "following the medial axis: the search for the shortest path gave up",
    "roadmap": "following the roadmap",
}


class Given(NamedTuple):
    """What was typed."""

    map_name: str
    start: str | None
    goal: str | None
    radius: str | None
    clearance: str | None
    scale: float | None


class Query(NamedTuple):
    """What was asked."""

    start: tuple[float, ...]  # x, y, and z where the map is a roadmap in three dimensions
    goal: tuple[float, ...]
    radius: float | None  # None: that of the object
    clearance: float | None


def path(
    map_name: MapArgument,
    *,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y[,Z]",
            help="Where the path begins, metres; needed unless a --route has its own.",
            show_default=False,
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y[,Z]",
            help="Where the path ends, metres; needed unless a --route has its own.",
            show_default=False,
        ),
    ] = None,
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
    prefer: PreferOption = None,
    route: RouteOption = None,
    route_method: RouteMethodOption = None,
    no_improve: NoImproveOption = False,
    margin: MarginOption = None,
    sigma: SigmaOption = None,
    spacing: SpacingOption = None,
    look: LookOption = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Find the shortest path of a disc, and certify it; or walk it with --follow.

    The path keeps the radius, and the preferred clearance where there is room, from every wall.
    With --follow cmm a character walks through the corridor around the shortest backbone instead,
    with velocities and times, around dynamic obstacles. With --follow miran or irm it walks along
    an indicative route over the ground that it prefers; see also `footway route`.

    Where there is no way, the exit code is 3 and the message names the reason: no connection at
    all, the narrowest place of the widest way, or the obstacles that close it.

    On a saved roadmap the path runs along the roadmap; in three dimensions points are X,Y,Z.
    """
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
        "prefer": prefer,
        "route": route,
        "route_method": route_method,
        "no_improve": no_improve,
        "margin": margin,
        "sigma": sigma,
        "spacing": spacing,
        "look": look,
    }
    manner = parse_manner(follow, wishes)
    given = Given(map_name, start, goal, radius, clearance, parse_number(scale, "--scale"))
    check_plot(plot)
    steps = Steps()
    with announced_compilation():
        answer, loaded = _answer(given, manner, steps, plot=plot, quiet=json)
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


def _answer(
    given: Given, manner: Manner | None, steps: Steps, *, plot: str | None, quiet: bool
) -> tuple[Shortest | InSpace | Walked, LoadedMap]:
    """Return the answer, and the map that it is drawn on; a refusal is drawn at once."""
    if manner is not None and manner.wanted is not None:
        walked = walk_route(_on_route(given, manner), manner, steps, plot=plot, quiet=quiet)
        return walked, LoadedMap(None, walked.walk.route.terrain.environment)
    query = _parse_query(given)
    if manner is not None and query.clearance is not None:
        raise BadInput("--clearance is not for a walk through a corridor; leave it out")
    loaded, query = _load(given.map_name, query, scale=given.scale, steps=steps)
    with refusal_drawn(partial(_why, loaded, query), plot, quiet=quiet):
        return _ask(loaded, query, manner, steps), loaded


def _parse_query(given: Given) -> Query:
    parse = parse_place if is_saved(given.map_name) else parse_point
    return Query(
        parse(_needed(given.start, "--start"), "--start"),
        parse(_needed(given.goal, "--goal"), "--goal"),
        parse_number(given.radius, "--radius"),
        parse_number(given.clearance, "--clearance"),
    )


def _needed(text: str | None, option: str) -> str:
    if text is None:
        raise BadInput(f"Missing option '{option}'; see `footway path --help`")
    return text


def _on_route(given: Given, manner: Manner) -> OnRoute:
    """Return what is asked for along a route; ends may be those of its file."""
    has_own = manner.wanted is not None and manner.wanted.file is not None
    return OnRoute(
        given.map_name,
        _end(given.start, "--start", has_own=has_own),
        _end(given.goal, "--goal", has_own=has_own),
        parse_number(given.radius, "--radius"),
        _positive(parse_number(given.clearance, "--clearance")),
        given.scale,
    )


def _end(text: str | None, option: str, *, has_own: bool) -> tuple[float, float] | None:
    """Return one end of a route; None where its file has its own."""
    return None if text is None and has_own else parse_point(_needed(text, option), option)


def _positive(clearance: float | None) -> float | None:
    if clearance is not None and not clearance >= 0.0:
        raise BadInput(f"the clearance is {clearance:g} m: it must be 0 m or more")
    return clearance


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
        from footway.plot import draw_path

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
                ("found by", _METHODS[found.method]),
                ("widest way", _widest_way(self.pinch)),
                ("time", times),
            ]
        )
        yield (
            f"Certified: a disc of radius {self.query.radius:g} m that follows this path crosses "
            f"no wall; its centre stays {found.clearance:.3f} m or more from every wall."
        )


def _why(loaded: LoadedMap, query: Query, refusal: NoPath) -> Figure:
    """Draw why there is no path."""
    from footway.plot import draw_roadmap

    if loaded.in_space is not None:
        return draw_roadmap(loaded.in_space.roadmap)
    return draw_why(loaded.corridors, loaded.environment, query.start, query.goal, refusal)


def _widest_way(pinch: Pinch) -> str:
    """Say which disc just gets through, and where it is squeezed."""
    return f"a radius of {pinch.radius:.3f} m gets through, narrowest at {place(pinch.at)}"
