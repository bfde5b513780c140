"""PedPy's text format (that of the Pedestrian Dynamics Data Archive), and a table for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from footway.recording.trajectories import batches, even_frames, ground_of
from footway.writing import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path

    from footway.environment import Environment
    from footway.recording.recording import Recording


def save_pedpy(
    recording: Recording,
    file: str | os.PathLike[str],
    *,
    environment: Environment | None = None,
) -> None:
    """Write a recording as text: a line `id frame x y z` for each character and frame, metres.

    PedPy's loader takes frame rate and unit from the header. The geometry is in the header, too,
    as WKT after `# geometry:`, for `pedpy.WalkableArea`.

    Args:
        recording: of a crowd. Frames that are not as far apart as the first two are left out.
        file: to write, by habit with the suffix .txt.
        environment: the geometry; without it, a box around everybody.

    Raises:
        BadFile: the file cannot be written.
        BadInput: nobody was recorded.

    """
    even = even_frames(recording)
    wkt = shapely.to_wkt(ground_of(recording, environment), rounding_precision=-1)
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
        _write_table(part, header, rows, between=" ")


def save_csv(recording: Recording, file: str | os.PathLike[str]) -> None:
    """Write all frames as CSV: step, time (s), id, x, y (m), vx, vy (m/s), with all digits.

    Raises:
        BadFile: the file cannot be written.

    """
    frames = np.arange(recording.n_frames)
    rows = (
        (batch.step, batch.time, batch.ids, *batch.positions.T, *batch.velocities.T)
        for batch in batches(recording, frames, frames)
    )
    with whole_file(file) as part:
        _write_table(part, "step,time,id,x,y,vx,vy\n", rows, between=",")


def _write_table(part: Path, header: str, rows: Iterable[tuple[Any, ...]], *, between: str) -> None:
    """Write columns of numbers below a header; pyarrow is twenty times as fast as Python."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.WriteOptions(include_header=False, delimiter=between)
    with pa.OSFile(str(part), "wb") as out:
        out.write(header.encode())
        for columns in rows:
            arrays = [pa.array(column) for column in columns]
            names = [str(k) for k in range(len(columns))]
            csv.write_csv(pa.Table.from_arrays(arrays, names), out, options)
