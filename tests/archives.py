"""Take files of ours apart and put them together again, with a digest that fits or the old one."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.archive import sealed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Arrays = dict[str, np.ndarray[Any, Any]]


def unpack(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return header and arrays of a file, and its digest among them."""
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    return json.loads(bytes(arrays.pop("header"))), arrays


def pack(header: object, arrays: Arrays, *, seal: bool = True) -> bytes:
    """Return a file of a header (JSON, or bytes as they are) and arrays."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    arrays = {name: array for name, array in arrays.items() if not seal or name != "digest"}
    numbers = {name: array for name, array in arrays.items() if not array.dtype.hasobject}
    members = sealed(text, numbers) | arrays
    out = io.BytesIO()
    np.savez(out, **members)
    return out.getvalue()


def rewrite(file: Path, change: Callable[[dict[str, Any], Arrays], None]) -> None:
    """Change a header and arrays in place; the digest fits."""
    header, arrays = unpack(file.read_bytes())
    change(header, arrays)
    file.write_bytes(pack(header, arrays))
