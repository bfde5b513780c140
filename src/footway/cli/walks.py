"""`footway path --follow`: walk through a corridor (cmm) or along a route (miran, irm)."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias, cast

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports
from footway.cli.commands import route as routes
from footway.cli.maps import LoadedMap, build_map, load_environment, make_yard
from footway.errors import BadInput, FootwayError, NoPath
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.path_results import Query
    from footway.cli.progress import Steps
    from footway.corridor import CorridorMap
    from footway.follow import Disc, RouteWalk, Walk
    from footway.follow.building_walk import BuildingWalk
    from footway.terrain import IndicativeRoute

_WALK: Final = "Walking (with --follow)"
_AROUND: Final = "Dynamic obstacles (with --follow)"
_TERRAIN: Final = "Terrain (with --follow miran or irm)"
_ROUNDING: Final = 1e-4  # m by which rounding may bring a walk nearer to a wall than its radius


Follower: TypeAlias = Literal["cmm", "miran", "irm"]
"""Methods that follow a corridor (cmm) or an indicative route (miran, irm)."""

_ALL: Final = frozenset({"speed", "step", "turn_rate", "output", "obstacle", "repulsion"})
_ROUTE: Final = frozenset(
    {"look", "steering", "boundary", "prefer", "route", "route_method", "no_improve", "margin"}
)
_ACCEPTED: Final[dict[Follower, frozenset[str]]] = {
    "cmm": _ALL | {"shortcut", "noise", "lane", "corner", "seed", "avoid", "attraction"},
    "miran": _ALL | _ROUTE | {"sigma", "spacing"},
    "irm": _ALL | _ROUTE,
}
"""Options that each follower accepts."""


# -- options -------------------------------------------------------------------------------------


_number = partial(opt.quantity, panel=_WALK)
FollowOption = Annotated[
    Follower | None,
    opt.option(
        "Simulate a walk: through the corridor (cmm), or along a route over preferred terrain "
        "(miran; irm follows the same route but ignores the terrain while walking).",
        panel=_WALK,
    ),
]
SpeedOption = Annotated[float | None, _number("M/S", "Speed of the walk.", "1.2")]
StepOption = Annotated[float | None, _number("SECONDS", "Time between two samples.", "0.1")]
TurnRateOption = Annotated[float | None, _number("RAD/S", "Greatest turn rate.", "3.14")]
ShortcutOption = Annotated[
    float | None,
    _number("0..1", "How far ahead corners may be cut, as a share of the backbone.", "0"),
]
NoiseOption = Annotated[
    float | None,
    _number(
        "NUMBER", "Strength of a smooth random bias, 0 to about 1; it depends on the seed.", "0"
    ),
]
LaneOption = Annotated[
    float | None,
    _number(
        "NUMBER",
        "Keep to the left (positive) or right (negative): 0.5 a little, 2 close to the wall.",
        "0",
    ),
]
CornerOption = Annotated[
    float | None,
    _number("NUMBER", "Take corners tight (positive) or wide (negative), up to about 1.", "0"),
]
SeedOption = Annotated[
    int | None, opt.option("Seed of the noise.", unit="INTEGER", default="0", panel=_WALK)
]
OutputOption = Annotated[
    str | None, opt.output_file("Save the trajectory (.csv): time, x, y, vx, vy.", panel=_WALK)
]
ObstacleOption = Annotated[
    list[opt.Obstacle] | None,
    opt.option(
        "A dynamic obstacle: a disc, at rest or with a velocity. May be repeated.",
        unit="X,Y,R[,VX,VY]",
        panel=_AROUND,
        parser=opt.obstacle,
    ),
]
RepulsionOption = Annotated[
    float | None,
    _number("METRES", "Gap at which an obstacle pushes as much as the walk pulls.", "0.4"),
]
SteeringOption = Annotated[
    float | None, _number("NUMBER", "Strength of the force toward the attraction point (c_s).", "1")
]
BoundaryOption = Annotated[
    float | None,
    _number("NUMBER", "Strength of the force away from walls within --clearance (c_b).", "3"),
]
AvoidOption = Annotated[
    Literal["forces", "corridor", "published-corridor"] | None,
    opt.option(
        "Avoid obstacles by forces, or by bending the corridor around them (published-corridor: "
        "each ball by itself, as in cmm-2007; the corridor may tear).",
        default="forces",
        panel=_AROUND,
    ),
]
AttractionOption = Annotated[
    Literal["bounded", "published"] | None,
    opt.option(
        "Force toward the attraction point: bounded, or as published in cmm-2007.",
        default="bounded",
        panel=_WALK,
    ),
]
PreferOption = Annotated[list[opt.Weights] | None, routes.prefer_option(_TERRAIN)]
RouteOption = Annotated[
    str | None,
    opt.option(
        "Follow a route drawn by hand: a GeoJSON LineString, or a .csv of x and y. Without "
        "--start and --goal, the walk starts and ends where the route does.",
        unit="FILE",
        panel=_TERRAIN,
    ),
]
RouteMethodOption = Annotated[
    routes.RouteMethod | None,
    opt.option("Graph that is searched for the route.", default="triangles", panel=_TERRAIN),
]
NoImproveOption = Annotated[bool, routes.no_improve_option(_TERRAIN)]
MarginOption = Annotated[float | None, routes.margin_option(_TERRAIN)]
SigmaOption = Annotated[
    float | None,
    _number(
        "METRES",
        "miran: longest part of the route that may be skipped at once.",
        "30",
        panel=_TERRAIN,
    ),
]
SpacingOption = Annotated[
    float | None,
    _number("METRES", "miran: distance between candidates along the route.", "1", panel=_TERRAIN),
]
LookOption = Annotated[
    float | None,
    _number(
        "METRES", "Distance between updates of the target; 0: every step.", "0", panel=_TERRAIN
    ),
]


class WalkRequest(NamedTuple):
    """Options of a walk."""

    method: Follower  # the follower
    options: dict[str, Any]  # keyword arguments of the follower; omitted ones have its defaults
    obstacles: list[opt.Obstacle]  # dynamic obstacles
    output: str | None  # file of the trajectory
    route: routes.RouteRequest | None  # the route to follow; None for a walk through a corridor

    def discs(self) -> list[Disc]:
        """Return the dynamic obstacles."""
        from footway.follow import Disc

        return [
            Disc(at=(one.x, one.y), radius=one.radius, velocity=(one.vx, one.vy))
            for one in self.obstacles
        ]


def walk_request(follow: Follower | None, given: dict[str, Any]) -> WalkRequest | None:
    """Return the options of a walk; None without --follow.

    `given` maps the name of each option to its value, None if it was omitted.

    Raises:
        BadInput: an option of the walk without --follow, or of another follower.
    """
    named = {
        name: value
        for name, value in given.items()
        if value is not None and value is not False and value != []
    }
    if follow is None:
        if named:
            typed = ", ".join(opt.as_typed(name) for name in named)
            verb = "is" if len(named) == 1 else "are"
            fits = [follower for follower in _ACCEPTED if _ACCEPTED[follower] >= set(named)]
            add = (
                f"; add --follow {fits[0]}"
                if fits
                else ", but no follower accepts all of them; see --follow"
            )
            raise BadInput(f"{typed} {verb} for a walk{add}")
        return None
    for name in named:
        if name not in _ACCEPTED[follow]:
            others = " or ".join(other for other in _ACCEPTED if name in _ACCEPTED[other])
            raise BadInput(
                f"{opt.as_typed(name)} is for --follow {others}; "
                f"leave it out with --follow {follow}"
            )
    output, obstacles = named.pop("output", None), named.pop("obstacle", [])
    opt.check_output(output, (".csv",), "a trajectory")
    route = None if follow == "cmm" else _pop_route_request(named)
    return WalkRequest(follow, named, obstacles, output, route)


def _pop_route_request(named: dict[str, Any]) -> routes.RouteRequest:
    """Remove the options of the route from `named`, and return them."""
    file = named.pop("route", None)
    for name in ("route_method", "no_improve", "margin"):
        if file is not None and name in named:
            typed = opt.as_typed(name)
            raise BadInput(f"{typed} is for a route that is searched; leave it out with --route")
    request = routes.RouteRequest(
        opt.preferences(named.pop("prefer", None)),
        file,
        named.pop("route_method", None),
        not named.pop("no_improve", False),
        margin=named.pop("margin", None),
    )
    request.check()
    return request


# -- walks ---------------------------------------------------------------------------------------


def walk_corridor(
    loaded: LoadedMap, query: Query, request: WalkRequest, steps: Steps
) -> WalkResult:
    """Walk through the corridor of a query, and write the trajectory if requested."""
    from footway.follow import cmm

    if loaded.in_space is not None and request.obstacles:
        raise BadInput("--obstacle is for maps in two dimensions; leave it out")
    cmap, discs = loaded.corridors, request.discs()
    with steps.step("kernels", "Loading compiled kernels"), suppress(FootwayError):
        here = cmap.corridor(query.start, query.start, radius=query.radius)
        cmm(here, obstacles=discs, **request.options)
    with steps.step("corridor", "Searching the corridor"):
        corridor = cmap.corridor(query.start, query.goal, radius=query.radius)
    with steps.step("walk", "Walking"):
        walk = cmm(corridor, obstacles=discs, **request.options)
    _write_trajectory(walk, request.output)
    return WalkResult(loaded, walk, request)


def walk_route(
    source: opt.Source,
    query: Query,
    request: WalkRequest,
    steps: Steps,
    *,
    plot: str | None,
    quiet: bool,
) -> RouteWalkResult:
    """Find the route, walk along it, and write the trajectory if requested."""
    from footway.corridor import CorridorMap

    assert request.route is not None
    environment = load_environment(source, steps)
    radius = routes.RADIUS if query.radius is None else query.radius
    terrain = routes.build_terrain(environment, radius, request.route, steps)
    loaded = build_map(environment, steps) if request.method == "irm" else None
    cmap = None if loaded is None else loaded.corridors
    with steps.step("kernels", "Loading compiled kernels"), suppress(FootwayError):
        small = routes.load_route_kernels(request.route)
        if small is not None:
            _follow_route(small, CorridorMap.build(make_yard()) if cmap else None, query, request)

    def draw_no_route(refusal: NoPath) -> Figure:
        if query.start is None or query.goal is None:  # the ends are those of a route file
            return pictures.draw_map(environment)
        known = cmap or CorridorMap.build(environment)
        return reports.draw_refusal(known, environment, query.start, query.goal, refusal)

    with reports.drawing_refusals(draw_no_route, plot, quiet=quiet):
        route = routes.find_route(terrain, query.start, query.goal, request.route, steps)
        with steps.step("walk", "Walking"):
            walk = _follow_route(route, cmap, query, request)
    _write_trajectory(walk, request.output)
    return RouteWalkResult(LoadedMap(cmap, environment), walk, request)


def _follow_route(
    route: IndicativeRoute, cmap: CorridorMap | None, query: Query, request: WalkRequest
) -> RouteWalk:
    """Walk with irm if there is a map, else with miran."""
    from footway.follow import irm, miran

    options = {"obstacles": request.discs(), **request.options}
    if query.clearance is not None:  # of the centre; followers take the distance beyond the radius
        options["clearance"] = max(0.0, query.clearance - route.terrain.radius)
    try:
        return miran(route, **options) if cmap is None else irm(route, cmap, **options)
    except NoPath as refusal:
        raise routes.in_command_line_terms(refusal) from None


def _write_trajectory(walk: Walk, file: str | None) -> None:
    """Write one line per sample, at full precision."""
    if file is None:
        return
    with whole_file(file) as part, part.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        axes = "xyz"[: walk.points.shape[1]]
        writer.writerow(("time", *axes, *(f"v{axis}" for axis in axes)))
        for when, at, velocity in zip(
            walk.times.tolist(), walk.points.tolist(), walk.velocities.tolist(), strict=True
        ):
            writer.writerow((round(when, 9), *at, *velocity))


# -- reports -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WalkResult:
    """A walk, ready to draw and print."""

    loaded: LoadedMap
    walk: Walk
    request: WalkRequest

    def draw(self) -> Figure:
        """Draw the corridor, the walk and the obstacles."""
        cmap, environment = self.loaded
        if self.loaded.in_space is not None:
            return pictures.draw_roadmap(cmap.roadmap, path=self.walk)
        if self.loaded.building is not None:
            return pictures.draw_building(
                cmap, path=cast("BuildingWalk", self.walk), style="axonometry"
            )
        return pictures.draw_walk(cmap, self.walk, environment=environment)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            **self.walk.to_dict(),
            "mean_speed": self._mean_speed(),
            "obstacles": [
                {"at": list(disc.at), "radius": disc.radius, "velocity": list(disc.velocity)}
                for disc in self.walk.obstacles
            ],
            "follow": {"method": self.request.method, **self.request.options},
            "output": self.request.output,
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        walk = self.walk
        yield f"Walk {reports.ends(walk)}"
        yield from reports.facts([*self.rows(), ("time", times)])
        yield self._certificate()
        if walk.gap < 0:
            yield "Beware: a moving obstacle runs into the character; see the gap."
        if self.request.output is not None:
            yield f"Wrote {self.request.output}"

    def rows(self) -> list[tuple[str, str]]:
        """Return the names and values to print."""
        walk = self.walk
        rows = [
            ("duration", f"{walk.duration:,.1f} s"),
            ("length", f"{walk.length:,.3f} m"),
            ("mean speed", f"{self._mean_speed():.2f} m/s"),
            ("clearance", f"{walk.clearance:.3f} m"),
        ]
        if walk.obstacles:
            number = len(walk.obstacles)
            nearest = "" if number == 1 else "nearest of "
            named = reports.count(number, "dynamic obstacle").removeprefix("1 ")
            rows.append(("gap", f"{walk.gap:.3f} m to the {nearest}{named}"))
        return [*rows, ("samples", f"{len(walk.points):,}, one every {walk.step:g} s")]

    def _certificate(self) -> str:
        walk = self.walk
        smap = self.loaded.in_space
        if smap is not None:
            return reports.certificate_in_space(smap, walk.radius, walk.clearance, "on this walk")
        if walk.clearance < walk.radius - _ROUNDING:
            return (
                f"NOT certified: this walk comes as near as {walk.clearance:.3f} m to a wall; "
                "please report it with the map"
            )
        return (
            f"Certified: a disc of radius {walk.radius:g} m on this walk never touches a wall; "
            f"its centre stays {walk.clearance:.3f} m or more from every wall."
        )

    def _mean_speed(self) -> float:
        """Return the mean speed, m/s; 0 for a walk without duration."""
        return self.walk.length / self.walk.duration if self.walk.duration > 0 else 0.0


@dataclass(frozen=True)
class RouteWalkResult(WalkResult):
    """A walk along a route, ready to draw and print."""

    walk: RouteWalk

    def draw(self) -> Figure:
        """Draw the terrain, the route and the walk."""
        return pictures.draw_route(self.walk.route, self.walk)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**super().as_json(), "route": routes.route_facts(self.walk.route)}

    def rows(self) -> list[tuple[str, str]]:
        """Return the names and values to print."""
        walk, route = self.walk, self.walk.route
        rows = super().rows()
        at = [name for name, _ in rows].index("length") + 1
        rows[at:at] = [
            ("weighted", f"{walk.weighted_length:,.3f} m"),
            ("terrain", routes.terrain_text(walk.measure())),
            ("route", f"{route.length:,.3f} m, weighted {routes.weighted_text(route)}"),
        ]
        if walk.replanned:
            rows.append(("back", f"{walk.replanned} times a path back to the route was planned"))
        return rows
