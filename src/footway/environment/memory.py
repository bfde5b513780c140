"""Whether a lattice of cells would fit in memory, asked before it is made."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES_PER_CELL: Final = 64
"""bytes. A cell with its corner: whether it is free, its clearance, how far a ray may skip, and
what the distance transforms need beside them while they run."""

MOST_CELLS: Final = 1e90
"""Cells along one side, to count with: no machine has memory for them."""

_USUAL: Final = 200  # cells along the longer side of a map

MANY: Final = 10**12
"""From here on numbers are written with a power of ten."""


def check_memory(
    cells: int, *, resolution: float, dimension: int, each: int = BYTES_PER_CELL
) -> None:
    """Refuse a lattice that would not fit into what memory is free.

    Args:
        cells: how many there would be.
        resolution: m, side of a cell: the message says which one would fit.
        dimension: 2 or 3; how the number of cells grows with the resolution.
        each: bytes that one cell takes.

    Raises:
        BadInput: it does not fit; with what is needed, what is there and what to do.

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
    """Return how many cells of side `resolution` (m) each of some lengths (m) takes.

    Raises:
        BadInput: they do not fit into memory together.

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
    """A number with as many digits as one reads."""
    if number >= MANY:
        return f"{number:.1e}".replace("e+", "e")
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def free_memory() -> int | None:
    """Bytes that can be had without pushing others out; None where the system does not tell."""
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
    """Return the next length of the series 1, 2, 2.5, 5, 10: one that a person would type.

    Example:
        >>> round_up(0.235), round_up(0.5), round_up(2.1)
        (0.25, 0.5, 2.5)

    """
    power = int(f"{length:e}".partition("e")[2])
    steps = (float(f"{digits}e{power}") for digits in (1, 2, 2.5, 5, 10))
    return next(step for step in steps if step >= length * (1 - 1e-9))
