"""`footway build`: build a corridor map, or a roadmap in two or three dimensions."""

from __future__ import annotations

import math
from functools import partial
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import typer

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli.maps import build_map, load_plan_or_building, load_saved, load_space, repair_lines
from footway.cli.progress import Steps, timed_steps
from footway.cli.reports import count, draw, facts, milliseconds, place, print_json, print_lines
from footway.constants import ROADMAPS, RoadmapMethod
from footway.errors import BadInput
from footway.formats.registry import SAVED, is_saved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.corridor import CorridorMap
    from footway.environment import Environment, Volume
    from footway.roadmap import Roadmap

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway build plan.geojson -o plan.fwmap\n\n"
    "  footway build floor.png --scale 0.05 --plot floor.svg\n\n"
    "  footway build gallery:city:3x3 --json\n\n"
    "  footway build gallery:field --method rrrm --radius 0.5 -o field.fwmap --plot field.png\n\n"
    "  footway build gallery:mckenna --method voronoi_prm --radius 0.3 -o mckenna.fwmap\n\n"
    "  footway build gallery:house --method rrm_star --size 3,3,3 -o house.fwmap"
)

_PANEL: Final = "Roadmaps (with --method)"
_number = partial(opt.quantity, panel=_PANEL)
_MOST_REPAIRS: Final = 5  # printed; `footway check` lists all
_MANY: Final = 50_000  # edges; with more, clearance is measured at the nodes only


Method: TypeAlias = Literal["corridors", RoadmapMethod]


