"""Answer requests about a recording, or write it as one HTML page that replays it offline.

    player.html            built from web/, with a placeholder for the recording
      gzip, base64         an envelope (see `wire`) with
        ground             the same arrays as in the studio's page
        runs               trajectories without gaps: character, first frame, number of frames
        steps              displacements from frame to frame
        run_sheets, climbs in a building: the sheet of each run, and changes of height

Positions in a page are multiples of 1/65,535 of the map's longer side (8 mm in a city of 500 m);
they change little from frame to frame, so they compress well.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway._numba.portable_math import hypot
from footway.errors import BadFile, BadInput
from footway.recording.recorded_floors import rows_of, sheets_of
from footway.studio import STATIC, buildings
from footway.studio.documents import Document
from footway.studio.layers import ground
from footway.studio.protocol import replies
from footway.studio.protocol.replies import Answer
from footway.studio.protocol.wire import origin_of, packed, recorded_frame, to_wire

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.crowd import Recording
    from footway.environment import Building, Environment

    Arrays = dict[str, NDArray[Any]]

_MAX_MEASURED: Final = 1000  # frames in the plots
_CELL: Final = 2.0  # m, side of the cells in which density is counted
_PROBES: Final = 4  # sample points per side of a cell, to measure its walkable area
_LEAST: Final = 1.0  # m2 of a cell: one person in a doorway is no crowd of four per square metre
_MAX_ROWS: Final = 1_000_000  # of trajectories

PLACEHOLDER: Final = "<!--footway-recording-->"
"""Placeholder in the player that is replaced by the recording."""

_MAX_COORDINATE: Final = 65_535  # largest coordinate
_CENTIMETRES: Final = 100.0  # units of height in a metre
_BELOW: Final = 1.0  # m below the lowest sheet, so that no height is negative
_MAX_POSITIONS: Final = 60_000_000  # of a page: a browser has not enough memory for more


def recording_of(document: Document) -> Recording:
    """Return the open recording; raise BadInput if the document is none."""
    if document.recording is None:
        raise BadInput(f"{document.name}: is not a recording; open a .parquet file")
    return document.recording


def overview(document: Document) -> Answer:
    """Return facts about the open recording, and its plots."""
    return plots(recording_of(document), document.corridors)


def plots(recording: Recording, corridors: CorridorMap) -> Answer:
    """Return measures of a recording over time, at 1,000 frames at most.

    `times` (s) and numbers of the `frames`, `present` (characters), `density` (1/m2: mean over
    all characters of the number in their 2 m cell, divided by its walkable area, at least 1 m2),
    `speed` (mean, m/s), `flow` (density times speed, 1/(m s)); and `frame_times` (s) of all frames.
    """
    count = min(recording.n_frames, _MAX_MEASURED)
    chosen = np.unique(np.linspace(0, recording.n_frames - 1, count).astype(np.int64))
    frames = [recording.frame(int(k)) for k in chosen]
    building_map = buildings.building_map(corridors)
    sheets = [np.zeros(len(sample.ids), np.int64) for sample in frames]
    if building_map is not None:
        building = building_map.building
        sheets = [sheets_of(recording, building, rows_of(recording, int(k))) for k in chosen]
    places = [
        np.column_stack([on, sample.positions]) for on, sample in zip(sheets, frames, strict=True)
    ]
    density = _densities(places, corridors)
    speed = [_mean(hypot(*sample.velocities.astype(float).T)) for sample in frames]
    facts = replies.Replay(
        frames=recording.n_frames,
        duration=recording.duration,
        characters=len(recording.characters.ids),
        names=list(recording.names),
        complete=recording.complete,
        step=recording.step,
    )
    arrays = {
        "times": recording.times[chosen],
        "frames": chosen,
        "frame_times": recording.times,
        "present": np.array([len(sample.ids) for sample in frames]),
        "density": density,
        "speed": np.array(speed),
        "flow": density * np.array(speed),
    }
    return Answer(facts, arrays)


def _densities(places: list[Floats], corridors: CorridorMap) -> Floats:
    """Return the mean density around the characters of each frame, 1/m2.

    `places` are sheet (0 on a plan), x and y of the characters of each frame.
    """
    building_map = buildings.building_map(corridors)
    bounds = corridors.bounds if building_map is None else building_map.building.bounds
    low = np.array([0.0, *bounds[:2]])
    size = np.array([1.0, _CELL, _CELL])
    cells = [np.floor((at - low) / size).astype(np.int64) for at in places]
    used, which = np.unique(
        np.concatenate([np.empty((0, 3), np.int64), *cells]), axis=0, return_inverse=True
    )
    # Walkable area of each cell, m2, from sample points.
    corners = low[1:] + _CELL * used[:, 1:]
    inside = (np.indices((_PROBES, _PROBES)).reshape(2, -1).T + 0.5) * _CELL / _PROBES
    points = (corners[:, None] + inside).reshape(-1, 2)
    if building_map is None:
        is_free = corridors.clearance(points) > 0.0
    else:
        is_free = buildings.is_on(building_map.building, np.repeat(used[:, 0], len(inside)), points)
    free = is_free.reshape(len(corners), -1)
    area: Floats = np.maximum(_LEAST, free.sum(axis=1) * (_CELL / _PROBES) ** 2)
    ends = np.cumsum([0, *map(len, cells)])
    found = []
    for first, last in pairwise(ends.tolist()):
        here = which.ravel()[first:last]
        counts = np.bincount(here, minlength=len(used))
        found.append(_mean(counts[here] / area[here]))
    return np.array(found)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def frame(document: Document, k: int) -> Answer:
    """Return one frame in the format of the event "frame", with its obstacles."""
    recording = recording_of(document)
    if k >= recording.n_frames:
        raise BadInput(f"there is no frame {k}; the recording has {recording.n_frames}")
    return recorded_frame(recording, k, document.building)


def trails(document: Document, first: int, last: int) -> Answer:
    """Return trajectories between two frames: points, offsets of characters, ids."""
    recording = recording_of(document)
    last = min(last, recording.n_frames - 1)
    if first > last:
        raise BadInput(f"trails from frame {first} to {last}: give the earlier one first")
    rows = int(recording.offsets[last + 1] - recording.offsets[first])
    step = max(1, -(-rows // _MAX_ROWS))
    frames = [recording.frame(k) for k in range(first, last + 1, step)]
    ids = np.concatenate([sample.ids for sample in frames])
    order = np.argsort(ids, kind="stable")
    points = np.concatenate([sample.positions for sample in frames])[order]
    unique_ids, counts = np.unique(ids[order], return_counts=True)
    return Answer(
        replies.Trails(every=step),
        {"points": points, "offsets": np.cumsum([0, *counts]), "ids": unique_ids.astype(np.uint32)},
    )


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
    if rows > _MAX_POSITIONS:
        raise BadInput(
            f"{rows:,} positions are too many for a page: record fewer frames (`every=`), at most "
            f"{_MAX_POSITIONS:,}"
        )
    bounds, (x, y) = document.bounds, document.origin
    free_space = to_wire(ground(document), document.origin)
    curves = plots(recording, document.corridors)
    facts = {
        "document": document.facts().model_dump(),
        "ground": free_space.facts.model_dump(),
        "replay": curves.facts.model_dump(),
        "names": list(recording.names),
        "scale": _scale(bounds),
        "origin": [bounds[0] - x, bounds[1] - y],  # of the positions, on the page
        "lowest": 0.0 if document.building is None else lowest(document.building),
    }
    arrays = {f"ground_{name}": array for name, array in free_space.arrays.items()}
    arrays |= {f"plot_{name}": array for name, array in curves.arrays.items()}
    message = packed(facts, arrays | trajectories(recording, bounds, document.building))
    assert isinstance(message, bytes)
    return message


def trajectories(
    recording: Recording,
    bounds: tuple[float, float, float, float],
    building: Building | None = None,
) -> Arrays:
    """Return all trajectories in few bytes.

    `times` (f,) s; `runs` (r, 3): row in `people`, first frame, number of frames; `steps` (m, 2)
    integers modulo 65,536: the first of a run is a position, the others are displacements;
    `people`: ids, radii (mm) and populations of all characters.

    In a building a run is on one sheet, `run_sheets` (r,), and `climbs` (m,) are like `steps`: the
    first of a run is a height above `lowest`, in cm.
    """
    frames = np.repeat(np.arange(recording.n_frames), np.diff(recording.offsets))
    order = np.lexsort((frames, recording.ids))
    frames, ids = frames[order], recording.ids[order]
    is_new = (np.diff(ids, prepend=-1) != 0) | (np.diff(frames, prepend=-2) != 1)
    floors: Arrays = {}
    if building is not None:
        everything = recording.source.read(0, int(recording.offsets[-1]))
        assert everything.heights is not None
        sheets = sheets_of(recording, building, everything)[order]
        is_new |= np.diff(sheets, prepend=-1) != 0
        above = everything.heights[order] - lowest(building)
        heights = np.rint(_CENTIMETRES * above).astype(np.int64)
        climbs = np.diff(heights, prepend=0)
        climbs[is_new] = heights[is_new]
        floors["run_sheets"] = sheets[is_new].astype(np.uint16)
        floors["climbs"] = (climbs % (_MAX_COORDINATE + 1)).astype(np.uint16)
    begins = np.flatnonzero(is_new)
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
        **floors,
    }


def lowest(building: Building) -> float:
    """Return the height above which those of a page are given, m."""
    return min(layer.low for layer in building.layers) - _BELOW


def _scale(bounds: tuple[float, float, float, float]) -> float:
    """Return the size of one unit of the positions, m."""
    return max(bounds[2] - bounds[0], bounds[3] - bounds[1], 1e-3) / _MAX_COORDINATE
