"""Edits of links of a building: where they are drawn, and the holes around them in plans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import shapely

from footway.environment.links import Escalator, Lift, Link, Portal, Ramp, Stairs
from footway.environment.plan import Item, translated
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.environment.building import Floor
    from footway.environment.editing import Drawing

    Point = tuple[float, float]

KINDS: Final[dict[str, type[Link]]] = {"stairs": Stairs, "ramp": Ramp, "escalator": Escalator}
_DOOR: Final = 0.1  # share of the cabin's side beside a door, on either side of it
_AROUND: Final = 0.5  # m, by which a hole may be larger than the link in it


def drawn_link(
    kind: str,
    name: str,
    corners: Sequence[Point],
    here: Floor,
    other: Floor,
    floors: Sequence[Floor],
) -> Link | Lift:
    """Return a link of four corners: people step on at the first side, and off at the third one.

    A lift has its doors at the first side, on all floors from `here` to `other`.

    Raises:
        BadInput: there are not four corners, or both floors are the same.
    """
    if len(corners) != 4:
        raise BadInput(f"a link has four corners, not {len(corners)}: draw a box")
    if here.name == other.name:
        raise BadInput(f"a link leads to another floor than {here.name!r}: choose it")
    a, b, c, d = corners
    low, high = sorted((here, other), key=lambda floor: floor.elevation)
    if kind == "lift":
        (ax, ay), (bx, by) = a, b
        first = (ax + _DOOR * (bx - ax), ay + _DOOR * (by - ay))
        last = (bx + _DOOR * (ax - bx), by + _DOOR * (ay - by))
        stops = [one for one in floors if low.elevation <= one.elevation <= high.elevation]
        stops.sort(key=lambda floor: floor.elevation)
        return Lift(name, list(corners), [Portal(one.name, first, last) for one in stops])
    ends = Portal(here.name, a, b), Portal(other.name, d, c)
    lower, upper = ends if here is low else ends[::-1]
    return KINDS[kind](name, lower, upper)


def outline(link: Link | Lift) -> Any:
    """Return the polygon of all parts of a link in plan."""
    parts = [link.cabin] if isinstance(link, Lift) else list(link.parts)
    return shapely.union_all(parts)


def floors_of(link: Link | Lift, floors: Sequence[Floor]) -> list[int]:
    """Return the numbers of the floors that a link joins or passes."""
    names = [portal.floor for portal in link.portals]
    heights = [floor.elevation for floor in floors if floor.name in names]
    return [k for k, one in enumerate(floors) if min(heights) <= one.elevation <= max(heights)]


def moved_link(link: Link | Lift, by: Point) -> Link | Lift:
    """Return a link at another place, on the same floors."""

    def portal(one: Portal) -> Portal:
        (ax, ay), (bx, by_) = one.a, one.b
        return Portal(one.floor, (ax + by[0], ay + by[1]), (bx + by[0], by_ + by[1]))

    if isinstance(link, Lift):
        return replace(
            link, cabin=translated(link.cabin, by), doors=[portal(one) for one in link.portals]
        )
    return replace(
        link,
        lower=portal(link.portals[0]), upper=portal(link.portals[1]),
        flights=[translated(one, by) for one in link.flights],
        landings=[translated(one, by) for one in link.landings],
    )  # fmt: skip


def without_hole(
    drawing: Drawing, link: Link | Lift, others: Sequence[Link | Lift]
) -> tuple[Drawing, Any]:
    """Return a floor without the hole around a link, and the hole.

    The floor stays as it is, and the hole is the outline, if other links are in the hole, if it is
    larger than the link, or if the floor ends at the link.
    """
    shape = outline(link)
    at = shape.representative_point()
    number = drawing.plan.item_at((at.x, at.y))
    item = None if number is None else drawing.plan.items[number]
    if number is None or item is None or item.kind != "obstacle":
        return drawing, shape
    is_shared = any(shapely.intersection(item.shape, outline(one)).area > 1e-6 for one in others)
    if is_shared or not shapely.within(item.shape, shape.convex_hull.buffer(_AROUND)):
        return drawing, shape
    return drawing.with_plan(drawing.plan.without(number)), item.shape


def with_hole(drawing: Drawing, hole: Any) -> Drawing:
    """Return a floor with the hole of a link, which is an obstacle of the plan."""
    return drawing.with_plan(drawing.plan.with_item(Item("obstacle", hole)))


def shifted(hole: Any, by: Point) -> Any:
    """Return a hole at another place."""
    return translated(hole, by)


def corners_of(link: Link | Lift) -> list[Point]:
    """Return the corners of the outline; none if it has holes or several parts."""
    shape = outline(link)
    if shape.geom_type != "Polygon" or shape.interiors:
        return []
    return [(x, y) for x, y, *_ in shape.exterior.coords[:-1]]
