"""Parse the stops of a camera tour: positions, dwell times and view targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.parsing import parse_number
from footway.errors import BadInput

if TYPE_CHECKING:
    from footway.camera import Stop

_PANEL: Final = "Stops"


def _option(unit: str, words: str, default: str | bool = False) -> Any:
    return typer.Option(metavar=unit, help=words, show_default=default, rich_help_panel=_PANEL)


StopsOption = Annotated[
    str | None, _option('"X,Y; X,Y; ..."', "Positions of the stops, metres; two or more.")
]
DwellOption = Annotated[
    str | None,
    _option(
        'SECONDS | "S; S; ..."',
        "Dwell time, turned to the target: one number for every stop, or one for each. "
        "The time to turn is added.",
        "0: pass without stopping",
    ),
]
LookOption = Annotated[
    str | None,
    _option(
        '"X,Y[,Z]; ; ..."',
        "View target during the dwell time, one for each stop; empty for none.",
    ),
]


def parse_stops(stops: str, dwell: str | None, look_at: str | None) -> list[Stop]:
    """Return the stops of a tour.

    Raises:
        BadInput: the number of dwell times or targets is not the number of stops.

    """
    from footway.camera import Stop

    places = [_parse_place(text, "--stops", (2,)) for text in _parts(stops.strip().rstrip(";"))]
    seconds = _for_each(dwell, "--dwell", len(places), spread=True)
    things = _for_each(look_at, "--look-at", len(places))
    return [
        Stop(
            (place[0], place[1]),
            dwell=parse_number(wait, "--dwell") or 0.0,
            look_at=_parse_place(thing, "--look-at", (2, 3)) if thing else None,
        )
        for place, wait, thing in zip(places, seconds, things, strict=True)
    ]


def _parts(text: str) -> list[str]:
    """Split at semicolons."""
    return [part.strip() for part in text.split(";")]


def _for_each(
    text: str | None, option: str, count: int, *, spread: bool = False
) -> list[str | None]:
    """Return one part for each stop, None for an empty one."""
    if text is None:
        return [None] * count
    parts = _parts(text)
    if len(parts) == count + 1 and not parts[-1]:
        parts.pop()  # after a trailing semicolon
    if spread and len(parts) == 1:
        return [parts[0]] * count
    if len(parts) != count:
        many = f"{len(parts)} part{'' if len(parts) == 1 else 's'}"
        example = ";".join(["3", "", "5", *[""] * count][:count])
        hint = f"one for each, such as {example!r}" if spread else "one for each, empty for nothing"
        raise BadInput(f"{option} has {many} and there are {count} stops; give {hint}")
    return [part or None for part in parts]


def _parse_place(text: str, option: str, counts: tuple[int, ...]) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in counts:
        example = '"2,3; 9.5,4"' if counts == (2,) else '"2,3; ; 9.5,4,1.2"'
        raise typer.BadParameter(
            f"{text!r} is not a place; give numbers with commas, and semicolons between places, "
            f"such as {example}",
            param_hint=f"'{option}'",
        )
    return numbers
