"""Answer queries: validate, call the kernels, and return a result or raise the reason."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway._numba.portable_math import hypot
from footway.constants import TOUCH
from footway.corridor.backbone import Place, backbone_of_search
from footway.corridor.corridor import Corridor, Pinch
from footway.corridor.kernels import path as codes
from footway.corridor.kernels.locate import locate_few
from footway.corridor.kernels.path import polyline_clearance
from footway.corridor.kernels.query import find_cell
from footway.corridor.kernels.search import FOUND, FULL, NOWHERE, read_edges
from footway.corridor.kernels.wall_grid import TOUCHES
from footway.corridor.path import TautPath
from footway.corridor.widening import widen
from footway.corridor.widest import Narrow, narrow_events, narrowest_on_widest_path
from footway.errors import BadQuery, NoPath
from footway.validation import as_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.corridor.solver import Balls, Solution, Solver

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def path(
    solver: Solver, start: ArrayLike, goal: ArrayLike, radius: float, wanted: float | None
) -> TautPath:
    """Return the shortest path, widened to the preferred clearance where possible; or raise."""
    a, b, radius = _query(solver, start, goal, radius)
    wanted = _wanted(wanted, radius)
    solution = solver.solve(a, b, radius, shortcut=wanted <= radius or not solver.can_widen)
    if solution.status == FOUND:
        found = _as_path(a, b, radius, solution)
        if wanted <= radius or not solver.can_widen:
            return found
        return widen(solver.index, found, _halves(solver, a, b, radius, solution.node), wanted)
    if solution.status in (NOWHERE, FULL):
        along = _path_along_backbone(solver, a, b, radius)
        if along is not None:
            return along
    raise solution.refusal or _refusal(solver, a, b, radius, solution)


def paths(
    solver: Solver,
    starts: Floats,
    goals: Floats,
    radius: float,
    wanted: float | None,
    *,
    threads: int,
) -> list[TautPath | None]:
    """Return the shortest paths; None where none exists."""
    validation.as_many(starts, goals)
    radius = validation.radius(radius, solver.extent)
    wanted = _wanted(wanted, radius)
    if wanted > radius:
        return [
            _path_or_none(solver, a, b, radius, wanted) for a, b in zip(starts, goals, strict=True)
        ]
    answers: list[TautPath | None] = []
    solutions = solver.solve_many(starts, goals, radius, threads=threads)
    for a, b, solution in zip(starts, goals, solutions, strict=True):
        if solution.status == FOUND:
            answers.append(_as_path(a, b, radius, solution))
        elif solution.status in (NOWHERE, FULL):
            answers.append(_path_along_backbone(solver, a, b, radius))
        else:
            answers.append(None)
    return answers


def _path_or_none(
    solver: Solver, a: Floats, b: Floats, radius: float, wanted: float
) -> TautPath | None:
    try:
        return path(solver, a, b, radius, wanted)
    except (BadQuery, NoPath):
        return None


def corridor(
    solver: Solver, start: ArrayLike, goal: ArrayLike, radius: float, around: str
) -> Corridor:
    """Return the corridor of the shortest backbone, or of the shortest path."""
    a, b, radius = _query(solver, start, goal, radius)
    validation.one_of(around, "way to lay a corridor", ("backbone", "path"))
    if around == "backbone":
        found = solver.corridor(a, b, radius)
        if found.status != FOUND:
            raise _refusal(solver, a, b, radius, found)
    else:
        solution = solver.solve(a, b, radius, shortcut=False)
        if solution.status not in (FOUND, NOWHERE, FULL):
            raise solution.refusal or _refusal(solver, a, b, radius, solution)
        halves = _halves(solver, a, b, radius, solution.node)
        found = solver.corridor_along(a, b, halves, radius)
    return as_corridor(solver, a, b, radius, found)


def as_corridor(solver: Solver, a: Floats, b: Floats, radius: float, found: Balls) -> Corridor:
    """Make a Corridor of the balls that the kernel found."""
    return Corridor(_pair(a), _pair(b), radius, found.balls, 2, found.halves, solver)


def _halves(solver: Solver, a: Floats, b: Floats, radius: float, node: int) -> Ints:
    """Half-edges of the path that the last search found, which ends in `node`."""
    halves = None
    if node >= 0:
        here, there = _places(solver, a, b)
        count = read_edges(node, solver.workspace)
        along = solver.workspace.edges[:count].tolist()
        cells = [find_cell(*p.point, p.piece, solver.index)[2] for p in (here, there)]
        halves = backbone_of_search(solver.index, along, (cells[0], cells[1]), here, there)
    return solver.corridor(a, b, radius).halves if halves is None else halves


def bottleneck(solver: Solver, start: ArrayLike, goal: ArrayLike) -> Pinch:
    """Return the radius of the widest disc that gets through, and where it is narrowest."""
    a, b = validation.point(start, "start"), validation.point(goal, "goal")
    pinch = _widest(solver, a, b)
    if pinch is None:
        raise _apart(a, b, on_roads=_on_roads(solver))
    return pinch


def passages(solver: Solver, most: int) -> list[Pinch]:
    """The narrowest passages of the map, narrowest first."""
    validation.whole(most, "number of passages")
    axis = solver.index.axis
    return [
        _as_pinch(solver, Narrow(float(axis.clearance[event]), event))
        for event in narrow_events(solver.index, most)
    ]


def _widest(solver: Solver, a: Floats, b: Floats) -> Pinch | None:
    pieces, values = _locate(solver, np.vstack([a, b]))
    for piece, point, contact, what in zip(
        pieces, (a, b), values[:, 4:6], ("start", "goal"), strict=True
    ):
        if piece < 0:
            raise solver.explain_unlocated_end(what, point, contact, 0.0)
    narrow = narrowest_on_widest_path(solver.index, int(pieces[0]), int(pieces[1]))
    if narrow is None:
        return None
    ends = [
        Pinch(float(value[3]), _pair(point), _pair(value[4:6]), _pair(value[4:6]))
        for point, value in zip((a, b), values, strict=True)
    ]
    return min([_as_pinch(solver, narrow), *ends], key=lambda pinch: pinch.radius)


def _as_pinch(solver: Solver, narrow: Narrow) -> Pinch:
    axis, event = solver.index.axis, narrow.event
    if event < 0:
        return Pinch(math.inf, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    return Pinch(
        narrow.clearance,
        _pair(axis.events[event]),
        _pair(axis.left[event]),
        _pair(axis.right[event]),
    )


def _locate(solver: Solver, points: Floats) -> tuple[Any, Floats]:
    index = solver.index
    return locate_few(points, index.axis, index.grid, index.fans)  # type: ignore[no-any-return]


def _places(solver: Solver, a: Floats, b: Floats) -> tuple[Place, Place]:
    pieces, values = _locate(solver, np.vstack([a, b]))
    here, there = (
        Place(point, int(piece), value[:2], float(value[2]))
        for point, piece, value in zip((a, b), pieces, values, strict=True)
    )
    return here, there


def _as_path(a: Floats, b: Floats, radius: float, solution: Solution) -> TautPath:
    ends = _pair(a), _pair(b)
    return TautPath(
        *ends, radius, solution.length, solution.clearance, solution.pieces, solution.method
    )


def _path_along_backbone(solver: Solver, a: Floats, b: Floats, radius: float) -> TautPath | None:
    """Path along the medial axis: longer and with corners, for queries that the search gives up on.

    It must keep the radius, and touch no wall between its ends, so that it stays in free space.
    None where no sampled polyline along the axis does.
    """
    for step in (0.05, 0.01, 0.002):  # chords of a parabola cut its corners a little
        found = solver.corridor(a, b, radius, step=step)
        assert found.status == FOUND, "the widest-path forest says that a path exists"
        points = np.ascontiguousarray(found.balls[:, :2])
        clearance = float(polyline_clearance(points, solver.index.grid))
        between = float(polyline_clearance(points[1:-1], solver.index.grid))
        if clearance >= radius - TOUCH and between > TOUCHES:
            pieces = np.zeros((len(points) - 1, 9))
            pieces[:, :2], pieces[:, 2:4] = points[:-1], points[1:]
            length = float(hypot(*np.diff(points, axis=0).T).sum())
            return TautPath(_pair(a), _pair(b), radius, length, clearance, pieces, "backbone")
    return None


def _refusal(
    solver: Solver, a: Floats, b: Floats, radius: float, solution: Solution | Balls
) -> BadQuery | NoPath:
    """Return the error that explains why there is no path."""
    if solution.status in (codes.START_IN_WALL, codes.GOAL_IN_WALL):
        what, point = ("start", a) if solution.status == codes.START_IN_WALL else ("goal", b)
        _, values = _locate(solver, point[None])
        return solver.explain_unlocated_end(what, point, values[0, 4:6], radius)
    if solution.status in (codes.START_TIGHT, codes.GOAL_TIGHT):
        what, point = ("start", a) if solution.status == codes.START_TIGHT else ("goal", b)
        _, values = _locate(solver, point[None])
        if _on_roads(solver) and hypot(*(point - values[0, 4:6])) >= radius:
            return NoPath(
                f"a disc of radius {radius:g} m does not get straight from the {what} "
                f"{as_text(point)} to the roadmap: the way there has {solution.clearance:.3f} m on "
                "either side; use a smaller radius or a finer roadmap",
                reason="no room",
            )
        return NoPath(
            f"a disc of radius {radius:g} m does not fit at the {what} {as_text(point)}: "
            f"the nearest wall is {solution.clearance:.3f} m away; "
            f"move it {radius - solution.clearance:.3f} m from the wall or use a smaller radius",
            reason="no room",
        )
    pinch = _widest(solver, a, b)
    if pinch is None:
        return _apart(a, b, on_roads=_on_roads(solver))
    if solution.status in (NOWHERE, FULL):
        return NoPath(
            f"no path of a disc of radius {radius:g} m from {as_text(a)} to {as_text(b)} could be "
            f"certified: the widest way is hardly wider than the disc at {as_text(pinch.at)}; "
            f"use a radius below {pinch.radius:.6f} m",
            reason="pinch",
            pinch=pinch,
        )
    return NoPath(
        f"a disc of radius {radius:g} m does not get from {as_text(a)} to {as_text(b)}: the widest "
        f"way is {pinch.width:.3f} m wide at {as_text(pinch.at)}, between the walls at "
        f"{as_text(pinch.left)} and {as_text(pinch.right)}; use a radius up to "
        f"{pinch.radius:.3f} m",
        reason="pinch",
        pinch=pinch,
    )


def _on_roads(solver: Solver) -> bool:
    """Return whether the map was made from a roadmap."""
    return len(solver.index.fans.balls) > 0


def _apart(a: Floats, b: Floats, *, on_roads: bool) -> NoPath:
    if on_roads:
        return NoPath(
            f"{as_text(a)} and {as_text(b)} are in parts of the roadmap with no way between them: "
            "check the walls between them, or build the roadmap with a finer resolution",
            reason="components",
        )
    return NoPath(
        f"{as_text(a)} and {as_text(b)} are in parts of the map with no way between them at any "
        "radius: check the walls between them",
        reason="components",
    )


def _wanted(value: float | None, radius: float) -> float:
    """Return the checked preferred clearance; the radius if none is given."""
    if value is None:
        return radius
    wanted = validation.as_float(value)
    if wanted is None:
        raise BadQuery(f"the clearance must be a number in metres, not {validation.shown(value)}")
    if not radius <= wanted < math.inf:
        raise BadQuery(
            f"the clearance is {wanted:g} m: it must be finite and not below the radius, "
            f"{radius:g} m"
        )
    return wanted


def _query(
    solver: Solver, start: ArrayLike, goal: ArrayLike, radius: float
) -> tuple[Floats, Floats, float]:
    """Check the arguments that all queries share."""
    a, b = validation.point(start, "start"), validation.point(goal, "goal")
    return a, b, validation.radius(radius, solver.extent)


def _pair(point: Any) -> tuple[float, float]:
    x, y = point
    return float(x), float(y)
