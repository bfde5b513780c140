"""`footway demo`: a city, its map, a hundred paths and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import prepare_folder, write_plot
from footway.cli.maps import JsonOption, LoadedMap, build_map, load_environment
from footway.cli.output import (
    Steps,
    announced_compilation,
    facts,
    milliseconds,
    print_json,
    print_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.corridor import Path as Walk

EXAMPLES: Final = "[bold]Examples[/bold]\n\n  footway demo\n\n  footway demo -o somewhere --json"

_PATHS: Final = 100
_RADIUS: Final = 0.25  # m, of a pedestrian
_ROOM: Final = 1.0  # m, between the ends of a path and the nearest wall
_SEED: Final = 2008


class Written(NamedTuple):
    """Files that the demo leaves behind."""

    picture: str
    corridors: str
    environment: str


def demo(
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Where the files go.")
    ] = "out",
    json: JsonOption = False,
) -> None:
    """Make a city, its map, a hundred paths and a picture.

    Leaves city.png, city.fwmap and city.geojson behind, to play with.
    """
    written = _prepare(output)
    steps = Steps()
    with announced_compilation():
        environment = load_environment("gallery:city", scale=None, steps=steps)
        loaded = LoadedMap(build_map(environment, steps=steps), environment)
        walks = _walk(loaded, steps)
        _write(loaded, walks, written, steps)
    if json:
        print_json(_as_json(loaded, walks, written, steps))
    else:
        print_lines(_as_text(loaded, walks, written, steps))


def _prepare(output: str) -> Written:
    folder = prepare_folder(output)
    return Written(*(str(folder / f"city{suffix}") for suffix in (".png", ".fwmap", ".geojson")))


def _walk(loaded: LoadedMap, steps: Steps) -> list[Walk]:
    """Find a hundred paths, with the kernels loaded before, so that only queries are timed."""
    from footway.cli.journeys import ways_home

    cmap = loaded.corridors
    starts, goals = ways_home(cmap, _PATHS, room=_ROOM, seed=_SEED)
    with steps.step("prepare", "Loading the compiled kernels"):
        cmap.paths(starts[:1], goals[:1], radius=_RADIUS)
    with steps.step("paths", f"Finding {_PATHS} paths"):
        walks = cmap.paths(starts, goals, radius=_RADIUS)
    return [walk for walk in walks if walk is not None]


def _write(loaded: LoadedMap, walks: Sequence[Walk], written: Written, steps: Steps) -> None:
    from footway.io import save_geojson
    from footway.io.picture import draw_paths

    assert loaded.environment is not None
    with steps.step("save", "Writing the map"):
        loaded.corridors.save(written.corridors)
        save_geojson(loaded.environment, written.environment)
    with steps.step("plot", "Drawing the picture"):
        figure = draw_paths(loaded.corridors, walks, environment=loaded.environment)
        write_plot(figure, written.picture)


def _as_json(
    loaded: LoadedMap, walks: Sequence[Walk], written: Written, steps: Steps
) -> dict[str, Any]:
    cmap, environment = loaded
    assert environment is not None
    return {
        "map": "gallery:city",
        "area": environment.area,
        "holes": environment.holes,
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "radius": _RADIUS,
        "paths": len(walks),
        "total_length": sum(walk.length for walk in walks),
        "least_clearance": min(walk.clearance for walk in walks),
        "written": list(written),
        "times_ms": steps.in_ms(),
    }


def _as_text(
    loaded: LoadedMap, walks: Sequence[Walk], written: Written, steps: Steps
) -> Iterator[str]:
    cmap, environment = loaded
    assert environment is not None
    time = {name: milliseconds(seconds) for name, seconds in steps.seconds.items()}
    each = milliseconds(steps.seconds["paths"] / len(walks))
    total = sum(walk.length for walk in walks)
    least = min(walk.clearance for walk in walks)
    yield "A city, its corridor map, and a hundred ways through it"
    yield from facts(
        [
            ("city", f"{time['load']:>9}   {_city_words(loaded)}"),
            ("map", f"{time['build']:>9}   {cmap.n_vertices:,} vertices, {cmap.n_edges:,} edges"),
            (
                "paths",
                f"{time['paths']:>9}   {len(walks)} paths, {total / 1000:.1f} km, {each} each",
            ),
            ("files", f"{time['save']:>9}   {written.corridors}, {written.environment}"),
            ("picture", f"{time['plot']:>9}   {written.picture}"),
        ]
    )
    yield (
        f"Certified: every path keeps {least:.3f} m or more from every wall, "
        f"for discs of radius {_RADIUS:g} m."
    )
    a, b = walks[0].start, walks[0].goal
    yield (
        f"Next: footway path {written.corridors} --start {a[0]:.1f},{a[1]:.1f} "
        f"--goal {b[0]:.1f},{b[1]:.1f} --plot path.png"
    )


def _city_words(loaded: LoadedMap) -> str:
    environment = loaded.environment
    assert environment is not None
    x0, y0, x1, y1 = environment.bounds
    return (
        f"{x1 - x0:.0f} x {y1 - y0:.0f} m, {environment.holes} blocks and buildings, "
        f"{environment.area:,.0f} m2 walkable"
    )
