"""Trajectories of experiments in the text format of the Pedestrian Dynamics Data Archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.errors import BadFile
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import Recorder

if TYPE_CHECKING:
    from pathlib import Path

    from footway.environment import Environment
    from footway.recording.recording import Recording


def load_trajectories(
    file: Path, *, rate: float, unit: float = 1.0, environment: Environment | None = None
) -> Recording:
    """Return trajectories as a recording; radii and velocities are 0.

    Args:
        file: lines `id frame x y ...` separated by spaces, or a table ID,Frame,x,y,... (.csv).
        rate: frames per second.
        unit: m, of the coordinates.
        environment: the walkable space.

    Raises:
        BadFile: the file cannot be read.

    """
    is_table = file.suffix.lower() == ".csv"
    try:
        rows = np.loadtxt(file, delimiter="," if is_table else None, skiprows=int(is_table))
        rows = rows.reshape(-1, rows.shape[-1])[:, :4]
    except (OSError, ValueError, IndexError) as error:
        raise BadFile(f"{file}: no trajectories: {error}") from None
    rows = rows[np.lexsort((rows[:, 0], rows[:, 1]))]
    ids = rows[:, 0].astype(np.int64)
    recorder = Recorder(
        step=1.0 / rate, seed=0, map_name=file.stem, names=["people"],
        recorded_map=None if environment is None else RecordedMap(environment),
    )  # fmt: skip
    known = np.unique(ids)
    recorder.add_characters(known, np.zeros(len(known)), np.zeros(len(known)))
    frames, first = np.unique(rows[:, 1].astype(np.int64), return_index=True)
    for frame, part in zip(frames.tolist(), np.split(np.arange(len(rows)), first[1:]), strict=True):
        at = unit * rows[part, 2:4]
        recorder.add_frame(frame, frame / rate, ids[part], at, np.zeros_like(at))
    return recorder.close()
