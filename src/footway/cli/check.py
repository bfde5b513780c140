"""`footway check`: list the repairs and the narrowest passages of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.files import check_plot, write_plot
from footway.cli.maps import (
    JsonOption,
    LoadedMap,
    MapArgument,
    PlotOption,
    ScaleOption,
    build_map,
    load_environment,
)
from footway.cli.output import (
    Steps,
    announced_compilation,
    count,
    facts,
    milliseconds,
    pinch_facts,
    place,
    print_json,
    print_lines,
)
from footway.cli.parsing import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.corridor import Pinch
    from footway.environment import Environment

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway check plan.geojson\n\n"
    "  footway check plan.geojson --plot repairs.png\n\n"
    "  footway check level.map --scale 0.5 --passages 20 --json"
)

_MOST_PARTS: Final = 5


def check(
    map_name: MapArgument,
    *,
    passages: Annotated[
        int, typer.Option(metavar="N", min=0, help="Number of narrow passages to list.")
    ] = 5,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """List the repairs, parts and narrowest passages of a map.

    With --plot, each repair is drawn with its number in the list. Of many repairs of one kind that
    change no shape, only the first is listed and drawn.
    """
    check_plot(plot)
    metres = parse_number(scale, "--scale")
    steps = Steps()
    with announced_compilation():
        environment = load_environment(map_name, scale=metres, steps=steps)
        loaded = LoadedMap(build_map(environment, steps=steps), environment)
        narrow = loaded.corridors.passages(passages)
        if plot is not None:
            with steps.step("plot", f"Drawing {plot}"):
                _draw(loaded, narrow, plot)
    if json:
        print_json(_as_json(map_name, loaded, narrow, steps) | {"plot": plot})
    else:
        print_lines(_as_text(map_name, loaded, narrow, steps))
        print_lines([f"Wrote {plot}"] if plot is not None else [])


def _draw(loaded: LoadedMap, narrow: Sequence[Pinch], plot: str) -> None:
    from footway.plot import draw_check

    assert loaded.environment is not None
    write_plot(draw_check(loaded.environment, cmap=loaded.corridors, passages=narrow), plot)


def _as_json(
    map_name: str, loaded: LoadedMap, narrow: Sequence[Pinch], steps: Steps
) -> dict[str, Any]:
    cmap, environment = loaded
    assert environment is not None
    return {
        "map": map_name,
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
        "repairs": [
            {"kind": repair.kind, "at": list(repair.at), "detail": repair.detail}
            for repair in environment.repairs
        ],
        "passages": [pinch_facts(pinch) for pinch in narrow],
        "times_ms": steps.in_ms(),
    }


def _as_text(
    map_name: str, loaded: LoadedMap, narrow: Sequence[Pinch], steps: Steps
) -> Iterator[str]:
    cmap, environment = loaded
    assert environment is not None
    x0, y0, x1, y1 = environment.bounds
    rows = [
        ("size", f"{x1 - x0:,.2f} x {y1 - y0:,.2f} m, from {place((x0, y0))}"),
        ("walkable", _walkable(environment)),
        ("holes", f"{environment.holes:,}"),
        ("components", _components(cmap.n_components)),
    ]
    if environment.areas:
        rows.append(("areas", ", ".join(area.name for area in environment.areas)))
    if environment.terrain:
        kinds = sorted({region.kind for region in environment.terrain})
        rows.append(("terrain", ", ".join(kinds)))
    rows.append(("time", ", ".join(f"{n} {milliseconds(s)}" for n, s in steps.seconds.items())))
    yield f"Check of {map_name}"
    yield from facts(rows)
    yield from _repair_lines(environment)
    yield from _passage_lines(narrow)


def _part_areas(environment: Environment) -> list[float]:
    """Return the areas of the walkable polygons, m2, largest first."""
    return sorted((float(part.area) for part in environment.walkable.geoms), reverse=True)


def _walkable(environment: Environment) -> str:
    areas = _part_areas(environment)
    text = f"{environment.area:,.1f} m2"
    if len(areas) == 1:
        return text
    more = ", ..." if len(areas) > _MOST_PARTS else ""
    listed = ", ".join(f"{area:,.1f}" for area in areas[:_MOST_PARTS])
    return f"{text} in {len(areas):,} polygons ({listed}{more})"


def _components(number: int) -> str:
    return "1, all connected" if number == 1 else f"{number:,}, with no path between them"


def _repair_lines(environment: Environment) -> Iterator[str]:
    from footway.environment.repair import repairs_to_list

    repairs = environment.repairs
    if not repairs:
        yield "No repairs: the map is clean"
        return
    yield f"{count(len(repairs), 'repair')}:"
    width = len(str(len(repairs)))
    for k, alike in repairs_to_list(repairs).items():
        more = f" (and {alike - 1:,} more of this kind: --json lists them all)"
        yield f"  {k + 1:>{width}}  {repairs[k]}{more if alike > 1 else ''}"


def _passage_lines(narrow: Sequence[Pinch]) -> Iterator[str]:
    if not narrow:
        return
    yield "Narrowest passages:"
    for pinch in narrow:
        yield (
            f"  {pinch.width:8.3f} m wide at {place(pinch.at)}, "
            f"between {place(pinch.left)} and {place(pinch.right)}"
        )
