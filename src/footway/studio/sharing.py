"""Write a recording as one HTML page that replays it offline, without a server.

    player.html            built from web/, with a placeholder for the recording
      gzip, base64         an envelope (see `wire`) with
        ground             the same arrays as in the studio's page
        runs               trajectories without gaps: character, first frame, number of frames
        steps              displacements from frame to frame

Positions are multiples of 1/65,535 of the map's longer side (8 mm in a city of 500 m); they change
little from frame to frame, so they compress well.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadFile, BadInput
from footway.studio.documents import Document
from footway.studio.free_space import free_space_answer
from footway.studio.pages import STATIC
from footway.studio.replay import plots
from footway.studio.wire import packed
from footway.studio.wire_origin import origin_of, to_wire

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd import Recording
    from footway.environment import Environment

    Arrays = dict[str, NDArray[Any]]

PLACEHOLDER: Final = "<!--footway-recording-->"
"""Placeholder in the player that is replaced by the recording."""

_MAX_COORDINATE: Final = 65_535  # largest coordinate
_MAX_ROWS: Final = 60_000_000  # of a page: a browser has not enough memory for more


def write_page(
    recording: Recording,
    file: str | os.PathLike[str],
    *,
    cmap: CorridorMap,
    environment: Environment | None = None,
    is_boxed: bool = False,
) -> None:
    """Write a page that replays a recording on its map, or in a box if the map is unknown.

    Raises:
        BadInput: the recording is too long for a page.
        BadFile: the player is missing from this copy of Footway, or the file cannot be written.

    """
    document = Document(recording.map_name, "recording", environment, cmap, recording=recording)
    document = replace(document, origin=origin_of(document.bounds), is_boxed=is_boxed)
    data = base64.b64encode(gzip.compress(envelope(document), 6, mtime=0)).decode()
    tag = f'<script id="footway-recording" type="application/octet-stream">{data}</script>'
    page = player().replace(PLACEHOLDER, tag, 1)
    try:
        with open(file, "w", encoding="utf-8") as out:  # noqa: PTH123 - a file or a path
            out.write(page)
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror or error}") from error


def player() -> str:
    """Return the player page without a recording."""
    built = STATIC / "player.html"
    if not built.is_file():
        raise BadFile(
            "the player has not been built: install Footway with `pip install .`, which builds it"
        )
    return built.read_text(encoding="utf-8")


def envelope(document: Document) -> bytes:
    """Return map, recording and plots in one message."""
    recording = document.recording
    assert recording is not None
    rows = int(recording.offsets[-1])
    if rows > _MAX_ROWS:
        raise BadInput(
            f"{rows:,} positions are too many for a page: record fewer frames (`every=`), at most "
            f"{_MAX_ROWS:,}"
        )
    bounds, (x, y) = document.bounds, document.origin
    free_space = to_wire(free_space_answer(document), document.origin)
    curves = plots(recording, document.corridors)
    facts = {
        "document": document.facts(),
        "ground": free_space.facts,
        "replay": curves.facts,
        "names": list(recording.names),
        "scale": _scale(bounds),
        "origin": [bounds[0] - x, bounds[1] - y],  # of the positions, on the page
    }
    arrays = {f"ground_{name}": array for name, array in free_space.arrays.items()}
    arrays |= {f"plot_{name}": array for name, array in curves.arrays.items()}
    message = packed(facts, arrays | trajectories(recording, bounds))
    assert isinstance(message, bytes)
    return message


def trajectories(recording: Recording, bounds: tuple[float, float, float, float]) -> Arrays:
    """Return all trajectories in few bytes.

    `times` (f,) s; `runs` (r, 3): row in `people`, first frame, number of frames; `steps` (m, 2)
    integers modulo 65,536: the first of a run is a position, the others are displacements;
    `people`: ids, radii (mm) and populations of all characters.
    """
    frames = np.repeat(np.arange(recording.n_frames), np.diff(recording.offsets))
    order = np.lexsort((frames, recording.ids))
    frames, ids = frames[order], recording.ids[order]
    begins = np.flatnonzero((np.diff(ids, prepend=-1) != 0) | (np.diff(frames, prepend=-2) != 1))
    fine = (recording.positions[order] - bounds[:2]) / _scale(bounds)
    positions = np.clip(np.rint(fine), 0, _MAX_COORDINATE).astype(np.int64)
    steps = np.diff(positions, axis=0, prepend=0)
    steps[begins] = positions[begins]
    characters = recording.characters
    rows = np.searchsorted(characters.ids, ids[begins])
    return {
        "times": recording.times,
        "runs": np.column_stack([rows, frames[begins], np.diff(begins, append=len(ids))]),
        "steps": (steps % (_MAX_COORDINATE + 1)).astype(np.uint16),
        "people_id": characters.ids.astype(np.uint32),
        "people_radius": np.rint(1000.0 * characters.radius).astype(np.uint16),
        "people_population": np.minimum(characters.population, 255).astype(np.uint8),
    }


def _scale(bounds: tuple[float, float, float, float]) -> float:
    """Return the size of one unit of the positions, m."""
    return max(bounds[2] - bounds[0], bounds[3] - bounds[1], 1e-3) / _MAX_COORDINATE
