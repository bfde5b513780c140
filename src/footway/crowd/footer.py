"""Footers of Parquet files: what makes a file readable, and how it stays so while it grows.

A Parquet file ends with a footer that says where its row groups lie, so a file that is being
written is not readable. Ours has a footer after every row group, of all groups so far; the footers
before the last one are bytes that nobody looks at (2 % of a file of 10 GB). A group is written as a
small file in memory, and its offsets are shifted to where it goes: pyarrow writes footers for whole
files only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

MAGIC: Final = b"PAR1"
_TAIL: Final = 8  # bytes: the footer's length, and the magic

_OFFSETS: Final = {(4, 5), (4, 1, 2), (4, 1, 3, 9), (4, 1, 3, 10), (4, 1, 3, 11)}
"""Field numbers in parquet.thrift on the way to each place in the file: FileMetaData.row_groups (4)
has file_offset (5) and columns (1); these have file_offset (2) and meta_data (3), which has the
offsets of data, index and dictionary pages (9, 10, 11)."""


def split(small: bytes) -> tuple[bytes, bytes]:
    """Return the pages of a Parquet file in memory, and its footer without length and magic."""
    length = int.from_bytes(small[-_TAIL:-4], "little")
    cut = len(small) - _TAIL - length
    return small[len(MAGIC) : cut], small[cut:-_TAIL]


def as_file(footer: bytes) -> bytes:
    """Return a footer as a Parquet file without pages."""
    return MAGIC + footer + len(footer).to_bytes(4, "little") + MAGIC


def footers(raw: mmap) -> Iterator[tuple[bytes, int]]:
    """Whatever may be a footer of a file, the last one first, and the size of the file then."""
    at = len(raw)
    while (at := raw.rfind(MAGIC, len(MAGIC), at)) >= 0:
        length = int.from_bytes(raw[at - 4 : at], "little")
        if 0 < length <= at - _TAIL:
            yield raw[at - 4 - length : at - 4], at + len(MAGIC)


def shifted(footer: bytes, by: int) -> bytes:
    """Return a footer whose pages lie `by` bytes further on in the file."""
    walker = _Walker(footer)
    walker.struct(())
    parts, done = [], 0
    for begin, end, value in walker.offsets:
        parts += [footer[done:begin], _signed(value + by if value > 0 else value)]
        done = end
    return b"".join([*parts, footer[done:]])


class _Walker:
    """Finds the offsets in a footer, which is in Thrift's compact protocol.

    Structs have no length in it, so a number can be replaced by a longer one in place.
    """

    def __init__(self, raw: bytes) -> None:
        self.raw, self.at = raw, 0
        self.offsets: list[tuple[int, int, int]] = []  # first byte, byte after it, value

    def struct(self, path: tuple[int, ...]) -> None:
        """Walk over fields, each with a number and a type, until the stop byte."""
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._number()
            self._value(head & 15, (*path, number))

    def _value(self, kind: int, path: tuple[int, ...]) -> None:
        match kind:
            case 1 | 2:  # a bool, whose value is its type
                pass
            case 3:
                self.at += 1
            case 4 | 5 | 6:
                begin, value = self.at, self._number()
                if path in _OFFSETS:
                    self.offsets.append((begin, self.at, value))
            case 7:
                self.at += 8
            case 8:
                length = self._varint()
                self.at += length
            case 9 | 10:
                self._list(path)
            case 12:
                self.struct(path)
            case _:
                raise ValueError(f"a footer with a field of type {kind}")

    def _list(self, path: tuple[int, ...]) -> None:
        head = self._byte()
        size = head >> 4 if head >> 4 != 15 else self._varint()
        for _ in range(size):
            if head & 15 in {1, 2}:  # in a list, a bool has a byte of its own
                self.at += 1
            else:
                self._value(head & 15, path)

    def _byte(self) -> int:
        self.at += 1
        return self.raw[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def _number(self) -> int:
        """Return a signed number: zigzag, so that small negative ones are short."""
        value = self._varint()
        return value >> 1 ^ -(value & 1)


def _signed(value: int) -> bytes:
    """Return a number of 64 bits as a zigzag varint."""
    rest = value << 1 ^ value >> 63
    out = bytearray()
    while rest > 127:
        out.append(rest & 127 | 128)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def joined(groups: Any, more: Any) -> Any:
    """Return metadata (pyarrow's FileMetaData or None) with the row groups of both."""
    if groups is None:
        return more
    if more is not None:
        groups.append_row_groups(more)
    return groups
