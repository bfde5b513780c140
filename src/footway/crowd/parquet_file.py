"""A Parquet file that is readable while it grows, and the reading of it."""

from __future__ import annotations

import io
import mmap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.crowd import footer
from footway.crowd.recording import Rows
from footway.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

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

_PLACES: Final = ("id", "x", "y", "vx", "vy")
_REPEATED: Final = ["frame", "time", "radius", "population"]
"""Columns with few different values: a dictionary makes them nearly free."""

_ENCODINGS: Final = {
    "id": "DELTA_BINARY_PACKED",  # ids mostly follow each other
    **dict.fromkeys(("x", "y", "vx", "vy"), "BYTE_STREAM_SPLIT"),
}

_KEY: Final = b"footway"


class GrowingFile:
    """Takes row groups, and is a readable file after each of them: see `footer`."""

    def __init__(self, file: Path, header: str) -> None:
        self._file = file
        self._groups: Any = None  # pyarrow's metadata of all row groups so far
        with self._failure_named():
            if file.is_file() and not file.is_symlink():
                file.unlink()  # who has the old one open may read on
            self._out = file.open("wb", buffering=0)
        self._write(footer.MAGIC)
        self.add(None, header)

    def add(self, columns: dict[str, NDArray[Any]] | None, header: str) -> None:
        """Write a row group, where there is one, and the footer of the file so far."""
        pages = b""
        if columns is not None:
            pages, own = footer.split(_small_file(columns))
            own = footer.shifted(own, self._out.tell() - len(footer.MAGIC))
            self._groups = footer.joined(self._groups, _metadata(footer.as_file(own)))
        whole = footer.joined(_metadata(_small_file(None, header)), self._groups)
        out = io.BytesIO()
        whole.write_metadata_file(out)
        # In one go: a kill leaves the file whole, unless it hits just this write.
        self._write(pages + out.getvalue()[len(footer.MAGIC) :])

    def move(self, file: Path) -> None:
        """Give the file another name, instead of a file that has it; and go on with it."""
        with self._failure_named():
            self._out.close()
            self._file.replace(file)
            self._file = file
            self._out = file.open("ab", buffering=0)

    def close(self) -> None:
        """Close the file; more than once is fine."""
        self._out.close()

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""
        return self._out.closed

    def _write(self, raw: bytes) -> None:
        rest = memoryview(raw)
        with self._failure_named():
            try:
                while rest:
                    rest = rest[self._out.write(rest) :]
            except OSError:
                self._out.close()
                raise

    @contextmanager
    def _failure_named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BadFile(f"{self._file}: cannot be written: {error.strerror}") from None


