"""Rows of a recording by frame and by character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.environment.areas import as_polygon
from footway.errors import BadQuery
from footway.recording.recording import Recording
from footway.validation import instance

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.environment.areas import Polygon


def checked(recording: Any) -> Recording:
    """Return a recording, or raise BadQuery."""
    instance(recording, Recording, "a Recording is measured: see `Crowd.run` and `Recording.load`")
    known: Recording = recording
    if known.floor_names:
        raise BadQuery(
            "the recording is of a building: measure one floor, recording.on_floor("
            f"{known.floor_names[0]!r})"
        )
    return known


def as_area(area: Any) -> Polygon:
    """Return the polygon of a measurement area; raise BadQuery if it has no interior."""
    polygon = as_polygon(area)
    if not polygon.area > 0.0:
        raise BadQuery("the area is empty: give corners that are not on one line")
    return polygon


def frame_of_rows(recording: Recording) -> Ints:
    """Return the frame of each row. (rows,)."""
    return np.repeat(np.arange(recording.n_frames), np.diff(recording.offsets))


def neighbours_in_time(recording: Recording, frames: int) -> tuple[Ints, Ints, Ints]:
    """Return rows, and the rows of the same characters so many frames before and after. (n,) each.

    Only where the character was present at both times.
    """
    frame = frame_of_rows(recording)
    order = np.lexsort((frame, recording.ids))
    here, before, after = order[frames:-frames], order[: -2 * frames], order[2 * frames :]
    ids = recording.ids
    is_known = (ids[before] == ids[after]) & (frame[after] - frame[before] == 2 * frames)
    return here[is_known], before[is_known], after[is_known]


def means_by_frame(values: Floats, frame: Ints, n_frames: int) -> Floats:
    """Return the mean of the values of each frame; NaN where there are none. (n_frames,)."""
    is_known = np.isfinite(values)
    total = np.bincount(frame[is_known], values[is_known], n_frames)
    count = np.bincount(frame[is_known], minlength=n_frames)
    mean: Floats = np.divide(total, count, out=np.full(n_frames, np.nan), where=count > 0)
    return mean
