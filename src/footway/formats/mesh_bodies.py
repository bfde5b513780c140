"""Weld a mesh and classify its connected bodies as solids, rooms or open surfaces.

A closed body whose faces point outward is solid. One whose faces point inward is
- a cavity, if a solid or an almost closed body surrounds it;
- a room, if it contains other bodies: everything outside it is solid;
- otherwise a solid with reversed faces, which are reversed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import atan2
from footway.constants import GRID, TOUCH
from footway.environment import Repair

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints

_TOGETHER: Final = 2_000  # faces compared with the faces near them at a time, to limit memory
_FACES: Final = 16  # faces of a body that are sampled to find what surrounds it


class Surface(NamedTuple):
    """Triangles on a grid of 1 mm, z up.

    Attributes:
        vertices: (n, 3) m, distinct.
        faces: (m, 3) vertices, counterclockwise as seen from outside; none without area.
        closed: (m,) bool, the face belongs to a closed body: each edge is traversed equally often
            in both directions. False for the cavity of an open body, because the thickness of
            the wall around it is unknown.
        room: (m,) bool, the face belongs to a room: closed, inward, not a cavity of a solid.
        repairs: defects found and repaired.
    """

    vertices: Floats
    faces: Ints
    closed: Bools
    room: Bools
    repairs: tuple[Repair, ...] = ()

    @property
    def corners(self) -> Floats:
        """(m, 3, 3) corners of the faces, m."""
        return self.vertices[self.faces]

    @property
    def size(self) -> str:
        """Sides of the bounding box as text, m, so that messages reveal a wrong unit."""
        sides = self.vertices.max(axis=0) - self.vertices.min(axis=0)
        words = (f"{side:,.3f}".rstrip("0").rstrip(".") for side in sides.tolist())
        return f"{' x '.join(words)} m"

    @property
    def middle(self) -> tuple[float, float]:
        """(x, y) of the centre of the bounding box, m: default position of repairs."""
        x, y, _ = (self.vertices.min(axis=0) + self.vertices.max(axis=0)) / 2
        return float(x), float(y)


def join(corners: Floats) -> Surface:
    """Return the surface of (n, 3, 3) triangles: snapped, welded and classified."""
    units, index = np.unique(
        np.round(corners.reshape(-1, 3) / GRID).astype(np.int64), axis=0, return_inverse=True
    )
    vertices: Floats = np.asarray(units * GRID, dtype=np.float64)
    faces = index.reshape(-1, 3).astype(np.int64)
    kept = faces[_area(vertices[faces]) > TOUCH * GRID]
    none = np.zeros(len(kept), dtype=bool)
    surface = Surface(vertices, kept, none, none)
    if not len(kept):
        return surface
    body = _bodies(kept)
    surface = surface._replace(closed=_closed(kept, body)[body])
    loose = _open(surface, body)
    surface, turned = _orient(surface, body)
    found = [*loose, *turned]
    if gone := len(faces) - len(kept):
        detail = f"{gone:,} faces without area are left out"
        found.insert(0, Repair("sliver", surface.middle, detail))
    crossing = crossing_faces(surface)
    if len(crossing):
        x, y, _ = surface.corners[crossing[0]].mean(axis=0).tolist()
        detail = f"{len(crossing):,} faces run through others: space inside either body is solid"
        found.append(Repair("self-intersection", (x, y), detail))
    return surface._replace(repairs=tuple(found))


def _orient(surface: Surface, body: Ints) -> tuple[Surface, list[Repair]]:
    """Return the surface with rooms marked and solids oriented outward, and the repairs."""
    corners = surface.corners
    six = (np.cross(corners[:, 0], corners[:, 1]) * corners[:, 2]).sum(axis=1)
    inward = surface.closed & (np.bincount(body, weights=six) < 0)[body]
    faces, room, closed = surface.faces.copy(), surface.room.copy(), surface.closed.copy()
    found = []
    for one in np.unique(body[inward]):
        own = body == one
        # In a solid if there is solid behind all sampled faces; one face is not enough, because a
        # solid may touch the wall of a room.
        solids = corners[surface.closed & ~inward]
        if all(_winding(solids, at) > 0.5 for at in _behind(corners[own])):
            continue
        low, high = corners[own].min(axis=(0, 1)), corners[own].max(axis=(0, 1))
        others = corners[~own]
        if ((others >= low) & (others <= high)).all(axis=(1, 2)).any():  # faces in its box
            room[own] = True
            continue
        what = f"a closed body of {own.sum():,} faces that look inward"
        x, y, _ = corners[own].mean(axis=(0, 1)).tolist()
        if _lies_in_open(corners, own, np.where(surface.closed, -1, body)):
            closed[own] = False
            found.append(Repair("open mesh", (x, y), f"{what}, in an open one: its inside is free"))
            continue
        faces[own] = faces[own][:, ::-1]
        found.append(Repair("orientation", (x, y), f"{what}: turned inside out"))
    return surface._replace(faces=faces, room=room, closed=closed), found


def _lies_in_open(corners: Floats, own: Bools, loose: Ints) -> bool:
    """Return whether a body lies in the box of an open one and is mostly surrounded by its faces.

    Next to a gap the winding number is less than 1, therefore its mean is used.
    """
    low, high = corners[own].min(axis=(0, 1)), corners[own].max(axis=(0, 1))
    for one in np.unique(loose[loose >= 0]):
        around = corners[loose == one]
        inside = (around.min(axis=(0, 1)) <= low).all() and (around.max(axis=(0, 1)) >= high).all()
        if inside and np.mean([_winding(around, at) for at in _behind(corners[own])]) > 0.5:
            return True
    return False


def _behind(corners: Floats) -> Floats:
    """Return points (n, 3) just behind a sample of the faces of a body."""
    some = corners[:: -(-len(corners) // _FACES)]
    normal = np.cross(some[:, 1] - some[:, 0], some[:, 2] - some[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, np.newaxis]
    behind: Floats = some.mean(axis=1) - GRID * normal
    return behind


def _winding(corners: Floats, at: Floats) -> float:
    """Return the winding number of bodies around a point, from the solid angles of their faces."""
    a, b, c = np.moveaxis(corners - at, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    above = (np.cross(a, b) * c).sum(axis=1)
    ab, bc, ca = ((p * q).sum(axis=1) for p, q in ((a, b), (b, c), (c, a)))
    below = la * lb * lc + ab * lc + bc * la + ca * lb
    return float(atan2(above, below).sum() / (2 * np.pi))


def _area(corners: Floats) -> Floats:
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area: Floats = np.linalg.norm(across, axis=1) / 2
    return area


def _edges(faces: Ints) -> tuple[Ints, Ints]:
    """Return (3 m,) the edge index of each side of each face, and its direction: 1 or -1."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    _, edge = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    return edge.ravel().astype(np.int64), np.where(ends[:, 0] < ends[:, 1], 1, -1)


