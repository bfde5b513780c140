"""Messages on the web socket: JSON text, or a binary envelope if there are arrays.

u32, little endian     length of the header in bytes, so that 4 + length is a multiple of 8
header                 JSON, utf-8, padded with spaces; "arrays" lists what follows
arrays                 little endian, each at a multiple of 8 bytes from the end of the header
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

Message: TypeAlias = str | bytes
"""Text, or an envelope."""

KINDS: Final = ("f4", "f8", "i4", "u4", "u2", "i2", "u1")
"""Number types of arrays; 64-bit numbers of an answer are sent as f4 and i4."""

_ALIGN: Final = 8


@dataclass(frozen=True, eq=False)
class Answer:
    """Facts and arrays of a reply or an event."""

    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)


def reply(n: int, answer: Answer) -> Message:
    """Return the reply to request n.

    Example:
        >>> reply(3, Answer({"length": 2.5}))
        '{"n":3,"ok":{"length":2.5}}'

    """
    return packed({"n": n, "ok": answer.facts}, answer.arrays)


def refused(n: int | None, error: str, kind: str, **facts: Any) -> str:
    """Return the refusal of request n; None if its number is not known.

    Example:
        >>> refused(3, "no", "bad-input")
        '{"n":3,"error":"no","kind":"bad-input"}'

    """
    return _text({"n": n, "error": " ".join(error.split()), "kind": kind, **facts})


def event(name: str, answer: Answer) -> Message:
    """Return an event: a message that is not a reply to a request."""
    return packed({"event": name, "facts": answer.facts}, answer.arrays)


def packed(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Message:
    """Return header and arrays as text, or as an envelope if there are arrays.

    Example:
        >>> message = packed({"n": 1}, {"at": np.zeros((2, 2))})
        >>> unpacked(message)[1]["at"].shape
        (2, 2)

    """
    if not arrays:
        return _text(header)
    listed, parts, at = [], [], 0
    for name, given in arrays.items():
        array = _as_sent(given)
        kind, shape = array.dtype.str.lstrip("<|"), list(array.shape)
        listed.append({"name": name, "kind": kind, "shape": shape, "at": at})
        size = array.nbytes
        pad = -size % _ALIGN
        parts += [array.tobytes(), bytes(pad)]
        at += size + pad
    head = _text({**header, "arrays": listed}).encode()
    head += b" " * (-(4 + len(head)) % _ALIGN)
    return b"".join([struct.pack("<I", len(head)), head, *parts])


def unpacked(message: Message) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of a message: the inverse of `packed`."""
    if isinstance(message, str):
        return json.loads(message), {}
    (length,) = struct.unpack_from("<I", message)
    header = json.loads(message[4 : 4 + length])
    arrays = {
        row["name"]: np.frombuffer(
            message, f"<{row['kind']}", math.prod(row["shape"]), 4 + length + row["at"]
        ).reshape(row["shape"])
        for row in header["arrays"]
    }
    return header, arrays


def _as_sent(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as little endian, in one of the `KINDS`."""
    kind = {"f8": "f4", "i8": "i4", "b1": "u1"}.get(array.dtype.str[1:], array.dtype.str[1:])
    assert kind in KINDS, f"no array of {array.dtype} is sent"
    return np.ascontiguousarray(array, f"<{kind}")


def _text(value: dict[str, Any]) -> str:
    return json.dumps(_plain(value), separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent; infinite numbers and NaN become null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
