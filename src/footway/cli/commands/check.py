"""`footway check`: list the repairs and the narrowest passages of a map."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports
from footway.cli.maps import build_map, load_plan_or_building
from footway.cli.progress import timed_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.corridor import CorridorMap, Pinch
    from footway.corridor.building.map import BuildingMap
    from footway.environment import Environment

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway check plan.geojson\n\n"
    "  footway check plan.geojson --plot repairs.png\n\n"
    "  footway check level.map --scale 0.5 --passages 20 --json\n\n"
    "  footway check house.obj --between 0.2,1.8"
)

_MOST_PARTS: Final = 5  # listed areas
_LARGE: Final = 20_000.0  # m; a longer map is probably not in metres
_SMALL: Final = 1.0  # m; likewise a map that is shorter
_WIDE: Final = 100.0  # m; likewise if every passage is wider
_MORE: Final = 1000  # further passages that are compared with the last one listed


def check(
    map_name: opt.MapArgument,
    *,
    passages: Annotated[
        int, typer.Option(metavar="N", min=0, help="Number of narrow passages to list.")
    ] = 5,
    between: opt.BetweenOption = None,
    up: opt.UpOption = None,
    scale: opt.ScaleOption = None,
    json: opt.JsonOption = False,
    plot: opt.PlotOption = None,
) -> None:
    """List the repairs, parts and narrowest passages of a map.

    With --plot, each repair is drawn with its number in the list. Of many repairs of one kind that
    change no shape, only the first is listed and drawn.
    """
    opt.check_plot(plot)
    with timed_steps() as steps:
        environment = load_plan_or_building(opt.Source(map_name, scale, between, up), steps)
        cmap = build_map(environment, steps).corridors
        if hasattr(environment, "floors"):
            _check_building(map_name, cmap, passages, plot, steps, json=json)
            return
        narrow = cmap.passages(passages + _MORE)
        narrow, others = narrow[:passages], narrow[passages:]
        doubts = _doubts(environment, [*narrow, *others])
        reports.draw(
            lambda: pictures.draw_check(environment, cmap=cmap, passages=narrow), plot, steps
        )
    if json:
        answer = {"map": map_name, **_as_json(cmap, environment, narrow)}
        reports.print_json(answer | {"times_ms": steps.in_ms(), "doubts": doubts, "plot": plot})
        return
    reports.print_lines([f"Check of {map_name}"])
    reports.print_lines(_as_text(cmap, environment, narrow, steps.as_text()))
    alike = sum(pinch.width < narrow[-1].width + 1e-3 for pinch in others) if narrow else 0
    if alike:
        total = len(narrow) + alike
        reports.print_lines([f"  and {alike} more of this width: --passages {total} lists them"])
    reports.print_lines(f"Looks wrong: {doubt}" for doubt in doubts)
    reports.print_written(plot)


def _check_building(
    map_name: str, cmap: Any, passages: int, plot: str | None, steps: Any, *, json: bool
) -> None:
    narrow = cmap.passages(passages)
    reports.draw(lambda: pictures.draw_building(cmap, passages=narrow), plot, steps)
    if json:
        answer = {"map": map_name, **_building_json(cmap, narrow)}
        reports.print_json(answer | {"times_ms": steps.in_ms(), "plot": plot})
        return
    reports.print_lines([f"Check of {map_name}"])
    reports.print_lines(_building_text(cmap, narrow, steps.as_text()))
    reports.print_written(plot)


def _doubts(environment: Environment, passages: Sequence[Pinch]) -> list[str]:
    """Return what suggests that the map is not in metres, or that its areas are wrong."""
    x0, y0, x1, y1 = environment.bounds
    side = max(x1 - x0, y1 - y0)
    advice = "if the unit is not the metre, give --scale, such as 0.001 for millimetres"
    found = []
    if side > _LARGE or side < _SMALL:
        found = [f"the longer side of the map is {side:,.{0 if side > 10 else 3}f} m: {advice}"]
    elif passages and passages[0].width > _WIDE:
        found = [f"the narrowest passage is {passages[0].width:,.0f} m wide: {advice}"]
    found += [
        f"the area {area.name!r} is outside of the walkable space"
        for area in environment.areas
        if not area.polygon.intersection(environment.walkable).area
    ]
    names = Counter(area.name for area in environment.areas)
    return found + [
        f"{n} areas are called {name!r}: they are taken as one"
        for name, n in names.items()
        if n > 1
    ]


def _as_json(
    cmap: CorridorMap, environment: Environment, narrow: Sequence[Pinch]
) -> dict[str, Any]:
    return {
        "name": environment.name,
        "bounds": list(environment.bounds),
        "area": environment.area,
        "parts": _part_areas(environment),
        "holes": environment.holes,
        "components": cmap.n_components,
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "areas": [area.name for area in environment.areas],
        "terrain": sorted({region.kind for region in environment.terrain}),
        "repairs": reports.repair_facts(environment),
        "passages": [reports.pinch_facts(pinch) for pinch in narrow],
    }


def _as_text(
    cmap: CorridorMap, environment: Environment, narrow: Sequence[Pinch], times: str
) -> Iterator[str]:
    from footway.environment.repair import repairs_to_list

    x0, y0, x1, y1 = environment.bounds
    parts, components = _part_areas(environment), cmap.n_components
    walkable = f"{environment.area:,.1f} m2"
    if len(parts) > 1:
        more = ", ..." if len(parts) > _MOST_PARTS else ""
        listed = ", ".join(f"{area:,.1f}" for area in parts[:_MOST_PARTS])
        walkable += f" in {len(parts):,} polygons ({listed}{more})"
    connected = ", all connected" if components == 1 else ", with no path between them"
    rows = [
        ("size", f"{x1 - x0:,.2f} x {y1 - y0:,.2f} m, from {reports.place((x0, y0))}"),
        ("walkable", walkable),
        ("holes", f"{environment.holes:,}"),
        ("components", f"{components:,}{connected}"),
    ]
    if environment.areas:
        rows.append(("areas", ", ".join(area.name for area in environment.areas)))
    if environment.terrain:
        kinds = sorted({region.kind for region in environment.terrain})
        rows.append(("terrain", ", ".join(kinds)))
    yield from reports.facts([*rows, ("time", times)])
    repairs = environment.repairs
    yield f"{reports.count(len(repairs), 'repair')}:" if repairs else "No repairs: the map is clean"
    width = len(str(len(repairs)))
    for k, alike in repairs_to_list(repairs).items():
        more = f" (and {alike - 1:,} more of this kind: --json lists them all)"
        yield f"  {k + 1:>{width}}  {repairs[k]}{more if alike > 1 else ''}"
    if narrow:
        yield "Narrowest passages:"
    for pinch in narrow:
        yield (
            f"  {pinch.width:8.3f} m wide at {reports.place(pinch.at)}, "
            f"between {reports.place(pinch.left)} and {reports.place(pinch.right)}"
        )


def _part_areas(environment: Environment) -> list[float]:
    """Return the areas of the walkable polygons, m2, largest first."""
    return sorted((float(part.area) for part in environment.walkable.geoms), reverse=True)


# -- buildings -------------------------------------------------------------------------------------


def _building_json(cmap: BuildingMap, narrow: Sequence[Pinch]) -> dict[str, Any]:
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
                "repairs": reports.repair_facts(floor.environment),
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


def _building_text(cmap: BuildingMap, narrow: Sequence[Pinch], times: str) -> Iterator[str]:
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
    for link in building.links:
        width = min(
            float(((p.a[0] - p.b[0]) ** 2 + (p.a[1] - p.b[1]) ** 2) ** 0.5) for p in link.portals
        )
        floors = ", ".join(repr(portal.floor) for portal in link.portals)
        yield f"{link}: floors {floors}, {width:.2f} m wide"
    for trap in building.traps():
        yield f"Looks wrong: {trap}"
    if narrow:
        yield "Narrowest passages:"
    for pinch in narrow:
        yield f"  {pinch.width:8.3f} m wide at {reports.place(pinch.at)} on {pinch.where}"
