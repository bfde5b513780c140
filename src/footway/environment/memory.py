"""Check that a lattice of cells fits in memory before it is allocated."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES_PER_CELL: Final = 64
"""bytes. Memory per cell and corner: whether it is free, its clearance, how far a ray may skip, and
the temporary arrays of the distance transforms."""

MOST_CELLS: Final = 1e90
"""Cells along one side up to which they are counted: no machine has memory for that many."""

_USUAL: Final = 200  # cells along the longer side of a map

MANY: Final = 10**12
"""Numbers from here on are printed with a power of ten."""


def check_memory(
    cells: int, *, resolution: float, dimension: int, each: int = BYTES_PER_CELL
) -> None:
    """Raise an error if a lattice does not fit in free memory.

    Args:
        cells: number of cells.
        resolution: m, side of a cell; the message suggests one that would fit.
        dimension: 2 or 3, the exponent with which the number of cells grows.
        each: bytes per cell.

    Raises:
        BadInput: it does not fit; the message gives needed and free memory and a resolution.

    Example:
        >>> check_memory(94 * 94, resolution=0.5, dimension=2)

    """
    available = free_memory()
    needed = cells * each
    if available is None or needed <= available:
        return
    fits = round_up(resolution * (needed / max(available, 1)) ** (1 / dimension))
    raise BadInput(
        f"a resolution of {resolution:g} m gives {_readable(cells)} cells, which need "
        f"{_readable(needed / 2**30)} GiB; {_readable(available / 2**30)} GiB are free: "
        f"take a resolution of {fits:g} m or more"
    )


def cells_along(
    sides: Iterable[float], resolution: float, *, each: int = BYTES_PER_CELL
) -> list[int]:
    """Return the number of cells of side `resolution` (m) along each length (m).

    Raises:
        BadInput: the lattice does not fit in memory.

    Example:
        >>> cells_along((10.0, 7.6), 0.5)
        [20, 16]

    """
    lengths = list(sides)
    if max(lengths) > resolution * MOST_CELLS:
        raise BadInput(
            f"a resolution of {resolution:g} m gives more cells than can be counted: take a "
            f"coarser one, such as {round_up(max(lengths) / _USUAL):g} m"
        )
    counts = [math.ceil(length / resolution - 1e-9) for length in lengths]
    check_memory(math.prod(counts), resolution=resolution, dimension=len(counts), each=each)
    return counts


def _readable(number: float) -> str:
    """Return a number with few digits, for messages."""
    if number >= MANY:
        return f"{number:.1e}".replace("e+", "e")
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def free_memory() -> int | None:
    """Return the available memory in bytes, or None if the system does not report it."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass  # not Linux
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def round_up(length: float) -> float:
    """Round a length up to the series 1, 2, 2.5, 5, 10.

    Example:
        >>> round_up(0.235), round_up(0.5), round_up(2.1)
        (0.25, 0.5, 2.5)

    """
    power = int(f"{length:e}".partition("e")[2])
    steps = (float(f"{digits}e{power}") for digits in (1, 2, 2.5, 5, 10))
    return next(step for step in steps if step >= length * (1 - 1e-9))
