"""`footway path --follow`: options and results of a walk through a corridor."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import check_writable
from footway.cli.output import count, facts, place
from footway.cli.parsing import parse_number
from footway.cli.path_in_space import check_query, describe_clearance, describe_object
from footway.cli.routes import PANEL, RouteRequest, parse_preferences
from footway.errors import BadInput
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.maps import LoadedMap
    from footway.cli.output import Steps
    from footway.cli.path import Query
    from footway.follow import Disc, Walk
    from footway.roadmap.space_map import SpaceMap

_WALK: Final = "Walking (with --follow)"
_AROUND: Final = "Dynamic obstacles (with --follow)"
_TRAJECTORY: Final = ".csv"
_ROUNDING: Final = 1e-4  # m by which rounding may bring a walk nearer to a wall than its radius


class Follower(StrEnum):
    """Methods that follow a corridor (cmm) or an indicative route (miran, irm)."""

    CMM = "cmm"
    MIRAN = "miran"
    IRM = "irm"


class Avoid(StrEnum):
    """Methods to avoid dynamic obstacles (cmm-2007, "Avoiding dynamic obstacles")."""

    FORCES = "forces"
    CORRIDOR = "corridor"


_ALL: Final = frozenset({"speed", "step", "turn_rate", "output", "obstacle"})
_ROUTE: Final = frozenset({"look", "prefer", "route", "route_method", "no_improve", "margin"})
_ACCEPTED: Final = {
    Follower.CMM: _ALL | {"shortcut", "noise", "lane", "corner", "seed", "avoid"},
    Follower.MIRAN: _ALL | _ROUTE | {"sigma", "spacing"},
    Follower.IRM: _ALL | _ROUTE,
}
"""Options that each follower accepts."""


def _number(unit: str, words: str, default: str, panel: str = _WALK) -> Any:
    """Return a numeric option; `default` is shown in the help, the follower applies it."""
    return typer.Option(metavar=unit, help=words, show_default=default, rich_help_panel=panel)


FollowOption = Annotated[
    Follower | None,
    typer.Option(
        help="Simulate a walk: through the corridor (cmm), or along a route over preferred terrain "
        "(miran; irm follows the same route but ignores the terrain on its way).",
        show_default=False,
        rich_help_panel=_WALK,
    ),
]
SpeedOption = Annotated[str | None, _number("M/S", "Speed of the walk.", "1.2")]
StepOption = Annotated[str | None, _number("SECONDS", "Time between two samples.", "0.1")]
TurnRateOption = Annotated[str | None, _number("RAD/S", "Greatest turn rate.", "3.14")]
ShortcutOption = Annotated[
    str | None, _number("0..1", "How far ahead corners may be cut: a share of the backbone.", "0")
]
NoiseOption = Annotated[
    str | None,
    _number(
        "NUMBER", "Strength of a smooth random bias, 0 to about 1; it depends on the seed.", "0"
    ),
]
LaneOption = Annotated[
    str | None,
    _number(
        "NUMBER",
        "Keep to the left (positive) or right (negative): 0.5 a little, 2 close to the wall.",
        "0",
    ),
]
CornerOption = Annotated[
    str | None,
    _number("NUMBER", "Take corners tight (positive) or wide (negative), up to about 1.", "0"),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER", help="Seed of the noise.", show_default="0", rich_help_panel=_WALK
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Save the trajectory (.csv): time, x, y, vx, vy.",
        show_default=False,
        rich_help_panel=_WALK,
    ),
]
ObstacleOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="X,Y,R[,VX,VY]",
        help="A dynamic obstacle: a disc, at rest or with a velocity. May be repeated.",
        show_default=False,
        rich_help_panel=_AROUND,
    ),
]
AvoidOption = Annotated[
    Avoid | None,
    typer.Option(
        help="Avoid obstacles by forces, or by bending the corridor around them.",
        show_default="forces",
        rich_help_panel=_AROUND,
    ),
]


SigmaOption = Annotated[
    str | None,
    _number("METRES", "miran: longest part of the route that may be skipped at once.", "30", PANEL),
]
SpacingOption = Annotated[
    str | None,
    _number("METRES", "miran: distance between candidates along the route.", "1", PANEL),
]
LookOption = Annotated[
    str | None,
    _number("METRES", "Distance between updates of the target; 0: every step.", "0", PANEL),
]


class WalkRequest(NamedTuple):
    """Options of a walk.

    Attributes:
        method: the follower.
        options: keyword arguments of the follower; omitted ones have its defaults.
        obstacles: x, y, radius and optionally vx, vy of each dynamic obstacle.
        output: file of the trajectory.
        route: the route to follow; None for a walk through a corridor.

    """

    method: Follower
    options: dict[str, Any]
    obstacles: list[tuple[float, ...]]
    output: str | None
    route: RouteRequest | None


def parse_walk_request(follow: Follower | None, given: dict[str, Any]) -> WalkRequest | None:
    """Return the options of a walk; None without --follow.

    `given` maps the name of each option to the typed value, None if it was omitted.

    Raises:
        BadInput: an option of the walk without --follow, or of another follower.

    """
    named = {
        name: value
        for name, value in given.items()
        if value not in (None, []) and value is not False
    }
    if follow is None:
        _refuse_without_follow(named)
        return None
    _refuse_unaccepted(named, follow)
    output = named.pop("output", None)
    _check_output(output)
    obstacles = [_parse_obstacle(text) for text in named.pop("obstacle", [])]
    route = None if follow is Follower.CMM else _pop_route_request(named)
    options = {name: _parse(name, value) for name, value in named.items()}
    return WalkRequest(follow, options, obstacles, output, route)


def _pop_route_request(named: dict[str, Any]) -> RouteRequest:
    """Remove the options of the route from `named`, and return them."""
    file, method = named.pop("route", None), named.pop("route_method", None)
    improve, margin = not named.pop("no_improve", False), named.pop("margin", None)
    searched = {"route-method": method, "no-improve": not improve or None, "margin": margin}
    for option in (name for name, value in searched.items() if value is not None):
        if file is not None:
            raise BadInput(f"--{option} is for a route that is searched; leave it out with --route")
        if option == "margin" and not improve:
            raise BadInput("--margin is for an improved route; leave it out with --no-improve")
    preferences = parse_preferences(named.pop("prefer", None))
    return RouteRequest(preferences, file, method, improve, margin=parse_number(margin, "--margin"))


def _refuse_without_follow(named: dict[str, Any]) -> None:
    if named:
        options = ", ".join(_option(name) for name in named)
        verb = "is" if len(named) == 1 else "are"
        fits = [follower for follower in Follower if _ACCEPTED[follower] >= set(named)]
        add = f"; add --follow {fits[0]}" if fits else ", but no follower has all; see --follow"
        raise BadInput(f"{options} {verb} for a walk{add}")


def _refuse_unaccepted(named: dict[str, Any], follow: Follower) -> None:
    for name in named:
        if name not in _ACCEPTED[follow]:
            others = " or ".join(other for other in Follower if name in _ACCEPTED[other])
            raise BadInput(
                f"{_option(name)} is for --follow {others}; leave it out with --follow {follow}"
            )


def _parse(name: str, value: Any) -> Any:
    """Convert the text of a number; return a choice or the seed unchanged."""
    if isinstance(value, Avoid):
        return value.value
    return parse_number(value, _option(name)) if isinstance(value, str) else value


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parse_obstacle(text: str) -> tuple[float, ...]:
    """Return the three or five numbers of "X,Y,R[,VX,VY]"."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in {3, 5}:
        raise typer.BadParameter(
            f"{text!r} is not a disc; give x, y and radius, such as 5,2.5,0.3, and the velocity "
            "of a moving one, such as 5,2.5,0.3,-1,0",
            param_hint="'--obstacle'",
        )
    return numbers


