"""`footway path` in a building: print and draw a path over floors and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footway import plot as pictures
from footway.cli import reports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from footway.cli.maps import LoadedMap
    from footway.corridor import Pinch
    from footway.corridor.building.path import BuildingPath


@dataclass(frozen=True)
class ClimbResult:
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
