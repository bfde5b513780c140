"""`footway path --follow`: how a character walks, through its corridor or along a route."""

from __future__ import annotations

import csv
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import check_writable
from footway.cli.output import count, facts, place
from footway.cli.parsing import parse_number
from footway.cli.path_in_space import body_of, check_query, stays_of
from footway.cli.routes import PANEL, Wanted, parse_preferences
from footway.errors import BadInput
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from footway.cli.maps import LoadedMap
    from footway.cli.output import Steps
    from footway.cli.path import Query
    from footway.corridor.space_map import SpaceMap
    from footway.follow import Disc, Walk

_WALK: Final = "Walking (with --follow)"
_AROUND: Final = "Dynamic obstacles (with --follow)"
_TRAJECTORY: Final = ".csv"
_ROUNDING: Final = 1e-4  # m, that a walk may be nearer to a wall than its radius, by rounding


class Follower(StrEnum):
    """Ways to follow a corridor (cmm) or an indicative route (miran, irm)."""

    CMM = "cmm"
    MIRAN = "miran"
    IRM = "irm"


class Avoid(StrEnum):
    """Ways around dynamic obstacles (cmm-2007, "Avoiding dynamic obstacles")."""

    FORCES = "forces"
    CORRIDOR = "corridor"


_ALL: Final = frozenset({"speed", "step", "turn_rate", "output", "obstacle"})
_ROUTE: Final = frozenset({"look", "prefer", "route", "route_method", "no_improve", "margin"})
_FITS: Final = {
    Follower.CMM: _ALL | {"shortcut", "noise", "lane", "corner", "seed", "avoid"},
    Follower.MIRAN: _ALL | _ROUTE | {"sigma", "spacing"},
    Follower.IRM: _ALL | _ROUTE,
}
"""Which options each follower takes."""


def _number(unit: str, words: str, default: str, panel: str = _WALK) -> Any:
    """Option of a number that the follower knows the default of."""
    return typer.Option(metavar=unit, help=words, show_default=default, rich_help_panel=panel)


FollowOption = Annotated[
    Follower | None,
    typer.Option(
        help="Walk instead: through the corridor (cmm), or along a route over preferred ground "
        "(miran), which irm follows without looking at the ground.",
        show_default=False,
        rich_help_panel=_WALK,
    ),
]
SpeedOption = Annotated[str | None, _number("M/S", "Speed of the walk.", "1.2")]
StepOption = Annotated[str | None, _number("SECONDS", "Time between two samples.", "0.1")]
TurnRateOption = Annotated[str | None, _number("RAD/S", "Fastest turn.", "3.14")]
ShortcutOption = Annotated[
    str | None, _number("0..1", "How far ahead it may cut corners: a share of the backbone.", "0")
]
NoiseOption = Annotated[
    str | None,
    _number(
        "NUMBER", "Strength of a smooth random bias, 0 to about 1; another with every seed.", "0"
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
    typer.Option(metavar="INTEGER", help="Of the noise.", show_default="0", rich_help_panel=_WALK),
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
        help="A disc in the way, at rest or with a velocity; repeat for more.",
        show_default=False,
        rich_help_panel=_AROUND,
    ),
]
AvoidOption = Annotated[
    Avoid | None,
    typer.Option(
        help="Be pushed off by forces, or sway the corridor around them.",
        show_default="forces",
        rich_help_panel=_AROUND,
    ),
]


SigmaOption = Annotated[
    str | None,
    _number("METRES", "miran: most of the route that may be skipped at once.", "30", PANEL),
]
SpacingOption = Annotated[
    str | None,
    _number("METRES", "miran: distance between candidates along the route.", "1", PANEL),
]
LookOption = Annotated[
    str | None,
    _number("METRES", "Walk so far before looking around again; 0: at every step.", "0", PANEL),
]


