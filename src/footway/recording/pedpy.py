"""Export to PedPy's text format (of the Pedestrian Dynamics Data Archive) and to CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.environment.areas import to_wkt
from footway.recording.trajectories import batches, check_plane, even_frames, walkable_area
from footway.writing import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path

    from footway.environment import Environment
    from footway.recording.recording import Recording


def save_pedpy(
    recording: Recording, file: str | os.PathLike[str], *, environment: Environment | None = None
) -> None:
    """Write a recording as text: a line `id frame x y z` for each character and frame, in metres.

    PedPy's loader reads frame rate and unit from the header, which also contains the geometry as
    WKT after `# geometry:`, for `pedpy.WalkableArea`.

    Args:
        recording: of a crowd. Only frames at multiples of the first interval are written.
        file: output file, usually with the suffix .txt.
        environment: the geometry; by default that of the recording, or a box if it has none.

    Raises:
        BadFile: the file cannot be written.
        BadInput: the recording has no characters.
    """
    even = even_frames(recording)
    wkt = to_wkt(walkable_area(recording, environment))
    header = (
        "# a crowd, simulated by Footway\n"
        f"# framerate: {even.rate!r}\n"
        f"# geometry: {wkt}\n"
        "# id frame x/m y/m z/m\n"
    )
    rows = (
        (batch.ids, batch.frame, *batch.positions.T, 0.0 * batch.time)
        for batch in batches(recording, even.frames, even.numbers)
    )
    with whole_file(file) as part:
        _write_table(part, header, rows, delimiter=" ")


def save_csv(recording: Recording, file: str | os.PathLike[str]) -> None:
    """Write all frames as CSV: step, time (s), id, x, y (m), vx, vy (m/s), at full precision.

    Raises:
        BadFile: the file cannot be written.
    """
    check_plane(recording)
    frames = np.arange(recording.n_frames)
    rows = (
        (batch.step, batch.time, batch.ids, *batch.positions.T, *batch.velocities.T)
        for batch in batches(recording, frames, frames)
    )
    with whole_file(file) as part:
        _write_table(part, "step,time,id,x,y,vx,vy\n", rows, delimiter=",")


def _write_table(
    part: Path, header: str, rows: Iterable[tuple[Any, ...]], *, delimiter: str
) -> None:
    """Write a header and columns of numbers; pyarrow is twenty times as fast as Python."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.WriteOptions(include_header=False, delimiter=delimiter)
    with pa.OSFile(str(part), "wb") as out:
        out.write(header.encode())
        for columns in rows:
            arrays = [pa.array(column) for column in columns]
            names = [str(k) for k in range(len(columns))]
            csv.write_csv(pa.Table.from_arrays(arrays, names), out, options)
