"""MovingAI `.3dmap`: one line per occupied voxel.

The first line is `voxel X Y Z`, the size; each other line is `x y z`, counted from 0. z is up here.
Format: https://movingai.com/benchmarks/voxels.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from footway.environment import Volume
from footway.environment.volume import check_memory
from footway.errors import BadFile
from footway.formats.registry import Format, read_text

if TYPE_CHECKING:
    from pathlib import Path

    from footway.arrays import Ints

FORMAT: Final = Format("MovingAI voxels", (".3dmap",), content="volume")

_LARGEST: Final = 2**20  # maximum number of voxels along a side: more is a typing error


def load(path: Path, scale: float | None) -> Volume:
    """Return the volume in a MovingAI voxel map; `scale` is metres per voxel, 1 by default."""
    lines = read_text(path).splitlines()
    x, y, z = _size(lines[0])
    metres = 1.0 if scale is None else scale
    check_memory(x * y * z, resolution=metres, dimension=3)
    solid = np.zeros((z, y, x), dtype=bool)
    at = _occupied(lines[1:], (x, y, z))
    solid[at[:, 2], at[:, 1], at[:, 0]] = True
    return Volume(solid, resolution=metres, name=path.stem)


def _size(line: str) -> tuple[int, int, int]:
    words = line.split()
    if len(words) == 4 and words[0] == "voxel" and all(_is_number(word) for word in words[1:]):
        x, y, z = (int(word) for word in words[1:])
        if min(x, y, z) > 0 and max(x, y, z) <= _LARGEST:
            return x, y, z
    raise BadFile(f"line 1: {line[:40]!r} is not a size; a voxel map begins with 'voxel X Y Z'")


def _occupied(lines: list[str], size: tuple[int, int, int]) -> Ints:
    """Return (n, 3) x, y, z of the occupied voxels."""
    rows: list[list[int]] = []
    for number, line in enumerate(lines, start=2):
        words = line.split()
        if not words:
            continue
        if len(words) != 3 or not all(_is_number(word) for word in words):
            raise BadFile(f"line {number}: {line[:40]!r} is not a voxel; expected 'x y z'")
        row = [int(word) for word in words]
        if any(at >= side for at, side in zip(row, size, strict=True)):
            raise BadFile(
                f"line {number}: voxel {line.strip()[:40]!r} lies outside the size "
                f"{size[0]} {size[1]} {size[2]} of line 1"
            )
        rows.append(row)
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10
