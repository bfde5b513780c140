"""Draw why there is no path."""

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

_REASONS: Final = {
    "components": "no way at any radius",
    "pinch": "the way is too narrow",
    "no room": "the disc does not fit at one end",
    "blocked": "dynamic obstacles close the way",
}
"""Text in the picture by `NoPath.reason`."""


@contextmanager
def drawing_refusals(
    draw: Callable[[NoPath], Figure], plot: str | None, *, quiet: bool
) -> Iterator[None]:
    """Draw the reason of a NoPath error if a picture was requested, and raise the error again."""
    try:
        yield
    except NoPath as refusal:
        if plot is not None:
            write_plot(draw(refusal), plot)
            print_lines([] if quiet else [f"Wrote {plot}"])
        raise


def draw_refusal(
    cmap: CorridorMap,
    environment: Environment | None,
    start: Sequence[float],
    goal: Sequence[float],
    refusal: NoPath,
) -> Figure:
    """Draw start and goal, and the pinch if there is one."""
    from footway.plot import draw_no_path

    because = _REASONS[refusal.reason]
    if refusal.reason == "blocked" and not refusal.obstacles:  # a walk that made no progress
        because = "the walk comes no further"
    return draw_no_path(
        cmap,
        (start[0], start[1]),
        (goal[0], goal[1]),
        pinch=refusal.pinch,
        because=because,
        environment=environment,
    )