def build(
    map_name: opt.MapArgument,
    *,
    output: Annotated[
        str | None, opt.output_file("Save the map (.fwmap); it loads much faster than it is built.")
    ] = None,
    method: Annotated[
        Method, typer.Option(help="What to build: the exact corridor map, or a roadmap.")
    ] = "corridors",
    resolution: Annotated[
        float | None,
        _number(
            "METRES",
            "Size of a cell, or of a voxel of a mesh.",
            "0.5, more for large maps, less for narrow passages",
        ),
    ] = None,
    radius: Annotated[
        float | None, _number("METRES", "Radius of the disc or ball.", "0.25")
    ] = None,
    size: Annotated[
        opt.Numbers | None,
        opt.option(
            "Size of a moving box, in three dimensions.",
            unit="X,Y,Z",
            default="a ball",
            panel=_PANEL,
            parser=opt.box_size,
        ),
    ] = None,
    usefulness: Annotated[
        float | None,
        _number(
            "K",
            "Least factor by which an edge shortens a path: rrm_star, rrrm, voronoi_prm.",
            "1.5",
        ),
    ] = None,
    useful_nodes: Annotated[
        Literal["shortening", "published"] | None,
        typer.Option(
            help="Useful nodes: those that shorten paths most, or algorithm 1 as published: "
            "rrm_star, rrrm.",
            show_default="shortening",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    clearance: Annotated[
        float | None,
        _number("METRES", "Preferred distance to walls: voronoi_prm.", "twice the radius"),
    ] = None,
    samples: Annotated[
        int | None,
        opt.option(
            "Number of random samples: voronoi_prm.",
            unit="N",
            default="by the size of the map",
            panel=_PANEL,
        ),
    ] = None,
    every_passage: Annotated[
        bool | None,
        opt.option(
            "Add an edge through every passage that the samples miss: voronoi_prm.",
            "--every-passage/--no-every-passage",
            default="every passage",
            panel=_PANEL,
        ),
    ] = None,
    blends: Annotated[
        Literal["exact", "halved"] | None,
        typer.Option(
            help="Arcs of paths: of the largest radius, or halved as published: voronoi_prm.",
            show_default="exact",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        opt.option("Seed of random choices: all but grid.", unit="N", default="0", panel=_PANEL),
    ] = None,
    between: opt.BetweenOption = None,
    up: opt.UpOption = None,
    scale: opt.ScaleOption = None,
    json: opt.JsonOption = False,
    plot: opt.PlotOption = None,
) -> None:
    """Build the exact corridor map, one map for every radius; or a roadmap with --method.

    Prints size and times, saves the map with -o and draws it with --plot. A roadmap is built for
    one object in a map of two or three dimensions: grid has a node on each corner of a grid, rrm
    is a small roadmap that covers the free space, rrm_star adds useful cycles, rrrm also keeps away
    from walls, and voronoi_prm has lines and arcs through every passage, for smooth paths and
    cameras. `footway path` accepts all of them.
    """
    opt.check_output(output, SAVED.suffixes, "a saved map")
    opt.check_plot(plot)
    options = opt.given(
        resolution=resolution, radius=radius, size=size, usefulness=usefulness,
        clearance=clearance, samples=samples, every_passage=every_passage, seed=seed,
        useful_nodes=useful_nodes, blends=blends,
    )  # fmt: skip
    _check_options(map_name, method, options)
    source = opt.Source(map_name, scale, between, up)
    made: Any  # CorridorMap or Roadmap
    environment: Environment | Volume | None = None
    with timed_steps() as steps:
        if method != "corridors":
            environment = load_space(source, steps, resolution)
            with steps.bar("build", f"Building the {_title(method)}") as progress:
                made = _builder(method)(environment, progress=progress, **options)
            if not made.n_nodes:
                raise BadInput(
                    f"{map_name}: so few samples gave no edge; give more, or --every-passage"
                )
        elif is_saved(map_name):
            saved = load_saved(source, steps)
            made = saved.roadmap or saved
        else:
            made, environment = build_map(load_plan_or_building(source, steps), steps)
        if output is not None:
            with steps.step("save", f"Writing {output}"):
                made.save(output)
        is_roadmap = hasattr(made, "nodes")

        def picture() -> Any:
            if hasattr(made, "building"):
                return pictures.draw_building(made)
            draw_it: Any = pictures.draw_roadmap if is_roadmap else pictures.draw_map
            return draw_it(made, environment=environment)

        draw(picture, plot, steps)
    if json:
        answer = (_roadmap_as_json if is_roadmap else _map_as_json)(made, environment)
        timed = {"map": map_name, **answer, "times_ms": steps.in_ms()}
        print_json(timed | {"output": output, "plot": plot})
        return
    as_text = _roadmap_as_text if is_roadmap else _map_as_text
    print_lines(as_text(map_name, made, environment, steps))
    print_lines(f"  wrote {file}" for file in (output, plot) if file is not None)


def _check_options(map_name: str, method: Method, options: dict[str, Any]) -> None:
    """Refuse options that do not apply."""
    if method == "corridors":
        if options:
            typed = opt.as_typed(next(iter(options)))
            raise BadInput(
                f"{typed} is for roadmaps, and a corridor map serves every radius; leave it out or "
                "add --method"
            )
        return
    if is_saved(map_name):
        raise BadInput(
            f"{map_name}: is a saved map; --method needs the file that it was built from"
        )
    accepted = signature(_builder(method)).parameters
    for name in options:
        if name not in accepted:
            raise BadInput(f"{opt.as_typed(name)} is not for --method {method}; leave it out")
    if "radius" in options and "size" in options:
        raise BadInput("--radius is for a disc or a ball and --size for a box; give one of them")


def _builder(method: str) -> Callable[..., Roadmap]:
    builder: Callable[..., Roadmap] = getattr(import_module("footway.roadmap"), method)
    return builder


def _title(method: RoadmapMethod) -> str:
    paper, title = ROADMAPS[method]
    return f"{title} ({paper})"


# -- reports -------------------------------------------------------------------------------------


def _map_as_json(cmap: CorridorMap, environment: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "name": cmap.name,
        "bounds": list(cmap.bounds),
        "walls": len(cmap.walls),
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "cycles": cmap.n_cycles,
        "components": cmap.n_components,
        "axis_length": float(cmap.edge_length.sum()),
    }
    if environment is not None:
        answer |= {"area": environment.area, "repairs": len(environment.repairs)}
    return answer


def _map_as_text(map_name: str, cmap: CorridorMap, environment: Any, steps: Steps) -> Iterator[str]:
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


def _roadmap_as_json(roadmap: Roadmap, environment: Environment | Volume | None) -> dict[str, Any]:
    least, mean, most = _clearance(roadmap)
    return {
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
        "closed_passages": [passage._asdict() for passage in roadmap.closed],
        "fake_obstacles": len(roadmap.fake_obstacles),
        "construction_ms": {k: round(1000.0 * s, 3) for k, s in roadmap.seconds.items()},
        "repairs": [str(repair) for repair in (environment.repairs if environment else ())],
    }


def _roadmap_as_text(
    name: str, roadmap: Roadmap, environment: Environment | Volume | None, steps: Steps
) -> Iterator[str]:
    low, high = roadmap.bounds[: roadmap.dimension], roadmap.bounds[roadmap.dimension :]
    size = [b - a for a, b in zip(low, high, strict=True)]
    space, components = roadmap.space, roadmap.in_effect.n_components
    moving = f"a box of {' x '.join(f'{side:g}' for side in space.size)} m"
    if space.radius:
        moving = f"a {'disc' if roadmap.dimension == 2 else 'ball'} of radius {space.radius:g} m"
    least, mean, most = _clearance(roadmap)
    rows = [
        ("size", f"{' x '.join(f'{side:,.4g}' for side in size)} m"),
        ("bounds", f"{place(low)} to {place(high)}"),
        ("cells", f"{space.resolution:g} m, for {moving}"),
        ("graph", f"{roadmap.n_nodes:,} nodes, {roadmap.n_edges:,} edges"),
        ("length", f"{roadmap.lengths.sum():,.1f} m"),
        ("cycles", f"{roadmap.n_cycles:,}"),
        ("components", f"{components:,}"),
        ("clearance", f"of the object {least:.2f} to {most:.2f} m, {mean:.2f} m on average"),
    ]
    if roadmap.fake_obstacles:
        from footway.roadmap.fake_obstacles import open_parts

        nodes, edges = (int((~part).sum()) for part in open_parts(roadmap))
        fakes = count(len(roadmap.fake_obstacles), "fake obstacle")
        rows.append(("closed", f"{count(edges, 'edge')} and {count(nodes, 'node')}, by {fakes}"))
    rows += [(step, milliseconds(seconds)) for step, seconds in steps.seconds.items()]
    yield f"Roadmap of {name}: {_title(roadmap.method)}"
    yield from facts(rows)
    if roadmap.closed:
        yield f"  note: {_closed(roadmap)}"
    elif components > 1:
        yield (
            f"  note: it is in {components:,} parts; a smaller --resolution or "
            "--radius may join them through narrow passages"
        )
    yield from (f"  repaired: {line}" for line in repair_lines(environment))


def _closed(roadmap: Roadmap) -> str:
    """Return how many passages the cells close, where, and what to do."""
    first, step = roadmap.closed[0], roadmap.space.resolution
    many = f"cells of {step:g} m close {count(len(roadmap.closed), 'passage')} for the object"
    if first.width is None:
        return f"{many}, such as at {place(first.at)}; load the map at a finer resolution"
    where = f"the narrowest {first.width:.2f} m wide at {place(first.at)}"
    spare = first.width / 2.0 - roadmap.space.radius
    if spare < 1e-3:
        return f"{many}, {where}, an exact fit; a smaller --radius opens it"
    return f"{many}, {where}; --resolution {spare / math.sqrt(2.0):.2g} opens them"


def _clearance(roadmap: Roadmap) -> tuple[float, float, float]:
    """Return least, mean and greatest clearance, m; of large roadmaps only at the nodes."""
    if 0 < roadmap.n_edges <= _MANY:
        from footway.roadmap.measures import clearance_statistics

        return clearance_statistics(roadmap)
    clearance = roadmap.node_clearance
    return float(clearance.min()), float(clearance.mean()), float(clearance.max())
