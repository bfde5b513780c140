"""Options of the command line: how they are spelled, parsed and checked.

An option that several commands have is defined once, as an `Annotated` alias. Typer calls the
`parser` of an option with the typed text. Output files are checked before a long computation.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

import typer

from footway import plot as pictures
from footway.errors import BadFile, BadInput
from footway.formats.registry import name_formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Numbers: TypeAlias = Sequence[float]
Place: TypeAlias = Sequence[Any]
"""x, y in metres; then z, or the name of a floor, if they were typed."""

_FASTEST: Final = 10_000.0  # times real time


def option(
    words: str,
    *names: str,
    unit: str | None = None,
    default: str | bool = False,
    panel: str | None = None,
    parser: Callable[[str], Any] | None = None,
    **more: Any,
) -> Any:
    """Return an option of Typer.

    Args:
        words: the help text.
        names: as typed; by default the name of the parameter.
        unit: of the value, in the help.
        default: as shown in the help; the library applies it.
        panel: heading in the help.
        parser: converts the typed text; raises typer.BadParameter.
        more: passed on to Typer.
    """
    return typer.Option(
        *names, help=words, metavar=unit, show_default=default, rich_help_panel=panel,
        parser=parser, **more,
    )  # fmt: skip


def argument(unit: str, words: str) -> Any:
    """Return a positional argument; `unit` is its name in the help."""
    return typer.Argument(metavar=unit, help=words, show_default=False)


def flag(name: str, words: str) -> Any:
    """Return an option without a value."""
    return typer.Option(name, help=words)


def quantity(unit: str, words: str, default: str | bool = False, panel: str | None = None) -> Any:
    """Return an option for a number with a unit."""
    return option(words, unit=unit, default=default, panel=panel, parser=number)


def output_file(words: str, panel: str | None = None) -> Any:
    """Return the option -o."""
    return option(words, "-o", "--output", unit="FILE", panel=panel)


# -- parsers -------------------------------------------------------------------------------------


def number(text: str) -> float:
    """Parse a number."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number; give one such as 0.25") from None


def point(text: str, dimensions: tuple[int, ...] = (2,)) -> Numbers:
    """Parse "X,Y"."""
    numbers = _split(text)
    if len(numbers) not in dimensions:
        raise typer.BadParameter(not_a_point(text))
    return numbers


def position(text: str) -> Numbers:
    """Parse "X,Y" or "X,Y,Z"."""
    return point(text, (2, 3))


def place(text: str) -> Place:
    """Parse "X,Y", "X,Y,Z" or "X,Y,FLOOR"; the last part remains a text."""
    parts = text.split(",", 2)
    numbers = _split(",".join(parts[:2]))
    if len(numbers) != 2:
        raise typer.BadParameter(not_a_point(text))
    return (*numbers, *(part.strip() for part in parts[2:]))


def not_a_point(text: str) -> str:
    """Return the message for a point that is not "X,Y"."""
    advice = "give two numbers with a comma and no space, such as 2,3.5"
    if text.count(",") == 2:
        advice += "; in three dimensions build a roadmap first, with footway build --method, and "
        advice += "a floor is for the map of a building"
    return f"{text!r} is not a point; {advice}"


def heights(text: str) -> Numbers:
    """Parse "LOW,HIGH"."""
    return _exactly(text, "0.2,1.8")


def box_size(text: str) -> Numbers:
    """Parse "X,Y,Z"."""
    return _exactly(text, "3,3,3")


def mean_and_deviation(text: str) -> Numbers:
    """Parse "MEAN,DEVIATION"."""
    return _exactly(text, "1.34,0.26")


def two_points(text: str) -> Numbers:
    """Parse "X0,Y0,X1,Y1"."""
    return _exactly(text, "0,0,4,2.5")


class Obstacle(NamedTuple):
    """A dynamic obstacle: a disc, in m and m/s."""

    x: float
    y: float
    radius: float
    vx: float = 0.0
    vy: float = 0.0


def obstacle(text: str) -> Obstacle:
    """Parse "X,Y,R[,VX,VY]"."""
    numbers = _split(text)
    if len(numbers) not in (3, 5):
        raise typer.BadParameter(
            f"{text!r} is not a disc; give x, y and radius, such as 5,2.5,0.3, and the velocity "
            "of a moving one, such as 5,2.5,0.3,-1,0"
        )
    return Obstacle(*numbers)


class Weights(list[tuple[str, float]]):
    """Kinds of terrain and their weights."""


def weights(text: str) -> Weights:
    """Parse "KIND=WEIGHT[,KIND=WEIGHT]"."""
    found = Weights()
    for part in text.split(","):
        kind, _, weight = part.rpartition("=")
        try:
            found.append((kind.strip(), float(weight)))
        except ValueError:
            kind = ""
        if not kind.strip():
            raise typer.BadParameter(
                f"{part!r} is not a preference; give a kind of terrain and its weight, such as "
                "mud=40"
            )
    return found


def preferences(given: Iterable[Weights] | None) -> dict[str, float] | None:
    """Return the weights of all --prefer options; None without any."""
    found: dict[str, float] = {}
    for kind, weight in (pair for each in given or () for pair in each):
        if kind in found:
            raise BadInput(f"--prefer: {kind!r} has two weights; give it one")
        found[kind] = weight
    return found or None


class Parts(list[Any]):
    """Values between semicolons; None for an empty part."""


