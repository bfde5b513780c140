"""The volume: a three-dimensional environment of voxels, in metres.

Also checks that a lattice of cells fits in memory before it is allocated.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeAlias

import numpy as np

from footway.constants import TOUCH
from footway.errors import BadGeometry, BadInput
from footway.validation import FARTHEST, floats, number, point, sequence, shown, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats
    from footway.environment.repair import Repair

Box: TypeAlias = tuple[float, float, float, float, float, float]  # x0, y0, z0, x1, y1, z1, m

BYTES_PER_CELL: Final = 64
"""bytes. Memory per cell and corner: whether it is free, its clearance, how far a ray may skip, and
the temporary arrays of the distance transforms."""

MOST_CELLS: Final = 1e90
"""Cells along one side up to which they are counted: no machine has memory for that many."""

_USUAL: Final = 200  # cells along the longer side of a map

MANY: Final = 10**12  # numbers from here on are printed with a power of ten

_FLAT: Final = frozenset(
    ("walkable", "lines", "points", "areas", "terrain", "walls", "area", "holes", "grid")
)
"""Attributes of an Environment that a Volume does not have."""


@dataclass(frozen=True, eq=False, repr=False)
class Volume:
    """Space as solid and free voxels; z is up, and everything outside is solid.

    Attributes:
        solid: (nz, ny, nx) bool, occupied voxels; read-only.
        resolution: m, side of a voxel.
        origin: (x, y, z) of the lower corner, m.
        name: of the map.
        repairs: every repair of the input, with its position.

    Example:
        >>> room = np.zeros((3, 4, 5), dtype=bool)
        >>> Volume(room, resolution=0.5).bounds
        (0.0, 0.0, 0.0, 2.5, 2.0, 1.5)
    """

    solid: Bools
    resolution: float
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    name: str = ""
    repairs: tuple[Repair, ...] = ()

    def __post_init__(self) -> None:
        """Validate the arguments and keep a read-only copy."""
        try:
            voxels: NDArray[Any] = np.array(self.solid)
        except ValueError:  # ragged lists
            voxels = np.empty(0)
        if voxels.ndim != 3 or voxels.size == 0 or voxels.dtype.kind not in "bui":
            raise BadGeometry(
                f"solid voxels have the shape {voxels.shape} and the type {voxels.dtype}; "
                "give a (nz, ny, nx) array of booleans"
            )
        made = np.ascontiguousarray(voxels, dtype=bool)
        made.flags.writeable = False
        object.__setattr__(self, "solid", made)
        object.__setattr__(self, "resolution", _resolution(self.resolution))
        object.__setattr__(
            self, "origin", tuple(point(self.origin, "origin", 3, error=BadGeometry).tolist())
        )
        object.__setattr__(self, "repairs", tuple(sequence(self.repairs, "repairs")))
        text(self.name, "name", error=BadGeometry)

    @classmethod
    def from_boxes(
        cls, bounds: Box, boxes: Iterable[Box] = (), *, resolution: float = 1.0, name: str = ""
    ) -> Self:
        """Return a volume with these bounds and solid boxes.

        A voxel is solid if the interior of a box intersects it, so that free voxels contain no
        part of a box. Voxels that extend beyond the bounds are solid too.

        Args:
            bounds: (x0, y0, z0, x1, y1, z1), m.
            boxes: in the same form; parts outside the bounds have no effect.
            resolution: m, side of a voxel.
            name: of the map.

        Raises:
            BadGeometry: bounds or a box are invalid: not six numbers, NaN, empty.
            BadInput: an invalid resolution, or one too fine for the available memory.

        Example:
            >>> Volume.from_boxes((0, 0, 0, 10, 8, 3), [(4, 3, 0, 6, 5, 3)])
            <Volume '': 10 x 8 x 3 m, voxels of 1 m, 228.0 m3 free, 0 repairs>
        """
        limits = _box(bounds, "the bounds")
        step = _resolution(resolution)
        origin, far = limits[:3], limits[3:]
        shape = cells_along((far - origin).tolist(), step)
        solid = np.zeros(shape[::-1], dtype=bool)
        whole = [math.floor(side + 1e-9) for side in (far - origin) / step]
        for axis, count in enumerate(reversed(whole)):
            np.moveaxis(solid, axis, 0)[count:] = True
        for i, given in enumerate(sequence(boxes, "boxes", error=BadGeometry)):
            box = _box(given, f"box {i}")
            low = np.floor((box[:3] - origin) / step + 1e-9).clip(-1, max(shape)).astype(np.int64)
            high = np.ceil((box[3:] - origin) / step - 1e-9).clip(-1, max(shape)).astype(np.int64)
            x, y, z = (slice(*pair) for pair in zip(low.clip(0), high.clip(0), strict=True))
            solid[z, y, x] = True
        return cls(solid, resolution=step, origin=tuple(origin.tolist()), name=name)

    @property
    def bounds(self) -> Box:
        """(x0, y0, z0, x1, y1, z1) of all voxels, metres."""
        low, size = self.origin, self.size
        return (*low, low[0] + size[0], low[1] + size[1], low[2] + size[2])

    @property
    def size(self) -> tuple[float, float, float]:
        """Lengths along x, y and z, metres."""
        nz, ny, nx = self.solid.shape
        return nx * self.resolution, ny * self.resolution, nz * self.resolution

    @property
    def free_volume(self) -> float:
        """Total volume of the free voxels, m3."""
        return float(np.count_nonzero(~self.solid)) * self.resolution**3

    if not TYPE_CHECKING:  # or every misspelt attribute would pass the type checker

        def __getattr__(self, name: str) -> NoReturn:
            """Explain what to do if a volume is used as a plan."""
            if name in _FLAT:
                raise BadInput(
                    f"{self.name or 'a volume'} is three-dimensional: build a roadmap, or cut a "
                    "plan with between=LOW,HIGH"
                )
            raise AttributeError(f"'Volume' object has no attribute {name!r}")

    def __repr__(self) -> str:
        """Return name, size and free volume on one line."""
        x, y, z = self.size
        return (
            f"<Volume {self.name!r}: {x:g} x {y:g} x {z:g} m, voxels of {self.resolution:g} m, "
            f"{self.free_volume:.1f} m3 free, {len(self.repairs)} repairs>"
        )


def _resolution(resolution: Any) -> float:
    return number(resolution, "resolution", "m", low=TOUCH, high=FARTHEST, error=BadInput)


def _box(given: Any, what: str) -> Floats:
    """Return a validated box as (6,) float64."""
    box = floats(given, "(6,)", name=what, error=BadGeometry)
    good = box.shape == (6,) and (np.abs(box) <= FARTHEST).all() and (box[:3] < box[3:]).all()
    if not good:
        raise BadGeometry(
            f"{what}: {shown(given)} is not a box; give (x0, y0, z0, x1, y1, z1) in metres with "
            "x0 < x1, y0 < y1 and z0 < z1"
        )
    return box


# -- memory ------------------------------------------------------------------------------------


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


def cells_along(sides: Iterable[float], resolution: float) -> list[int]:
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
    check_memory(math.prod(counts), resolution=resolution, dimension=len(counts))
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
