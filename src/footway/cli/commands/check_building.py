"""`footway check` of a building: floors, repairs, links and the narrowest passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footway.cli import reports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.corridor import Pinch
    from footway.corridor.building.map import BuildingMap
    from footway.environment import Building


def building_facts(cmap: BuildingMap, narrow: Sequence[Pinch]) -> dict[str, Any]:
    """Return what a check found, for JSON."""
    building = cmap.building
    return {
        "name": building.name,
        "bounds": list(building.bounds),
        "area": building.area,
        "components": cmap.n_components,
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "floors": [
            {
                "name": floor.name,
                "elevation": floor.elevation,
                "area": floor.environment.area,
                "areas": [area.name for area in floor.environment.areas],
                "repairs": [
                    {"kind": repair.kind, "at": list(repair.at), "detail": repair.detail}
                    for repair in floor.environment.repairs
                ],
            }
            for floor in building.floors
        ],
        "links": [
            {"name": link.name, "kind": link.kind, "floors": [p.floor for p in link.portals]}
            for link in building.links
        ],
        "traps": building.traps(),
        "passages": [reports.pinch_facts(pinch) | {"where": pinch.where} for pinch in narrow],
    }


def building_lines(cmap: BuildingMap, narrow: Sequence[Pinch], times: str) -> Iterator[str]:
    """Yield what a check found, line by line."""
    building = cmap.building
    connected = ", all connected" if cmap.n_components == 1 else ""
    yield from reports.facts([
        ("walkable", f"{building.area:,.1f} m2 on {reports.count(len(building.floors), 'floor')}"),
        ("components", f"{cmap.n_components:,}{connected}; lifts join components"),
        ("time", times),
    ])  # fmt: skip
    for floor in building.floors:
        yield f"{floor}: {floor.elevation:g} m, {floor.environment.area:,.1f} m2"
        for repair in floor.environment.repairs:
            yield f"  {repair}"
    yield from _link_lines(building)
    for trap in building.traps():
        yield f"Looks wrong: {trap}"
    if narrow:
        yield "Narrowest passages:"
    for pinch in narrow:
        yield f"  {pinch.width:8.3f} m wide at {reports.place(pinch.at)} on {pinch.where}"


def _link_lines(building: Building) -> Iterator[str]:
    for link in building.links:
        width = min(
            float(((p.a[0] - p.b[0]) ** 2 + (p.a[1] - p.b[1]) ** 2) ** 0.5) for p in link.portals
        )
        floors = ", ".join(repr(portal.floor) for portal in link.portals)
        yield f"{link}: floors {floors}, {width:.2f} m wide"
