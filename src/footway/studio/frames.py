"""Where everybody is at one moment, as it goes over the wire: 19 bytes a character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.studio.wire import Answer, told
from footway.studio.wire_origin import NOWHERE_ELSE, Origin, sent

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.crowd import Crowd, Recording

_MOST_SPEED = 32.767  # m/s, that fits into 16 bits
_MOST_RADIUS = 65.535  # m, likewise
_MOST_POPULATIONS = 255


def frame_of(crowd: Crowd, origin: Origin = NOWHERE_ELSE) -> bytes:
    """Return the frame of a crowd, as an event; its places from the origin on.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(100)
        >>> len(frame_of(crowd)) / 100 < 40
        True

    """
    arrays = packed_people(
        crowd.ids, crowd.positions, crowd.velocities, crowd.radii, crowd.populations
    )
    facts = {"time": crowd.time, "step": crowd.steps, "n": len(crowd)}
    message = told("frame", sent(Answer(facts, arrays), origin))
    assert isinstance(message, bytes)
    return message


def recorded_frame(recording: Recording, k: int) -> Answer:
    """Return frame k of a recording, with the obstacles that were there."""
    frame, people = recording.frame(k), recording.characters
    rows = np.searchsorted(people.ids, frame.ids)
    arrays = packed_people(
        frame.ids, frame.positions, frame.velocities, people.radius[rows], people.population[rows]
    )
    arrays["discs"] = recording.obstacles_at(k)
    facts = {"time": frame.time, "step": int(recording.steps[k]), "n": len(frame.ids), "frame": k}
    return Answer(facts, arrays)


def packed_people(
    ids: ArrayLike, at: ArrayLike, velocities: ArrayLike, radii: ArrayLike, populations: ArrayLike
) -> dict[str, NDArray[Any]]:
    """Return ids, places (m), velocities (mm/s), radii (mm) and populations in few bytes."""
    fast = np.clip(np.asarray(velocities, float), -_MOST_SPEED, _MOST_SPEED)
    wide = np.clip(np.asarray(radii, float), 0.0, _MOST_RADIUS)
    return {
        "id": np.asarray(ids).astype(np.uint32),
        "at": np.asarray(at, np.float64),  # the wire has half of these digits, from its origin on
        "velocity": np.rint(1000.0 * fast).astype(np.int16),
        "radius": np.rint(1000.0 * wide).astype(np.uint16),
        "population": np.minimum(np.asarray(populations), _MOST_POPULATIONS).astype(np.uint8),
    }


def obstacles_of(crowd: Crowd, origin: Origin = NOWHERE_ELSE) -> Answer:
    """Return the dynamic obstacles that are there: discs (m, 3) and their numbers (m,)."""
    ids = np.array(crowd.obstacle_ids, np.uint32)
    return sent(Answer({}, {"discs": crowd.obstacles, "ids": ids}), origin)
