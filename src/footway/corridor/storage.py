"""A corridor map in one file: a zip of NumPy arrays and a JSON header, no pickle.

Only the medial axis is stored. What is derived from it is derived again, in milliseconds, so a
file cannot contradict itself.
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway.corridor.index import Index, build_index
from footway.errors import BadFile
from footway.medial import MedialAxis

if TYPE_CHECKING:
    from os import PathLike

FORMAT = "footway corridor map"
VERSION = 1

# Columns of each array (0: a plain list) and the kind of its numbers.
_SHAPES = {
    "vertices": (2, "f"), "edges": (2, "i"), "offsets": (0, "i"), "events": (2, "f"),
    "clearance": (0, "f"), "left": (2, "f"), "right": (2, "f"), "piece_left": (0, "i"),
    "piece_right": (0, "i"), "piece_length": (0, "f"), "sites": (4, "f"), "is_point": (0, "b"),
    "two_sided": (0, "b"),
}  # fmt: skip


def save(file: str | PathLike[str], axis: MedialAxis, *, name: str) -> None:
    """Write a medial axis to a file."""
    header = json.dumps({"format": FORMAT, "version": VERSION, "name": name})
    try:
        with validation.file(file).open("wb") as stream:
            np.savez(stream, header=np.frombuffer(header.encode(), np.uint8), **axis._asdict())
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror}") from None


def load(file: str | PathLike[str]) -> tuple[Index, str]:
    """Read a medial axis and its name, and derive the rest; every array is checked before."""
    from footway.roadmap.storage import check_archive, reason_of  # slow to import

    try:
        with validation.file(file).open("rb") as stream:
            check_archive(stream)
            with np.load(stream, allow_pickle=False) as archive:
                header = _header(file, archive)
                axis = MedialAxis(**{field: _array(archive, field) for field in MedialAxis._fields})
            _check_references(axis)
            index = build_index(axis)
    except FileNotFoundError:
        raise BadFile(f"{file}: no such file") from None
    except BadFile:
        raise
    except _DAMAGE as error:
        raise BadFile(
            f"{file}: not a Footway map, or damaged ({reason_of(error)}): build it again"
        ) from None
    return index, str(header.get("name", ""))


_DAMAGE = (
    OSError, ValueError, KeyError, EOFError, TypeError, IndexError, RuntimeError, MemoryError,
    zipfile.BadZipFile,
)  # fmt: skip
"""What reading a damaged archive can raise; RuntimeError includes recursion and missing methods."""


def _walls_end_in_points(axis: MedialAxis) -> bool:
    """Whether every segment has a length and two point sites at its ends."""
    walls = axis.sites[~axis.is_point]
    ends = {tuple(point) for point in axis.sites[axis.is_point, :2].tolist()}
    lengths = np.hypot(*(walls[:, 2:] - walls[:, :2]).T)
    return bool((lengths > 0).all()) and all(
        tuple(end) in ends for end in walls.reshape(-1, 2).tolist()
    )


def _header(file: str | PathLike[str], archive: Any) -> dict[str, Any]:
    header = json.loads(bytes(archive["header"]))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("another kind of file")
    if header.get("version") != VERSION:
        raise BadFile(
            f"{file}: written by another Footway (format {header.get('version')}, this one reads "
            f"{VERSION}): build it again or update Footway"
        )
    return header


def _array(archive: Any, field: str) -> Any:
    """One array, if it has the right shape, type and only finite numbers."""
    columns, kind = _SHAPES[field]
    array = archive[field]
    shape = array.shape[1:] == ((columns,) if columns else ())
    if not shape or array.dtype != np.dtype({"f": "<f8", "i": "<i8", "b": "?"}[kind]):
        raise ValueError(f"array {field} has the wrong shape or type")
    if kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"array {field} has numbers that are not finite")
    return np.ascontiguousarray(array)


def _check_references(axis: MedialAxis) -> None:
    """Every index points into its array, so that no kernel reads beyond one."""
    events, sites, edges = len(axis.events), len(axis.sites), len(axis.edges)
    steps = np.diff(axis.offsets)
    last = axis.offsets[1:] - 1
    ends_only = np.ones(events, bool)
    if len(axis.offsets) == edges + 1 and events and (steps >= 2).all():
        ends_only[last[(last >= 0) & (last < events)]] = False
    piece = np.stack([axis.piece_left, axis.piece_right])
    sound = (
        edges > 0
        and len(axis.offsets) == edges + 1
        and axis.offsets[0] == 0
        and axis.offsets[-1] == events
        and bool((steps >= 2).all())
        and all(
            len(a) == events
            for a in (axis.clearance, axis.left, axis.right, *piece, axis.piece_length)
        )
        and len(axis.is_point) == len(axis.two_sided) == sites
        and int(axis.edges.min()) >= 0
        and int(axis.edges.max()) < len(axis.vertices)
        and bool(((piece >= 0) & (piece < sites) == ends_only).all())
        and bool((piece[:, ~ends_only] == -1).all())
        and _walls_end_in_points(axis)
    )
    if not sound:
        raise ValueError("the arrays do not fit together")
