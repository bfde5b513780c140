"""Explain why there is no path in three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway.corridor.space_margin import nearest_free
from footway.errors import BadQuery, NoPath
from footway.validation import as_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]


def body_of(roadmap: Roadmap, radius: float) -> str:
    """Describe the moving object with the requested radius or clearance."""
    space = roadmap.space
    if space.radius > 0.0:
        return f"a ball of radius {radius:g} m"
    box = f"a box of {' x '.join(f'{side:g}' for side in space.size)} m"
    return f"{box} with {radius:g} m around it" if radius > 0.0 else box


def in_obstacle(roadmap: Roadmap, what: str, point: Floats) -> BadQuery:
    """Return the error for a start or a goal in no free cell, with the nearest free place."""
    low, high = roadmap.bounds[:3], roadmap.bounds[3:]
    nearest = as_text(nearest_free(point, roadmap.in_effect.space))
    body = body_of(roadmap, float(roadmap.space.radius))
    if not all(a <= x <= b for a, x, b in zip(low, point, high, strict=True)):
        why = f"is outside the map, which reaches from {as_text(low)} to {as_text(high)}"
    elif roadmap.fake_obstacles and roadmap.space.lines_are_free(point[None], point[None])[0]:
        why = f"is inside a fake obstacle, or too near to one for {body}"
    else:
        why = f"is inside an obstacle, or too near to one for {body}"
    return BadQuery(f"the {what} {as_text(point)} {why}: the nearest free place is {nearest}")


def tight(roadmap: Roadmap, what: str, point: Floats, radius: float, clear: float) -> NoPath:
    """Return the error for a radius above the clearance between an end and the roadmap."""
    return NoPath(
        f"{body_of(roadmap, radius)} does not get from the {what} {as_text(point)} to the roadmap: "
        f"the way has a clearance of {clear:.3f} m",
        reason="no room",
    )


def too_narrow(roadmap: Roadmap, a: Floats, b: Floats, radius: float) -> NoPath:
    """Return the error for a radius that is too large for some edge of every path."""
    return NoPath(
        f"{body_of(roadmap, radius)} does not get from {as_text(a)} to {as_text(b)} along the "
        "roadmap: an edge on every way is too narrow; see bottleneck",
        reason="pinch",
    )


def apart(a: Floats, b: Floats) -> NoPath:
    """Return the error for ends in two components."""
    return NoPath(
        f"{as_text(a)} and {as_text(b)} are in parts of the roadmap with no way between them",
        reason="components",
    )
