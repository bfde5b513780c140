"""Small meshes for tests, written as OBJ, which is plain text."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

SIDES = [
    (0, 2, 3, 1),  # x low: seen from outside, counterclockwise
    (4, 5, 7, 6),
    (0, 1, 5, 4),
    (2, 6, 7, 3),
    (0, 4, 6, 2),
    (1, 3, 7, 5),
]
"""Corners of the six sides of a box, as numbers x y z in binary, x first."""


def box(low, high, *, without=(), inward: bool = False) -> np.ndarray:
    """(n, 3, 3) triangles of a box; sides may be missing: -x, +x, -y, +y, -z, +z."""
    corners = np.array(list(product(*zip(low, high, strict=True))), dtype=float)
    found = []
    for i, (a, b, c, d) in enumerate(SIDES):
        if i not in without:
            found += [corners[[a, b, c]], corners[[a, c, d]]]
    triangles = np.array(found)
    middle = (np.array(low) + high) / 2
    for k, triangle in enumerate(triangles):
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        out = float(normal @ (triangle.mean(axis=0) - middle)) > 0
        if out == inward:
            triangles[k] = triangle[::-1]
    return triangles


def write_obj(path: Path, *parts: np.ndarray) -> Path:
    """Write triangles as an OBJ with z up: load it with up="z"."""
    corners = np.concatenate(parts).reshape(-1, 3)
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in corners]
    lines += [f"f {i + 1} {i + 2} {i + 3}" for i in range(0, len(corners), 3)]
    path.write_text("\n".join(lines) + "\n")
    return path
