"""`footway build --method`: build a roadmap in two or three dimensions."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import write_plot
from footway.cli.maps import is_saved, load_space, repair_lines
from footway.cli.output import (
    Steps,
    count,
    facts,
    milliseconds,
    place,
    print_json,
    print_lines,
)
from footway.cli.parsing import parse_number, parse_numbers
from footway.cli.progress import progress_bar
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.environment import Environment, Volume
    from footway.roadmap import Roadmap

_PANEL: Final = "Roadmaps (with --method)"

_MANY: Final = 50_000
"""With more edges than this, clearance is measured at the nodes only."""


class Method(StrEnum):
    """Kinds of maps to build."""

    CORRIDORS = "corridors"
    GRID = "grid"
    RRM = "rrm"
    RRM_STAR = "rrm-star"
    RRRM = "rrrm"
    PRM = "prm"


_MAKERS: Final = {
    Method.GRID: ("footway.roadmap.grid", "grid", "grid roadmap (GRM)"),
    Method.RRM: ("footway.roadmap.rrm", "rrm", "reachability roadmap (RRM)"),
    Method.RRM_STAR: ("footway.roadmap.rrm_star", "rrm_star", "roadmap with useful cycles (RRM*)"),
    Method.RRRM: ("footway.roadmap.rrrm", "rrrm", "retracted roadmap (RRRM)"),
    Method.PRM: ("footway.roadmap.voronoi_prm", "voronoi_prm", "Voronoi roadmap with blends (PRM)"),
}

_HAS: Final[dict[Method, frozenset[str]]] = {
    Method.GRID: frozenset({"resolution", "radius", "size"}),
    Method.RRM: frozenset({"resolution", "radius", "size", "seed"}),
    Method.RRM_STAR: frozenset({"resolution", "radius", "size", "seed", "usefulness"}),
    Method.RRRM: frozenset({"resolution", "radius", "size", "seed", "usefulness"}),
    Method.PRM: frozenset(
        {"resolution", "radius", "seed", "usefulness", "clearance", "samples", "every_passage"}
    ),
}
"""Options that each method takes."""


def _option(unit: str, words: str, default: str) -> Any:
    return typer.Option(metavar=unit, help=words, show_default=default, rich_help_panel=_PANEL)


MethodOption = Annotated[
    Method, typer.Option(help="What to build: the exact corridor map, or a roadmap.")
]
ResolutionOption = Annotated[
    str | None,
    _option("METRES", "Size of a cell, or of a voxel of a mesh.", "0.5, or more for large maps"),
]
RadiusOption = Annotated[str | None, _option("METRES", "Radius of the disc or ball.", "0.25")]
SizeOption = Annotated[
    str | None, _option("X,Y,Z", "Size of a moving box, in three dimensions.", "a ball")
]
UsefulnessOption = Annotated[
    str | None,
    _option("K", "Least factor by which an edge shortens a path: rrm-star, rrrm, prm.", "1.5"),
]
SeedOption = Annotated[int | None, _option("N", "Seed of random choices: all but grid.", "0")]
ClearanceOption = Annotated[
    str | None,
    _option("METRES", "Preferred distance to walls: prm.", "twice the radius"),
]
SamplesOption = Annotated[
    int | None, _option("N", "Number of random samples: prm.", "by the size of the map")
]
EveryPassageOption = Annotated[
    bool | None,
    typer.Option(
        "--every-passage/--no-every-passage",
        help="Add an edge through every passage that the samples miss: prm.",
        show_default="every passage",
        rich_help_panel=_PANEL,
    ),
]


class Source(NamedTuple):
    """The MAP argument and the options for loading it."""

    name: str
    scale: float | None
    between: tuple[float, float] | None
    up: str | None


@dataclass(frozen=True)
class RoadmapRequest:
    """Method and keyword arguments of a roadmap."""

    method: Method
    options: dict[str, Any]

    def make(self, environment: Environment | Volume, progress: Any) -> Roadmap:
        """Build the roadmap."""
        module, name, _ = _MAKERS[self.method]
        maker = getattr(import_module(module), name)
        made: Roadmap = maker(environment, progress=progress, **self.options)
        return made


def parse_roadmap_request(map_name: str, method: Method, **given: Any) -> RoadmapRequest | None:
    """Parse and check the options of a roadmap; return None for a corridor map."""
    named = {name: value for name, value in given.items() if value is not None}
    if method is Method.CORRIDORS:
        if named:
            raise BadInput(
                f"{_spelt(next(iter(named)))} is for roadmaps, and a corridor map serves every "
                "radius; leave it out or add --method"
            )
        return None
    if is_saved(map_name):
        raise BadInput(
            f"{map_name}: is a saved map; --method needs the file that it was built from"
        )
    for name in named:
        if name not in _HAS[method]:
            raise BadInput(f"{_spelt(name)} is not for --method {method}; leave it out")
    if "radius" in named and "size" in named:
        raise BadInput("--radius is for a disc or a ball and --size for a box; give one of them")
    return RoadmapRequest(method, {name: _parsed(name, value) for name, value in named.items()})


def _spelt(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parsed(name: str, value: Any) -> Any:
    """Parse a number or a size; return values that Typer has parsed unchanged."""
    if name == "size":
        return parse_numbers(value, "--size", "3,3,3")
    return parse_number(value, _spelt(name)) if isinstance(value, str) else value


def build_roadmap(
    source: Source, request: RoadmapRequest, written: dict[str, str | None], *, json: bool
) -> None:
    """Build a roadmap, save it, draw it, and print its properties."""
    steps = Steps()
    name, scale, between, up = source
    environment = load_space(
        name, scale=scale, between=between, up=up, steps=steps,
        resolution=request.options.get("resolution"),
    )  # fmt: skip
    begin = time.perf_counter()
    with progress_bar(f"Building the {_MAKERS[request.method][2]}") as progress:
        roadmap = request.make(environment, progress)
    steps.seconds["build"] = time.perf_counter() - begin
    if not roadmap.n_nodes:
        raise BadInput(f"{name}: so few samples gave no edge; give more, or --every-passage")
    _finish(name, roadmap, environment, steps, written, json=json)


def report_saved(
    name: str, roadmap: Roadmap, steps: Steps, written: dict[str, str | None], *, json: bool
) -> None:
    """Draw a saved roadmap and print its properties."""
    _finish(name, roadmap, None, steps, written, json=json)


def _finish(
    name: str,
    roadmap: Roadmap,
    environment: Environment | Volume | None,
    steps: Steps,
    written: dict[str, str | None],
    *,
    json: bool,
) -> None:
    output, plot = written["output"], written["plot"]
    if output is not None:
        with steps.step("save", f"Writing {output}"):
            roadmap.save(output)
    if plot is not None:
        from footway.plot import draw_roadmap

        with steps.step("plot", f"Drawing {plot}"):
            write_plot(draw_roadmap(roadmap, environment=environment), plot)
    if json:
        repairs = [str(repair) for repair in (environment.repairs if environment else ())]
        print_json(_as_json(name, roadmap, steps) | {"repairs": repairs} | written)
    else:
        print_lines(_as_text(name, roadmap, steps, (output, plot)))
        print_lines(f"  repaired: {words}" for words in repair_lines(environment))


def _as_json(name: str, roadmap: Roadmap, steps: Steps) -> dict[str, Any]:
    least, mean, most = _clearance(roadmap)
    return {
        "map": name,
        "name": roadmap.name,
        "method": roadmap.method,
        "dimension": roadmap.dimension,
        "bounds": list(roadmap.bounds),
        "nodes": roadmap.n_nodes,
        "edges": roadmap.n_edges,
        "cycles": roadmap.n_cycles,
        "components": roadmap.in_effect.n_components,
        "length": float(roadmap.lengths.sum()),
        "clearance": {"min": least, "mean": mean, "max": most},
        "parameters": {
            name: str(value) if value == math.inf else value
            for name, value in roadmap.parameters.items()
        },
        "fake_obstacles": len(roadmap.fake_obstacles),
        "construction_ms": {k: round(1000.0 * s, 3) for k, s in roadmap.seconds.items()},
        "times_ms": steps.in_ms(),
    }


def _as_text(
    name: str, roadmap: Roadmap, steps: Steps, written: tuple[str | None, ...]
) -> Iterator[str]:
    low, high = roadmap.bounds[: roadmap.dimension], roadmap.bounds[roadmap.dimension :]
    size = [b - a for a, b in zip(low, high, strict=True)]
    least, mean, most = _clearance(roadmap)
    yield f"Roadmap of {name}: {_MAKERS[Method(roadmap.method)][2]}"
    yield from facts(
        [
            ("size", f"{' x '.join(f'{side:,.4g}' for side in size)} m"),
            ("bounds", f"{place(low)} to {place(high)}"),
            ("cells", f"{roadmap.space.resolution:g} m, for {_object_of(roadmap)}"),
            ("graph", f"{roadmap.n_nodes:,} nodes, {roadmap.n_edges:,} edges"),
            ("length", f"{roadmap.lengths.sum():,.1f} m"),
            ("cycles", f"{roadmap.n_cycles:,}"),
            ("components", f"{roadmap.in_effect.n_components:,}"),
            ("clearance", f"of the object {least:.2f} to {most:.2f} m, {mean:.2f} m on average"),
            *_closed(roadmap),
            *((step, milliseconds(seconds)) for step, seconds in steps.seconds.items()),
        ]
    )
    if roadmap.in_effect.n_components > 1:
        yield (
            f"  note: it is in {roadmap.in_effect.n_components:,} parts; a smaller --resolution or "
            "--radius may join them through narrow passages"
        )
    for file in written:
        if file is not None:
            yield f"  wrote {file}"


def _closed(roadmap: Roadmap) -> Iterator[tuple[str, str]]:
    """Return the number of edges and nodes that fake obstacles close, if any."""
    if not roadmap.fake_obstacles:
        return
    from footway.roadmap.fake_obstacles import open_parts

    nodes, edges = (int((~part).sum()) for part in open_parts(roadmap))
    fakes = count(len(roadmap.fake_obstacles), "fake obstacle")
    yield "closed", f"{count(edges, 'edge')} and {count(nodes, 'node')}, by {fakes}"


def _object_of(roadmap: Roadmap) -> str:
    space = roadmap.space
    if space.radius:
        return f"a {'disc' if roadmap.dimension == 2 else 'ball'} of radius {space.radius:g} m"
    return f"a box of {' x '.join(f'{side:g}' for side in space.size)} m"


def _clearance(roadmap: Roadmap) -> tuple[float, float, float]:
    """Return least, mean and greatest clearance, m; of large roadmaps only at the nodes."""
    if 0 < roadmap.n_edges <= _MANY:
        from footway.roadmap.measures import clearance_statistics

        return clearance_statistics(roadmap)
    clearance = roadmap.node_clearance
    return float(clearance.min()), float(clearance.mean()), float(clearance.max())
