"""`footway path` on a roadmap in three dimensions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footway.cli.output import facts, place
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.maps import LoadedMap
    from footway.cli.output import Steps
    from footway.cli.path import Query
    from footway.corridor.space_map import SpaceMap, SpacePath


def ask_in_space(smap: SpaceMap, query: Query, steps: Steps) -> InSpace:
    """Answer the query twice: the first time loads the compiled kernels, the second is timed."""
    start, goal, radius, clearance = query
    if clearance is not None:
        raise BadInput("--clearance is for maps in two dimensions; give a larger --radius")
    with steps.step("query", "Looking for the path"):
        smap.path(start, goal, radius=radius)
    begin = time.perf_counter()
    found = smap.path(start, goal, radius=radius)
    steps.seconds["query"] = time.perf_counter() - begin
    return InSpace(smap, found)


@dataclass(frozen=True)
class InSpace:
    """A path along a roadmap in three dimensions, ready to be drawn and printed."""

    smap: SpaceMap
    path: SpacePath

    def draw(self, loaded: LoadedMap) -> Figure:
        """Return a picture of the path on its roadmap, level by level."""
        from footway.io.picture import draw_roadmap

        del loaded
        return draw_roadmap(self.smap.roadmap, path=self.path)

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {**self.path.to_dict(), "wanted_clearance": None, "bottleneck": None}

    def as_text(self, times: str) -> Iterator[str]:
        """Return what a person wants to know."""
        found, space = self.path, self.smap.roadmap.space
        yield f"Path from {place(found.start)} to {place(found.goal)}"
        yield from facts(
            [
                ("length", f"{found.length:,.3f} m"),
                ("clearance", f"{found.clearance:.3f} m"),
                ("time", times),
            ]
        )
        box = " x ".join(f"{side:g}" for side in space.size)
        thing = f"ball of radius {space.radius:g} m" if space.radius else f"box of {box} m"
        yield f"Certified: a {thing} that follows this path never runs into an obstacle."
