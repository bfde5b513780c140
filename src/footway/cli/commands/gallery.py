"""`footway gallery`: the built-in maps."""

from __future__ import annotations

from typing import Any

from footway.cli.options import JsonOption
from footway.cli.reports import count, facts, print_json, print_lines


def gallery(*, json: JsonOption = False) -> None:
    """List the built-in maps.

    Use them as gallery:NAME for any MAP argument. They are modelled on the environments of the
    papers, and generated identically on every machine. Maps with three lengths are
    three-dimensional: `footway build --method` builds roadmaps of them.
    """
    from footway.environment import Volume
    from footway.environment import gallery as maps

    rows: list[dict[str, Any]] = []
    lines = []
    for name in maps.names():
        made = maps.make(name)
        half = len(made.bounds) // 2
        row = {"name": f"gallery:{name}", "bounds": list(made.bounds), "dimension": half}
        size = [b - a for a, b in zip(made.bounds[:half], made.bounds[half:], strict=True)]
        words = f"{' x '.join(f'{side:.0f}' for side in size)} m"
        if isinstance(made, Volume):
            row |= {"resolution": made.resolution, "free_volume": made.free_volume}
            free = f"{made.free_volume:9,.0f} m3 free, voxels of {made.resolution:g} m"
        else:
            row |= {"area": made.area, "holes": made.holes}
            free = f"{made.area:9,.0f} m2 walkable, {count(made.holes, 'hole')}"
        rows.append(row)
        lines.append((f"gallery:{name}", f"{words:<15} {free}"))
    buildings: list[Any] = [maps.make(name) for name in maps.buildings()]
    if json:
        listed = [
            {"name": made.name, "bounds": list(made.bounds), "floors": len(made.floors),
             "links": len(made.links), "area": made.area}
            for made in buildings
        ]  # fmt: skip
        print_json({"maps": rows, "buildings": listed})
        return
    for made in buildings:
        words = count(len(made.floors), "floor")
        free = f"{made.area:9,.0f} m2 walkable, {count(len(made.links), 'link')}"
        lines.append((made.name, f"{words:<15} {free}"))
    lines.append(("gallery:city:NxN", "N x N cities side by side, N up to 12"))
    print_lines(facts(lines))
