"""`footway path`: find the shortest path, or simulate a walk from start to goal."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

import typer

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports, walks
from footway.cli.commands.route import RADIUS
from footway.cli.maps import LoadedMap, build_map, load_plan_or_building, load_saved, make_yard
from footway.cli.path_results import (
    AlternativesResult,
    BuildingResult,
    By,
    Query,
    ShortestResult,
    SpaceResult,
)
from footway.cli.progress import Steps, timed_steps
from footway.errors import BadInput, BadQuery, FootwayError
from footway.formats.registry import is_saved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from footway.errors import NoPath
    from footway.roadmap.maps.space_map import SpaceMap

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway path gallery:city --start 2,3 --goal 480,451\n\n"
    "  footway path plan.fwmap --start -3,4 --goal 12,9.5 --radius 0.4 --json\n\n"
    "  footway path plan.geojson --start 1,1 --goal 9,9 --clearance 0.8 --plot path.png\n\n"
    "  footway path gallery:city --start 2,3 --goal 480,451 --alternatives 5 --plot paths.png\n\n"
    "  footway path gallery:game --start 12,12 --goal 90,88 --follow cmm --shortcut 0.1 "
    "--lane -0.5 --plot walk.png\n\n"
    "  footway path gallery:mckenna-road --start 30,77 --goal 84,112 --follow miran --sigma 5 "
    "--prefer sidewalk=0.5,road=4,mud=40 --plot walk.png\n\n"
    "  footway path park.geojson --route drawn.geojson --follow miran --prefer mud=20\n\n"
    "  footway path house.fwmap --start 5,5,3 --goal 50,30,13\n\n"
    '  footway path gallery:station --start 5,5,street --goal "-20,35,platform 1" --by time '
    "--plot climb.png\n\n"
    "Exit code 3: there is no path, and the message says why."
)


def path(
    map_name: opt.MapArgument,
    *,
    start: Annotated[
        opt.Place | None,
        opt.option(
            "Start of the path, metres, and its floor in a building; required unless --route "
            "gives it.",
            unit="X,Y[,Z|,FLOOR]",
            parser=opt.place,
        ),
    ] = None,
    goal: Annotated[
        opt.Place | None,
        opt.option("End of the path, likewise.", unit="X,Y[,Z|,FLOOR]", parser=opt.place),
    ] = None,
    radius: Annotated[
        float | None,
        opt.quantity(
            "METRES", "Radius of the moving disc.", "0.25; on a roadmap the radius of its object"
        ),
    ] = None,
    clearance: Annotated[
        float | None,
        opt.quantity(
            "METRES", "Preferred distance to walls, kept where the free space is wide enough."
        ),
    ] = None,
    alternatives: Annotated[
        int | None,
        opt.option("Find this many paths in different corridors, shortest first.", unit="NUMBER"),
    ] = None,
    longer: Annotated[
        float | None,
        opt.option(
            "Alternatives exceed the shortest path by at most this share; 0.2 is 20 %.",
            unit="SHARE",
            parser=opt.number,
        ),
    ] = None,
    different: Annotated[
        float | None,
        opt.option(
            "Least share of each alternative that is away from all before it; 0.3 is 30 %.",
            unit="SHARE",
            parser=opt.number,
        ),
    ] = None,
    by: Annotated[
        By | None,
        opt.option(
            "In a building, choose stairs and lifts by length along the slope or by time.",
            default="length",
        ),
    ] = None,
    follow: walks.FollowOption = None,
    speed: walks.SpeedOption = None,
    step: walks.StepOption = None,
    turn_rate: walks.TurnRateOption = None,
    shortcut: walks.ShortcutOption = None,
    noise: walks.NoiseOption = None,
    lane: walks.LaneOption = None,
    corner: walks.CornerOption = None,
    seed: walks.SeedOption = None,
    output: walks.OutputOption = None,
    obstacle: walks.ObstacleOption = None,
    avoid: walks.AvoidOption = None,
    repulsion: walks.RepulsionOption = None,
    attraction: walks.AttractionOption = None,
    prefer: walks.PreferOption = None,
    route: walks.RouteOption = None,
    route_method: walks.RouteMethodOption = None,
    no_improve: walks.NoImproveOption = False,
    margin: walks.MarginOption = None,
    sigma: walks.SigmaOption = None,
    spacing: walks.SpacingOption = None,
    look: walks.LookOption = None,
    steering: walks.SteeringOption = None,
    boundary: walks.BoundaryOption = None,
    between: opt.BetweenOption = None,
    up: opt.UpOption = None,
    scale: opt.ScaleOption = None,
    json: opt.JsonOption = False,
    plot: opt.PlotOption = None,
) -> None:
    """Find and certify the shortest path of a disc; or simulate a walk with --follow.

    The path keeps the radius from every wall, and the preferred clearance where possible.
    With --follow cmm, a character walks through the corridor around the shortest backbone, avoids
    dynamic obstacles, and has velocities and times. With --follow miran or irm, it walks along an
    indicative route over preferred terrain; see also `footway route`.

    If there is no path, the exit code is 3 and the message gives the reason: start and goal are
    not connected, the widest path is too narrow (and where), or obstacles block it.

    On a saved roadmap, the path runs along the roadmap; in three dimensions points are X,Y,Z.
    In a building, points are X,Y,FLOOR, and the path leads over stairs, ramps, escalators and
    lifts.

    Of the printed times, `query` is the time for the search alone, and `kernels` the time for
    loading compiled code before it, which a program does once.
    """
    request = walks.walk_request(follow, {
        "speed": speed, "step": step, "turn_rate": turn_rate, "shortcut": shortcut, "noise": noise,
        "lane": lane, "corner": corner, "seed": seed, "output": output, "obstacle": obstacle,
        "avoid": avoid, "prefer": prefer, "route": route, "route_method": route_method,
        "no_improve": no_improve, "margin": margin, "sigma": sigma, "spacing": spacing,
        "look": look, "steering": steering, "boundary": boundary, "repulsion": repulsion,
        "attraction": attraction,
    })  # fmt: skip
    query = Query(start, goal, radius, clearance, by, alternatives, longer, different)
    source = opt.Source(map_name, scale, between, up)
    _check_query(query, request)
    opt.check_plot(plot)
    result: ShortestResult | AlternativesResult | SpaceResult | BuildingResult | walks.WalkResult
    with timed_steps() as steps:
        if request is not None and request.route is not None:
            result = walks.walk_route(source, query, request, steps, plot=plot, quiet=json)
        else:
            loaded, query = _load(source, query, steps)

            def draw_why_not(refusal: NoPath) -> Figure:
                if loaded.in_space is not None:
                    return pictures.draw_roadmap(loaded.in_space.roadmap)
                assert query.start is not None
                assert query.goal is not None
                return reports.draw_refusal(*loaded, query.start, query.goal, refusal)

            with reports.drawing_refusals(draw_why_not, plot, quiet=json):
                if request is not None:
                    result = walks.walk_corridor(loaded, query, request, steps)
                elif alternatives is not None:
                    result = _find_alternatives(loaded, query, steps)
                else:
                    result = _find_path(loaded, query, steps)
        reports.draw(result.draw, plot, steps)
    if json:
        made = {"times_ms": steps.in_ms(), "plot": plot}
        reports.print_json({"map": map_name, **result.as_json(), **made})
    else:
        reports.print_lines(result.as_text(steps.as_text()))
        reports.print_written(plot)


def _check_query(query: Query, request: walks.WalkRequest | None) -> None:
    """Check the query before the map is loaded; a route file may define start and goal."""
    along_route = request is not None and request.route is not None
    has_file = request is not None and request.route is not None and request.route.file is not None
    for typed, point in (("--start", query.start), ("--goal", query.goal)):
        if point is None:
            if not has_file:
                raise BadInput(f"Missing option '{typed}'; see `footway path --help`")
        elif len(point) == 3 and along_route:
            raise _not_in_the_plane(point, typed)
    if query.alternatives is None:
        for typed, value in (("--longer", query.longer), ("--different", query.different)):
            if value is not None:
                raise BadInput(f"{typed} limits --alternatives: give both")
    elif request is not None:
        raise BadInput("--alternatives finds paths, and --follow simulates one walk: give one")
    elif query.clearance is not None:
        raise BadInput("--clearance is not for --alternatives; leave it out")
    if query.clearance is None or request is None:
        return
    if not along_route:
        raise BadInput("--clearance is not for a walk through a corridor; leave it out")
    if not query.clearance >= 0.0:
        raise BadInput(f"the clearance is {query.clearance:g} m: it must be 0 m or more")


def _not_in_the_plane(point: opt.Place, typed: str) -> typer.BadParameter:
    x, y, last = point
    text = opt.not_a_point(f"{x:g},{y:g},{last}")
    return typer.BadParameter(text, param_hint=f"'{typed}'")


def _load(source: opt.Source, query: Query, steps: Steps) -> tuple[LoadedMap, Query]:
    """Load the map, check the query against it, and set the default radius."""
    if is_saved(source.name):
        loaded = LoadedMap(load_saved(source, steps), None)
    else:
        loaded = build_map(load_plan_or_building(source, steps), steps)
    start, goal = query.start, query.goal
    for typed, point in (("--start", start), ("--goal", goal)):
        if point is not None:
            _check_point(typed, point, loaded, is_saved=is_saved(source.name))
    if loaded.in_space is not None:
        start, goal = (_in_space(point) for point in (start, goal))
        query = query._replace(start=start, goal=goal)
        _check_in_space(loaded.in_space, query)
        return loaded, query
    if query.clearance is not None and loaded.building is not None:
        raise BadInput("--clearance is for maps of one floor; in a building give a larger --radius")
    if query.by is not None and loaded.building is None:
        raise BadInput("--by chooses the links of a building; leave it out for a map of one floor")
    if query.radius is None:
        made_for = loaded.corridors.solver.made_for
        query = query._replace(radius=RADIUS if made_for is None else made_for)
    return loaded, query


def _check_point(typed: str, point: opt.Place, loaded: LoadedMap, *, is_saved: bool) -> None:
    """Check that a point has the coordinates of the map, and a floor in a building."""
    if loaded.building is not None:
        floors = ", ".join(floor.name for floor in loaded.building.floors)
        if len(point) == 2:
            raise BadInput(f"{typed}: the map is a building; give X,Y,FLOOR with one of {floors}")
        names = {one.name for one in (*loaded.building.floors, *loaded.building.links)}
        if point[2] not in names:
            raise BadInput(f"{typed}: there is no floor {point[2]!r}; the floors are {floors}")
        return
    dimension, form = (2, "X,Y") if loaded.in_space is None else (3, "X,Y,Z")
    if len(point) == dimension:
        return
    if is_saved:
        raise BadInput(f"{typed}: the map has {dimension} dimensions; give {form}")
    raise _not_in_the_plane(point, typed)


def _in_space(point: opt.Place | None) -> opt.Place | None:
    """Return a point with its height as a number."""
    return None if point is None else (*point[:2], opt.number(point[2]))


def _check_in_space(smap: SpaceMap, query: Query) -> None:
    """Check a query in three dimensions.

    Raises:
        BadInput: --clearance was given, or --radius although the object is a box.
        BadQuery: start or goal is outside the map, in an obstacle or in a fake obstacle.
    """
    import numpy as np  # slow to import: --help does not need it

    if query.clearance is not None:
        raise BadInput("--clearance is for maps in two dimensions; give a larger --radius")
    if query.alternatives is not None:
        raise BadInput("--alternatives is for maps in two dimensions; leave it out")
    if query.radius is not None and not smap.radius:
        raise BadInput(
            f"--radius is for a ball, and here {reports.describe_object(smap)} moves; leave it out"
        )
    low, high = smap.bounds[:3], smap.bounds[3:]
    space = smap.roadmap.in_effect.space
    for typed, point in (("--start", query.start), ("--goal", query.goal)):
        assert point is not None
        what = f"{typed}: {reports.place(point)}"
        if not all(a <= at <= b for a, at, b in zip(low, point, high, strict=True)):
            reach = f"from {reports.place(low)} to {reports.place(high)}"
            raise BadQuery(f"{what} is outside the map, which reaches {reach}")
        if space.lines_are_free([point], [point])[0]:
            continue
        real = not smap.roadmap.space.lines_are_free([point], [point])[0]
        free = space.positions(space.corners)
        nearest = free[np.argmin(np.linalg.norm(free - point, axis=1))].tolist()
        raise BadQuery(
            f"{what} is in {'an' if real else 'a fake'} obstacle, or too near to it for "
            f"{reports.describe_object(smap)}; the nearest free position is "
            f"{reports.place(nearest)}"
        )


def _find_alternatives(
    loaded: LoadedMap, query: Query, steps: Steps
) -> AlternativesResult | BuildingResult:
    cmap, start, goal = loaded.corridors, query.start, query.goal
    limits = opt.given(longer=query.longer, different=query.different)
    if loaded.building is not None:
        if query.different is not None:
            raise BadInput("--different is for maps of one floor: paths here use different links")
        limits |= opt.given(by=query.by)
        with steps.step("query", "Searching the paths"):
            first, *rest = cmap.paths_between(
                start, goal, query.alternatives, radius=query.radius, **limits
            )
        return BuildingResult(first, cmap.bottleneck(start, goal), loaded, tuple(rest))
    with steps.step("kernels", "Loading compiled kernels"), suppress(FootwayError):
        from footway.corridor import CorridorMap

        CorridorMap.build(make_yard()).paths_between((1.0, 6.0), (15.0, 6.0), 2, radius=0.1)
    with steps.step("query", "Searching the paths"):
        found = cmap.paths_between(start, goal, query.alternatives, radius=query.radius, **limits)
    return AlternativesResult(query, found, loaded)


def _find_path(
    loaded: LoadedMap, query: Query, steps: Steps
) -> ShortestResult | SpaceResult | BuildingResult:
    start, goal, radius, clearance, *_ = query
    assert start is not None
    assert goal is not None
    cmap, smap = loaded.corridors, loaded.in_space
    is_plane = smap is None and loaded.building is None
    wanted = {"clearance": clearance} if is_plane else opt.given(by=query.by)
    with steps.step("kernels", "Loading compiled kernels"), suppress(FootwayError):
        cmap.path(start, start, radius=radius)
        if clearance is not None:
            from footway.corridor import CorridorMap

            yard = CorridorMap.build(make_yard())
            yard.path((1.0, 6.0), (15.0, 6.0), radius=0.1, clearance=1.0)
    with steps.step("query", "Searching the path"):
        found = cmap.path(start, goal, radius=radius, **wanted)
    if smap is not None:
        return SpaceResult(smap, found)
    if loaded.building is not None:
        return BuildingResult(found, cmap.bottleneck(start, goal), loaded)
    return ShortestResult(query, found, cmap.bottleneck(start, goal), loaded)
