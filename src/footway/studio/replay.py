"""Answer requests about a recording: measures over time, frames, trajectories."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from footway._numba.portable_math import hypot
from footway.errors import BadInput
from footway.studio.frames import recorded_frame
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd import Recording
    from footway.studio.documents import Document

    Floats = NDArray[np.float64]

_MAX_MEASURED: Final = 1000  # frames in the plots
_CELL: Final = 2.0  # m, side of the cells in which density is counted
_PROBES: Final = 4  # sample points per side of a cell, to measure its walkable area
_MAX_ROWS: Final = 1_000_000  # of trajectories


def recording_of(document: Document) -> Recording:
    """Return the open recording; raise BadInput if the document is none."""
    if document.recording is None:
        raise BadInput(f"{document.name}: is no recording; open a .parquet file")
    return document.recording


def overview(document: Document) -> Answer:
    """Return facts about the open recording, and its plots."""
    return plots(recording_of(document), document.corridors)


def plots(recording: Recording, corridors: CorridorMap) -> Answer:
    """Return measures of a recording over time, at 1,000 frames at most.

    `times` (s) and numbers of the `frames`, `present` (characters), `density` (1/m2: mean over
    all characters of the number in their 2 m cell, divided by its walkable area), `speed` (mean,
    m/s), `flow` (density times speed, 1/(m s)); and `frame_times` (s) of all frames.
    """
    count = min(recording.n_frames, _MAX_MEASURED)
    chosen = np.unique(np.linspace(0, recording.n_frames - 1, count).astype(np.int64))
    frames = [recording.frame(int(k)) for k in chosen]
    density = _densities([sample.positions for sample in frames], corridors)
    speed = [_mean(hypot(*sample.velocities.astype(float).T)) for sample in frames]
    facts = {
        "frames": recording.n_frames,
        "duration": recording.duration,
        "characters": len(recording.characters.ids),
        "names": list(recording.names),
        "complete": recording.complete,
        "step": recording.step,
    }
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
    """Return the mean density around the characters of each frame, 1/m2."""
    low = np.array(corridors.bounds[:2])
    cells = [np.floor((at - low) / _CELL).astype(np.int64) for at in places]
    used, which = np.unique(
        np.concatenate([np.empty((0, 2), np.int64), *cells]), axis=0, return_inverse=True
    )
    area = _areas(low + _CELL * used, corridors)
    ends = np.cumsum([0, *map(len, cells)])
    found = []
    for first, last in pairwise(ends.tolist()):
        here = which.ravel()[first:last]
        counts = np.bincount(here, minlength=len(used))
        found.append(_mean(counts[here] / area[here]))
    return np.array(found)


def _areas(corners: Floats, corridors: CorridorMap) -> Floats:
    """Return the walkable area of cells (n,), m2, from sample points; at least one point's part."""
    inside = (np.indices((_PROBES, _PROBES)).reshape(2, -1).T + 0.5) * _CELL / _PROBES
    points = (corners[:, None] + inside).reshape(-1, 2)
    free = corridors.clearance(points).reshape(len(corners), -1) > 0.0
    areas: Floats = np.maximum(1, free.sum(axis=1)) * (_CELL / _PROBES) ** 2
    return areas


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def frame(document: Document, k: int) -> Answer:
    """Return one frame in the format of the event "frame", with its obstacles."""
    recording = recording_of(document)
    if k >= recording.n_frames:
        raise BadInput(f"there is no frame {k}; the recording has {recording.n_frames}")
    return recorded_frame(recording, k)


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
        {"every": step},
        {"points": points, "offsets": np.cumsum([0, *counts]), "ids": unique_ids.astype(np.uint32)},
    )
