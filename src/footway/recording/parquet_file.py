"""Parquet files of recordings: one row per character and frame."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadFile
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import Chained, InMemory, Rows, no_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from footway.arrays import Ints
    from footway.recording.recording import Recording

COLUMNS: Final = {
    "frame": "int64",  # number of simulation steps done
    "time": "float64",  # s
    "id": "int32",
    "x": "float64",  # m
    "y": "float64",
    "vx": "float32",  # m/s
    "vy": "float32",
    "radius": "float64",  # m
    "population": "int32",  # index into the names of populations
}

FLOOR_COLUMNS: Final = {
    "floor": "int16",  # index into the names of floors and links
    "z": "float32",  # m
}
"""Additional columns of a building."""

_PLACES: Final = ("id", "x", "y", "vx", "vy")
_REPEATED: Final = ["frame", "time", "radius", "population", "floor"]
"""Columns with few distinct values: dictionary encoding makes them almost free."""

_ENCODINGS: Final = {
    "id": "DELTA_BINARY_PACKED",  # ids are mostly consecutive
    **dict.fromkeys(("x", "y", "vx", "vy", "z"), "BYTE_STREAM_SPLIT"),
}

_KEY: Final = b"footway"
_MAP_KEY: Final = b"footway.map"
_MAGIC: Final = b"PAR1"

_MOST_ROWS_OF_GROUP: Final = 2**24
"""Limit per row group, which is read at once (40 bytes per row). Footway writes about 500,000."""

_MOST_ROWS_PER_BYTE: Final = 200
"""Limit: a standing crowd compresses to 1 row per byte, and to 40 if all stand in one point."""


def write_parquet(
    recording: Recording, stream: BinaryIO, header: str, *, rows_per_group: int
) -> None:
    """Write a recording as a Parquet file with Footway's header, in constant memory.

    Row groups consist of whole frames, with at least `rows_per_group` rows.
    """
    import pyarrow as pa
    from pyarrow import parquet

    kinds = COLUMNS | (FLOOR_COLUMNS if recording.floor_names else {})
    schema = _schema(on_floors=bool(recording.floor_names))
    with parquet.ParquetWriter(
        stream,
        schema,
        compression="zstd",
        use_dictionary=[name for name in _REPEATED if name in kinds],
        column_encoding={k: v for k, v in _ENCODINGS.items() if k in kinds},
        write_statistics=["frame"],
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        facts = {_KEY: header}
        if recording.recorded_map is not None:
            facts[_MAP_KEY] = recording.recorded_map.text
        writer.add_key_value_metadata(facts)
        offsets, characters = recording.offsets, recording.characters
        first, total = 0, int(offsets[-1])
        while offsets[first] < total:
            wanted = min(int(offsets[first]) + rows_per_group, total)
            last = int(np.searchsorted(offsets, wanted))
            counts = np.diff(offsets[first : last + 1])
            rows = recording.source.read(int(offsets[first]), int(offsets[last]))
            row = np.searchsorted(characters.ids, rows.ids)
            floors = () if rows.floors is None else (rows.floors, rows.heights)
            columns = (
                np.repeat(recording.steps[first:last], counts),
                np.repeat(recording.times[first:last], counts),
                rows.ids,
                *rows.positions.T,
                *rows.velocities.T,
                characters.radius[row],
                characters.population[row],
                *floors,
            )
            arrays = []
            for values, kind in zip(columns, kinds.values(), strict=True):
                # pyarrow.array would import pandas, which takes 0.4 s.
                packed = np.ascontiguousarray(values, kind)
                buffers = [None, pa.py_buffer(packed)]
                arrays.append(pa.Array.from_buffers(pa.type_for_alias(kind), len(packed), buffers))
            table = pa.Table.from_arrays(arrays, schema=schema)
            writer.write_table(table, row_group_size=len(table))
            first = last


class ParquetRows(Chained):
    """Rows of a recording, read from its file on demand.

    Attributes:
        file: the Parquet file.
        header: metadata of the recording, as JSON.
        recorded_map: the map of the recording; None if the file has none.
        n_groups: number of row groups.
        on_floors: whether it has the columns of a building.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        with self.damage_named():
            self._parquet = _open(file)
            self.on_floors = len(self._parquet.schema_arrow) > len(COLUMNS)
            sizes = _checked_sizes(file, self._parquet.metadata)
            metadata = self._parquet.metadata.metadata
            self.header = metadata[_KEY].decode()
            text = metadata.get(_MAP_KEY, b"").decode()
        self.recorded_map = RecordedMap(text=text) if text else None
        self.n_groups = len(sizes)
        self._ends = np.cumsum(sizes, dtype=np.int64).tolist()
        self._cached: tuple[int, InMemory] = (-1, InMemory(no_rows(0)))

    def source(self, k: int) -> InMemory:
        """Return the rows of a row group; the last one is cached for sequential access."""
        if self._cached[0] != k:
            names = (*_PLACES, *FLOOR_COLUMNS) if self.on_floors else _PLACES
            ids, x, y, vx, vy, *floors = self.columns(k, names)
            positions, velocities = np.column_stack([x, y]), np.column_stack([vx, vy])
            self._cached = k, InMemory(Rows(ids.astype(np.int64), positions, velocities, *floors))
        return self._cached[1]

    def columns(self, group: int, names: Sequence[str]) -> list[NDArray[Any]]:
        """Return some columns of a row group."""
        with self.damage_named():
            # pyarrow's threads sometimes abort the interpreter at exit: arrow issue 34314.
            table = self._parquet.read_row_group(group, columns=list(names), use_threads=False)
            return [_values(table[name], (COLUMNS | FLOOR_COLUMNS)[name]) for name in names]

    def close(self) -> None:
        """Close the file."""
        self._parquet.close(force=True)

    @contextmanager
    def damage_named(self) -> Iterator[None]:
        """Convert errors of reading a damaged file to BadFile."""
        from pyarrow import ArrowException

        try:
            yield
        except BadFile:
            raise
        except (ArrowException, OSError, ValueError, TypeError, LookupError, MemoryError) as error:
            raise BadFile(
                f"{self.file}: a recording that is damaged ({reason_of(error)})"
            ) from None


