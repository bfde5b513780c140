"""Roadmaps that the page shows and edits."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.constants import ROADMAPS
from footway.errors import BadInput
from footway.studio.files.saving import File, stem
from footway.studio.protocol import replies
from footway.studio.protocol.replies import Answer, Place

if TYPE_CHECKING:
    from footway.roadmap import Editor
    from footway.studio.documents import Document
    from footway.studio.layers import Progress
    from footway.studio.protocol import requests

_MAX_CELLS: Final = 4_000_000  # cells of a roadmap's grid: more take minutes
_MAX_EDGES: Final = 400_000  # edges of a roadmap that a page can draw
_CURVE: Final = 0.5  # m, length of the pieces of a blended edge


def build(document: Document, request: requests.Layer, progress: Progress) -> Editor:
    """Build a roadmap; `progress` may raise to cancel it.

    Raises:
        BadInput: it is not possible for this map, or too large for a page.
    """
    from footway import roadmap as roadmaps

    if document.environment is None:
        raise BadInput(f"{document.name}: is a saved corridor map; roadmaps need the map itself")
    if request.method is None:
        raise BadInput(f"give the method of the roadmap: {', '.join(ROADMAPS)}")
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
    made = getattr(roadmaps, request.method)(document.environment, **options)
    if made.n_edges > _MAX_EDGES:
        raise BadInput(
            f"the roadmap has {made.n_edges:,} edges, more than a page can draw; "
            "use a coarser resolution"
        )
    return roadmaps.Editor(made)


def answer(editor: Editor) -> Answer:
    """Return nodes, edges and weights of a roadmap, and its local paths if they are not straight.

    `open` tells which edges do not pass a region that is closed to paths.
    """
    from footway.roadmap.fake_obstacles import open_parts

    made, method = editor.roadmap, editor.roadmap.method
    arrays = {"vertices": made.nodes, "edges": made.edges, "weights": made.weights}
    arrays["open"] = open_parts(made)[1].astype(np.uint8)
    if method == "voronoi_prm" and not editor.n_edits:
        from footway.plot.shapes import blended_pieces

        pieces, _ = blended_pieces(made, _CURVE)
        arrays["points"] = pieces.reshape(-1, 2)
        arrays["offsets"] = np.arange(0, 2 * len(pieces) + 1, 2)
    elif method in ("rrrm", "voronoi_prm"):
        arrays |= {"points": made.path_points, "offsets": made.path_offsets}
    facts = replies.RoadmapLayer(
        method=method,
        nodes=made.n_nodes,
        edges=made.n_edges,
        components=made.in_effect.n_components,
        cycles=made.in_effect.n_cycles,
        resolution=None if method == "voronoi_prm" else made.space.resolution,
        seconds=sum(made.seconds.values()),
        state=editor.n_edits,
        undo=editor.n_edits > 0,
        redo=editor.n_undone > 0,
        closed=[[Place(*p) for p in fake.points] for fake in made.fake_obstacles],
    )
    return Answer(facts, arrays)


def edit(editor: Editor, request: requests.Roadmap) -> None:
    """Apply an edit of the page.

    Raises:
        BadInput: the edit is refused, or the roadmap was edited since the page saw it.
    """
    if request.state != editor.n_edits:
        raise BadInput("the roadmap was edited meanwhile; look at it and try again")
    match request.do:
        case "add-node":
            joined = [] if request.node is None else [request.node]
            editor.add_node(request.at, connect=joined)  # type: ignore[arg-type]
        case "move-node":
            editor.move_node(request.node, request.at)  # type: ignore[arg-type]
        case "remove-node":
            editor.remove_node(request.node)  # type: ignore[arg-type]
        case "add-edge":
            editor.add_edge(request.node, request.other, weight=request.weight)  # type: ignore[arg-type]
        case "remove-edge":
            editor.remove_edge(request.edge)  # type: ignore[arg-type]
        case "set-weight":
            editor.set_weight(request.edge, request.weight)  # type: ignore[arg-type]
        case "close":
            editor.add_fake_obstacle(request.polygon)
        case "open":
            editor.remove_fake_obstacle(_region_at(editor, request))
        case "undo" | "redo":
            if not getattr(editor, request.do)():
                raise BadInput(f"there is nothing to {request.do}")


def _region_at(editor: Editor, request: requests.Roadmap) -> int:
    at = np.array([request.at])
    fakes = editor.roadmap.fake_obstacles
    found = [k for k, fake in enumerate(fakes) if fake.contains(at)[0]]
    if not found:
        raise BadInput("there is no closed region here")
    return found[-1]


def as_file(document: Document, editor: Editor | None) -> File:
    """Return an edited roadmap as a file for `footway edit` and `footway.Roadmap.load`."""
    if editor is None:
        raise BadInput("no roadmap is shown; turn one on in the layers")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "roadmap.fwmap"
        editor.roadmap.save(path)
        name = f"{stem(document)}-{editor.roadmap.method}.fwmap"
        return File(name, path.read_bytes(), "application/octet-stream")
