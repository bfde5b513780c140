"""Frames as they are sent: 19 bytes per character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.studio.wire import Answer, event
from footway.studio.wire_origin import ZERO_ORIGIN, Origin, to_wire

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.crowd import Crowd, Recording

_MAX_SPEED = 32.767  # m/s, fits into 16 bits
_MAX_RADIUS = 65.535  # m, fits into 16 bits
_MAX_POPULATIONS = 255


def crowd_frame(crowd: Crowd, origin: Origin = ZERO_ORIGIN) -> bytes:
    """Return the current frame of a crowd as an event, relative to the origin.

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
    facts = {"time": crowd.time, "step": crowd.steps, "n": len(crowd)}
    message = event("frame", to_wire(Answer(facts, arrays), origin))
    assert isinstance(message, bytes)
    return message


def recorded_frame(recording: Recording, k: int) -> Answer:
    """Return frame k of a recording, with its obstacles."""
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
    facts = {"time": frame.time, "step": int(recording.steps[k]), "n": len(frame.ids), "frame": k}
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


def crowd_obstacles(crowd: Crowd, origin: Origin = ZERO_ORIGIN) -> Answer:
    """Return the dynamic obstacles of a crowd: discs (m, 3) and their ids (m,)."""
    ids = np.array(crowd.obstacle_ids, np.uint32)
    return to_wire(Answer({}, {"discs": crowd.obstacles, "ids": ids}), origin)
