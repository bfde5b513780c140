"""Queries of `footway path` and their results, ready to draw and print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.maps import LoadedMap
    from footway.corridor import Pinch
    from footway.corridor.building.path import BuildingPath
    from footway.corridor.path import TautPath
    from footway.roadmap.maps.space_map import SpaceMap, SpacePath

_METHODS: Final = {
    "shortest": "searching all corridors: no shorter path exists",
    "widened": "moving the shortest path away from walls",
    "backbone": "following the medial axis: the search for the shortest path gave up",
    "roadmap": "following the roadmap",
}

By: TypeAlias = Literal["length", "time"]
"""What is least of all sequences of links in a building."""


class Query(NamedTuple):
    """A path query, in metres."""

    start: opt.Place | None  # x, y; also z or the floor where the map has them
    goal: opt.Place | None
    radius: float | None  # None: the radius of the roadmap's object
    clearance: float | None
    by: By | None = None
    alternatives: int | None = None
    longer: float | None = None
    different: float | None = None


@dataclass(frozen=True)
class ShortestResult:
    """The shortest path and the bottleneck of the widest path, ready to draw and print."""

    query: Query
    path: TautPath
    pinch: Pinch
    loaded: LoadedMap

    def draw(self) -> Figure:
        """Return a picture of the path, its corridor and its pinch."""
        cmap, environment = self.loaded
        corridor = self.path.corridor
        return pictures.draw_path(
            cmap, self.path, corridor=corridor, pinch=self.pinch, environment=environment
        )

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            **self.path.to_dict(),
            "wanted_clearance": self.query.clearance,
            "bottleneck": reports.pinch_facts(self.pinch),
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        found = self.path
        yield f"Path {reports.ends(found)}"
        yield from reports.facts(
            [
                ("length", f"{found.length:,.3f} m"),
                ("clearance", f"{found.clearance:.3f} m"),
                ("turns", f"{found.turns}"),
                ("found by", _METHODS[found.method]),
                ("widest path", reports.widest(self.pinch, found)),
                ("time", times),
            ]
        )
        yield reports.certificate(found)


@dataclass(frozen=True)
class AlternativesResult:
    """Paths in different corridors, ready to draw and print."""

    query: Query
    paths: list[TautPath]
    loaded: LoadedMap

    def draw(self) -> Figure:
        """Return a picture of the paths, one colour each."""
        cmap, environment = self.loaded
        return pictures.draw_alternatives(cmap, self.paths, environment=environment)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        first = self.paths[0]
        return {
            "start": list(first.start),
            "goal": list(first.goal),
            "radius": first.radius,
            "wanted": self.query.alternatives,
            "longer": self.query.longer,
            "different": self.query.different,
            "paths": [path.to_dict() for path in self.paths],
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        first, count = self.paths[0], len(self.paths)
        paths = "path" if count == 1 else "paths in different corridors"
        yield f"{count} {paths} {reports.ends(first)}"
        rows = []
        for k, path in enumerate(self.paths, start=1):
            more = 100.0 * (path.length / max(first.length, 1e-9) - 1.0)
            text = f"{path.length:,.3f} m, {path.turns} turns"
            rows.append((f"path {k}", text if k == 1 else f"{text}, {more:.1f} % longer"))
        yield from reports.facts([*rows, ("time", times)])
        if count < (self.query.alternatives or 0):
            given = (("--longer", self.query.longer), ("--different", self.query.different))
            limits = " and ".join(name for name, value in given if value is not None)
            within = f" within the limit of {limits}" if limits else ""
            yield f"There are no others without a loop{within}."
        yield (
            f"Certified: a disc of radius {first.radius:g} m that follows one of these paths "
            "crosses no wall; each is the shortest path in its corridor."
        )


@dataclass(frozen=True)
class SpaceResult:
    """A path along a roadmap in three dimensions, ready to draw and print."""

    smap: SpaceMap
    path: SpacePath

    def draw(self) -> Figure:
        """Draw the path on its roadmap, level by level."""
        return pictures.draw_roadmap(self.smap.roadmap, path=self.path)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**self.path.to_dict(), "wanted_clearance": None, "bottleneck": None}

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        found = self.path
        whose = "centre" if self.smap.radius else "box"
        yield f"Path {reports.ends(found)}"
        yield from reports.facts(
            [
                ("length", f"{found.length:,.3f} m"),
                ("clearance", f"{found.clearance:.3f} m, of the {whose}"),
                ("time", times),
            ]
        )
        where = "that follows this path"
        yield reports.certificate_in_space(self.smap, found.radius, found.clearance, where)


@dataclass(frozen=True)
class BuildingResult:
    """The best path through a building and its bottleneck, ready to draw and print."""

    path: BuildingPath
    pinch: Pinch
    loaded: LoadedMap
    others: tuple[BuildingPath, ...] = ()  # with different links, the best first

    def draw(self) -> Figure:
        """Draw the path through the floors in axonometry."""
        return pictures.draw_building(self.loaded.corridors, path=self.path, style="axonometry")

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            **self.path.to_dict(),
            "wanted_clearance": None,
            "bottleneck": reports.pinch_facts(self.pinch) | {"where": self.pinch.where},
            "alternatives": [path.to_dict() for path in self.others],
        }

    def as_text(self, times: str) -> Iterator[str]:
        """Return the lines to print."""
        found = self.path
        yield f"Path {reports.ends(found)}, on floors {', '.join(found.floors)}"
        links = ", ".join(found.links) or "none"
        length = f"{found.length:,.3f} m along the slope, {found.plan_length:,.3f} m in plan"
        yield from reports.facts([
            ("length", length),
            ("duration", f"{found.seconds:,.1f} s, with the speeds of the links"),
            ("clearance", f"{found.clearance:.3f} m in plan"),
            ("links", f"{links}; chosen by {found.by}"),
            ("widest path", reports.widest(self.pinch, found)),
            ("time", times),
        ])  # fmt: skip
        for path in self.others:
            links = ", ".join(path.links) or "none"
            yield f"  or {path.length:,.3f} m in {path.seconds:,.1f} s, by the links {links}"
        yield reports.certificate(found)
