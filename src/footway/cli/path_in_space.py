"""`footway path` on a roadmap in three dimensions."""

from __future__ import annotations

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
    from footway.roadmap.space_map import SpaceMap, SpacePath


def find_path_in_space(smap: SpaceMap, query: Query, steps: Steps) -> SpaceResult:
    """Find the path of a query on a roadmap in three dimensions."""
    check_query(smap, query)
    with steps.step("query", "Searching the path"):
        found = smap.path(query.start, query.goal, radius=query.radius)
    return SpaceResult(smap, found)


def check_query(smap: SpaceMap, query: Query) -> None:
    """Check a query in three dimensions.

    Raises:
        BadInput: --clearance was given, or --radius although the object is a box.
        BadQuery: start or goal is outside the map, in an obstacle or in a fake obstacle.

    """
    if query.clearance is not None:
        raise BadInput("--clearance is for maps in two dimensions; give a larger --radius")
    if query.radius is not None and not smap.radius:
        raise BadInput(
            f"--radius is for a ball, and here {describe_object(smap)} moves; leave it out"
        )
    for option, point in (("--start", query.start), ("--goal", query.goal)):
        _check_end(smap, option, point)


def _check_end(smap: SpaceMap, option: str, point: tuple[float, ...]) -> None:
    import numpy as np  # slow to import: --help does not need it

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
        f"{describe_object(smap)}; the nearest free place is {place(tuple(nearest.tolist()))}"
    )


def describe_object(smap: SpaceMap, radius: float = 0.0) -> str:
    """Describe the moving object: a ball of at least the object's radius, or a box."""
    if smap.radius:
        return f"a ball of radius {max(radius, smap.radius):g} m"
    return f"a box of {' x '.join(f'{side:g}' for side in smap.roadmap.space.size)} m"


def describe_clearance(smap: SpaceMap, clearance: float) -> str:
    """Describe the distance to obstacles: of the centre of a ball, or of a box itself."""
    return f"{'its centre' if smap.radius else 'it'} stays {clearance:.3f} m or more from each"


@dataclass(frozen=True)
class SpaceResult:
    """A path along a roadmap in three dimensions, ready to draw and print."""

    smap: SpaceMap
    path: SpacePath

    def draw(self, loaded: LoadedMap) -> Figure:
        """Draw the path on its roadmap, level by level."""
        from footway.plot import draw_roadmap

        del loaded
        return draw_roadmap(self.smap.roadmap, path=self.path)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**self.path.to_dict(), "wanted_clearance": None, "bottleneck": None}

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
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
            f"Certified: {describe_object(self.smap, found.radius)} that follows this path never "
            f"runs into an obstacle; {describe_clearance(self.smap, found.clearance)}."
        )
