"""Table I: environments and objects, and differences from the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.environment import Environment
from footway.reproduce.report import Section, Table
from footway.reproduce.roadmaps.setup import SETTINGS, roadmaps_of

if TYPE_CHECKING:
    from pathlib import Path

    from footway.reproduce.report import Cell
    from footway.reproduce.roadmaps.setup import Built, Effort

SOURCE: Final = "rrm-roadmaps-2006, section V.A and table I"


class Published(NamedTuple):
    """Published facts about an environment."""

    bounds: str
    robot: str
    cells: str
    objects: int  # geometric primitives


PUBLISHED: Final = {
    "field": Published("47 x 47", "1 x 1", "94 x 94", 16_000),
    "office": Published("80 x 80", "1 x 1 x 4", "160 x 160", 79_000),
    "house": Published("57 x 20 x 40", "3 x 3 x 3", "57 x 20 x 40", 1_000),
    "quake": Published("130 x 25 x 80", "1 x 1 x 1", "130 x 25 x 80", 4_000),
}
"""The second of three lengths is the height."""

DIFFERENCES: Final = {
    "field": "ten cones, two fences and four trees, as in the paper, in places of our own; the "
    "object is a disc of 1 m across",
    "office": "203 obstacles, desks counted with their chairs (the paper: more than 80 pieces of "
    "furniture), and doors of 0.9 to 1.2 m, so the object is a disc of 0.5 m across and not a box "
    "of 1 m",
    "office-fine": "the same with finer cells than the paper's, which leave all doors open",
    "house": "twelve rooms on two floors, as in the paper, in an arrangement of our own, with half "
    "as many free corners (GRM in table II): the paper's house is more open",
    "quake": "a level of our own with an atrium, bridges, ramps, shafts and eight areas around it, "
    "not the level of the game",
}


def run(effort: Effort, folder: Path) -> Section:
    """Describe the environments."""
    del folder  # no pictures
    built = [roadmaps_of(SETTINGS[name]) for name in effort.environments]
    columns = (
        *("", "size, paper", "size, ours, m", "object, paper", "object, ours, m"),
        *("cells, paper", "cells, ours", "free, ours, %", "primitives, paper", "ours"),
    )
    note = "What differs. " + " ".join(f"{b.name}: {DIFFERENCES[b.setting.slug]}." for b in built)
    note += " Sizes are x, y and z here; the paper gives the height second."
    return Section(
        "Table I: the environments",
        SOURCE,
        [Table("Environments and objects", columns, [_row(b) for b in built], note)],
    )


def _row(built: Built) -> tuple[Cell, ...]:
    published, setting = PUBLISHED[built.setting.name], built.setting
    space = built.roadmaps["GRM"].space
    bounds = built.environment.bounds
    half = len(bounds) // 2
    sides = [b - a for a, b in zip(bounds[:half], bounds[half:], strict=True)]
    box = " x ".join(f"{side:g}" for side in setting.size or ())
    cells = space.free.shape[::-1][:half]
    return (
        *(built.name, published.bounds, " x ".join(f"{side:g}" for side in sides)),
        *(published.robot, box or f"disc, {2 * setting.radius:g}"),
        *(published.cells, " x ".join(str(count) for count in cells)),
        100.0 * float(np.mean(space.free)),
        *(published.objects, _primitives(built)),
    )


def _primitives(built: Built) -> str:
    environment = built.environment
    if isinstance(environment, Environment):
        return f"{len(environment.walls.segments):,} walls"
    return f"{np.count_nonzero(environment.solid):,} voxels"
