"""Parse numbers and points of the command line; errors quote the typed text."""

from __future__ import annotations

from typing import Final

import typer

from footway.errors import BadInput

_FASTEST: Final = 10_000.0  # times real time


def parse_number(text: str | None, option: str) -> float | None:
    """Return the number that was given to an option; None if it was omitted."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a number; give one such as 0.25", param_hint=f"'{option}'"
        ) from None


def check_speed(speed: float | None, option: str) -> None:
    """Check the speed of an animation, a multiple of real time."""
    if speed is not None and not 0.0 < speed <= _FASTEST:
        raise BadInput(f"{option} is {speed:g}; give 4 for four times real time")


def parse_point(text: str, option: str) -> tuple[float, float]:
    """Return the point "X,Y" that was given to an option."""
    advice = "give two numbers with a comma and no space, such as 2,3.5"
    if text.count(",") == 2:
        advice += "; in three dimensions build a roadmap first, with footway build --method"
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a point; {advice}", param_hint=f"'{option}'"
        ) from None
    return x, y


def parse_numbers(text: str | None, option: str, example: str) -> tuple[float, ...] | None:
    """Return the numbers that were given to an option, as many as in the example."""
    if text is None:
        return None
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != example.count(",") + 1:
        raise typer.BadParameter(
            f"{text!r} is not valid; give numbers with commas and no spaces, such as {example}",
            param_hint=f"'{option}'",
        )
    return numbers


def parse_place(text: str, option: str) -> tuple[float, ...]:
    """Return the point "X,Y" or "X,Y,Z" that was given to an option."""
    if text.count(",") == 2:
        numbers = parse_numbers(text, option, "2,3.5,1")
        assert numbers is not None
        return numbers
    return parse_point(text, option)
