"""Footway's own files: archives of arrays and JSON that are checked before use.

    plan.fwmap, run.npz:  a zip of  header.npy   JSON as bytes: format, version and facts
                                    digest.npy   SHA-256 over the header and all arrays
                                    NAME.npy     one for each array

They contain no pickle, and `numpy.load` reads them. Each kind of file has one schema (`Kind`): its
arrays and facts, their types, shapes and ranges, and how their sizes depend on each other.
The digest detects damage; the schema also protects against files written by others. Kernels index
arrays without bounds checks, so nothing that breaks the schema may reach them.

Sizes and types are compared with the schema before anything is unpacked, so that a small file
cannot fill the memory.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import stat
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway import validation
from footway.errors import BadFile, BadInput
from footway.validation import FARTHEST
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]
    Facts = dict[str, Any]

MOST_UNPACKED: Final = 2**30
"""bytes. Larger archives must not be compressed: their own size is the limit."""

_HEADER, _DIGEST = "header", "digest"
_INFINITY = "inf"  # represents infinity, which JSON does not have

_NPY: Final = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([^']{2,8})', 'fortran_order': False, "
    rb"'shape': \(([0-9, ]*)\), \} *\n",
    re.DOTALL,
)
_LONGEST_HEADER: Final = 2**26  # bytes
_AT_ONCE: Final = 2**24  # bytes unpacked at a time
_NPY_LENGTH: Final = 128  # bytes of a NumPy header with up to three sizes

_UNREADABLE: Final = (
    OSError, EOFError, ValueError, LookupError, NotImplementedError, RuntimeError, MemoryError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""Exceptions of `zipfile` and `json` for damaged files; RuntimeError also for encrypted or too
deeply nested ones."""


_LOADERS: Final = {
    "footway roadmap": "footway.roadmap.archive",
    "footway building map": "footway.corridor.building.archive",
}
"""Modules that load what a corridor map can be made from, by the format that files name. They are
imported by name, because they are in a higher layer."""


class Damaged(Exception):
    """A file cannot be used; the message gives the reason."""


# -- schemas -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Array:
    """Schema of an array of a file.

    Attributes:
        dtype: as NumPy writes it: "<f8", "<i4", "|b1".
        shape: sizes, by number or by name; a name has the same value in all arrays of a file,
            "name+1" is one more. A list or a whole number among the facts also defines the size
            of its name.
        least: minimum, for all numbers or for each column.
        most: maximum, likewise; the name of a size means an index below that size.
        nan: whether NaN is allowed; infinities never are.
        step: if given, the array contains offsets from 0 to the size named by `most`, which
            increase by at least this.
    """

    dtype: str
    shape: tuple[int | str, ...]
    least: float | tuple[float, ...] = -FARTHEST
    most: float | str | tuple[float | str, ...] = FARTHEST
    nan: bool = False
    step: int | None = None


_SEAL: Final = Array("|u1", (32,), 0, 255)


def indices(into: str, *shape: int | str, least: int = 0, dtype: str = "<i8") -> Array:
    """Return the schema of indices into an array of a named size; -1, if allowed, means none."""
    return Array(dtype, shape, least, into)


def flags(*shape: int | str) -> Array:
    """Return the schema of booleans."""
    return Array("|b1", shape, 0, 1)


class Number(NamedTuple):
    """A number among the facts; infinite only if `most` is."""

    least: float
    most: float


class Whole(NamedTuple):
    """A whole number among the facts."""

    least: int
    most: int


class OneOf(NamedTuple):
    """One of several values among the facts."""

    values: tuple[Any, ...]


class Either(NamedTuple):
    """A value that fits one of several patterns."""

    patterns: tuple[Any, ...]


class Names(NamedTuple):
    """A dictionary with any names, whose values all fit one pattern."""

    pattern: Any


class Kind(NamedTuple):
    """The schema of one kind of file.

    Patterns of facts are `str`, `bool`, the classes above, [pattern] for a list of any length,
    (pattern, ...) for one of a given length, and {name: pattern} for a dictionary.
    """

    format: str
    version: int
    name: str  # in messages
    remedy: str  # what to do with a file that cannot be used
    arrays: dict[str, Array]
    facts: dict[str, Any]
    compress: bool = False


# -- writing -----------------------------------------------------------------------------------


