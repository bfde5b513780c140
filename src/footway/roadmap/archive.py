"""Save and load a roadmap: the schema of its arrays and facts, and consistency checks.

Of the space, only data that cannot be derived is stored: free cells, corner clearance, walls.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import archive
from footway.archive import Array, Damaged, Either, Names, Number, OneOf, Whole, flags, indices
from footway.constants import ROADMAPS
from footway.environment.raster import Raster
from footway.roadmap.fake_obstacles import FakeObstacle
from footway.roadmap.lattice.resolution import ClosedPassage
from footway.roadmap.lattice.space import space_of_raster
from footway.roadmap.roadmap import Roadmap

if TYPE_CHECKING:
    from os import PathLike

    from footway.arrays import Floats
    from footway.roadmap.lattice.space import Space


_SAME = 1e-3  # m, allowed difference between stored values and those measured from the walls
_CORNERS = 20_000  # lattice corners whose stored clearance is compared with the walls
_FINEST = 1e-6  # m, side of a cell
_WIDEST = 1e7  # m, coordinates and lengths: grids over more would not fit in memory

_COORDINATE = Number(-_WIDEST, _WIDEST)
_LENGTH = Number(0.0, _WIDEST)
_PLAIN = Either((bool, Whole(-(2**63), 2**63), Number(-1e300, math.inf), str, OneOf((None,))))

KIND = archive.Kind(
    format="footway roadmap",
    version=3,
    name="roadmap",
    remedy="build it again",
    arrays={
        "nodes": Array("<f8", ("nodes", "dimension"), -_WIDEST, _WIDEST),
        "edges": indices("nodes", "edges", 2),
        "path_points": Array("<f8", ("points", "dimension"), -_WIDEST, _WIDEST),
        "path_offsets": Array("<i8", ("edges+1",), 0, "points", step=2),
        "weights": Array("<f8", ("edges",), 1e-9, 1e9),
        "free": flags("layers", "rows", "columns"),
        "clearance": Array("<f8", ("heights", "rows+1", "columns+1"), 0.0, _WIDEST),
        "walls": Array("<f8", ("walls", 4), -_WIDEST, _WIDEST),
    },
    facts={
        "kind": OneOf(("roadmap",)),
        "name": str,
        "method": OneOf(tuple(ROADMAPS)),
        "parameters": Names(Either((_PLAIN, [_PLAIN]))),
        "seconds": Names(Number(0.0, 1e9)),
        "fake_obstacles": [{"kind": OneOf(("polygon", "box")), "points": [[_COORDINATE]]}],
        "closed": [{"at": [_COORDINATE], "width": Either((_LENGTH, OneOf((None,))))}],
        "dimension": OneOf((2, 3)),
        "resolution": Number(_FINEST, _WIDEST),
        "radius": _LENGTH,
        "origin": (_COORDINATE, _COORDINATE, _COORDINATE),
        "size": (_LENGTH, _LENGTH, _LENGTH),
    },
    compress=True,
)


def save(file: str | PathLike[str], roadmap: Roadmap) -> None:
    """Write a roadmap to a file."""
    space = roadmap.space
    facts = {
        "kind": "roadmap",
        "name": roadmap.name,
        "method": roadmap.method,
        "parameters": roadmap.parameters,
        "seconds": roadmap.seconds,
        "fake_obstacles": [fake.to_dict() for fake in roadmap.fake_obstacles],
        "closed": [passage._asdict() for passage in roadmap.closed],
        "dimension": int(space.dimension),
        "resolution": float(space.resolution),
        "radius": float(space.radius),
        "origin": space.origin.tolist(),
        "size": space.size.tolist(),
    }
    arrays = {
        "nodes": roadmap.nodes, "edges": roadmap.edges, "path_points": roadmap.path_points,
        "path_offsets": roadmap.path_offsets, "weights": roadmap.weights, "free": space.free,
        "clearance": space.corner_clearance, "walls": space.walls,
    }  # fmt: skip
    archive.write(file, KIND, facts, arrays)


def load(file: str | PathLike[str]) -> Roadmap:
    """Read a roadmap from a file and check all of its data."""
    with archive.reading(file, KIND) as (facts, arrays):
        space = _space(facts, arrays)
        _check_points(arrays, space)
        fakes = tuple(map(FakeObstacle.from_dict, facts["fake_obstacles"]))
        if any(fake.dimension != space.dimension for fake in fakes):
            raise Damaged("a fake obstacle does not have the dimension of the roadmap")
        roadmap = Roadmap.make(
            arrays["nodes"], arrays["edges"], space, method=facts["method"],
            paths=(arrays["path_points"], arrays["path_offsets"]), weights=arrays["weights"],
            name=facts["name"], parameters=facts["parameters"], seconds=facts["seconds"],
        )  # fmt: skip
        closed = tuple(ClosedPassage(tuple(each["at"]), each["width"]) for each in facts["closed"])
        return roadmap.with_changes(fake_obstacles=fakes, closed=closed)


def is_roadmap(file: str | PathLike[str]) -> bool:
    """Return whether a file holds a roadmap; False for any other or damaged file."""
    return archive.format_of(file) == KIND.format


def _space(facts: dict[str, Any], arrays: dict[str, Any]) -> Space:
    """Return the checked space. Corner clearance must be the distance to walls minus the radius."""
    free, clearance, walls = arrays["free"], arrays["clearance"], arrays["walls"]
    layers, is_flat = len(free), facts["dimension"] == 2
    sound = (
        free.any()
        and len(clearance) == layers + (not is_flat)
        and (layers == 1 and len(walls) > 0 if is_flat else len(walls) == 0)
        and max(free.shape) * facts["resolution"] <= _WIDEST
    )
    if not sound:
        raise Damaged("the arrays do not fit together")
    origin, size = np.array(facts["origin"]), np.array(facts["size"])
    raster = Raster(
        free, clearance, origin, facts["resolution"], facts["dimension"], walls, facts["radius"],
        size,
    )  # fmt: skip
    space = space_of_raster(raster)
    if is_flat:
        some = space.corners[:: max(1, len(space.corners) // _CORNERS)]
        measured, _ = space.clearance(space.positions(some))
        stored = clearance[some[:, 2], some[:, 1], some[:, 0]]
        if not (np.abs(np.maximum(measured, 0.0) - stored) <= _SAME).all():
            raise Damaged("the clearance does not fit the walls")
    return space


def _check_points(arrays: dict[str, Any], space: Space) -> None:
    """Check that nodes and local paths lie within the lattice."""
    low = space.origin[: space.dimension]
    high = low + np.array(space.free.shape[::-1][: space.dimension]) * space.resolution
    for name in ("nodes", "path_points"):
        points: Floats = arrays[name]
        if not ((points >= low - _SAME) & (points <= high + _SAME)).all():
            raise Damaged(f"array {name} has points outside the cells")