def _values(column: Any, kind: str) -> NDArray[Any]:
    """Convert an Arrow column to NumPy; its to_numpy would import pandas."""
    size = np.dtype(kind).itemsize
    parts = [
        np.frombuffer(chunk.buffers()[1], kind, len(chunk), chunk.offset * size)
        for chunk in column.chunks
        if len(chunk)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])


def _schema(*, on_floors: bool = False) -> Any:
    import pyarrow as pa

    kinds = COLUMNS | (FLOOR_COLUMNS if on_floors else {})
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


def _open(file: Path) -> Any:
    """Open a recording as pyarrow's ParquetFile; raise BadFile if it is something else."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with file.open("rb") as stream:
            if stream.read(len(_MAGIC)) != _MAGIC:
                raise BadFile(f"{file}: not a Parquet file; give a recording of a run")
        source = pa.OSFile(str(file))
    except FileNotFoundError:
        raise BadFile(f"{file}: does not exist; check the path") from None
    except IsADirectoryError:
        raise BadFile(f"{file}: is a directory; give the file of a recording") from None
    try:
        found = parquet.ParquetFile(source, pre_buffer=False, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        source.close()
        raise BadFile(
            f"{file}: a Parquet file that is cut off or damaged ({reason_of(error)})"
        ) from None
    if _KEY not in (found.metadata.metadata or {}):
        raise BadFile(f"{file}: a Parquet file, but not a recording of Footway")
    if not any(found.schema_arrow.equals(_schema(on_floors=some)) for some in (False, True)):
        raise BadFile(f"{file}: a recording with other columns; update Footway")
    return found


def reason_of(error: BaseException) -> str:
    """Return the first line of an error message, truncated to 120 characters."""
    words = str(error).splitlines()
    return f"{words[0] if words else type(error).__name__:.120}"


def _checked_sizes(file: Path, metadata: Any) -> Ints:
    """Return the declared number of rows of each group; raise ValueError if it is implausible.

    Checked before reading, because reading allocates memory for the declared rows.
    """
    sizes = np.array(
        [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)], np.int64
    )
    if sizes.min(initial=0) < 0 or sizes.max(initial=0) > _MOST_ROWS_OF_GROUP:
        raise ValueError(f"it declares a row group of {sizes.max():,} rows")
    if sizes.sum() > _MOST_ROWS_PER_BYTE * file.stat().st_size:
        raise ValueError(f"it declares {sizes.sum():,} rows, more than can be in it")
    return sizes
