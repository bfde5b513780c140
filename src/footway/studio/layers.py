"""Layers over the map: the medial axis, the discs of the corridor map, roadmaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadInput
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.roadmap import Roadmap
    from footway.studio.documents import Document
    from footway.studio.requests import Layer

    Progress = Callable[[int, int], None]

_COVERED: Final = 0.95  # of the free space, by the discs that are shown
_MOST_SIDE: Final = 3000.0  # m of a map whose discs are shown: more takes minutes
_MOST_CELLS: Final = 4_000_000  # of a roadmap's grid: more takes minutes
_MOST_EDGES: Final = 400_000  # of a roadmap that a page can draw
_CURVE: Final = 0.5  # m, of a piece of a blended edge


def layer(document: Document, ask: Layer, progress: Progress) -> Answer:
    """Return what a layer shows; `progress` may raise to end a long one.

    Raises:
        BadInput: it cannot be made of this map.

    """
    if ask.name == "axis":
        axis = document.corridors.axis(0.5)
        return Answer({}, axis._asdict())
    if ask.name == "discs":
        return _discs(document)
    return _roadmap(document, ask, progress)


def _discs(document: Document) -> Answer:
    x0, y0, x1, y1 = document.bounds
    if max(x1 - x0, y1 - y0) > _MOST_SIDE:
        raise BadInput(f"{document.name}: is wider than the {_MOST_SIDE:g} m that discs are for")
    found = document.corridors.balls(_COVERED)
    discs = np.column_stack([found.centres, found.radii])
    return Answer({"coverage": found.coverage}, {"discs": discs})


def _roadmap(document: Document, ask: Layer, progress: Progress) -> Answer:
    if document.environment is None:
        raise BadInput(f"{document.name}: is a saved corridor map; roadmaps need the map itself")
    if ask.method is None:
        raise BadInput("name the method of the roadmap: grm, rrm, rrm_star, rrrm or prm")
    wishes: dict[str, Any] = {"radius": ask.radius, "progress": progress}
    if ask.resolution is not None:
        _check_size(document, ask.resolution)
        wishes["resolution"] = ask.resolution
    made = _maker(ask.method)(document.environment, **wishes)
    if made.n_edges > _MOST_EDGES:
        raise BadInput(
            f"the roadmap has {made.n_edges:,} edges, more than a page can draw; "
            "take a coarser resolution"
        )
    facts = {
        "method": ask.method,
        "nodes": made.n_nodes,
        "edges": made.n_edges,
        "components": made.n_components,
        "cycles": made.n_cycles,
        "resolution": None if ask.method == "prm" else made.space.resolution,
        "seconds": sum(made.seconds.values()),
    }
    return Answer(facts, {"vertices": made.nodes, "edges": made.edges, **_curves(ask.method, made)})


def _check_size(document: Document, resolution: float) -> None:
    x0, y0, x1, y1 = document.bounds
    cells = (x1 - x0) * (y1 - y0) / resolution**2
    if cells > _MOST_CELLS:
        raise BadInput(f"a resolution of {resolution:g} m makes {cells:,.0f} cells; take a coarser")


def _maker(method: str) -> Callable[..., Roadmap]:
    from footway import roadmap

    makers: dict[str, Callable[..., Roadmap]] = {
        "grm": roadmap.grid,
        "rrm": roadmap.rrm,
        "rrm_star": roadmap.rrm_star,
        "rrrm": roadmap.rrrm,
        "prm": roadmap.voronoi_prm,
    }
    return makers[method]


def _curves(method: str, made: Roadmap) -> dict[str, Any]:
    """Local paths as polylines, where they are not straight from vertex to vertex."""
    if method == "rrrm":
        return {"points": made.path_points, "offsets": made.path_offsets}
    if method != "prm":
        return {}
    from footway.plot.blended import blended_pieces

    pieces, _ = blended_pieces(made, _CURVE)
    return {"points": pieces.reshape(-1, 2), "offsets": np.arange(0, 2 * len(pieces) + 1, 2)}