def _check_output(output: str | None) -> None:
    if output is None:
        return
    if not output.lower().endswith(_TRAJECTORY):
        raise BadInput(f"{output}: the name of a trajectory must end in {_TRAJECTORY}")
    check_writable(output)


@dataclass(frozen=True)
class WalkResult:
    """A walk, ready to draw and print."""

    walk: Walk
    request: WalkRequest
    smap: SpaceMap | None = None  # its map, if it is in three dimensions

    def draw(self, loaded: LoadedMap) -> Figure:
        """Draw the corridor, the walk and the obstacles."""
        from footway.plot import draw_roadmap, draw_walk

        if loaded.in_space is not None:
            return draw_roadmap(loaded.in_space.roadmap, path=self.walk)
        return draw_walk(loaded.corridors, self.walk, environment=loaded.environment)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            **self.walk.to_dict(),
            "mean_speed": _mean_speed(self.walk),
            "obstacles": [
                {"at": list(disc.at), "radius": disc.radius, "velocity": list(disc.velocity)}
                for disc in self.walk.obstacles
            ],
            "follow": {"method": self.request.method.value, **self.request.options},
            "output": self.request.output,
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        walk = self.walk
        yield f"Walk from {place(walk.start)} to {place(walk.goal)}"
        yield from facts([*self.rows(), ("time", times)])
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
            ("mean speed", f"{_mean_speed(walk):.2f} m/s"),
            ("clearance", f"{walk.clearance:.3f} m"),
        ]
        if walk.obstacles:
            number = len(walk.obstacles)
            nearest = "" if number == 1 else "nearest of "
            named = count(number, "dynamic obstacle").removeprefix("1 ")
            rows.append(("gap", f"{walk.gap:.3f} m to the {nearest}{named}"))
        return [*rows, ("samples", f"{len(walk.points):,}, one every {walk.step:g} s")]

    def _certificate(self) -> str:
        walk, smap = self.walk, self.smap
        if smap is not None:
            return (
                f"Certified: {describe_object(smap, walk.radius)} on this walk never runs into an "
                f"obstacle; {describe_clearance(smap, walk.clearance)}."
            )
        if walk.clearance < walk.radius - _ROUNDING:
            return (
                f"NOT certified: this walk comes as near as {walk.clearance:.3f} m to a wall; "
                "please report it with the map"
            )
        return (
            f"Certified: a disc of radius {walk.radius:g} m on this walk never touches a wall; "
            f"its centre stays {walk.clearance:.3f} m or more from every wall."
        )


