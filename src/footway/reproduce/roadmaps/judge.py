"""Checks of roadmaps and of paths on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadQuery, NoPath
from footway.reproduce.roadmaps.scenes import ask
from footway.roadmap.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from footway.reproduce.roadmaps.scenes import Built, Setting

    Floats = NDArray[np.float64]

_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(built: Built) -> list[str]:
    """Return which roadmaps do not cover or connect their space, or lost clearance."""
    wrong = []
    for method in ("RRM", "RRM*", "RRRM"):
        found = verify(built.roadmaps[method])
        if not found.holds:
            wrong.append(f"{built.name}, {method}: {found}")
    before, after = (built.roadmaps[method].edge_clearance for method in ("RRM*", "RRRM"))
    for edge in np.flatnonzero(after < before - _CLOSE):
        lost = before[edge] - after[edge]
        wrong.append(f"{built.name}, RRRM: edge {edge} has lost {lost:.4f} m of clearance")
    return wrong


def path_faults(
    corridors: Any, setting: Setting, pairs: Sequence[tuple[Floats, Floats]], what: str
) -> Iterator[str]:
    """Return which queries have no path, or one with wrong ends or too close to a wall."""
    for k, pair in enumerate(pairs):
        try:
            path = ask(corridors, setting, pair)
        except (NoPath, BadQuery) as error:
            yield f"{what}, query {k}: {error}"
            continue
        ends = np.array([path.points[0], path.points[-1]])
        if np.abs(ends - np.array(pair)).max() > _CLOSE:
            yield f"{what}, query {k}: begins or ends elsewhere"
        clearance = float(corridors.clearance(_along(path.points)).min())
        if clearance < setting.radius - _CLOSE:
            yield f"{what}, query {k}: {clearance:.4f} m from a wall"


def _along(points: Floats) -> Floats:
    """Return points on a polyline, 0.1 m apart."""
    step = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(step)])
    at = np.union1d(along, np.arange(0.0, along[-1], 0.1))
    return np.column_stack([np.interp(at, along, column) for column in points.T])
