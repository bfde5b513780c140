"""Numbers and points on the command line, with messages that show what was typed."""

from __future__ import annotations

import typer


def parse_number(text: str | None, option: str) -> float | None:
    """Return the number that was given to an option; None where it was left out."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a number; give one such as 0.25", param_hint=f"'{option}'"
        ) from None


def parse_point(text: str, option: str) -> tuple[float, float]:
    """Return the point "X,Y" that was given to an option."""
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a point; give two numbers with a comma and no space, such as 2,3.5",
            param_hint=f"'{option}'",
        ) from None
    return x, y