def walk_corridor(
    loaded: LoadedMap, query: Query, request: WalkRequest, steps: Steps
) -> WalkResult:
    """Walk through the corridor of a query, and write the trajectory if requested."""
    from footway.follow import cmm

    if loaded.in_space is not None:
        if request.obstacles:
            raise BadInput("--obstacle is for maps in two dimensions; leave it out")
        check_query(loaded.in_space, query)
    obstacles = obstacles_of(request)
    with steps.step("corridor", "Searching the corridor"):
        corridor = loaded.corridors.corridor(query.start, query.goal, radius=query.radius)
    with steps.step("walk", "Walking"):
        walk = cmm(corridor, obstacles=obstacles, **request.options)
    if request.output is not None:
        write_trajectory(walk, request.output)
    return WalkResult(walk, request, loaded.in_space)


def obstacles_of(request: WalkRequest) -> list[Disc]:
    """Return the dynamic obstacles."""
    from footway.follow import Disc

    return [
        Disc(at=(x, y), radius=radius, velocity=tuple(velocity) or (0.0, 0.0))
        for x, y, radius, *velocity in request.obstacles
    ]


def _mean_speed(walk: Walk) -> float:
    """Return the mean speed, m/s; 0 for a walk without duration."""
    return walk.length / walk.duration if walk.duration > 0 else 0.0


def write_trajectory(walk: Walk, file: str) -> None:
    """Write one line per sample, at full precision."""
    with whole_file(file) as part, part.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        axes = "xyz"[: walk.points.shape[1]]
        writer.writerow(("time", *axes, *(f"v{axis}" for axis in axes)))
        for when, at, velocity in zip(
            walk.times.tolist(), walk.points.tolist(), walk.velocities.tolist(), strict=True
        ):
            writer.writerow((round(when, 9), *at, *velocity))
