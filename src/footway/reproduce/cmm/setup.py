"""Scenes, sizes, checks and pictures that the experiments with the Corridor Map Method share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from footway.plot import draw_panels, save_picture
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from footway.corridor import Corridor, CorridorMap
    from footway.environment import Environment
    from footway.follow import Walk
    from footway.plot import Panel


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        rounds: of a batch of queries.
        single_rounds: of a single query, which takes less than a millisecond.
        queries: random queries of batch 1.
        discs: numbers of dynamic obstacles of batch 2.
        placements: of ten dynamic obstacles, to count how often a walk gets through.
        city_queries: random queries in the city.
        variations: random walks through one corridor.
    """

    rounds: int = 9
    single_rounds: int = 51
    queries: int = 100
    discs: tuple[int, ...] = tuple(range(11))
    placements: int = 40
    city_queries: int = 10_000
    variations: int = 100


FULL: Final = Effort()

QUICK: Final = Effort(
    rounds=1, single_rounds=3, queries=10, discs=(0, 5, 10), placements=4, city_queries=30,
    variations=20,
)  # fmt: skip

RADIUS: Final = 0.25
"""m. Of a pedestrian (cmm-crowds-2008, section 5.1)."""

LONG: Final = {
    "game": Question((3.0, 12.0), (97.0, 62.0)),
    "field": Question((2.5, 45.5), (44.0, 3.0)),
}
"""The one query of batches 2 and 3 in each environment: from end to end."""


class Scene(NamedTuple):
    """An environment of the gallery and its map."""

    name: str
    environment: Environment
    cmap: CorridorMap

    def corridor(self, question: Question) -> Corridor:
        """Return the corridor of a query for a pedestrian."""
        return self.cmap.corridor(question.start, question.goal, radius=RADIUS)


@cache
def scene(name: str) -> Scene:
    """Return game, field or city, built once."""
    from footway.corridor import CorridorMap
    from footway.environment import gallery

    environment = gallery.make(name)
    return Scene(name, environment, CorridorMap.build(environment))


_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(walks: Iterable[Walk], what: str) -> list[str]:
    """Return which walks do not arrive, touch a wall or touch a dynamic obstacle."""
    return [f"{what}, walk {k}: {words}" for k, walk in enumerate(walks) for words in _of(walk)]


def _of(walk: Walk) -> Iterator[str]:
    missing = math.dist(walk.points[-1].tolist(), walk.corridor.goal)
    if missing > _CLOSE:
        yield f"stops {missing:.3g} m before its goal"
    if walk.clearance < walk.radius - _CLOSE:
        yield f"{walk.clearance:.4f} m from a wall, with a radius of {walk.radius:g} m"
    if walk.gap < -_CLOSE:
        yield f"{-walk.gap:.4f} m into a dynamic obstacle"


def verdict(walks: Sequence[Walk]) -> str:
    """Describe how many walks arrive, and the least distances of their discs."""
    clearance = min(walk.clearance - walk.radius for walk in walks)
    words = f"{len(walks):,} walks arrive, {clearance:.3f} m or more between disc and wall"
    gap = min(walk.gap for walk in walks)
    return f"{words}, {gap:.3f} m or more between disc and obstacle" if gap < math.inf else words


def draw_figure(
    number: int, place: Scene, panels: Sequence[Panel], *, title: str, folder: Path
) -> Picture:
    """Draw a figure of cmm-2007, and write it to a folder."""
    drawn = draw_panels(
        place.cmap,
        panels,
        title=title,
        details=f"cmm-2007, figure {number}  ·  radius {RADIUS:g} m",
        environment=place.environment,
    )
    file = f"cmm-figure-{number}.png"
    save_picture(drawn, folder / file)
    return Picture(file, f"Figure {number}. {title}")
