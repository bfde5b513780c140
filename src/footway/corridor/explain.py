"""Explain why there is no path: where a disc does not fit or does not get through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway._numba.portable_math import hypot
from footway.corridor.kernels import layouts
from footway.corridor.kernels.locate import WALL_X, WALL_Y
from footway.corridor.widest import find_bottleneck
from footway.errors import NoPath
from footway.validation import as_text

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.corridor.search import Balls, Solution, Solver
    from footway.errors import BadQuery


def explain_failure(
    solver: Solver, a: Floats, b: Floats, radius: float, result: Solution | Balls
) -> BadQuery | NoPath:
    """Return the error for a search that found nothing."""
    status, clearance = result.status, result.clearance
    if status in (layouts.START_IN_WALL, layouts.START_TIGHT):
        return _explain_end(solver, "start", a, radius, status, clearance)
    if status in (layouts.GOAL_IN_WALL, layouts.GOAL_TIGHT):
        return _explain_end(solver, "goal", b, radius, status, clearance)
    ends = f"from {solver.text_of(a)} to {solver.text_of(b)}"
    pinch = find_bottleneck(solver, a, b)
    if pinch is None:
        return explain_components(solver, a, b)
    if status in (layouts.NOWHERE, layouts.FULL):
        return NoPath(
            f"no path of a disc of radius {radius:g} m {ends} could be "
            f"certified: the widest path is hardly wider than the disc at {pinch.place}; "
            f"use a radius below {pinch.radius:.6f} m",
            reason="pinch",
            pinch=pinch,
        )
    return NoPath(
        f"a disc of radius {radius:g} m does not get {ends}: the widest "
        f"path is {pinch.width:.3f} m wide at {pinch.place}, between the walls at "
        f"{as_text(pinch.left)} and {as_text(pinch.right)}; use a radius up to "
        f"{pinch.radius:.3f} m",
        reason="pinch",
        pinch=pinch,
    )


def _explain_end(
    solver: Solver, what: str, point: Floats, radius: float, status: int, clearance: float
) -> BadQuery | NoPath:
    """Return the error for a start or a goal in a wall or too close to one."""
    contact = solver.locate(point)[1][0, [WALL_X, WALL_Y]]
    if status in (layouts.START_IN_WALL, layouts.GOAL_IN_WALL):
        return solver.explain_unlocated_end(what, point, contact, radius)
    if solver.is_roadmap and hypot(*(point[:2] - contact)) >= radius:
        return NoPath(
            f"a disc of radius {radius:g} m does not get straight from the {what} "
            f"{solver.text_of(point)} to the roadmap: the line to it has {clearance:.3f} m on "
            "either side; use a smaller radius or a finer roadmap",
            reason="no room",
        )
    return NoPath(
        f"a disc of radius {radius:g} m does not fit at the {what} {solver.text_of(point)}: "
        f"the nearest wall is {clearance:.3f} m away; "
        f"move it {radius - clearance:.3f} m from the wall or use a smaller radius",
        reason="no room",
    )


def explain_components(solver: Solver, a: Floats, b: Floats) -> NoPath:
    """Return the error for two points in different components of the free space."""
    both = f"{solver.text_of(a)} and {solver.text_of(b)}"
    if solver.is_roadmap:
        return NoPath(
            f"{both} are in parts of the roadmap with no path between them: "
            "check the walls between them, or build the roadmap with a finer resolution",
            reason="components",
        )
    return NoPath(
        f"{both} are in parts of the map with no path between them at any "
        "radius: check the walls between them",
        reason="components",
    )
