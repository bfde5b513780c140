"""Places near zero, as they go over the wire.

Places are sent as 32-bit numbers, which 5,000 km from zero are half a metre apart. A map in
national coordinates therefore has an origin: it is taken off every place that is sent, and put on
every place that a page asks about. Everything else in the studio has the map's own coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from footway.studio.wire import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.studio.requests import Request

    R = TypeVar("R", bound=Request)

Origin = tuple[float, float]

NOWHERE_ELSE: Final[Origin] = (0.0, 0.0)
"""The origin of maps near zero."""

_NEAR: Final = 10_000.0  # m from zero, where 32-bit numbers are 1 mm apart
_ROUND: Final = 1000.0  # m: origins are easy to read

_ARRAYS: Final = {
    **dict.fromkeys(("points", "terrain_points", "area_points", "vertices", "at"), (0, 1)),
    **dict.fromkeys(("path", "route", "backbone", "left", "right", "attraction"), (0, 1)),
    "discs": (0, 1),
    "lines": (0, 1, 2, 3),
    "camera": (1, 2),
}
"""Columns of arrays that are x, y, x, y... of places."""

_FACTS: Final = ("position", "goal", "nearest", "at", "walls")
_ASKED: Final = ("start", "goal", "stops", "at", "polygon")


def origin_of(bounds: tuple[float, float, float, float]) -> Origin:
    """Return where zero is on the wire, for a map with these bounds (m).

    Example:
        >>> origin_of((0.0, 0.0, 500.0, 500.0))
        (0.0, 0.0)
        >>> origin_of((500_120.0, 5_000_250.0, 500_700.0, 5_000_900.0))
        (500000.0, 5000000.0)

    """
    if max(map(abs, bounds)) < _NEAR:
        return NOWHERE_ELSE
    x, y = (_ROUND * (low // _ROUND) for low in bounds[:2])
    return x, y


def sent(answer: Answer, origin: Origin) -> Answer:
    """Return an answer as it is sent: its places from the origin on."""
    if origin == NOWHERE_ELSE:
        return answer
    arrays = {name: _array(name, array, origin) for name, array in answer.arrays.items()}
    return Answer(facts_sent(answer.facts, origin), arrays)


def facts_sent(facts: dict[str, Any], origin: Origin) -> dict[str, Any]:
    """Return facts as they are sent, those inside of facts too.

    Example:
        >>> facts_sent({"pinch": {"at": [1005.0, 2003.0], "width": 0.8}}, (1000.0, 2000.0))
        {'pinch': {'at': [5.0, 3.0], 'width': 0.8}}

    """
    x, y = origin
    return {
        name: facts_sent(value, origin)
        if isinstance(value, dict)
        else (_moved(value, (-x, -y)) if name in _FACTS else value)
        for name, value in facts.items()
    }


def asked(request: R, origin: Origin) -> R:
    """Return an ask with its places on the map."""
    places = {name: getattr(request, name, None) for name in _ASKED}
    moved = {name: _moved(value, origin) for name, value in places.items() if value is not None}
    return request if origin == NOWHERE_ELSE else request.model_copy(update=moved)


def _array(name: str, array: NDArray[Any], origin: Origin) -> NDArray[Any]:
    columns = _ARRAYS.get(name)
    if columns is None:
        return array
    moved = array.astype(np.float64)
    for k, column in enumerate(columns):
        moved[:, column] -= origin[k % 2]
    return moved


def _moved(value: Any, by: Origin) -> Any:
    """Return x, y, x, y..., or a list of such, moved; words stay."""
    if not isinstance(value, list | tuple):
        return value
    moved = (
        _moved(one, by) if isinstance(one, list | tuple) else one + by[k % 2]
        for k, one in enumerate(value)
    )
    return type(value)(moved)
