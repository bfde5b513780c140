"""Wanderers use long dead ends, not short ones (cmm-crowds-2008, section 5.2)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from scipy.spatial import KDTree

from footway.crowd import Crowd
from footway.crowd.tracks import edges_of_wanderers
from footway.plot import draw_density, palette, save_picture
from footway.reproduce.claims import stated
from footway.reproduce.cmm.setup import RADIUS, scene
from footway.reproduce.crowds.setup import faults
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.crowd import Recording
    from footway.reproduce.crowds.setup import Effort
    from footway.reproduce.report import Cell


SOURCE: Final = "cmm-crowds-2008, section 5.2"

SEED: Final = 52
EVERY: Final = 20
"""Steps between two observations, 2 s."""
WARM: Final = 60.0
"""s. Time after which all characters have left their start positions, some of them in corners."""
CLOSE: Final = 1.0
"""m. A character this close to a corner has walked into it."""

FILE: Final = "crowds-wandering.png"


class Ends(NamedTuple):
    """Ends of dead ends."""

    long: Floats  # (n, 2) m
    clearance: Floats  # (n,) m
    short: Floats  # (k, 2) m: corners


def run(effort: Effort, folder: Path) -> Section:
    """Simulate wanderers, and draw where they were."""
    place = scene("city")
    crowd = Crowd(place.cmap, seed=SEED, threads=1)
    crowd.add(effort.wanderers, radius=RADIUS, behaviour="wander", name="wanderers")
    crowd.step(round(WARM / crowd.dt))
    cpu = time.process_time()
    recording = crowd.run(seconds=effort.wandering, every=EVERY)
    load = 100.0 * (time.process_time() - cpu) / effort.wandering
    ends = dead_ends(place.cmap)
    figure = draw_density(place.cmap, recording, environment=place.environment)
    seen = KDTree(recording.positions)
    visits = seen.query_ball_point(ends.long, ends.clearance, return_length=True)
    corners = seen.query_ball_point(ends.short, CLOSE, return_length=True)
    _draw_ends(figure, ends.long)
    save_picture(figure, folder / FILE)
    caption = f"Wanderers in the city, mean over {effort.wandering / 60.0:g} minutes"
    return Section(
        "Wandering",
        SOURCE,
        [_table(visits, corners, recording, load, effort)],
        [Picture(FILE, caption)],
        checked="nobody is in a wall and nobody is stuck.",
        wrong=faults(crowd, "wanderers"),
        claims=[
            stated(SOURCE, "characters walk to the end of long dead ends",
                   f"{(visits > 0).sum()} of {len(visits)}", held=(visits > 0).mean() >= 0.95),
            stated(SOURCE, "short dead ends are not entered",
                   f"{(corners > 0).sum()} of {len(corners)}", held=(corners > 0).mean() <= 0.05),
        ] if effort.wandering >= 300.0 else (),
    )  # fmt: skip


def dead_ends(cmap: CorridorMap) -> Ends:
    """Return the ends of the dead ends that wanderers use, and of those that were removed."""
    index = cmap.solver.index
    all_edges, used = (
        np.bincount(index.graph.edges[chosen].ravel(), minlength=len(cmap.vertices))
        for chosen in (slice(None), edges_of_wanderers(index))
    )
    clearance = cmap.clearance(cmap.vertices)
    long = (used == 1) & (clearance > RADIUS)
    return Ends(cmap.vertices[long], clearance[long], cmap.vertices[(all_edges == 1) & (used == 0)])


def _table(visits: Ints, corners: Ints, recording: Recording, load: float, effort: Effort) -> Table:
    rows: list[tuple[Cell, ...]] = [
        ("wanderers", effort.wanderers),
        ("simulated, s", effort.wandering),
        ("long dead ends", len(visits)),
        ("of them visited to the end", int((visits > 0).sum())),
        ("persons in one, mean", float(visits.mean() / recording.n_frames)),
        ("short dead ends, into corners", len(corners)),
        ("of them visited to the end", int((corners > 0).sum())),
        ("CPU load, one core, %", load),
    ]
    note = (
        "A long dead end is visited when a character is in the largest ball around its last "
        f"vertex, a short one when a character is within {CLOSE:g} m of its end. Observed every "
        f"{recording.times[1] - recording.times[0]:g} s."
    )
    return Table("Wandering in the city", ("", "ours"), rows, note)


def _draw_ends(figure: Figure, places: Floats) -> None:
    """Draw a ring around the end of every long dead end, and its key."""
    style: dict[str, Any] = {"ms": 5.0, "mfc": "none", "mec": palette.CORRIDOR, "mew": 0.9}
    figure.axes[0].plot(*places.T, "o", zorder=4.0, **style)
    figure.legend(
        [Line2D([], [], marker="o", lw=0, **style)], ["end of a long dead end"], loc="lower left",
        bbox_to_anchor=(0.52, 0.028), frameon=False, fontsize=7, labelcolor=palette.MUTED,
        handletextpad=0.1,
    )  # fmt: skip
