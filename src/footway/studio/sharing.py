"""A recording as one page that replays it offline: no server, no network, nothing beside it.

    player.html            built from web/, with a place for the recording
      gzip, base64         an envelope as it goes over the wire (see `wire`), with
        ground             the same arrays as the studio's page gets
        runs               everybody's way without gaps: who, from which frame, how many frames
        steps              the ways themselves: how far each moved from frame to frame

Places are whole numbers of a 65,535th of the map's longer side (8 mm in a city of 500 m); from
frame to frame they change little, so that they pack well.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadFile, BadInput
from footway.studio.documents import Document
from footway.studio.free_space import ground
from footway.studio.pages import STATIC
from footway.studio.replay import plots
from footway.studio.wire import packed
from footway.studio.wire_origin import origin_of, sent

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd import Recording
    from footway.environment import Environment

    Arrays = dict[str, NDArray[Any]]

PLACE: Final = "<!--footway-recording-->"
"""In the player: what the recording takes the place of."""

_FINEST: Final = 65_535  # whole numbers that a place may have, in x and in y
_MOST_ROWS: Final = 60_000_000  # of a page: a browser has no room for more


def write_page(
    recording: Recording,
    file: str | os.PathLike[str],
    *,
    cmap: CorridorMap,
    environment: Environment | None = None,
    is_boxed: bool = False,
) -> None:
    """Write a page that replays a recording on its map, or on a box where no map is known.

    Raises:
        BadInput: the recording is too long for a page.
        BadFile: the player is missing from this copy of Footway, or the file cannot be written.

    """
    document = Document(recording.map_name, "recording", environment, cmap, recording=recording)
    document = replace(document, origin=origin_of(document.bounds), is_boxed=is_boxed)
    page = player().replace(PLACE, _tag(document), 1)
    try:
        with open(file, "w", encoding="utf-8") as out:  # noqa: PTH123 - a file or a path
            out.write(page)
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror or error}") from error


def player() -> str:
    """Return the page without a recording."""
    built = STATIC / "player.html"
    if not built.is_file():
        raise BadFile(
            "the player has not been built: install Footway with `pip install .`, which builds it"
        )
    return built.read_text(encoding="utf-8")


def _tag(document: Document) -> str:
    packed_bytes = gzip.compress(envelope(document), 6, mtime=0)
    data = base64.b64encode(packed_bytes).decode()
    return f'<script id="footway-recording" type="application/octet-stream">{data}</script>'


def envelope(document: Document) -> bytes:
    """Return map, recording and plots in one message."""
    recording = document.recording
    assert recording is not None
    rows = int(recording.offsets[-1])
    if rows > _MOST_ROWS:
        raise BadInput(
            f"{rows:,} places are too many for a page: record fewer frames (`every=`), for at most "
            f"{_MOST_ROWS:,}"
        )
    bounds, (x, y) = document.bounds, document.origin
    about = sent(ground(document), document.origin)
    curves = plots(recording, document.corridors)
    facts = {
        "document": document.facts(),
        "ground": about.facts,
        "replay": curves.facts,
        "names": list(recording.names),
        "scale": _scale(bounds),
        "origin": [bounds[0] - x, bounds[1] - y],  # of the places, in what the page draws
    }
    arrays = {f"ground_{name}": array for name, array in about.arrays.items()}
    arrays |= {f"plot_{name}": array for name, array in curves.arrays.items()}
    message = packed(facts, arrays | ways_of(recording, bounds))
    assert isinstance(message, bytes)
    return message


def ways_of(recording: Recording, bounds: tuple[float, float, float, float]) -> Arrays:
    """Return everybody's ways in few bytes.

    `times` (f,) s; `runs` (r, 3): row in `people`, first frame, number of frames; `steps` (m, 2)
    as whole numbers modulo 65,536: the first of a run is a place, the others are what is added to
    the one before; `people`: ids, radii (mm) and populations of all.
    """
    frames = np.repeat(np.arange(recording.n_frames), np.diff(recording.offsets))
    order = np.lexsort((frames, recording.ids))
    frames, ids = frames[order], recording.ids[order]
    begins = np.flatnonzero((np.diff(ids, prepend=-1) != 0) | (np.diff(frames, prepend=-2) != 1))
    fine = (recording.positions[order] - bounds[:2]) / _scale(bounds)
    places = np.clip(np.rint(fine), 0, _FINEST).astype(np.int64)
    steps = np.diff(places, axis=0, prepend=0)
    steps[begins] = places[begins]
    people = recording.characters
    rows = np.searchsorted(people.ids, ids[begins])
    return {
        "times": recording.times,
        "runs": np.column_stack([rows, frames[begins], np.diff(begins, append=len(ids))]),
        "steps": (steps % (_FINEST + 1)).astype(np.uint16),
        "people_id": people.ids.astype(np.uint32),
        "people_radius": np.rint(1000.0 * people.radius).astype(np.uint16),
        "people_population": np.minimum(people.population, 255).astype(np.uint8),
    }


def _scale(bounds: tuple[float, float, float, float]) -> float:
    """Metres of one step of the places' whole numbers."""
    return max(bounds[2] - bounds[0], bounds[3] - bounds[1], 1e-3) / _FINEST