def write(file: str | PathLike[str], kind: Kind, facts: Facts, arrays: Mapping[str, Any]) -> None:
    """Write a file atomically: completely or not at all.

    Raises:
        BadFile: the file cannot be written.
        BadInput: the facts cannot be represented in JSON.
    """
    header = {"format": kind.format, "version": kind.version, "facts": facts}
    try:
        text = json.dumps(_without_infinities(header), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"the parameters of the {kind.name} cannot be written ({error}): give finite numbers, "
            "words and lists of them"
        ) from None
    plain: Arrays = {
        name: np.ascontiguousarray(arrays[name], schema.dtype).reshape(np.shape(arrays[name]))
        for name, schema in kind.arrays.items()
    }
    members = sealed(text, plain)
    compress = kind.compress and sum(a.nbytes for a in members.values()) < MOST_UNPACKED - 2**20
    with whole_file(file) as part, part.open("wb") as stream:
        (np.savez_compressed if compress else np.savez)(stream, **members)  # type: ignore[arg-type]


def sealed(header: bytes, arrays: Arrays) -> Arrays:
    """Return all members of an archive, by name."""
    seal = np.frombuffer(_digest(header, arrays), np.uint8)
    return {_HEADER: np.frombuffer(header, np.uint8), _DIGEST: seal, **arrays}


