"""Why there is no path, as a picture."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from footway.cli.files import write_plot
from footway.cli.output import print_lines
from footway.errors import NoPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

    from footway.corridor import CorridorMap
    from footway.environment import Environment

BECAUSE: Final = {
    "components": "no way at any radius",
    "pinch": "the way is too narrow",
    "no room": "the disc does not fit at one end",
    "blocked": "dynamic obstacles close the way",
}
"""What a picture says, by the reason why there is no path."""


@contextmanager
def refusal_drawn(
    draw: Callable[[NoPath], Figure], plot: str | None, *, quiet: bool
) -> Iterator[None]:
    """Draw why there is no path, where a picture was asked for, and pass the refusal on."""
    try:
        yield
    except NoPath as refusal:
        if plot is not None:
            write_plot(draw(refusal), plot)
            print_lines([] if quiet else [f"Wrote {plot}"])
        raise


def draw_why(
    cmap: CorridorMap,
    environment: Environment | None,
    start: Sequence[float],
    goal: Sequence[float],
    refusal: NoPath,
) -> Figure:
    """Return a picture of both ends, and of the pinch where there is one."""
    from footway.plot import draw_no_path

    return draw_no_path(
        cmap,
        (start[0], start[1]),
        (goal[0], goal[1]),
        pinch=refusal.pinch,
        because=_because(refusal),
        environment=environment,
    )


def _because(refusal: NoPath) -> str:
    """Say why in a few words; a walk may also come to a stop where nothing is in the way."""
    if refusal.reason == "blocked" and not refusal.obstacles:
        return "the walk comes no further"
    return BECAUSE[refusal.reason]
