"""The environments of the experiments and their characters."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from footway.reproduce.questions import Question

if TYPE_CHECKING:
    from footway.corridor import Corridor, CorridorMap
    from footway.environment import Environment

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
