"""`footway build`: from a map file to a corridor map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.files import check_plot, check_writable, write_plot
from footway.cli.maps import (
    SAVED,
    JsonOption,
    LoadedMap,
    MapArgument,
    PlotOption,
    ScaleOption,
    is_saved,
    load_map,
)
from footway.cli.numbers import parse_number
from footway.cli.output import (
    Steps,
    announced_compilation,
    count,
    facts,
    milliseconds,
    print_json,
    print_lines,
)
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway build plan.geojson -o plan.fwmap\n\n"
    "  footway build floor.png --scale 0.05 --plot floor.svg\n\n"
    "  footway build gallery:city:3x3 --json"
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
            help="Save the corridor map (.fwmap), to load it in milliseconds.",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Build the exact corridor map: one map for every radius.

    Prints its size and how long it took; saves it with -o and draws it with --plot.
    """
    _check_output(output)
    check_plot(plot)
    metres = parse_number(scale, "--scale")
    steps = Steps()
    with announced_compilation():
        loaded = load_map(map_name, scale=metres, steps=steps)
        if output is not None:
            with steps.step("save", f"Writing {output}"):
                loaded.corridors.save(output)
        if plot is not None:
            with steps.step("plot", f"Drawing {plot}"):
                _draw(loaded, plot)
    if json:
        print_json(_as_json(map_name, loaded, steps) | {"output": output, "plot": plot})
    else:
        print_lines(_as_text(map_name, loaded, steps, (output, plot)))


def _check_output(output: str | None) -> None:
    if output is None:
        return
    if not is_saved(output):
        raise BadInput(f"{output}: the name of a saved corridor map must end in {SAVED}")
    check_writable(output)


def _draw(loaded: LoadedMap, plot: str) -> None:
    from footway.io.picture import draw_map

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
    rows = [("size", f"{x1 - x0:,.2f} x {y1 - y0:,.2f} m, {len(cmap.walls):,} walls")]
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
    if environment is not None and environment.repairs:
        repaired = count(len(environment.repairs), "repair")
        yield f"  {repaired} to the input: `footway check {map_name}` lists them"
    for file in written:
        if file is not None:
            yield f"  wrote {file}"
