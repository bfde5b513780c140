"""Messages on the web socket: JSON text, or a binary envelope if there are arrays.

u32, little endian     length of the header in bytes, so that 4 + length is a multiple of 8
header                 JSON, utf-8, padded with spaces; "arrays" lists what follows
arrays                 little endian, each at a multiple of 8 bytes from the end of the header

Coordinates are sent as 32-bit numbers, which are half a metre apart at 5,000 km from zero. A map in
national coordinates therefore has an origin: it is subtracted from all coordinates that are sent
and added to all coordinates in requests. Everything else uses the map's own coordinates.
"""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

import numpy as np
from pydantic import BaseModel

from footway.recording.recorded_floors import rows_of, sheets_at, sheets_of
from footway.studio.protocol import replies
from footway.studio.protocol.replies import Answer, Place, sent_as

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from footway.crowd import Crowd, Recording
    from footway.environment import Building
    from footway.studio.protocol.replies import RefusalFacts
    from footway.studio.protocol.requests import Request

    R = TypeVar("R", bound=Request)

T = TypeVar("T")

Message: TypeAlias = str | bytes
"""Text, or an envelope."""

KINDS: Final = ("f4", "f8", "i4", "u4", "u2", "i2", "u1")
"""Number types of arrays; 64-bit numbers of an answer are sent as f4 and i4."""

_ALIGN: Final = 8
_MAX_SPEED = 32.767  # m/s, fits into 16 bits
_MAX_RADIUS = 65.535  # m, fits into 16 bits
_MAX_POPULATIONS = 255
Origin = tuple[float, float]

ZERO_ORIGIN: Final[Origin] = (0.0, 0.0)
"""Origin of maps near zero."""

_NEAR: Final = 10_000.0  # m from zero, where 32-bit numbers are 1 mm apart
_ROUND: Final = 1000.0  # m: origins are multiples of it


def reply(n: int, answer: Answer, *, version: int = 0, origin: Origin = ZERO_ORIGIN) -> Message:
    """Return the reply to request n on a version of the document, relative to the origin.

    Example:
        >>> reply(3, Answer(replies.Obstacle(id=2)), version=7)
        '{"n":3,"version":7,"ok":{"id":2}}'
    """
    sent = to_wire(answer, origin)
    return packed({"n": n, "version": version, "ok": sent.facts.model_dump()}, sent.arrays)


def refused(
    n: int | None,
    error: str,
    kind: str,
    facts: RefusalFacts | None = None,
    *,
    origin: Origin = ZERO_ORIGIN,
) -> str:
    """Return the refusal of request n; None if its number is not known.

    Example:
        >>> refused(3, "no", "bad-input")
        '{"n":3,"error":"no","kind":"bad-input"}'
    """
    more = {} if facts is None else moved(facts, _opposite(origin)).model_dump(exclude_unset=True)
    return _text({"n": n, "error": " ".join(error.split()), "kind": kind, **more})


def event(name: str, answer: Answer, *, version: int = 0, origin: Origin = ZERO_ORIGIN) -> Message:
    """Return an event: a message that is not a reply to a request."""
    assert type(answer.facts) is replies.EVENTS[name], f"not the facts of the event {name}"
    sent = to_wire(answer, origin)
    header = {"event": name, "version": version, "facts": sent.facts.model_dump()}
    return packed(header, sent.arrays)


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
        kind = sent_as(given)
        assert kind in KINDS, f"no array of {given.dtype} is sent"
        array = np.ascontiguousarray(given, f"<{kind}")
        listed.append({"name": name, "kind": kind, "shape": list(array.shape), "at": at})
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


def crowd_frame(crowd: Crowd, *, version: int = 0, origin: Origin = ZERO_ORIGIN) -> bytes:
    """Return the current frame of a crowd as an event, relative to the origin.

    A character takes 19 bytes; in a building 25, with the height of its floor and its sheet.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(100)
        >>> len(crowd_frame(crowd)) / 100 < 40
        True
    """
    arrays = pack_characters(
        crowd.ids, crowd.positions, crowd.velocities, crowd.radii, crowd.populations
    )
    if hasattr(crowd.map, "building"):
        arrays |= pack_floors(crowd.heights, crowd.sheets)
    facts = replies.Frame(time=crowd.time, step=crowd.steps, n=len(crowd))
    message = event("frame", Answer(facts, arrays), version=version, origin=origin)
    assert isinstance(message, bytes)
    return message


