"""`footway path` on a roadmap in three dimensions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footway.cli.output import facts, place
from footway.errors import BadInput, BadQuery

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.maps import LoadedMap
    from footway.cli.output import Steps
    from footway.cli.path import Query
    from footway.corridor.space_map import SpaceMap, SpacePath


def ask_in_space(smap: SpaceMap, query: Query, steps: Steps) -> InSpace:
    """Answer the query twice: the first time loads the compiled kernels, the second is timed."""
    check_query(smap, query)
    start, goal, radius, _ = query
    with steps.step("query", "Looking for the path"):
        smap.path(start, goal, radius=radius)
    begin = time.perf_counter()
    found = smap.path(start, goal, radius=radius)
    steps.seconds["query"] = time.perf_counter() - begin
    return InSpace(smap, found)


def check_query(smap: SpaceMap, query: Query) -> None:
    """Say what cannot be asked in three dimensions, and where a point is that is in no free place.

    Raises:
        BadInput: --clearance, or --radius where the object is a box.
        BadQuery: a start or goal outside the map, in an obstacle or in a fake one.

    """
    if query.clearance is not None:
        raise BadInput("--clearance is for maps in two dimensions; give a larger --radius")
    if query.radius is not None and not smap.radius:
        raise BadInput(f"--radius is for a ball, and here {body_of(smap)} moves; leave it out")
    for option, point in (("--start", query.start), ("--goal", query.goal)):
        _check_end(smap, option, point)


def _check_end(smap: SpaceMap, option: str, point: tuple[float, ...]) -> None:
    import numpy as np  # heavy, and help should be fast

    low, high = smap.bounds[:3], smap.bounds[3:]
    what = f"{option}: {place(point)}"
    if not all(a <= at <= b for a, at, b in zip(low, point, high, strict=True)):
        raise BadQuery(
            f"{what} is outside the map, which reaches from {place(low)} to {place(high)}"
        )
    space = smap.roadmap.in_effect.space
    if space.lines_are_free([point], [point])[0]:
        return
    real = not smap.roadmap.space.lines_are_free([point], [point])[0]
    free = space.positions(space.corners)
    nearest = free[np.argmin(np.linalg.norm(free - point, axis=1))]
    raise BadQuery(
        f"{what} is in {'an' if real else 'a fake'} obstacle, or too near to it for "
        f"{body_of(smap)}; the nearest free place is {place(tuple(nearest.tolist()))}"
    )


def body_of(smap: SpaceMap, radius: float = 0.0) -> str:
    """Say what moves: a ball of the object's radius, or of a larger one; or a box."""
    if smap.radius:
        return f"a ball of radius {max(radius, smap.radius):g} m"
    return f"a box of {' x '.join(f'{side:g}' for side in smap.roadmap.space.size)} m"


def stays_of(smap: SpaceMap, clearance: float) -> str:
    """Say how far from obstacles it stays: of a ball the centre, of a box the box itself."""
    return f"{'its centre' if smap.radius else 'it'} stays {clearance:.3f} m or more from each"


@dataclass(frozen=True)
class InSpace:
    """A path along a roadmap in three dimensions, ready to be drawn and printed."""

    smap: SpaceMap
    path: SpacePath

    def draw(self, loaded: LoadedMap) -> Figure:
        """Return a picture of the path on its roadmap, level by level."""
        from footway.plot import draw_roadmap

        del loaded
        return draw_roadmap(self.smap.roadmap, path=self.path)

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {**self.path.to_dict(), "wanted_clearance": None, "bottleneck": None}

    def as_text(self, times: str) -> Iterator[str]:
        """Return what a person wants to know."""
        found = self.path
        whose = "centre" if self.smap.radius else "box"
        yield f"Path from {place(found.start)} to {place(found.goal)}"
        yield from facts(
            [
                ("length", f"{found.length:,.3f} m"),
                ("clearance", f"{found.clearance:.3f} m, of the {whose}"),
                ("time", times),
            ]
        )
        yield (
            f"Certified: {body_of(self.smap, found.radius)} that follows this path never runs into "
            f"an obstacle; {stays_of(self.smap, found.clearance)}."
        )
