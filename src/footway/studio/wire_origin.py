"""Coordinates on the wire are relative to an origin near the map.

Coordinates are sent as 32-bit numbers, which are half a metre apart at 5,000 km from zero. A map in
national coordinates therefore has an origin: it is subtracted from all coordinates that are sent
and added to all coordinates in requests. Everything else uses the map's own coordinates.
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

ZERO_ORIGIN: Final[Origin] = (0.0, 0.0)
"""Origin of maps near zero."""

_NEAR: Final = 10_000.0  # m from zero, where 32-bit numbers are 1 mm apart
_ROUND: Final = 1000.0  # m: origins are multiples of it

_ARRAYS: Final = {
    **dict.fromkeys(("points", "terrain_points", "area_points", "vertices", "at"), (0, 1)),
    **dict.fromkeys(("path", "route", "backbone", "left", "right", "attraction"), (0, 1)),
    "discs": (0, 1),
    "lines": (0, 1, 2, 3),
    "camera": (1, 2),
}
"""Columns of arrays that are coordinates x, y, x, y..."""

_FACTS: Final = ("position", "goal", "nearest", "at", "walls")
_REQUEST_FIELDS: Final = ("start", "goal", "stops", "at", "polygon")


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
    """Return an answer with coordinates relative to the origin."""
    if origin == ZERO_ORIGIN:
        return answer
    arrays = {name: _array(name, array, origin) for name, array in answer.arrays.items()}
    return Answer(facts_to_wire(answer.facts, origin), arrays)


def facts_to_wire(facts: dict[str, Any], origin: Origin) -> dict[str, Any]:
    """Return (nested) facts with coordinates relative to the origin.

    Example:
        >>> facts_to_wire({"pinch": {"at": [1005.0, 2003.0], "width": 0.8}}, (1000.0, 2000.0))
        {'pinch': {'at': [5.0, 3.0], 'width': 0.8}}

    """
    x, y = origin
    return {
        name: facts_to_wire(value, origin)
        if isinstance(value, dict)
        else (_translated(value, (-x, -y)) if name in _FACTS else value)
        for name, value in facts.items()
    }


def to_map(request: R, origin: Origin) -> R:
    """Return a request with coordinates of the map."""
    places = {name: getattr(request, name, None) for name in _REQUEST_FIELDS}
    moved = {
        name: _translated(value, origin) for name, value in places.items() if value is not None
    }
    return request if origin == ZERO_ORIGIN else request.model_copy(update=moved)


def _array(name: str, array: NDArray[Any], origin: Origin) -> NDArray[Any]:
    columns = _ARRAYS.get(name)
    if columns is None:
        return array
    moved = array.astype(np.float64)
    for k, column in enumerate(columns):
        moved[:, column] -= origin[k % 2]
    return moved


def _translated(value: Any, by: Origin) -> Any:
    """Translate x, y, x, y..., or a list of such; other values stay as they are."""
    if not isinstance(value, list | tuple):
        return value
    moved = (
        _translated(item, by) if isinstance(item, list | tuple) else item + by[k % 2]
        for k, item in enumerate(value)
    )
    return type(value)(moved)