def places(text: str) -> Parts:
    """Parse "X,Y; X,Y; ..." or "X,Y,FLOOR; ..."; a floor remains a text."""
    parts = text.strip().rstrip(";").split(";")
    found = Parts()
    for part in parts:
        x_y, floor = part.strip().split(",", 2)[:2], part.strip().split(",", 2)[2:]
        at = _place_of_list(",".join(x_y) if floor else part.strip(), (2,))
        found.append((*at, *(name.strip() for name in floor)))
    return found


def targets(text: str) -> Parts:
    """Parse "X,Y[,Z]; ; ..."."""
    parts = (part.strip() for part in text.split(";"))
    return Parts(_place_of_list(part, (2, 3)) if part else None for part in parts)


def seconds(text: str) -> Parts:
    """Parse "S; S; ..."."""
    parts = (part.strip() for part in text.split(";"))
    return Parts(number(part) if part else None for part in parts)


def _place_of_list(text: str, counts: tuple[int, ...]) -> Numbers:
    numbers = _split(text)
    if len(numbers) not in counts:
        example = '"2,3; 9.5,4"' if counts == (2,) else '"2,3; ; 9.5,4,1.2"'
        raise typer.BadParameter(
            f"{text!r} is not a place; give numbers with commas, and semicolons between places, "
            f"such as {example}"
        )
    return numbers


def _split(text: str) -> tuple[float, ...]:
    """Return the numbers between commas; none if one of them is invalid."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return ()


def _exactly(text: str, example: str) -> Numbers:
    """Return as many numbers as in the example."""
    numbers = _split(text)
    if len(numbers) != example.count(",") + 1:
        raise typer.BadParameter(
            f"{text!r} is not valid; give numbers with commas and no spaces, such as {example}"
        )
    return numbers


# -- options of several commands -----------------------------------------------------------------

MapArgument = Annotated[
    str,
    argument(
        "MAP",
        f"A map file ({name_formats('plan')}; in three dimensions "
        f"{name_formats('mesh', 'volume')}), a saved .fwmap, or gallery:NAME.",
    ),
]
ScaleOption = Annotated[
    float | None,
    quantity(
        "METRES",
        "Metres per cell of a grid, per pixel of a PNG, per unit of GeoJSON, WKT and meshes.",
    ),
]
BetweenOption = Annotated[
    Numbers | None,
    option(
        "Make a plan of a three-dimensional map: obstacles between these two heights.",
        unit="LOW,HIGH",
        parser=heights,
    ),
]
UpOption = Annotated[
    str | None,
    option(
        "Axis of a mesh that points up.", unit="y|z", default="y in OBJ and glTF, z in PLY and STL"
    ),
]
JsonOption = Annotated[
    bool, flag("--json", "Print one JSON object on standard output, nothing else.")
]
PlotOption = Annotated[str | None, option("Draw a picture: .png, .svg or .pdf.", unit="FILE")]


class Source(NamedTuple):
    """The MAP argument and the options for loading it."""

    name: str
    scale: float | None = None
    between: Numbers | None = None
    up: str | None = None


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were typed: those that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def as_typed(name: str) -> str:
    """Return an option as it is typed, e.g. "--turn-rate" for "turn_rate"."""
    return f"--{name.replace('_', '-')}"


# -- output files --------------------------------------------------------------------------------


def check_writable(file: str) -> None:
    """Raise BadFile with the reason if a file certainly cannot be written."""
    path = Path(file)
    folder = path.parent
    try:
        if "\0" in file:
            raise BadFile(f"{file!r}: is not the name of a file")
        if path.is_dir():
            raise BadFile(f"{file}: is a directory; give the name of a file")
        if not folder.is_dir():
            raise BadFile(f"{file}: there is no folder {folder}; create it first")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise BadFile(f"{file}: is not writable; choose another place")
    except (OSError, ValueError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{file}: cannot be written: {error}") from error


def check_output(file: str | None, suffixes: Sequence[str], what: str) -> None:
    """Check the suffix of an output, e.g. of "a route", and that it can be written."""
    if file is not None:
        from footway.validation import named  # loads NumPy, which the help does not need

        named(file, what, *suffixes)
        check_writable(file)


def check_different(files: Iterable[str | None]) -> None:
    """Raise BadInput if two outputs are the same file: one would overwrite the other."""
    seen = set()
    for file in files:
        if file is None:
            continue
        path = os.path.realpath(file.replace("\0", ""))
        if path in seen:
            raise BadInput(f"{file}: two outputs have this name; give each its own")
        seen.add(path)


def check_plot(file: str | None) -> None:
    """Raise BadInput if a picture certainly cannot be written."""
    if file is not None:
        pictures.check_picture_file(file)
        check_writable(file)


def check_time_step(seconds: float) -> None:
    """Check the option --step of a simulation that is compared with measured people."""
    if not 0.001 <= seconds <= 0.2:
        raise BadInput(f"--step is {seconds:g}; give 0.001 to 0.2 s")


def check_animation(file: str | None, speed: float | None) -> None:
    """Check the file and the speed of an animation, a multiple of real time."""
    if file is not None:
        pictures.check_animation_file(file)
    if speed is not None and not 0.0 < speed <= _FASTEST:
        raise BadInput(f"--animate-speed is {speed:g}; give 4 for four times real time")


def prepare_folder(output: str) -> Path:
    """Create a writable folder for results before a long computation."""
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".footway"
        probe.touch()
        probe.unlink()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"{output}: cannot be written: {reason}") from error
    return folder
