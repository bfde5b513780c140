"""Points on the command line."""

from __future__ import annotations

import typer


def parse_point(text: str, option: str) -> tuple[float, float]:
    """Return the point in "X,Y", as it was given to an option."""
    parts = text.split(",")
    try:
        x, y = (float(part) for part in parts)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a point; give two numbers with a comma and no space, such as 2,3.5",
            param_hint=f"'{option}'",
        ) from None
    return x, y
