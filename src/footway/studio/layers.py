"""Layers of the page: walkable space, medial axis, discs of the corridor map, roadmaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadInput
from footway.studio.documents import role_of
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from footway.roadmap import Roadmap
    from footway.studio.documents import Document
    from footway.studio.requests import Layer

    Progress = Callable[[int, int], None]
    Arrays = dict[str, NDArray[Any]]

_COVERED: Final = 0.95  # part of the free space that the discs cover
_MAX_SIDE: Final = 3000.0  # m, side of a map: discs of larger maps take minutes
_MAX_CELLS: Final = 4_000_000  # cells of a roadmap's grid: more take minutes
_MAX_EDGES: Final = 400_000  # edges of a roadmap that a page can draw
_CURVE: Final = 0.5  # m, length of the pieces of a blended edge


def layer(document: Document, request: Layer, progress: Progress) -> Answer:
    """Return the content of a layer; `progress` may raise to cancel the computation.

    Raises:
        BadInput: the layer is not possible for this map.

    """
    if request.name == "axis":
        axis = document.corridors.axis(0.5)
        return Answer({}, axis._asdict())
    if request.name == "discs":
        return _discs(document)
    return _roadmap(document, request, progress)


def _discs(document: Document) -> Answer:
    x0, y0, x1, y1 = document.bounds
    if max(x1 - x0, y1 - y0) > _MAX_SIDE:
        raise BadInput(
            f"{document.name}: is wider than {_MAX_SIDE:g} m; discs are for smaller maps"
        )
    found = document.corridors.balls(_COVERED)
    discs = np.column_stack([found.centres, found.radii])
    return Answer({"coverage": found.coverage}, {"discs": discs})


def _roadmap(document: Document, request: Layer, progress: Progress) -> Answer:
    if document.environment is None:
        raise BadInput(f"{document.name}: is a saved corridor map; roadmaps need the map itself")
    if request.method is None:
        raise BadInput("give the method of the roadmap: grm, rrm, rrm_star, rrrm or prm")
    options: dict[str, Any] = {"radius": request.radius, "progress": progress}
    if request.resolution is not None:
        x0, y0, x1, y1 = document.bounds
        cells = (x1 - x0) * (y1 - y0) / request.resolution**2
        if cells > _MAX_CELLS:
            raise BadInput(
                f"a resolution of {request.resolution:g} m makes {cells:,.0f} cells; use a "
                "coarser one"
            )
        options["resolution"] = request.resolution
    made = _build_function(request.method)(document.environment, **options)
    if made.n_edges > _MAX_EDGES:
        raise BadInput(
            f"the roadmap has {made.n_edges:,} edges, more than a page can draw; "
            "use a coarser resolution"
        )
    facts = {
        "method": request.method,
        "nodes": made.n_nodes,
        "edges": made.n_edges,
        "components": made.n_components,
        "cycles": made.n_cycles,
        "resolution": None if request.method == "prm" else made.space.resolution,
        "seconds": sum(made.seconds.values()),
    }
    return Answer(
        facts, {"vertices": made.nodes, "edges": made.edges, **_curves(request.method, made)}
    )


def _build_function(method: str) -> Callable[..., Roadmap]:
    from footway import roadmap

    functions: dict[str, Callable[..., Roadmap]] = {
        "grm": roadmap.grid,
        "rrm": roadmap.rrm,
        "rrm_star": roadmap.rrm_star,
        "rrrm": roadmap.rrrm,
        "prm": roadmap.voronoi_prm,
    }
    return functions[method]


def _curves(method: str, made: Roadmap) -> dict[str, Any]:
    """Return local paths as polylines, if they are not straight."""
    if method == "rrrm":
        return {"points": made.path_points, "offsets": made.path_offsets}
    if method != "prm":
        return {}
    from footway.plot.shapes import blended_pieces

    pieces, _ = blended_pieces(made, _CURVE)
    return {"points": pieces.reshape(-1, 2), "offsets": np.arange(0, 2 * len(pieces) + 1, 2)}


def free_space_answer(document: Document) -> Answer:
    """Return the walkable polygons as points, ring offsets and polygon offsets, and walls as lines.

    The first ring of a polygon is its shell, the others are holes. Terrain and areas have the same
    form, with one entry in the facts for each polygon.
    """
    env = document.environment
    if env is None:
        walls = document.corridors.walls
        return Answer(
            {"terrain": [], "areas": []},
            {**_rings("", []), "lines": walls} | _rings("terrain_", []) | _rings("area_", []),
        )
    terrain, kinds = _parts((region.polygon, {"kind": region.kind}) for region in env.terrain)
    areas, names = _parts(
        (area.polygon, {"name": area.name, "role": role_of(area.properties)}) for area in env.areas
    )
    walkable, _ = _parts([(env.walkable, {})])
    arrays = _rings("", walkable) | {"lines": _lines(env.lines)}
    arrays |= _rings("terrain_", terrain) | _rings("area_", areas)
    return Answer({"terrain": kinds, "areas": names}, arrays)


def _parts(given: Iterable[tuple[Any, dict[str, Any]]]) -> tuple[list[Any], list[dict[str, Any]]]:
    """Split shapes into simple polygons, and repeat the facts for each."""
    polygons, facts = [], []
    for shape, repeated in given:
        for part in getattr(shape, "geoms", [shape]):
            polygons.append(part)
            facts.append(repeated)
    return polygons, facts


def _rings(prefix: str, polygons: list[Any]) -> Arrays:
    """Return points, ring offsets and polygon offsets; rings are open."""
    rings = [
        np.asarray(ring.coords)[:-1, :2] for p in polygons for ring in (p.exterior, *p.interiors)
    ]
    per_polygon = [1 + len(p.interiors) for p in polygons]
    return {
        f"{prefix}points": np.concatenate([np.empty((0, 2)), *rings]),
        f"{prefix}rings": np.cumsum([0, *map(len, rings)]),
        f"{prefix}polygons": np.cumsum([0, *per_polygon]),
    }


def _lines(lines: Any) -> NDArray[np.float64]:
    """Return walls without thickness as segments (m, 4)."""
    pieces = [np.asarray(line.coords)[:, :2] for line in lines.geoms]
    parts = [np.hstack([piece[:-1], piece[1:]]) for piece in pieces]
    return np.concatenate([np.empty((0, 4)), *parts])
