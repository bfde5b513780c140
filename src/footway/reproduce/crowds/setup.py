"""Sizes, checks and pictures that the experiments with crowds share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from footway.plot import layers, palette
from footway.plot.canvas import SIDE, WIDTH, add_line_key, draw_page_bar, new_canvases
from footway.plot.layers import draw_free_space
from footway.plot.people import People, draw_people
from footway.plot.shapes import free_space_of
from footway.reproduce.cmm.setup import RADIUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from footway.arrays import Floats
    from footway.crowd import Crowd
    from footway.environment import Environment
    from footway.plot.canvas import Box, Canvas
    from footway.plot.shapes import FreeSpace
    from footway.reproduce.crowds.groups import GroupWalk


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        crowds: numbers of characters in the city.
        beyond: the same in four cities side by side.
        warm: s of simulated time before the load is measured: until arrivals are steady.
        warm_beyond: the same for crowds of more than 10,000.
        measured: s of simulated time over which it is.
        wanderers: in the city.
        wandering: s that they are watched.
        each_direction: characters in each direction of the corridor.
    """

    crowds: tuple[int, ...] = (100, 1_000, 2_000, 5_000, 8_000, 10_000, 20_000, 30_000)
    beyond: tuple[int, ...] = (50_000, 100_000)
    warm: float = 600.0
    warm_beyond: float = 32.0
    measured: int = 20
    wanderers: int = 3_000
    wandering: float = 600.0
    each_direction: int = 200


FULL: Final = Effort()

QUICK: Final = Effort(
    crowds=(100, 1_000, 3_000), beyond=(), warm=2.0, warm_beyond=2.0, measured=2, wanderers=300,
    wandering=60.0, each_direction=40,
)  # fmt: skip

KEEP_RIGHT: Final = -0.4
"""k of F_perp: "biasing a character to the right" (section 5.1)."""
PRINTED_SHORTCUT: Final = 0.0
"""m. Characters walk to their attraction points, by F_a and F_perp as printed (section 5.1)."""
PRINTED_MODEL: Final = "helbing_molnar"
"""F_c as printed (section 4)."""

_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(crowd: Crowd, what: str) -> list[str]:
    """Return which characters are in a wall or stuck."""
    gap = crowd.map.clearance(crowd.positions) - crowd.radii
    wrong = [
        f"{what}: character {crowd.ids[k]} is {-gap[k]:.4f} m in a wall"
        for k in (gap < -_CLOSE).nonzero()[0]
    ]
    return wrong + [
        f"{what}: character {found.id} is stuck since {found.since:.1f} s ({found.cause})"
        for found in crowd.stuck
    ]


_SMALLEST: Final = 1.9  # points: diameter of a person that would be smaller


class Panel(NamedTuple):
    """One map: a group, and the times at which it is drawn."""

    caption: str
    details: str
    walk: GroupWalk
    shares: Sequence[float]  # of the walking time


def draw_groups(
    environment: Environment,
    view: Box,
    panels: Sequence[Panel],
    *,
    columns: int,
    title: str,
    details: str,
) -> Figure:
    """Return a picture with a map for each group, in the given number of columns."""
    captions = [(panel.caption, panel.details) for panel in panels]
    canvases = new_canvases(view, captions, columns=columns, title=title, details=details)
    free_space = free_space_of(environment)
    for canvas, panel in zip(canvases, panels, strict=True):
        _draw_group(canvas, free_space, panel)
    _draw_key(canvases[-1])
    draw_page_bar(canvases[-1])
    return canvases[0].figure


def _draw_group(canvas: Canvas, free_space: FreeSpace, panel: Panel) -> None:
    """Draw the corridor, and the group at some times."""
    walk = panel.walk
    draw_free_space(canvas, free_space)
    layers.draw_corridor(canvas, walk.corridor, free_space.walkable)
    layers.draw_backbone(canvas, walk.corridor)
    for share in panel.shares:
        frame = walk.frame_at(share)
        colour = palette.journey_colours()(share)
        draw_dots(canvas, walk.places[frame], np.array([colour[:3]] * walk.places.shape[1]))
        _write_time(canvas, walk.places[frame], f"{walk.times[frame]:.0f} s", colour)
    for end, face in ((walk.corridor.start, palette.HALO), (walk.corridor.goal, palette.INK)):
        canvas.axes.plot(*end, "o", ms=5.0, mfc=face, mec=palette.INK, mew=1.2, zorder=2.9)


def draw_dots(canvas: Canvas, places: Floats, colours: Floats) -> None:
    """Draw characters (n, 2) at their size, or at the smallest visible size."""
    radius = max(RADIUS, 0.5 * _SMALLEST * canvas.metres_per_point)
    draw_people(canvas, People(places, np.full(len(places), radius), colours))


def _write_time(canvas: Canvas, places: Floats, words: str, colour: Any) -> None:
    """Write the time above the centre of the group, or below it at the edge of the map."""
    margin = 12.0 * canvas.metres_per_point
    x = float(np.median(places[:, 0]))
    near = places[np.abs(places[:, 0] - x) <= margin, 1]
    low, high = near.min(), near.max()
    above = high + margin < canvas.view[3]
    canvas.axes.annotate(
        words, (x, float(high if above else low)), xytext=(0.0, 4.0 if above else -4.0),
        textcoords="offset points", fontsize=7, weight="bold", color=colour, ha="center",
        va="bottom" if above else "top", zorder=5.0,
        path_effects=[withStroke(linewidth=2.0, foreground=palette.HALO)],
    )  # fmt: skip


def _draw_key(canvas: Canvas) -> None:
    """Draw the key of the marks below the maps, on the left."""
    ring: dict[str, Any] = {"marker": "o", "lw": 0, "mec": palette.INK, "ms": 4.5}
    entries = {
        "corridor of the group": Patch(facecolor=palette.CORRIDOR, alpha=0.3),
        "backbone": Line2D([], [], color=palette.CORRIDOR, lw=0.8, dashes=(4.0, 2.5)),
        "start": Line2D([], [], mfc=palette.HALO, **ring),
        "goal": Line2D([], [], mfc=palette.INK, **ring),
        "the group, at some moments": Line2D(
            [], [], marker="o", lw=0, ms=3.0, color=palette.journey_colours()(0.5)
        ),
    }
    style: dict[str, Any] = {"handlelength": 1.6, "columnspacing": 1.4, "borderpad": None}
    at = (SIDE / WIDTH - 0.006, 0.006)
    add_line_key(canvas, entries, at, len(entries), loc="lower left", **style)
