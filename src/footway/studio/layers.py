"""Layers of the page: walkable space, medial axis, discs of the corridor map, roadmaps.

A layer that the page requests by name is a function with the decorator `_layer`. The page draws it
in `web/src/scene/overlays.ts`. CONTRIBUTING.md describes how to add one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.environment.environment import SLOPE
from footway.errors import BadInput
from footway.studio import buildings, roadmaps
from footway.studio.documents import role_of
from footway.studio.protocol import replies
from footway.studio.protocol.replies import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from footway.environment import Area, Environment, TerrainRegion
    from footway.studio.documents import Document
    from footway.studio.protocol.requests import Layer

    Progress = Callable[[int, int], None]
    Compute = Callable[[Document, Layer, Progress], Answer]
    Arrays = dict[str, NDArray[Any]]

_COVERED: Final = 0.95  # part of the free space that the discs cover
_MAX_SIDE: Final = 3000.0  # m, side of a map: discs of larger maps take minutes


class LayerFunction(NamedTuple):
    """A function that computes a layer."""

    compute: Compute
    is_slow: bool  # takes seconds; slow layers are computed one at a time


LAYERS: Final[dict[str, LayerFunction]] = {}
"""All layers by name."""


def _layer(*, is_slow: bool = False) -> Callable[[Compute], Compute]:
    """Register a function as the layer of its name."""

    def register(compute: Compute) -> Compute:
        LAYERS[compute.__name__] = LayerFunction(compute, is_slow)
        return compute

    return register


def layer(document: Document, request: Layer, progress: Progress) -> Answer:
    """Return the content of a layer; `progress` may raise to cancel the computation.

    Raises:
        BadInput: there is no such layer, or it is not possible for this map.
    """
    if request.name not in LAYERS:
        raise BadInput(f"there is no layer {request.name!r:.50}; there are {', '.join(LAYERS)}")
    return LAYERS[request.name].compute(document, request, progress)


@_layer()
def axis(document: Document, _: Layer, __: Progress) -> Answer:
    """Return the medial axis: points, their clearance (m), and offsets of the edges."""
    arrays: Arrays = document.corridors.axis(0.5)._asdict()
    if document.building_map is not None:
        arrays |= buildings.axis_places(document.building_map, arrays["points"], arrays["offsets"])
    return Answer(replies.AxisLayer(), arrays)


@_layer(is_slow=True)
def discs(document: Document, _: Layer, __: Progress) -> Answer:
    """Return discs (n, 3) x, y, radius in m, which cover most of the free space."""
    if document.building is not None:
        raise BadInput(f"{document.name}: is a building; discs are drawn on maps of one floor")
    x0, y0, x1, y1 = document.bounds
    if max(x1 - x0, y1 - y0) > _MAX_SIDE:
        raise BadInput(
            f"{document.name}: is wider than {_MAX_SIDE:g} m; discs are for smaller maps"
        )
    found = document.corridors.balls(_COVERED)
    return Answer(
        replies.DiscsLayer(coverage=found.coverage),
        {"discs": np.column_stack([found.centres, found.radii])},
    )


@_layer(is_slow=True)
def roadmap(document: Document, request: Layer, progress: Progress) -> Answer:
    """Return a roadmap; see `roadmaps.answer`."""
    return roadmaps.answer(roadmaps.build(document, request, progress))


# -- the ground, which is always shown ---------------------------------------------------------


def ground(document: Document) -> Answer:
    """Return the walkable polygons as points, ring offsets and polygon offsets, and walls as lines.

    The first ring of a polygon is its shell, the others are holes. Terrain and areas have the same
    form, with one entry in the facts for each polygon.
    """
    env, lines = document.environment, document.corridors.walls
    walkable: list[tuple[Any, dict[str, Any]]] = []
    terrain: list[tuple[Any, dict[str, Any]]] = []
    areas: list[tuple[Any, dict[str, Any]]] = []
    if env is not None:
        terrain = [(region.polygon, {"kind": region.kind}) for region in _terrain(env)]
        areas = [(area.polygon, _area(area)) for area in env.areas]
        walkable = [(env.walkable, {})]
        pieces = [np.asarray(line.coords)[:, :2] for line in env.lines.geoms]
        lines = np.concatenate(
            [np.empty((0, 4)), *(np.hstack([piece[:-1], piece[1:]]) for piece in pieces)]
        )
    sheets: list[replies.SheetFacts] = []
    more: Arrays = {"lines": lines}
    if document.building is not None:
        sheets, more = buildings.sheets(document.building)
        walkable = [(sheet.polygon, {}) for sheet in document.building.sheets]
        floors = [floor.environment for floor in document.building.floors]
        terrain = [
            (t.polygon, {"kind": t.kind, "floor": k})
            for k, one in enumerate(floors)
            for t in _terrain(one)
        ]
        names = [floor.name for floor in document.building.floors]
        areas = [
            (area.polygon, _area(area) | {"floor": names.index(str(floor))})
            for area, floor in document.areas
        ]
    _, arrays = _rings("", walkable)
    kinds, terrain_arrays = _rings("terrain_", terrain)
    labels, area_arrays = _rings("area_", areas)
    facts = replies.Ground(
        terrain=[replies.TerrainFacts(**kind) for kind in kinds],
        areas=[replies.AreaPolygon(**label) for label in labels],
        sheets=sheets,
    )
    return Answer(facts, arrays | more | terrain_arrays | area_arrays)


def _terrain(env: Environment) -> list[TerrainRegion]:
    """Return terrain in the order of drawing: slopes first."""
    return sorted(env.terrain, key=lambda region: region.kind != SLOPE)


def _area(area: Area) -> dict[str, Any]:
    return {"name": area.name, "role": role_of(area.properties)}


def _rings(
    prefix: str, shapes: Iterable[tuple[Any, dict[str, Any]]]
) -> tuple[list[dict[str, Any]], Arrays]:
    """Split shapes into polygons; return the facts of each, and points and offsets of its rings."""
    parts = [(part, facts) for shape, facts in shapes for part in getattr(shape, "geoms", [shape])]
    rings = [
        np.asarray(ring.coords)[:-1, :2]
        for part, _ in parts
        for ring in (part.exterior, *part.interiors)
    ]
    return [facts for _, facts in parts], {
        f"{prefix}points": np.concatenate([np.empty((0, 2)), *rings]),
        f"{prefix}rings": np.cumsum([0, *map(len, rings)]),
        f"{prefix}polygons": np.cumsum([0, *(1 + len(part.interiors) for part, _ in parts)]),
    }
