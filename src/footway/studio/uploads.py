"""Files that a browser sends: written to a folder of their own, opened, and forgotten."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Final

from footway.crowd.recording import Rows
from footway.errors import BadInput, FootwayError
from footway.studio.documents import RECORDING, SCENARIO, open_document

if TYPE_CHECKING:
    from footway.studio.documents import Document

KINDS: Final = (".geojson", ".json", ".wkt", ".map", ".png", ".fwmap", SCENARIO, RECORDING)
"""Suffixes of files that may be sent; others name further files, which stay where they are."""

_MOST_ROWS: Final = 20_000_000  # of a recording: 640 MB of memory


def clean_name(name: str) -> str:
    """Return the plain name of a file that may be sent.

    Raises:
        BadInput: it has no name, or is of another kind.

    Example:
        >>> clean_name("../plans/house.geojson")
        'house.geojson'

    """
    plain = PureWindowsPath(PurePosixPath(name).name).name
    plain = "".join(c for c in plain if c.isprintable() and c not in '<>:"|?*')[-100:]
    if Path(plain).suffix.lower() not in KINDS or not Path(plain).stem.strip(". "):
        raise BadInput(f"{plain or 'a file'}: is of a kind that cannot be sent; {_known()}")
    return plain


def _known() -> str:
    return f"known are {', '.join(KINDS)}"


def opened(name: str, content: bytes, *, scale: float | None = None) -> Document:
    """Open a file that was sent.

    Raises:
        BadInput: what is wrong with it, on one line that names no folder of this machine.

    """
    plain = clean_name(name)
    with tempfile.TemporaryDirectory(prefix="footway-") as folder:
        path = Path(folder) / f"upload{Path(plain).suffix.lower()}"
        path.write_bytes(content)
        try:
            if path.suffix == SCENARIO:
                _check_scenario(path)
            document = _in_memory(open_document(str(path), scale=scale, called=plain))
        except FootwayError as error:
            words = str(error).replace(str(path), plain).replace(folder, "")
            raise BadInput(words) from None
    return document


def _check_scenario(path: Path) -> None:
    """Refuse a scenario that names a file: the sender must not choose what this machine reads."""
    from footway.io.scenario import load_scenario

    scenario = load_scenario(path)
    if not scenario.map.startswith("gallery:"):
        raise BadInput(
            f"{path}: its map is a file; start `footway studio SCENARIO` beside it, or take a "
            "map of the gallery"
        )


class _Kept:
    """Rows of a recording whose file is gone."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        ids, positions, velocities = self._rows
        return Rows(ids[first:last], positions[first:last], velocities[first:last])


def _in_memory(document: Document) -> Document:
    """Read all rows of a recording before its file goes."""
    recording = document.recording
    if recording is None:
        return document
    rows = int(recording.offsets[-1])
    if rows > _MOST_ROWS:
        raise BadInput(
            f"{document.name}: has {rows:,} rows, more than the {_MOST_ROWS:,} that can be sent; "
            "start `footway studio RECORDING` on the file"
        )
    source = _Kept(recording.source.read(0, rows))
    return replace(document, recording=replace(recording, source=source))
