"""Check the arguments of all drawing functions by name.

A name has the same meaning in every function, so one table defines the valid values. Defaults are
not checked.
"""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import numpy as np

from footway import validation
from footway.errors import BadInput, BadQuery
from footway.validation import FARTHEST, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any, str], object]

P = ParamSpec("P")
T = TypeVar("T")

_MOST_PIXELS: Final = 10_000
"""Maximum pixels along a side of an animation: a frame of 100 million pixels takes 400 MB."""

_MOST_COLUMNS: Final = 100
_LEAST: Final = 1e-3  # m, frames per second, persons per m2; less is probably in another unit


def checked(draw: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a drawing function before it draws anything."""
    signature = inspect.signature(draw)

    @wraps(draw)
    def draw_checked(*arguments: P.args, **options: P.kwargs) -> T:
        for name, value in signature.bind(*arguments, **options).arguments.items():
            if value is not signature.parameters[name].default:
                CHECKS[name](value, name)
        return draw(*arguments, **options)

    return draw_checked


def refuse_building(cmap: Any) -> None:
    """Raise BadInput for the map of a building, where a picture shows one floor."""
    building = getattr(cmap, "building", None)
    if building is not None:
        name = building.floors[-1].name
        raise BadInput(
            "cmap is of a building, and the picture shows one floor: take it with one = "
            f"recording.on_floor({name!r}), and give one.environment as the map"
        )


def _is(*kinds: str) -> Check:
    """Refuse a value of another class; classes are named because most are slow to import."""

    def check(value: Any, name: str) -> None:
        if not _has_class(value, *kinds):
            raise BadQuery(f"{name} is {shown(value)}: it must be of type {' or '.join(kinds)}")

    return check


def _has_class(value: Any, *kinds: str) -> bool:
    own = [base for base in type(value).__mro__ if base.__module__ != "pathlib"]
    return any(base.__name__ in kinds for base in own)


def _each(check: Check) -> Check:
    """Check each item of a list; None is allowed."""

    def check_all(value: Any, name: str) -> None:
        for k, item in enumerate(validation.sequence(value, name)):
            if item is not None:
                check(item, f"{name}[{k}]")

    return check_all


def _number(low: float = _LEAST, high: float = FARTHEST) -> Check:
    return lambda value, name: validation.number(value, name, low=low, high=high)


def _whole(low: int, high: int) -> Check:
    return lambda value, name: validation.whole(value, name, low=low, high=high)


def _array(shape: str, *dimensions: int) -> Check:
    """Refuse values other than numeric arrays with one of these numbers of dimensions."""

    def check(value: Any, name: str) -> None:
        array = validation.floats(value, shape, name=name)
        if array.ndim not in dimensions or (np.abs(array) > FARTHEST).any():
            raise BadQuery(f"{name} is {shown(value)}: give numbers of the shape {shape}")

    return check


def _box(value: Any, name: str) -> None:
    box = validation.floats(value, "(4,)", name=name)
    good = box.shape == (4,) and (np.abs(box) <= FARTHEST).all()
    if not good or not (box[2:] - box[:2] >= _LEAST).all():
        raise BadQuery(f"{name} is {shown(value)}: give (xmin, ymin, xmax, ymax) in metres")


def _lens(value: Any, name: str) -> None:
    if isinstance(value, str):
        validation.one_of(value, name, ("busiest", "none"))
    else:
        _box(value, name)


def _curve(value: Any, name: str) -> None:
    """Refuse values that are neither a path nor two or more points (n, 2) or (n, 3)."""
    if _has_class(value, "Path"):
        return
    array = validation.floats(value, "(n, 2) or (n, 3)", name=name)
    if len(validation.points(array, 3 if array.shape[-1:] == (3,) else 2, name=name)) < 2:
        raise BadQuery(f"{name} is {shown(value)}: it must have two places or more")


def _panels(value: Any, name: str) -> None:
    panels = validation.sequence(value, name)
    if not panels or not all(hasattr(panel, "caption") for panel in panels):
        raise BadQuery(f"{name} are {shown(value)}: give a list of one panel or more")


_MAP: Final = _is("CorridorMap", "Environment")

CHECKS: Final[dict[str, Check]] = {
    "because": validation.text,
    "cell": _number(0.01),
    "cmap": _MAP,
    "colouring": lambda value, name: validation.one_of(value, name, ("population", "heading")),
    "columns": _whole(1, _MOST_COLUMNS),
    "corridor": _is("Corridor"),
    "details": validation.text,
    "environment": _is("Environment", "Volume"),
    "figure": _is("Figure"),
    "file": validation.file,
    "frame": lambda value, name: validation.whole(value, name, low=-(2**31), high=2**31),
    "goal": validation.point,
    "lens": _lens,
    "motion": _is("CameraMotion"),
    "names": _each(validation.text),
    "obstacles": lambda value, name: validation.points(value, 3, name=name),
    "panels": _panels,
    "passages": _each(_is("Pinch")),
    "path": _curve,
    "paths": _each(_is("Path")),
    "people": validation.sequence,
    "pinch": _is("Pinch"),
    "populations": lambda value, name: validation.whole_numbers(value, name, "(n,)"),
    "positions": lambda value, name: validation.points(value, name=name),
    "radius": _number(0.0),
    "radii": _array("(n,)", 0, 1),
    "rate": _number(0.1, 240.0),
    "recording": _is("Recording"),
    "roadmap": _is("Roadmap"),
    "route": _is("IndicativeRoute"),
    "size": _whole(16, _MOST_PIXELS),
    "source": _MAP,
    "speed": _number(1e-3, 1e4),
    "start": validation.point,
    "title": validation.text,
    "top": _number(),
    "trail": _number(0.0),
    "trails": _array("(k, n, 2)", 3),
    "velocities": lambda value, name: validation.points(value, name=name),
    "view": _box,
    "walk": _is("Walk"),
    "style": lambda value, name: validation.one_of(value, name, ("floors", "axonometry")),
}
