"""`footway build`: build a corridor map or a roadmap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.build_roadmap import (
    ClearanceOption,
    EveryPassageOption,
    Method,
    MethodOption,
    RadiusOption,
    ResolutionOption,
    SamplesOption,
    SeedOption,
    SizeOption,
    Source,
    UsefulnessOption,
    build_roadmap,
    parse_roadmap_request,
    report_saved,
)
from footway.cli.files import check_plot, check_writable, write_plot
from footway.cli.maps import (
    SAVED,
    BetweenOption,
    JsonOption,
    LoadedMap,
    MapArgument,
    PlotOption,
    ScaleOption,
    UpOption,
    build_map,
    is_saved,
    load_environment,
    load_saved,
    repair_lines,
)
from footway.cli.output import (
    Steps,
    announced_compilation,
    count,
    facts,
    milliseconds,
    place,
    print_json,
    print_lines,
)
from footway.cli.parsing import parse_number, parse_numbers
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_REPAIRS: Final = 5
"""Printed repairs; `footway check` lists all."""

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway build plan.geojson -o plan.fwmap\n\n"
    "  footway build floor.png --scale 0.05 --plot floor.svg\n\n"
    "  footway build gallery:city:3x3 --json\n\n"
    "  footway build gallery:field --method rrrm --radius 0.5 -o field.fwmap --plot field.png\n\n"
    "  footway build gallery:mckenna --method prm --radius 0.3 -o mckenna.fwmap\n\n"
    "  footway build gallery:house --method rrm-star --size 3,3,3 -o house.fwmap"
)


def build(
    map_name: MapArgument,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Save the map (.fwmap); it loads much faster than it is built.",
            show_default=False,
        ),
    ] = None,
    method: MethodOption = Method.CORRIDORS,
    resolution: ResolutionOption = None,
    radius: RadiusOption = None,
    size: SizeOption = None,
    usefulness: UsefulnessOption = None,
    clearance: ClearanceOption = None,
    samples: SamplesOption = None,
    every_passage: EveryPassageOption = None,
    seed: SeedOption = None,
    between: BetweenOption = None,
    up: UpOption = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Build the exact corridor map, one map for every radius; or a roadmap with --method.

    Prints size and times, saves the map with -o and draws it with --plot. A roadmap is built for
    one object in a map of two or three dimensions: grid has a node on each corner of a grid, rrm
    is a small roadmap that covers the free space, rrm-star adds useful cycles, rrrm also keeps away
    from walls, and prm has lines and arcs through every passage, for smooth paths and cameras.
    `footway path` accepts all of them.
    """
    _check_output(output)
    check_plot(plot)
    request = parse_roadmap_request(
        map_name, method, resolution=resolution, radius=radius, size=size,
        usefulness=usefulness, clearance=clearance, samples=samples,
        every_passage=every_passage, seed=seed,
    )  # fmt: skip
    heights = parse_numbers(between, "--between", "0.2,1.8")
    metres = parse_number(scale, "--scale")
    source = Source(map_name, metres, heights, up)  # type: ignore[arg-type]
    written = {"output": output, "plot": plot}
    with announced_compilation():
        if request is not None:
            build_roadmap(source, request, written, json=json)
        elif is_saved(map_name):
            _report_saved(source, written, json=json)
        else:
            _build_corridors(source, written, json=json)


def _report_saved(source: Source, written: dict[str, str | None], *, json: bool) -> None:
    if source.between is not None or source.up is not None:
        option = "--between" if source.between is not None else "--up"
        raise BadInput(f"{source.name}: is a saved map; {option} is for the file it was built from")
    steps = Steps()
    saved = load_saved(source.name, scale=source.scale, steps=steps)
    if saved.roadmap is not None:
        report_saved(source.name, saved.roadmap, steps, written, json=json)
    else:
        from footway.corridor import CorridorMap

        assert isinstance(saved, CorridorMap)
        _finish(source.name, LoadedMap(saved, None), steps, written, json=json)


def _build_corridors(source: Source, written: dict[str, str | None], *, json: bool) -> None:
    steps = Steps()
    name, scale, between, up = source
    environment = load_environment(name, scale=scale, between=between, up=up, steps=steps)
    loaded = LoadedMap(build_map(environment, steps=steps), environment)
    _finish(name, loaded, steps, written, json=json)


def _finish(
    map_name: str,
    loaded: LoadedMap,
    steps: Steps,
    written: dict[str, str | None],
    *,
    json: bool,
) -> None:
    """Save, draw and print the map."""
    output, plot = written["output"], written["plot"]
    if output is not None:
        with steps.step("save", f"Writing {output}"):
            loaded.corridors.save(output)
    if plot is not None:
        with steps.step("plot", f"Drawing {plot}"):
            _draw(loaded, plot)
    if json:
        print_json(_as_json(map_name, loaded, steps) | written)
    else:
        print_lines(_as_text(map_name, loaded, steps, (output, plot)))


def _check_output(output: str | None) -> None:
    if output is None:
        return
    if not is_saved(output):
        raise BadInput(f"{output}: the name of a saved map must end in {SAVED}")
    check_writable(output)


def _draw(loaded: LoadedMap, plot: str) -> None:
    from footway.plot import draw_map

    write_plot(draw_map(loaded.corridors, environment=loaded.environment), plot)


def _as_json(map_name: str, loaded: LoadedMap, steps: Steps) -> dict[str, Any]:
    cmap, environment = loaded
    answer: dict[str, Any] = {
        "map": map_name,
        "name": cmap.name,
        "bounds": list(cmap.bounds),
        "walls": len(cmap.walls),
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "cycles": cmap.n_cycles,
        "components": cmap.n_components,
        "axis_length": float(cmap.edge_length.sum()),
        "times_ms": steps.in_ms(),
    }
    if environment is not None:
        answer |= {"area": environment.area, "repairs": len(environment.repairs)}
    return answer


def _as_text(
    map_name: str, loaded: LoadedMap, steps: Steps, written: tuple[str | None, ...]
) -> Iterator[str]:
    cmap, environment = loaded
    x0, y0, x1, y1 = cmap.bounds
    yield f"Corridor map of {map_name}"
    rows = [
        ("size", f"{x1 - x0:,.2f} x {y1 - y0:,.2f} m, {len(cmap.walls):,} walls"),
        ("bounds", f"{place((x0, y0))} to {place((x1, y1))}"),
    ]
    if environment is not None:
        rows.append(("walkable", f"{environment.area:,.1f} m2"))
    rows += [
        ("graph", f"{cmap.n_vertices:,} vertices, {cmap.n_edges:,} edges"),
        ("axis", f"{cmap.edge_length.sum():,.1f} m"),
        ("cycles", f"{cmap.n_cycles:,}"),
        ("components", f"{cmap.n_components:,}"),
        *((name, milliseconds(seconds)) for name, seconds in steps.seconds.items()),
    ]
    yield from facts(rows)
    lines = list(repair_lines(environment))
    if len(lines) > _MOST_REPAIRS:
        yield f"  {count(len(lines), 'repair')} to the input: `footway check {map_name}` lists them"
    else:
        yield from (f"  repaired: {line}" for line in lines)
    for file in written:
        if file is not None:
            yield f"  wrote {file}"