def _bodies(faces: Ints) -> Ints:
    """Return (m,) the body of each face: faces connected by edges.

    Bodies may touch along an edge, which then has four faces: they are separated there if each
    is closed by itself.
    """
    edge, _ = _edges(faces)
    order = np.argsort(edge, kind="stable")
    same = np.flatnonzero(np.diff(edge[order]) == 0)
    two = np.bincount(edge)[edge[order[same]]] == 2
    one, other = order[same] // 3, order[same + 1] // 3
    whole = linked(one, other, len(faces))
    part = linked(one[two], other[two], len(faces))
    torn = np.zeros(whole.max() + 1, dtype=bool)
    torn[whole[~_closed(faces, part)[part]]] = True
    _, body = np.unique(np.where(torn[whole], whole, len(faces) + part), return_inverse=True)
    return np.asarray(body, dtype=np.int64)


def linked(one: Ints, other: Ints, count: int) -> Ints:
    """Return (count,) the connected component of each of `count` items."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = (np.ones(len(one), dtype=np.int8), (one, other))
    _, part = connected_components(coo_array(links, shape=(count, count)), directed=False)
    return np.asarray(part, dtype=np.int64)


def _closed(faces: Ints, body: Ints) -> Bools:
    """Return (bodies,) bool: the body traverses each edge equally often in both directions."""
    edge, direction = _edges(faces)
    owner = np.repeat(body, 3)
    _, side = np.unique(owner * (edge.max() + 1) + edge, return_inverse=True)
    balance = np.bincount(side, weights=direction)
    closed = np.ones(body.max() + 1, dtype=bool)
    closed[owner[balance[side] != 0]] = False
    return closed


def _open(surface: Surface, body: Ints) -> list[Repair]:
    loose = ~surface.closed
    if not loose.any():
        return []
    count = len(np.unique(body[loose]))
    x, y, _ = surface.corners[np.flatnonzero(loose)[0]].mean(axis=0)
    detail = (
        f"{count:,} of {body.max() + 1:,} bodies are open (edges without a second face, or faces "
        "that disagree on which side is out): their surface is solid, their inside is not filled"
    )
    return [Repair("open mesh", (float(x), float(y)), detail)]


def crossing_faces(surface: Surface) -> Ints:
    """Return the faces that intersect others, in ascending order.

    Two faces intersect if an edge of one pierces the interior of the other, or a side that the
    other shares with a coplanar face. Faces that touch or share a vertex do not count.
    """
    corners, flat = surface.corners, _flat_edges(surface)
    low, high = corners.min(axis=1), corners.max(axis=1)
    boxes = shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    tree = shapely.STRtree(boxes)
    found = np.zeros(len(corners), dtype=bool)
    for first in range(0, len(corners), _TOGETHER):
        one, other = tree.query(boxes[first : first + _TOGETHER])
        one = one + first
        near = (low[one, 2] < high[other, 2]) & (low[other, 2] < high[one, 2]) & (one != other)
        one, other = one[near], other[near]
        shared = surface.faces[one][:, :, np.newaxis] == surface.faces[other][:, np.newaxis]
        apart = ~shared.any(axis=(1, 2))
        one, other = one[apart], other[apart]
        for k in range(3):
            ends = corners[other, k], corners[other, (k + 1) % 3]
            pierced = _pierces(*ends, corners[one], flat[one])
            found[one[pierced]] = True
            found[other[pierced]] = True
    return np.flatnonzero(found)


def _flat_edges(surface: Surface) -> Bools:
    """Return (m, 3) bool: the only other face at the side (0-1, 1-2, 2-0) is coplanar."""
    edge, _ = _edges(surface.faces)
    a, b, c = np.moveaxis(surface.corners, 1, 0)
    across = np.cross(b - a, c - a)
    unit = np.repeat(across / np.linalg.norm(across, axis=1)[:, np.newaxis], 3, axis=0)
    total = np.stack([np.bincount(edge, weights=column) for column in unit.T], axis=1)
    two = np.bincount(edge) == 2
    # Two unit vectors are equal if their sum has length 2.
    flat = two & (np.linalg.norm(total, axis=1) > 2.0 - TOUCH)
    of_faces: Bools = flat[edge].reshape(-1, 3)
    return of_faces


def _pierces(start: Floats, end: Floats, corners: Floats, flat: Bools) -> Bools:
    """Return which segments pass through the interior of their triangle.

    A flat side (n, 3) belongs to the interior.
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    sides = _six(a, b, c, start), _six(a, b, c, end)
    turns = np.stack([_six(start, end, *pair) for pair in ((a, b), (b, c), (c, a))])
    least = GRID**3  # six volumes of a tetrahedron with sides of one grid step
    through = (sides[0] * sides[1] < 0) & (np.abs(sides) > least).all(axis=0)
    edge = np.where(flat.T, -least, least)
    inside = (turns > edge).all(axis=0) | (turns < -edge).all(axis=0)
    return through & inside


def _six(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Return six times the signed volume of the tetrahedra a, b, c, d."""
    volume: Floats = (np.cross(b - a, c - a) * (d - a)).sum(axis=1)
    return volume
