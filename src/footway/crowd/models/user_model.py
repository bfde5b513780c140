"""Models of users: a Python function in the place of a local model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from footway import validation
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints


Gives = Literal["acceleration", "velocity"]


class Neighbours(NamedTuple):
    """All characters of a crowd and their pairs of neighbours, for a model of the user.

    n characters in any order, p pairs; those of character i are first[i] to first[i + 1] - 1. The
    neighbours of a character are all characters and dynamic obstacles within 3 m between discs.
    All arrays are C-contiguous, so that a function compiled by Numba has one signature.
    """

    ids: Ints  # (n,)
    positions: Floats  # (n, 2) m
    velocities: Floats  # (n, 2) m/s, before the step
    directions: Floats  # (n, 2) unit vectors of the preferred directions
    speeds: Floats  # (n,) m/s, preferred in this step; 0 for those that stand
    greatest: Floats  # (n,) m/s, greatest speeds
    radii: Floats  # (n,) m
    first: Ints  # (n + 1,)
    character: Ints  # (p,) the character i of each pair
    other: Ints  # (p,) the other one, in the same order; -1: an obstacle
    offsets: Floats  # (p, 2) m, from the other to the character
    gaps: Floats  # (p,) m between the discs; negative if they overlap
    normals: Floats  # (p, 2) unit vectors of the offsets
    other_velocities: Floats  # (p, 2) m/s
    dt: float  # s
    relaxation: float  # s, of the acceleration toward the preferred velocity


@dataclass(frozen=True)
class UserModel:
    """A model of the user: a function of `Neighbours` that returns (n, 2) for its n characters.

    Guards for walls and other characters apply as with any model. Checkpoints do not contain the
    function: give the model again to `Crowd.load`.

    Attributes:
        function: called once per step; NumPy, or compiled by the user with Numba.
        gives: "acceleration" in m/s2, which is added to the one toward the preferred velocity, or
            "velocity" in m/s.

    Example:
        >>> import numpy as np
        >>> import footway as fw
        >>> def careless(n):
        ...     return n.speeds[:, None] * n.directions
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> crowd = fw.Crowd(cmap, model=fw.crowd.models.UserModel(careless, gives="velocity"))
        >>> ids = crowd.add(20)
        >>> crowd.step(5)

    """

    function: Callable[[Neighbours], Any]
    gives: Gives = "acceleration"
    name = "user"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise BadQuery(
                f"the function of a UserModel is {validation.shown(self.function)}: give a "
                "function of Neighbours, without calling it"
            )
        validation.one_of(self.gives, "result of a UserModel", get_args(Gives))

    def to_array(self, dt: float) -> NDArray[np.float32]:  # noqa: ARG002 - of other models
        """Return the parameters of the kernel, none."""
        return np.zeros(0, np.float32)

    def call(self, neighbours: Neighbours) -> NDArray[np.float32]:
        """Return the checked result of the function. (n, 2)."""
        count = len(neighbours.ids)
        unit = "m/s2" if self.gives == "acceleration" else "m/s"
        name = f"{self.gives} of the user's model"
        wanted = f"return finite numbers ({count}, 2) in {unit}"
        return checked_vectors(self.function(neighbours), count, name=name, wanted=wanted)


def checked_vectors(value: Any, count: int, *, name: str, wanted: str) -> NDArray[np.float32]:
    """Return what a user's function returned, finite numbers (count, 2).

    Raises:
        BadQuery: it is something else; `wanted` says what to return.
    """
    found = validation.floats(value, f"({count}, 2)", name=name)
    if found.shape != (count, 2):
        raise BadQuery(f"the {name} has the shape {found.shape}: {wanted}")
    with np.errstate(over="ignore"):
        single = found.astype(np.float32)
    if not np.isfinite(single).all():
        row = int(np.flatnonzero(~np.isfinite(single).all(axis=1))[0])
        raise BadQuery(f"the {name} is {found[row].tolist()} in row {row}, not finite: {wanted}")
    return single