class Manner(NamedTuple):
    """How to walk.

    Attributes:
        method: the follower.
        wishes: keyword arguments of the follower; what the user left out has its default.
        discs: numbers of each dynamic obstacle: x, y, radius, and its velocity where it has one.
        output: file of the trajectory.
        wanted: which route to follow; None through a corridor.

    """

    method: Follower
    wishes: dict[str, Any]
    discs: list[tuple[float, ...]]
    output: str | None
    wanted: Wanted | None


def parse_manner(follow: Follower | None, given: dict[str, Any]) -> Manner | None:
    """Return how to walk; None without --follow.

    `given` has what was typed after the option of each name, None where it was left out.

    Raises:
        BadInput: an option of the walk without --follow, or of another follower.

    """
    named = {
        name: value
        for name, value in given.items()
        if value not in (None, []) and value is not False
    }
    if follow is None:
        _refuse_alone(named)
        return None
    _refuse_misfits(named, follow)
    output = named.pop("output", None)
    _check_output(output)
    discs = [_parse_disc(text) for text in named.pop("obstacle", [])]
    wanted = None if follow is Follower.CMM else _take_wanted(named)
    wishes = {name: _parse(name, value) for name, value in named.items()}
    return Manner(follow, wishes, discs, output, wanted)


def _take_wanted(named: dict[str, Any]) -> Wanted:
    """Take what is about the route out of the options."""
    file, method = named.pop("route", None), named.pop("route_method", None)
    improve, margin = not named.pop("no_improve", False), named.pop("margin", None)
    searched = {"route-method": method, "no-improve": not improve or None, "margin": margin}
    for option in (name for name, value in searched.items() if value is not None):
        if file is not None:
            raise BadInput(f"--{option} is for a route that is searched; leave it out with --route")
        if option == "margin" and not improve:
            raise BadInput("--margin is for an improved route; leave it out with --no-improve")
    preferences = parse_preferences(named.pop("prefer", None))
    room = parse_number(margin, "--margin")
    return Wanted(preferences, file, method, improve, margin=room)


def _refuse_alone(named: dict[str, Any]) -> None:
    if named:
        options = ", ".join(_option(name) for name in named)
        verb = "is" if len(named) == 1 else "are"
        fits = [follower for follower in Follower if _FITS[follower] >= set(named)]
        add = f"; add --follow {fits[0]}" if fits else ", each of another follower; see --follow"
        raise BadInput(f"{options} {verb} for a walk{add}")


def _refuse_misfits(named: dict[str, Any], follow: Follower) -> None:
    for name in named:
        if name not in _FITS[follow]:
            those = " or ".join(other for other in Follower if name in _FITS[other])
            raise BadInput(
                f"{_option(name)} is for --follow {those}; leave it out with --follow {follow}"
            )


