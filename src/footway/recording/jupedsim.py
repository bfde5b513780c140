"""Export to JuPedSim's trajectory format (SQLite, version 2), for JuPedSim and PedPy."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Final

import numpy as np

from footway.environment.areas import to_wkt
from footway.recording.trajectories import batches, even_frames, walkable_area
from footway.writing import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from footway.environment import Environment
    from footway.recording.recording import Recording
    from footway.recording.trajectories import EvenFrames

VERSION: Final = 2

_TABLES: Final = """
CREATE TABLE trajectory_data (
    frame INTEGER NOT NULL, id INTEGER NOT NULL,
    pos_x REAL NOT NULL, pos_y REAL NOT NULL, ori_x REAL NOT NULL, ori_y REAL NOT NULL);
CREATE TABLE metadata (key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE geometry (hash INTEGER NOT NULL, wkt TEXT NOT NULL);
CREATE UNIQUE INDEX geometry_hash ON geometry (hash);
CREATE TABLE frame_data (frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL);
"""

_STANDS: Final = 1e-6  # m/s below which a character keeps its last direction


def save_jupedsim(
    recording: Recording, file: str | os.PathLike[str], *, environment: Environment | None = None
) -> None:
    """Write a recording in JuPedSim's format: positions, directions, frame rate and geometry.

    Args:
        recording: of a crowd. Only frames at multiples of the first interval are written.
        file: output file, usually with the suffix .sqlite.
        environment: the geometry; by default that of the recording, or a box if it has none.

    Raises:
        BadFile: the file cannot be written.
        BadInput: the recording has no characters.
    """
    even = even_frames(recording)
    ground = walkable_area(recording, environment)
    with whole_file(file) as part, closing(sqlite3.connect(part)) as database:
        database.execute("PRAGMA journal_mode = OFF")  # an interrupted export leaves no file anyway
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(_TABLES)
        wkt = to_wkt(ground)
        key = zlib.crc32(wkt.encode())  # any number, used consistently by all frames
        bounds = zip(("xmin", "ymin", "xmax", "ymax"), map(str, ground.bounds), strict=True)
        facts = [("version", str(VERSION)), ("fps", repr(even.rate)), *bounds]
        frames = ((number, key) for number in even.numbers.tolist())
        database.execute("INSERT INTO geometry VALUES (?, ?)", (key, wkt))
        database.executemany("INSERT INTO metadata VALUES (?, ?)", facts)
        database.executemany("INSERT INTO frame_data VALUES (?, ?)", frames)
        for rows in _rows(recording, even):
            database.executemany("INSERT INTO trajectory_data VALUES (?, ?, ?, ?, ?, ?)", rows)
        database.execute("CREATE INDEX frame_id_idx ON trajectory_data (frame, id)")
        database.commit()


def _rows(recording: Recording, even: EvenFrames) -> Iterator[Iterator[tuple[float, ...]]]:
    """Yield batches of rows: frame, id, position, direction."""
    ids = recording.characters.ids  # arbitrary numbers: row k of `last_directions` is for ids[k]
    last_directions = np.tile([1.0, 0.0], (len(ids), 1))
    for batch in batches(recording, even.frames, even.numbers):
        characters = np.searchsorted(ids, batch.ids)
        pace = np.hypot(*batch.velocities.T)
        directions = batch.velocities / np.maximum(pace, _STANDS)[:, None]
        ends = np.flatnonzero(np.diff(batch.frame, append=-1)) + 1
        for first, last in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            here = characters[first:last]
            stands = pace[first:last] < _STANDS
            directions[first:last][stands] = last_directions[here[stands]]
            last_directions[here] = directions[first:last]
        columns = (batch.frame, batch.ids, *batch.positions.T, *directions.T)
        yield zip(*(column.tolist() for column in columns), strict=True)
