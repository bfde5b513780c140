"""`footway path`: find the shortest path, or simulate a walk from start to goal."""

from __future__ import annotations

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
    WalkResult,
    parse_walk_request,
    walk_corridor,
)
from footway.cli.follow_route import RouteQuery, walk_route
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
from footway.cli.no_path_picture import draw_refusal, drawing_refusals
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
from footway.cli.path_in_space import find_path_in_space
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

    from footway.cli.follow import WalkRequest
    from footway.cli.path_in_space import SpaceResult
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


class Arguments(NamedTuple):
    """Command line arguments of the query, mostly not parsed yet."""

    map_name: str
    start: str | None
    goal: str | None
    radius: str | None
    clearance: str | None
    scale: float | None


class Query(NamedTuple):
    """A path query, in metres."""

    start: tuple[float, ...]  # x, y; also z if the map is a roadmap in three dimensions
    goal: tuple[float, ...]
    radius: float | None  # None: the radius of the roadmap's object
    clearance: float | None


def path(
    map_name: MapArgument,
    *,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y[,Z]",
            help="Start of the path, metres; required unless --route gives it.",
            show_default=False,
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y[,Z]",
            help="End of the path, metres; required unless --route gives it.",
            show_default=False,
        ),
    ] = None,
    radius: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Radius of the moving disc.",
            show_default="0.25; on a roadmap the radius of its object",
        ),
    ] = None,
    clearance: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Preferred distance to walls, kept where the free space is wide enough.",
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
    """Find and certify the shortest path of a disc; or simulate a walk with --follow.

    The path keeps the radius from every wall, and the preferred clearance where possible.
    With --follow cmm, a character walks through the corridor around the shortest backbone, avoids
    dynamic obstacles, and has velocities and times. With --follow miran or irm, it walks along an
    indicative route over preferred terrain; see also `footway route`.

    If there is no path, the exit code is 3 and the message gives the reason: start and goal are
    not connected, the widest path is too narrow (and where), or obstacles block it.

    On a saved roadmap, the path runs along the roadmap; in three dimensions points are X,Y,Z.
    The query time includes loading compiled kernels.
    """
    options = {
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
    request = parse_walk_request(follow, options)
    arguments = Arguments(map_name, start, goal, radius, clearance, parse_number(scale, "--scale"))
    check_plot(plot)
    steps = Steps()
    with announced_compilation():
        answer, loaded = _answer(arguments, request, steps, plot=plot, quiet=json)
        if plot is not None:
            with steps.step("plot", f"Drawing {plot}"):
                write_plot(answer.draw(loaded), plot)
    if json:
        made = {"times_ms": steps.in_ms(), "plot": plot}
        print_json({"map": map_name, **answer.as_json(), **made})
    else:
        times = ", ".join(f"{name} {milliseconds(s)}" for name, s in steps.seconds.items())
        print_lines(answer.as_text(f"{times}, including loading compiled kernels"))
        print_lines([f"Wrote {plot}"] if plot is not None else [])


def _answer(
    given: Arguments, request: WalkRequest | None, steps: Steps, *, plot: str | None, quiet: bool
) -> tuple[ShortestResult | SpaceResult | WalkResult, LoadedMap]:
    """Return the result and the map to draw it on. If there is no path, draw why."""
    if request is not None and request.route is not None:
        result = walk_route(_route_query(given, request), request, steps, plot=plot, quiet=quiet)
        return result, LoadedMap(None, result.walk.route.terrain.environment)
    query = _parse_query(given)
    if request is not None and query.clearance is not None:
        raise BadInput("--clearance is not for a walk through a corridor; leave it out")
    loaded, query = _load(given.map_name, query, scale=given.scale, steps=steps)
    with drawing_refusals(partial(_draw_refusal, loaded, query), plot, quiet=quiet):
        if request is not None:
            return walk_corridor(loaded, query, request, steps), loaded
        if loaded.in_space is not None:
            return find_path_in_space(loaded.in_space, query, steps), loaded
        return _find_shortest(loaded, query, steps), loaded


def _parse_query(given: Arguments) -> Query:
    parse = parse_place if is_saved(given.map_name) else parse_point
    return Query(
        parse(_required(given.start, "--start"), "--start"),
        parse(_required(given.goal, "--goal"), "--goal"),
        parse_number(given.radius, "--radius"),
        parse_number(given.clearance, "--clearance"),
    )


def _required(text: str | None, option: str) -> str:
    if text is None:
        raise BadInput(f"Missing option '{option}'; see `footway path --help`")
    return text


def _route_query(given: Arguments, request: WalkRequest) -> RouteQuery:
    """Parse the query of a walk along a route; a route file may define start and goal."""
    has_file = request.route is not None and request.route.file is not None

    def parse_end(text: str | None, option: str) -> tuple[float, float] | None:
        return None if text is None and has_file else parse_point(_required(text, option), option)

    start, goal = parse_end(given.start, "--start"), parse_end(given.goal, "--goal")
    radius = parse_number(given.radius, "--radius")
    clearance = parse_number(given.clearance, "--clearance")
    if clearance is not None and not clearance >= 0.0:
        raise BadInput(f"the clearance is {clearance:g} m: it must be 0 m or more")
    return RouteQuery(given.map_name, start, goal, radius, clearance, given.scale)


def _load(
    map_name: str, query: Query, *, scale: float | None, steps: Steps
) -> tuple[LoadedMap, Query]:
    """Load the map, check the dimension of start and goal, and set the default radius."""
    if not is_saved(map_name):
        return load_map(map_name, scale=scale, steps=steps), _with_radius(query)
    from footway.corridor import CorridorMap

    saved = load_saved(map_name, scale=scale, steps=steps)
    in_space = not isinstance(saved, CorridorMap)
    for option, point in (("--start", query.start), ("--goal", query.goal)):
        if len(point) != (3 if in_space else 2):
            form = "X,Y,Z" if in_space else "X,Y"
            raise BadInput(f"{option}: the map has {form.count(',') + 1} dimensions; give {form}")
    if isinstance(saved, CorridorMap):
        query = _with_radius(query, saved.solver.made_for)
    return LoadedMap(saved, None), query


def _with_radius(query: Query, made_for: float | None = None) -> Query:
    """Set a missing radius to the one that the roadmap was made for, or to the default."""
    if query.radius is not None:
        return query
    return query._replace(radius=RADIUS if made_for is None else made_for)


def _find_shortest(loaded: LoadedMap, query: Query, steps: Steps) -> ShortestResult:
    start, goal, radius, clearance = query
    assert radius is not None
    with steps.step("query", "Searching the path"):
        found = loaded.corridors.path(start, goal, radius=radius, clearance=clearance)
    return ShortestResult(query, found, loaded.corridors.bottleneck(start, goal))


@dataclass(frozen=True)
class ShortestResult:
    """The shortest path and the bottleneck of the widest path, ready to draw and print."""

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
        """Return the result as JSON values."""
        return {
            **self.path.to_dict(),
            "wanted_clearance": self.query.clearance,
            "bottleneck": pinch_facts(self.pinch),
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        found, narrowest = self.path, f"narrowest at {place(self.pinch.at)}"
        yield f"Path from {place(self.query.start)} to {place(self.query.goal)}"
        yield from facts(
            [
                ("length", f"{found.length:,.3f} m"),
                ("clearance", f"{found.clearance:.3f} m"),
                ("turns", f"{found.turns}"),
                ("found by", _METHODS[found.method]),
                ("widest way", f"a radius of {self.pinch.radius:.3f} m gets through, {narrowest}"),
                ("time", times),
            ]
        )
        yield (
            f"Certified: a disc of radius {self.query.radius:g} m that follows this path crosses "
            f"no wall; its centre stays {found.clearance:.3f} m or more from every wall."
        )


def _draw_refusal(loaded: LoadedMap, query: Query, refusal: NoPath) -> Figure:
    from footway.plot import draw_roadmap

    if loaded.in_space is not None:
        return draw_roadmap(loaded.in_space.roadmap)
    return draw_refusal(loaded.corridors, loaded.environment, query.start, query.goal, refusal)
