"""MovingAI `.map`: octile grids of letters.

`.` and `G` are free, `S` is swamp: passable, kept as terrain. `@`, `O` (out of bounds),
`T` (trees) and `W` (water) are blocked.

The map is drawn as the file is read: the first row of letters is the top one. x points right and y
points up here, with (0, 0) at the lower left corner, while scenarios of the benchmark count y down
from the top. Their cell (x, y) has its centre at ((x + 0.5) scale, (height - y - 0.5) scale).

Format: https://movingai.com/benchmarks/formats.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from footway.constants import MAX_GRID_CELLS
from footway.environment import Environment, TerrainRegion
from footway.errors import BadFile
from footway.formats.grid_tracing import from_grid, place, trace
from footway.formats.registry import Format, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT: Final = Format("MovingAI", (".map",), starts=(b"type ",))

_PASSABLE: Final = b".GS"
_BLOCKED: Final = b"@OTW"
_HEADER_LINES: Final = 20
"""Lines. The word `map` is on line 4; a file without it in these lines has another format."""


def load(path: Path, scale: float | None) -> Environment:
    """Return the environment in a MovingAI map; `scale` is metres per cell, 1 by default."""
    metres = 1.0 if scale is None else scale
    cells = _parse(read_bytes(path))
    swamp = trace(cells == ord("S"))
    terrain = []
    if len(swamp):
        polygon = shapely.multipolygons(place(swamp, scale=metres))
        terrain.append(TerrainRegion("swamp", polygon))
    free = np.isin(cells, np.frombuffer(_PASSABLE, dtype=np.uint8))
    return from_grid(free, scale=metres, terrain=terrain, name=path.stem)


def _parse(content: bytes) -> NDArray[np.uint8]:
    """Return (height, width) letters, row 0 on top."""
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines()
    names = [line.strip() for line in lines[:_HEADER_LINES]]
    if b"map" not in names:
        raise BadFile(
            "has no line 'map' in its header; a MovingAI map begins with type, height, width, map"
        )
    begin = names.index(b"map")
    height, width = _size(lines[:begin])
    rows = lines[begin + 1 : begin + 1 + height]
    if len(rows) < height:
        raise BadFile(
            f"has {len(rows)} rows of cells, but the header says height {height}; "
            "the file may be cut off"
        )
    for i, letters in enumerate(rows):
        if len(letters) != width:
            raise BadFile(
                f"line {begin + 2 + i}: has {len(letters)} cells, but the header says width {width}"
            )
    cells = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(height, width)
    known = np.isin(cells, np.frombuffer(_PASSABLE + _BLOCKED, dtype=np.uint8))
    if not known.all():
        row, column = np.unravel_index(np.argmin(known), known.shape)
        letter = chr(cells[row, column])
        raise BadFile(
            f"line {begin + 2 + row}, column {column + 1}: {letter!r} is not a cell; "
            "known are . G S (passable) and @ O T W (blocked)"
        )
    return cells


def _size(header: list[bytes]) -> tuple[int, int]:
    """Return height and width."""
    size = {b"height": 0, b"width": 0}
    for i, line in enumerate(header):
        words = line.split()
        if not words or words[0] not in size:
            continue
        try:
            size[words[0]] = int(words[1])
        except (ValueError, IndexError) as error:
            found = line[:40].decode("ascii", "replace")
            raise BadFile(f"line {i + 1}: {found!r} is not a size; expected a number") from error
    height, width = size[b"height"], size[b"width"]
    if height <= 0 or width <= 0:
        raise BadFile("its header gives no positive 'height' and 'width'")
    if height * width > MAX_GRID_CELLS:
        raise BadFile(f"has more than {MAX_GRID_CELLS:,} cells; cut out the part that you need")
    return height, width
