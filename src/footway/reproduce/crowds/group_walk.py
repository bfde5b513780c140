"""Run one group from its start to its goal, and record positions and dispersion."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.corridor import Corridor
from footway.crowd import Crowd
from footway.reproduce.cmm.scenes import RADIUS
from footway.reproduce.crowds.judge import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.reproduce.questions import Question

    Floats = NDArray[np.float64]

SPEED: Final = (1.2, 0.12)
"""m/s. Mean and deviation: people of a group do not all walk at the same speed."""

_STEPS: Final = 5  # between two frames
_LONGEST: Final = 900.0  # s

NEAR: Final = 8.0
"""m from its start or goal: there a group stands together, and its dispersion says nothing."""


class Limits(NamedTuple):
    """Bounds of the dispersion of a group, as in `Crowd.add_group`; None for no bound."""

    width: float | None = None  # g_w, m
    group_area: float | None = None  # g_A, m2
    lateral: float | None = None  # m
    longitudinal: float | None = None  # m


class GroupWalk(NamedTuple):
    """Recorded walk of a group."""

    limits: Limits
    corridor: Corridor  # narrowed to the limits
    times: Floats  # (f,) s
    places: Floats  # (f, n, 2) m
    apart: Floats  # (f, 3) lateral (m), longitudinal (m), area (m2)
    load: float  # CPU time / simulated time, %
    wrong: list[str]

    @property
    def seconds(self) -> float:
        """Time until all were at the goal, s."""
        return float(self.times[-1])

    @property
    def under_way(self) -> slice:
        """Frames from the time the last has left the start until the first is near the goal."""
        left, come = (
            np.hypot(*np.moveaxis(self.places - np.array(end), 2, 0)) > NEAR
            for end in (self.corridor.start, self.corridor.goal)
        )
        begin = int(left.all(axis=1).argmax())
        end = int((~come).any(axis=1).argmax()) or len(self.times)
        return slice(begin, max(end, begin + 1))

    @property
    def mean(self) -> Floats:
        """Mean lateral and longitudinal dispersion (m) and area (m2) while walking, (3,)."""
        found: Floats = self.apart[self.under_way].mean(axis=0)
        return found

    @property
    def most(self) -> Floats:
        """Greatest dispersion and area while walking, (3,)."""
        found: Floats = self.apart[self.under_way].max(axis=0)
        return found

    def frame_at(self, share: float) -> int:
        """Return the frame at a share of the time until the first is near the goal."""
        return min(int(share * self.under_way.stop), len(self.times) - 1)


def walk_group(
    cmap: CorridorMap, count: int, question: Question, limits: Limits, *, name: str, seed: int
) -> GroupWalk:
    """Simulate a group until all are at the goal."""
    crowd = Crowd(cmap, seed=seed, threads=1)
    group = crowd.add_group(
        count,
        start=question.start,
        goal=question.goal,
        radius=RADIUS,
        speed=SPEED,
        then="stay",
        **limits._asdict(),
    )
    frames: list[tuple[float, Floats, Sequence[float]]] = []
    cpu = 0.0
    while group.arrived == 0 and crowd.time < _LONGEST:
        frames.append((crowd.time, crowd.positions, group.dispersion))
        begin = time.process_time()
        crowd.step(_STEPS)
        cpu += time.process_time() - begin
    frames.append((crowd.time, crowd.positions, group.dispersion))
    wrong = faults(crowd, name)
    if group.arrived == 0:
        wrong.append(f"{name}: the group has not arrived after {_LONGEST:g} s")
    times, places, apart = zip(*frames, strict=True)
    walk = GroupWalk(
        limits,
        Corridor.from_balls(group.backbone[:, :2], group.backbone[:, 2], radius=RADIUS),
        np.array(times),
        np.array(places),
        np.array(apart),
        100.0 * cpu / crowd.time,
        wrong,
    )
    return walk._replace(wrong=wrong + broken_limits(walk, name))


def broken_limits(walk: GroupWalk, name: str) -> list[str]:
    """Return which bounds a group violated."""
    lateral, area = walk.most[0], walk.mean[2]  # in bends a group may briefly need more area
    width = 2.0 * float(walk.corridor.radii.max())
    most = walk.limits.group_area or math.inf
    wrong = []
    if lateral > width:
        wrong.append(f"{name}: {lateral:.1f} m across, in a corridor {width:.1f} m wide")
    if area > most:
        wrong.append(f"{name}: occupies {area:.0f} m2, with a group area of {most:g} m2")
    return wrong