def _digest(header: bytes, arrays: Arrays) -> bytes:
    """SHA-256 over the header and over name, type, shape and bytes of every array."""
    digest = hashlib.sha256(header)
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name} {array.dtype.str} {array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


def _without_infinities(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_infinities(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_infinities(inner) for inner in value]
    return _INFINITY if isinstance(value, float) and value == math.inf else value


# -- reading -----------------------------------------------------------------------------------


@contextmanager
def reading(file: str | PathLike[str], kind: Kind, **sizes: int) -> Iterator[tuple[Facts, Arrays]]:
    """Read a file and check it against its schema.

    `sizes` are named sizes that follow neither from the arrays nor from the facts. The caller owns
    the arrays. Errors that the body of the `with` statement raises become errors of the file.

    Raises:
        BadFile: missing, damaged, of another kind or version; or `Damaged` or `BadInput` was
            raised inside.
    """
    path = validation.file(file)
    try:
        with _opened(path) as archive:
            facts, arrays = _read(archive, kind, sizes)
        yield facts, arrays
    except BadFile as error:
        raise BadFile(f"{file}: {error}") from None
    except (Damaged, BadInput, MemoryError) as error:
        raise BadFile(
            f"{file}: not a Footway {kind.name}, or damaged ({_shorten(error)}): {kind.remedy}"
        ) from None


def format_of(file: str | PathLike[str]) -> str | None:
    """Return the format that the header of a file names; None for everything else."""
    try:
        with _opened(file) as archive:
            found = _header(archive, _members(archive))[1].get("format")
    except (BadFile, Damaged):
        return None
    return found if isinstance(found, str) else None


def loader_of(file: str | PathLike[str]) -> Callable[[str | PathLike[str]], Any] | None:
    """Return the function that loads a file whose format is registered; None for any other."""
    module = _LOADERS.get(format_of(file) or "")
    return None if module is None else import_module(module).load


def require_stored(file: str | PathLike[str]) -> None:
    """Require that nothing in a file is compressed, so that its own size limits what it contains.

    Raises:
        BadFile: something is compressed, or the file is missing or damaged.
    """
    try:
        with _opened(file) as archive:
            is_compressed = _is_compressed(archive)
    except (BadFile, Damaged) as error:
        raise BadFile(f"{file}: {error}") from None
    if is_compressed:
        raise BadFile(f"{file}: is compressed")


def store(file: str | PathLike[str]) -> None:
    """Write a file again without compression, if it is compressed."""
    with _opened(file) as archive:
        if not _is_compressed(archive):
            return
    with np.load(file, allow_pickle=False) as found:
        members = dict(found)
    with whole_file(file) as part, part.open("wb") as stream:
        np.savez(stream, **members)


def _is_compressed(archive: zipfile.ZipFile) -> bool:
    return any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist())


def _shorten(error: BaseException) -> str:
    words = str(error) or type(error).__name__
    return " ".join(words.split())[:200]


@contextmanager
def _opened(file: str | PathLike[str]) -> Iterator[zipfile.ZipFile]:
    """Open a regular file as a zip; errors raised inside become BadFile or Damaged."""
    try:
        with zipfile.ZipFile(_regular(validation.file(file))) as archive:
            yield archive
    except BadFile:
        raise
    except FileNotFoundError:
        raise BadFile("does not exist; check the path") from None
    except _UNREADABLE as error:
        if isinstance(error, OSError) and error.strerror:
            raise BadFile(f"cannot be read: {error.strerror}") from None
        raise Damaged(_shorten(error)) from None


def _regular(path: Path) -> Path:
    """Return the path of a zip file; reject pipes and devices, which may never end."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise BadFile(f"is {'a directory' if stat.S_ISDIR(mode) else 'not a regular file'}")
    if not zipfile.is_zipfile(path):
        raise Damaged("it is not an archive of arrays")
    return path


def _read(archive: zipfile.ZipFile, kind: Kind, sizes: dict[str, int]) -> tuple[Facts, Arrays]:
    members = _members(archive)
    text, header = _header(archive, members)
    if header.get("format") != kind.format:
        raise Damaged("another kind of file")
    if header.get("version") != kind.version:
        raise BadFile(
            f"written by another Footway (format {header.get('version')!r:.20}, this one reads "
            f"{kind.version}): {kind.remedy} or update Footway"
        )
    facts: Facts = check(header.get("facts"), kind.facts, "facts")
    sizes = sizes | {name: len(value) for name, value in facts.items() if isinstance(value, list)}
    sizes |= {name: value for name, value in facts.items() if type(value) is int}
    known = {_HEADER, _DIGEST, *kind.arrays}
    for name in sorted(known - set(members)):
        raise Damaged(f"array {name} is missing")
    for name in sorted(set(members) - known):
        raise Damaged(f"array {name!r:.40} is unknown")
    headers = {name: _read_array_header(archive, members[name]) for name in (_DIGEST, *kind.arrays)}
    for name, schema in (kind.arrays | {_DIGEST: _SEAL}).items():
        _check_shape(name, headers[name], schema, sizes)
    arrays = {
        name: _unpack(archive, members[name], array_header)
        for name, array_header in headers.items()
    }
    seal = arrays.pop(_DIGEST).tobytes()
    if seal != _digest(text, arrays):
        raise Damaged("its content was changed after it was written")
    for name, schema in kind.arrays.items():
        _check_numbers(name, arrays[name], schema, sizes)
    return facts, arrays


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return members by name; reject archives that are too large when unpacked."""
    found = archive.infolist()
    members = {info.filename.removesuffix(".npy"): info for info in found}
    unpacked = sum(info.file_size for info in found)
    packed = _is_compressed(archive)
    stream: Any = archive.fp
    length = stream.seek(0, 2)
    if sum(info.compress_size for info in found) > length or len(members) < len(found):
        raise Damaged("its parts overlap")
    if unpacked > (MOST_UNPACKED if packed else length):
        raise Damaged(f"it would unpack to {unpacked / 2**20:,.0f} MiB")
    return members


def _header(
    archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]
) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of the header, and the parsed header."""
    if _HEADER not in members:
        raise Damaged("it has no header, like files of older versions")
    array_header = _read_array_header(archive, members[_HEADER])
    if array_header.dtype != "|u1" or math.prod(array_header.shape) > _LONGEST_HEADER:
        raise Damaged("its header is not text, or is too long")
    text = _unpack(archive, members[_HEADER], array_header).tobytes()
    header = json.loads(text)
    if not isinstance(header, dict):
        raise Damaged("another kind of file")
    return text, header


class _ArrayHeader(NamedTuple):
    """Type and shape of a member, from its header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int  # bytes before the numbers


def _read_array_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _ArrayHeader:
    """Read type and shape of a member, as NumPy writes them, without unpacking the rest."""
    with archive.open(member) as stream:
        found = _NPY.match(stream.read(_NPY_LENGTH))
    if found is None:
        raise Damaged(f"{member.filename!r:.40} is not an array of plain numbers")
    descr = found[2].decode("ascii", "replace")
    shape = tuple(int(size) for size in found[3].decode().replace(" ", "").split(",") if size)
    begin = 10 + int.from_bytes(found[1], "little")
    width = int(descr[2:]) if re.fullmatch(r"[<|][fiub]\d", descr) else 0
    if not width or begin != found.end() or member.file_size != begin + width * math.prod(shape):
        raise Damaged(f"{member.filename!r:.40} is not an array of plain numbers")
    return _ArrayHeader(descr, shape, begin)