def _parse(name: str, value: Any) -> Any:
    """Return a number as a number, and a choice or the seed as it is."""
    if isinstance(value, Avoid):
        return value.value
    return parse_number(value, _option(name)) if isinstance(value, str) else value


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parse_disc(text: str) -> tuple[float, ...]:
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
class Walked:
    """A walk, ready to be drawn and printed."""

    walk: Walk
    manner: Manner
    smap: SpaceMap | None = None  # where it is in three dimensions

    def draw(self, loaded: LoadedMap) -> Figure:
        """Return a picture of corridor, walk and obstacles."""
        from footway.plot import draw_roadmap, draw_walk

        if loaded.in_space is not None:
            return draw_roadmap(loaded.in_space.roadmap, path=self.walk)
        return draw_walk(loaded.corridors, self.walk, environment=loaded.environment)

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            **self.walk.to_dict(),
            "mean_speed": _mean_speed(self.walk),
            "obstacles": [_disc_facts(disc) for disc in self.walk.obstacles],
            "follow": {"method": self.manner.method.value, **self.manner.wishes},
            "output": self.manner.output,
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return what a person wants to know."""
        walk = self.walk
        yield f"Walk from {place(walk.start)} to {place(walk.goal)}"
        yield from facts([*self.rows(), ("time", times)])
        yield self._certificate()
        if walk.gap < 0:
            yield "Beware: an obstacle that moves runs into the character; see the gap."
        if self.manner.output is not None:
            yield f"Wrote {self.manner.output}"

    def rows(self) -> list[tuple[str, str]]:
        """Return names and values for a person."""
        walk = self.walk
        rows = [
            ("duration", f"{walk.duration:,.1f} s"),
            ("length", f"{walk.length:,.3f} m"),
            ("mean speed", f"{_mean_speed(walk):.2f} m/s"),
            ("clearance", f"{walk.clearance:.3f} m"),
        ]
        if walk.obstacles:
            rows.append(("gap", f"{walk.gap:.3f} m to {_those(walk.obstacles)}"))
        return [*rows, ("samples", f"{len(walk.points):,}, one every {walk.step:g} s")]

    def _certificate(self) -> str:
        walk, smap = self.walk, self.smap
        if smap is not None:
            return (
                f"Certified: {body_of(smap, walk.radius)} on this walk never runs into an "
                f"obstacle; {stays_of(smap, walk.clearance)}."
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


def ask_walk(loaded: LoadedMap, query: Query, manner: Manner, steps: Steps) -> Walked:
    """Walk through the corridor of a query, and write the trajectory where that was asked for.

    Twice: the first time loads the compiled kernels, the second is timed.
    """
    if loaded.in_space is not None:
        if manner.discs:
            raise BadInput("--obstacle is for maps in two dimensions; leave it out")
        check_query(loaded.in_space, query)
    discs = discs_of(manner)
    with steps.step("corridor", "Walking"):
        _walk(loaded, query, manner, discs)
    walk, seconds = _walk(loaded, query, manner, discs)
    steps.seconds |= seconds
    if manner.output is not None:
        write_trajectory(walk, manner.output)
    return Walked(walk, manner, loaded.in_space)


def _walk(
    loaded: LoadedMap, query: Query, manner: Manner, discs: Sequence[Disc]
) -> tuple[Walk, dict[str, float]]:
    """Return the walk, and the seconds of corridor and walk alone."""
    from footway.follow import cmm

    begin = time.perf_counter()
    corridor = loaded.corridors.corridor(query.start, query.goal, radius=query.radius)
    found = time.perf_counter()
    walk = cmm(corridor, obstacles=discs, **manner.wishes)
    return walk, {"corridor": found - begin, "walk": time.perf_counter() - found}


def discs_of(manner: Manner) -> list[Disc]:
    """Return the dynamic obstacles."""
    from footway.follow import Disc

    return [
        Disc(at=(x, y), radius=radius, velocity=tuple(velocity) or (0.0, 0.0))
        for x, y, radius, *velocity in manner.discs
    ]


def _those(discs: Sequence[Disc]) -> str:
    some = count(len(discs), "dynamic obstacle")
    return "the dynamic obstacle" if len(discs) == 1 else f"the nearest of {some}"


def _disc_facts(disc: Disc) -> dict[str, Any]:
    return {"at": list(disc.at), "radius": disc.radius, "velocity": list(disc.velocity)}


def _mean_speed(walk: Walk) -> float:
    """m/s; 0 for a walk to where one stands."""
    return walk.length / walk.duration if walk.duration > 0 else 0.0


def write_trajectory(walk: Walk, file: str) -> None:
    """Write a line for each sample, with all digits."""
    with whole_file(file) as part, part.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        axes = "xyz"[: walk.points.shape[1]]
        writer.writerow(("time", *axes, *(f"v{axis}" for axis in axes)))
        for when, at, velocity in zip(
            walk.times.tolist(), walk.points.tolist(), walk.velocities.tolist(), strict=True
        ):
            writer.writerow((round(when, 9), *at, *velocity))
