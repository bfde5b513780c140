"""Lines and arcs, one at a time: where they begin and end, their headings, what they touch."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

if TYPE_CHECKING:
    from footway.roadmap import Blends, Roadmap

FINE = 2000  # points of an arc


class Piece(NamedTuple):
    """Ends of a line or arc and the headings there, unit vectors; and points along it."""

    begin: np.ndarray
    heading: np.ndarray
    end: np.ndarray
    last_heading: np.ndarray
    points: np.ndarray


def line(begin: np.ndarray, end: np.ndarray) -> Piece:
    along = (end - begin) / max(float(np.hypot(*(end - begin))), 1e-300)
    return Piece(begin, along, end, along, np.array([begin, end]))


def arc(begin: np.ndarray, centre: np.ndarray, sweep: float) -> Piece:
    """Arc that is turned about its centre from where it begins, radians to the left."""
    out = begin - centre
    angle = np.linspace(0.0, sweep, FINE)
    cosine, sine = np.cos(angle), np.sin(angle)
    points = centre + np.column_stack(
        [out[0] * cosine - out[1] * sine, out[0] * sine + out[1] * cosine]
    )
    spokes = (points[[0, -1]] - centre) / np.hypot(*out)
    headings = np.sign(sweep) * np.column_stack([-spokes[:, 1], spokes[:, 0]])
    return Piece(begin, headings[0], points[-1], headings[1], points)


def pieces_of(rows: np.ndarray) -> list[Piece]:
    """Pieces of a path, from its (n, 9) rows."""
    return [
        line(row[:2], row[2:4]) if row[6] == 0.0 else arc(row[:2], row[4:6], row[7]) for row in rows
    ]


def gaps_and_bends(pieces: list[Piece]) -> tuple[float, float]:
    """Largest jump of position, m, and of heading, between pieces that follow each other."""
    gaps = [np.abs(a.end - b.begin).max() for a, b in pairwise(pieces)]
    bends = [np.abs(a.last_heading - b.heading).max() for a, b in pairwise(pieces)]
    return max(gaps, default=0.0), max(bends, default=0.0)


def clearance(pieces: list[Piece], walls: shapely.Geometry) -> float:
    return min(shapely.LineString(piece.points).distance(walls) for piece in pieces)


def directions_of(roadmap: Roadmap, found: Blends, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors from the vertex of a blend along its two edges."""
    vertex = int(found.vertex[row])
    both = []
    for edge in found.edges[row]:
        a, b = roadmap.edges[edge]
        along = roadmap.nodes[b if a == vertex else a] - roadmap.nodes[vertex]
        both.append(along / np.hypot(*along))
    return both[0], both[1]


def blend(vertex: np.ndarray, a: np.ndarray, b: np.ndarray, tangent: float) -> Piece:
    """Arc that leaves the way along -a this far before the vertex, for the way along b."""
    half = 0.5 * np.arccos(np.clip(a @ b, -1.0, 1.0))
    radius = tangent * np.tan(half)
    left = -np.sign(a[0] * b[1] - a[1] * b[0])
    begin = vertex + tangent * a
    centre = begin + left * radius * np.array([a[1], -a[0]])
    return arc(begin, centre, left * (np.pi - 2.0 * half))
