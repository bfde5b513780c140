"""Fill and clear blocks of voxels of one metre, for the three-dimensional maps.

A block is (x0, y0, z0, x1, y1, z1) in whole metres, with exclusive upper limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Block: TypeAlias = tuple[int, int, int, int, int, int]
Rise: TypeAlias = Literal["+x", "-x", "+y", "-y"]


def space(x: int, y: int, z: int, *, solid: bool) -> NDArray[np.bool_]:
    """Return (z, y, x) voxels, all solid or all free."""
    return np.full((z, y, x), solid)


def dig(solid: NDArray[np.bool_], blocks: Iterable[Block]) -> None:
    """Make these blocks free."""
    for block in blocks:
        _part(solid, block)[...] = False


def fill(solid: NDArray[np.bool_], blocks: Iterable[Block]) -> None:
    """Make these blocks solid."""
    for block in blocks:
        _part(solid, block)[...] = True


def stairs(solid: NDArray[np.bool_], block: Block, rise: Rise) -> None:
    """Fill a block with steps that rise toward one of its sides."""
    part = _part(solid, block)
    along = np.moveaxis(part, 2 if rise[1] == "x" else 1, 0)
    if rise[0] == "-":
        along = along[::-1]
    count, height = len(along), len(part)
    for i, slab in enumerate(along):
        slab[: -(-(i + 1) * height // count)] = True


def _part(solid: NDArray[np.bool_], block: Block) -> NDArray[np.bool_]:
    x0, y0, z0, x1, y1, z1 = block
    nz, ny, nx = solid.shape
    assert 0 <= x0 < x1 <= nx, block
    assert 0 <= y0 < y1 <= ny, block
    assert 0 <= z0 < z1 <= nz, block
    return solid[z0:z1, y0:y1, x0:x1]