def _unpack(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, array_header: _ArrayHeader
) -> NDArray[Any]:
    """Read the declared number of bytes into a new array."""
    array = np.empty(array_header.shape, array_header.dtype)
    with archive.open(member) as stream:
        stream.read(array_header.begin)
        numbers: Any = array.reshape(-1).view(np.uint8)
        done = 0
        while done < len(numbers):
            part = stream.read(min(_AT_ONCE, len(numbers) - done))
            if not part:
                raise Damaged(f"{member.filename!r:.40} is cut off")
            numbers[done : done + len(part)] = np.frombuffer(part, np.uint8)
            done += len(part)
        stream.read(1)  # reading the end verifies the checksum
    return array


# -- arrays against their schema ---------------------------------------------------------------


def _check_shape(
    name: str, array_header: _ArrayHeader, schema: Array, sizes: dict[str, int]
) -> None:
    """Compare type and shape with the schema; record named sizes that occur for the first time."""
    if array_header.dtype != schema.dtype:
        raise Damaged(f"array {name} has the type {array_header.dtype}, not {schema.dtype}")
    wrong = Damaged(f"array {name} has the shape {array_header.shape}, which does not fit")
    if len(array_header.shape) != len(schema.shape):
        raise wrong
    for size, wanted in zip(array_header.shape, schema.shape, strict=True):
        base, _, more = str(wanted).partition("+")
        least = int(more or 0)
        known = int(base) if base.isdigit() else sizes.setdefault(base, size - least)
        if size != known + least or known < 0:
            raise wrong


def _check_numbers(name: str, array: NDArray[Any], schema: Array, sizes: dict[str, int]) -> None:
    """Compare numbers with their limits."""
    if schema.dtype == "|b1":
        array = array.view(np.uint8)
    low = np.asarray(schema.least, np.float64)
    limits = schema.most if isinstance(schema.most, tuple) else (schema.most,)
    top = np.array([sizes[m] - 1 if isinstance(m, str) else m for m in limits], np.float64)
    if schema.step is not None:
        top = top + 1.0
        end = int(top[0])
        inside = len(array) > 0 and bool(((array >= 0) & (array <= end)).all())
        if not inside or array[0] != 0 or array[-1] != end or (np.diff(array) < schema.step).any():
            raise Damaged(f"array {name} has offsets that do not fit")
    outside = (array < low) | (array > (top if isinstance(schema.most, tuple) else top[0]))
    if array.dtype.kind == "f":
        outside |= np.isinf(array)
        outside |= False if schema.nan else np.isnan(array)
    if outside.any():
        value = array[outside].flat[0]
        raise Damaged(f"array {name} has the number {value!s:.30}, which is out of range")


# -- facts against their patterns --------------------------------------------------------------


def check(value: Any, pattern: Any, where: str) -> Any:
    """Return a header value if it fits a pattern; lists of a given length become tuples.

    Raises:
        Damaged: it does not fit.
    """
    wrong = Damaged(f"{where} is {value!r:.40}, which does not fit")
    fits = True
    match pattern:
        case type():  # str or bool
            fits = type(value) is pattern
        case OneOf():
            fits = any(type(value) is type(known) and value == known for known in pattern.values)
        case Whole():
            if type(value) is not int or not pattern.least <= value <= pattern.most:
                raise wrong
        case Number():
            value = math.inf if value == _INFINITY else value
            is_number = type(value) is float or (type(value) is int and abs(value) < 2**63)
            if not is_number or not pattern.least <= value <= pattern.most:
                raise wrong
            value = float(value)
        case Either():
            for one in pattern.patterns:
                with suppress(Damaged):
                    return check(value, one, where)
            raise wrong
        case Names():
            if not isinstance(value, dict):
                raise wrong
            value = {n: check(v, pattern.pattern, f"{where}.{n:.20}") for n, v in value.items()}
        case list():
            if not isinstance(value, list):
                raise wrong
            value = [check(v, pattern[0], f"{where}[{k}]") for k, v in enumerate(value)]
        case tuple():
            if not isinstance(value, list) or len(value) != len(pattern):
                raise wrong
            parts = enumerate(zip(value, pattern, strict=True))
            value = tuple(check(v, p, f"{where}[{k}]") for k, (v, p) in parts)
        case dict():
            if not isinstance(value, dict):
                raise wrong
            for name in sorted(set(pattern) ^ set(value)):
                raise Damaged(f"{where} has {'no' if name in pattern else 'an unknown'} {name:.40}")
            value = {name: check(value[name], p, f"{where}.{name}") for name, p in pattern.items()}
    if not fits:
        raise wrong
    return value