class ParquetRows:
    """The rows of a recording, read from its file when they are asked for.

    Attributes:
        header: of the last footer that is whole.
        whole: whether that footer is at the end of the file.
        n_groups: number of row groups.

    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with self.damage_named():
            self._parquet, self.whole = _open(file)
        metadata = self._parquet.metadata
        self.header = metadata.metadata[_KEY].decode()
        self.n_groups = int(metadata.num_row_groups)
        sizes = [metadata.row_group(k).num_rows for k in range(self.n_groups)]
        self._first = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self._cached: tuple[int, Rows] = (-1, _no_rows(0))

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        found = _no_rows(last - first)
        group = int(np.searchsorted(self._first, first, side="right")) - 1
        at = first
        while at < last:
            begin, end = self._first[group : group + 2].tolist()
            stop = min(last, end)
            here, there = slice(at - first, stop - first), slice(at - begin, stop - begin)
            part = self._group(group)
            found.ids[here] = part.ids[there]
            found.positions[here] = part.positions[there]
            found.velocities[here] = part.velocities[there]
            at, group = stop, group + 1
        return found

    def columns(self, group: int, names: Sequence[str]) -> list[NDArray[Any]]:
        """Return some columns of a row group."""
        with self.damage_named():
            # Threads of pyarrow abort the interpreter at its end, now and then: arrow issue 34314.
            table = self._parquet.read_row_group(group, columns=list(names), use_threads=False)
            return [_values(table[name], COLUMNS[name]) for name in names]

    def _group(self, group: int) -> Rows:
        """Return the rows of a group; the last one is kept, for those who go frame by frame."""
        if self._cached[0] != group:
            ids, x, y, vx, vy = self.columns(group, _PLACES)
            places, ways = np.column_stack([x, y]), np.column_stack([vx, vy])
            self._cached = group, Rows(ids.astype(np.int64), places, ways)
        return self._cached[1]

    @contextmanager
    def damage_named(self) -> Iterator[None]:
        """Turn whatever reading a damaged file raises into BadFile."""
        from pyarrow import ArrowException

        try:
            yield
        except BadFile:
            raise
        except (ArrowException, OSError, ValueError, TypeError, LookupError, MemoryError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BadFile(f"{self._file}: a recording that is damaged ({reason:.120})") from None


def _small_file(columns: dict[str, NDArray[Any]] | None, header: str | None = None) -> bytes:
    """Return a Parquet file with one row group, or with none and our header."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = _schema()
    out = pa.BufferOutputStream()
    with parquet.ParquetWriter(
        out,
        schema,
        compression="zstd",
        use_dictionary=_REPEATED,
        column_encoding=_ENCODINGS,
        write_statistics=["frame"],
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        if header is not None:
            writer.add_key_value_metadata({_KEY: header})
        if columns is not None:
            arrays = [_array(columns[name], kind) for name, kind in COLUMNS.items()]
            table = pa.Table.from_arrays(arrays, schema=schema)
            writer.write_table(table, row_group_size=max(1, len(table)))
    small: bytes = out.getvalue().to_pybytes()
    return small


def _array(values: NDArray[Any], kind: str) -> Any:
    """Return values as Arrow has them; pyarrow.array would import pandas, for 0.4 s."""
    import pyarrow as pa

    packed = np.ascontiguousarray(values, kind)
    return pa.Array.from_buffers(pa.type_for_alias(kind), len(packed), [None, pa.py_buffer(packed)])


def _values(column: Any, kind: str) -> NDArray[Any]:
    """Return a column of Arrow; its to_numpy would import pandas, too."""
    size = np.dtype(kind).itemsize
    parts = [
        np.frombuffer(chunk.buffers()[1], kind, len(chunk), chunk.offset * size)
        for chunk in column.chunks
        if len(chunk)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in COLUMNS.items()])


def _metadata(small: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.read_metadata(pa.BufferReader(small))


def _open(file: Path) -> tuple[Any, bool]:
    """Return pyarrow's ParquetFile, and whether its footer is at the end of the file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata, whole = _last_metadata(file)
        if _KEY not in (metadata.metadata or {}):
            raise BadFile(f"{file}: a Parquet file, but not a recording of Footway")
        found = parquet.ParquetFile(
            pa.OSFile(str(file)),
            metadata=metadata,
            pre_buffer=False,
            page_checksum_verification=True,
        )
    except FileNotFoundError:
        raise BadFile(f"{file}: no such file") from None
    except IsADirectoryError:
        raise BadFile(f"{file}: is a directory; give the file of a recording") from None
    if not found.schema_arrow.equals(_schema()):
        raise BadFile(f"{file}: a recording with other columns; update Footway")
    return found, whole


def _last_metadata(file: Path) -> tuple[Any, bool]:
    """Return the last footer that is sound, and whether it is at the end of the file."""
    from pyarrow import ArrowException

    with file.open("rb") as stream:
        if stream.read(len(footer.MAGIC)) != footer.MAGIC:
            raise BadFile(f"{file}: not a Parquet file; give a recording of a run")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            for found, end in footer.footers(raw):
                try:
                    return _metadata(footer.as_file(found)), end == len(raw)
                except (ArrowException, OSError):
                    continue
    raise BadFile(f"{file}: a Parquet file that is cut off or damaged; no frame can be read")


def _no_rows(count: int) -> Rows:
    return Rows(np.empty(count, np.int64), np.empty((count, 2)), np.empty((count, 2), np.float32))