def recorded_frame(recording: Recording, k: int, building: Building | None = None) -> Answer:
    """Return frame k of a recording, with its obstacles; of one in a building with its sheets."""
    frame, characters = recording.frame(k), recording.characters
    rows = np.searchsorted(characters.ids, frame.ids)
    arrays = pack_characters(
        frame.ids,
        frame.positions,
        frame.velocities,
        characters.radius[rows],
        characters.population[rows],
    )
    arrays["discs"] = recording.obstacles_at(k)
    if building is not None:
        here = rows_of(recording, k)
        assert here.heights is not None
        arrays |= pack_floors(here.heights, sheets_of(recording, building, here))
        sheets = sheets_at(building, recording.obstacle_floors_at(k), arrays["discs"][:, :2])
        arrays["disc_sheets"] = sheets.astype(np.uint16)
    facts = replies.Frame(time=frame.time, step=int(recording.steps[k]), n=len(frame.ids), frame=k)
    return Answer(facts, arrays)


def pack_characters(
    ids: ArrayLike, at: ArrayLike, velocities: ArrayLike, radii: ArrayLike, populations: ArrayLike
) -> dict[str, NDArray[Any]]:
    """Return ids, positions (m), velocities (mm/s), radii (mm) and populations in few bytes."""
    velocity = np.clip(np.asarray(velocities, float), -_MAX_SPEED, _MAX_SPEED)
    radius = np.clip(np.asarray(radii, float), 0.0, _MAX_RADIUS)
    return {
        "id": np.asarray(ids).astype(np.uint32),
        "at": np.asarray(at, np.float64),  # sent as float32 after the origin is subtracted
        "velocity": np.rint(1000.0 * velocity).astype(np.int16),
        "radius": np.rint(1000.0 * radius).astype(np.uint16),
        "population": np.minimum(np.asarray(populations), _MAX_POPULATIONS).astype(np.uint8),
    }


def pack_floors(heights: ArrayLike, sheets: ArrayLike) -> dict[str, NDArray[Any]]:
    """Return heights (m) and sheets of the characters in a building in few bytes."""
    return {
        "height": np.asarray(heights, np.float32),
        "sheet": np.asarray(sheets).astype(np.uint16),
    }


def crowd_obstacles(crowd: Crowd) -> Answer:
    """Return the dynamic obstacles of a crowd: discs (m, 3), their ids (m,) and sheets (m,)."""
    arrays: dict[str, Any] = {
        "discs": crowd.obstacles,
        "ids": np.array(crowd.obstacle_ids, np.uint32),
    }
    if hasattr(crowd.map, "building"):
        arrays["sheets"] = crowd.obstacle_sheets.astype(np.uint16)
    return Answer(replies.Obstacles(), arrays)


def origin_of(bounds: tuple[float, float, float, float]) -> Origin:
    """Return the origin on the wire for a map with these bounds (m).

    Example:
        >>> origin_of((0.0, 0.0, 500.0, 500.0))
        (0.0, 0.0)
        >>> origin_of((500_120.0, 5_000_250.0, 500_700.0, 5_000_900.0))
        (500000.0, 5000000.0)
    """
    if max(map(abs, bounds)) < _NEAR:
        return ZERO_ORIGIN
    x, y = (_ROUND * (low // _ROUND) for low in bounds[:2])
    return x, y


def to_wire(answer: Answer, origin: Origin) -> Answer:
    """Return an answer with coordinates relative to the origin: those that its model declares."""
    if origin == ZERO_ORIGIN:
        return answer
    arrays = dict(answer.arrays)
    for name, array in arrays.items():
        columns = answer.facts.arrays[name].places
        if columns:
            arrays[name] = shifted = array.astype(np.float64)
            for k, column in enumerate(columns):
                shifted[:, column] -= origin[k % 2]
    return Answer(moved(answer.facts, _opposite(origin)), arrays)


def to_map(request: R, origin: Origin) -> R:
    """Return a request with coordinates of the map."""
    return request if origin == ZERO_ORIGIN else moved(request, origin)


def _opposite(origin: Origin) -> Origin:
    return -origin[0], -origin[1]


def moved(value: T, by: Origin) -> T:
    """Return a value with all its places translated: of models, lists and tables in it, too.

    Example:
        >>> moved([Place(5.0, 3.0), 7.0], (1000.0, 2000.0))
        [Place(x=1005.0, y=2003.0), 7.0]
    """
    made: Any = value
    if isinstance(value, Place):
        made = Place(value.x + by[0], value.y + by[1])
    elif isinstance(value, BaseModel):
        made = value.model_copy(update={name: moved(item, by) for name, item in value})
        made.__pydantic_fields_set__.intersection_update(value.model_fields_set)
    elif isinstance(value, dict):
        made = {key: moved(item, by) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        made = type(value)(moved(item, by) for item in value)
    return cast("T", made)
