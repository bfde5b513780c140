"""Coherent groups: members share a corridor, the front waits (cmm-crowds-2008, section 6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.kernels.groups import cap, measure_corridor
from footway.crowd.kernels.tracks import FLOOR
from footway.crowd.state import (
    ARRIVED,
    AT,
    END,
    FINAL,
    GROUP,
    HALF,
    LEFT,
    MODE,
    RADIUS,
    REACH,
    WALKING,
)
from footway.errors import BadQuery
from footway.validation import FARTHEST, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.stepping import Engine

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_PACKED = 0.6  # share of the group area that discs can fill and still walk
_SPARE = 1 << 14  # samples by which the array of balls grows


class Dispersion(NamedTuple):
    """Measured dispersion of a group."""

    lateral: float  # m, across the backbone, between the outermost two centres
    longitudinal: float  # m, along the backbone, between the first and the last
    area: float  # m2, of the balls between the least and the most advanced attraction point


class Bounds(NamedTuple):
    """Greatest dispersion of a group; infinite for no bound."""

    width: float = math.inf  # m, g_w: the balls are no wider than this
    area: float = math.inf  # m2, g_A
    longitudinal: float = math.inf  # m, between first and last attraction point


def bounds_of(
    width: float | None,
    group_area: float | None,
    lateral: float | None,
    longitudinal: float | None,
    radii: Floats,
) -> Bounds:
    """Return checked bounds from the parameters of either paper."""
    given = {
        "width": width, "group_area": group_area, "lateral": lateral, "longitudinal": longitudinal,
    }  # fmt: skip
    width, group_area, lateral, longitudinal = (
        None
        if value is None
        else number(
            value, f"group's {name}", "m2" if name == "group_area" else "m", above=0, high=FARTHEST
        )
        for name, value in given.items()
    )
    widths = [w for w in (width, None if lateral is None else 0.5 * lateral) if w is not None]
    bound = Bounds(
        min(widths, default=math.inf),
        math.inf if group_area is None else group_area,
        math.inf if longitudinal is None else longitudinal,
    )
    widest = float(radii.max(initial=0.0))
    if bound.width < 1.5 * widest:
        raise BadQuery(
            f"the group's width bounds its corridor to {bound.width:g} m around the backbone: "
            f"characters of radius {widest:g} m need {1.5 * widest:g} m or more"
        )
    needed = float(math.pi * (radii**2).sum() / _PACKED)
    if bound.area < needed:
        raise BadQuery(
            f"the group area is {bound.area:g} m2: {len(radii)} characters of radius {widest:g} m "
            f"need {needed:.1f} m2 or more"
        )
    return bound


class Group:
    """Characters that stay together.

    Attributes:
        ids: (n,) of its members.
        bounds: greatest dispersion.
        arrived: number of goals that all members have reached together.

    """

    def __init__(self, crowd_groups: Groups, number: int, ids: Ints, bounds: Bounds) -> None:
        self._groups, self.number = crowd_groups, number
        self.ids, self.bounds = ids, bounds
        self.arrived = 0
        self.edge = -1  # number of its edge in the tracks
        self.edges = np.empty(0, np.int64)  # edges of the map along its corridor
        self.samples = (0, 0)  # first sample and capacity of its part of the tracks
        self.backbone = np.empty((0, 3))  # (n, 3) x, y, R' of the balls

    @property
    def dispersion(self) -> Dispersion:
        """Current dispersion."""
        return self._groups.dispersion(self)

    def __repr__(self) -> str:
        return f"<Group of {len(self.ids)}, {self.bounds}>"


class Groups:
    """The groups of a crowd; limits how far the front of each may move ahead."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.all: list[Group] = []
        self._table = np.empty((0, 8))
        self._members = np.empty(0, np.int64)
        self._lengths = self._gains = np.empty(0)
        self.used = len(engine.tracks.balls)  # samples in use

    def add(self, ids: Ints, bounds: Bounds) -> Group:
        """Return a new group without a corridor."""
        group = Group(self, len(self.all), ids, bounds)
        self.all.append(group)
        return group

    def assign_corridor(self, group: Group, balls: Floats, goal: Floats, reach: float) -> None:
        """Assign a corridor (n, 4) x, y, z, R to a group, and put its members at the beginning."""
        engine = self._engine
        # No ball takes more than half of the group area, or the group could not move forward.
        widest = min(group.bounds.width, math.sqrt(group.bounds.area / (2.0 * math.pi)))
        group.backbone = np.column_stack([balls[:, :2], np.minimum(balls[:, 3], widest)])
        first, last = self._write_corridor(group)
        slots = engine.slot_of[group.ids]
        slots = slots[slots >= 0]
        track = engine.state.track
        track[slots, GROUP], track[slots, LEFT] = group.number, 0
        track[slots, HALF], track[slots, AT] = 2 * group.edge, first
        track[slots, END] = track[slots, FINAL] = last
        track[slots, MODE] = np.where(track[slots, MODE] == ARRIVED, WALKING, track[slots, MODE])
        engine.state.place[slots, 2:4] = goal
        engine.state.body[slots, REACH] = reach
        self._rebuild_tables()

    def _write_corridor(self, group: Group) -> tuple[int, int]:
        """Write the balls of a group's corridor into the tracks; return first and last sample."""
        engine, count = self._engine, len(group.backbone)
        if count > group.samples[1]:
            group.samples = (self.used, 2 * count)
            self.used += 2 * count
        tracks = engine.tracks
        if self.used > len(tracks.balls):
            more = np.zeros((self.used - len(tracks.balls) + _SPARE, 3))
            tracks = tracks._replace(balls=np.concatenate([tracks.balls, more]))
        if group.edge < 0:
            group.edge = len(tracks.first)
            tracks = tracks._replace(
                first=np.append(tracks.first, np.int32(0)),
                last=np.append(tracks.last, np.int32(0)),
                ends=np.vstack([tracks.ends, np.full((1, 2), -1, np.int32)]),
            )
        first = group.samples[0]
        tracks.balls[first : first + count] = group.backbone
        tracks.first[group.edge], tracks.last[group.edge] = first, first + count - 1
        engine.tracks = tracks
        return first, first + count - 1

    def _rebuild_tables(self) -> None:
        """Rebuild the tables of the kernel `cap`."""
        rows, members, lengths, gains = [], [], [], []
        begin = base = 0
        for group in self.all:
            count = len(group.backbone)
            length, gain = np.zeros(count), np.zeros(count)
            if count:
                measure_corridor(group.backbone, length, gain)
            bounded = np.isfinite([group.bounds.area, group.bounds.longitudinal]).any()
            first = group.samples[0]
            rows.append([
                begin, begin + len(group.ids), first, first + count - 1, base, group.bounds.area,
                group.bounds.longitudinal, bounded and count > 0,
            ])  # fmt: skip
            members.append(group.ids)
            lengths.append(length)
            gains.append(gain)
            begin, base = begin + len(group.ids), base + count
        self._table = np.array(rows, np.float64).reshape(-1, 8)
        self._members = np.concatenate([np.empty(0, np.int64), *members])
        self._lengths = np.concatenate([np.empty(0), *lengths])
        self._gains = np.concatenate([np.empty(0), *gains])
        self._engine.caps = np.full(len(self.all), -1, np.int32)

    def restore(self) -> None:
        """Restore corridors from a checkpoint, where AT is relative to the corridor's beginning."""
        track = self._engine.state.track
        for group in self.all:
            if len(group.backbone):
                first, last = self._write_corridor(group)
                slots = self._engine.slot_of[group.ids]
                slots = slots[slots >= 0]
                track[slots, AT] += first
                track[slots, HALF] = 2 * group.edge
                track[slots, END] = track[slots, FINAL] = last
        self._rebuild_tables()

    def cap(self) -> None:
        """Compute how far the front of each group may move ahead (alpha_max)."""
        engine = self._engine
        if len(self._table):
            cap(
                self._table, self._members, engine.slot_of, self._lengths, self._gains,
                engine.tracks.balls, engine.state, engine.caps,
            )  # fmt: skip

    def reattach(self, group: Group, slot: int) -> None:
        """Move the attraction point of a displaced member to the ball closest to the member."""
        engine = self._engine
        x, y = engine.state.place[slot, :2]
        balls = group.backbone
        out = hypot(balls[:, 0] - x, balls[:, 1] - y) - balls[:, 2]
        engine.state.track[slot, AT] = group.samples[0] + int(out.argmin())

    def all_arrived(self, number: int) -> bool:
        """Return whether all present members of a group have arrived."""
        slots = self._engine.slot_of[self.all[number].ids]
        return bool((self._engine.state.track[slots[slots >= 0], MODE] == ARRIVED).all())

    def dispersion(self, group: Group) -> Dispersion:
        """Measure a group across and along its backbone."""
        engine = self._engine
        slots = engine.slot_of[group.ids]
        slots = slots[slots >= 0]
        if len(slots) == 0 or len(group.backbone) < 2:
            return Dispersion(0.0, 0.0, 0.0)
        along, across = _beside(engine.state.place[slots, :2], group.backbone[:, :2])
        at = engine.state.track[slots, AT] - group.samples[0]
        base, low = int(self._table[group.number][4]), int(at.min())
        high = max(low, self._least_ball(group, slots[int(at.argmax())]))
        area = math.pi * np.square(group.backbone[low, 2])
        area += float(self._gains[base + low + 1 : base + high + 1].sum())
        return Dispersion(float(np.ptp(across)), float(np.ptp(along)), float(area))

    def _least_ball(self, group: Group, slot: int) -> int:
        """Return the least advanced ball that contains a character: end of the group area."""
        x, y, radius = *self._engine.state.place[slot, :2], self._engine.state.body[slot, RADIUS]
        away = hypot(group.backbone[:, 0] - x, group.backbone[:, 1] - y)
        held = away < np.maximum(group.backbone[:, 2] - radius, FLOOR)
        at = int(self._engine.state.track[slot, AT]) - group.samples[0]
        behind = np.flatnonzero(~held[: at + 1])
        return int(behind[-1]) + 1 if len(behind) and behind[-1] < at else at


def _beside(points: Floats, line: Floats) -> tuple[Floats, Floats]:
    """Project points onto a line: arc length and signed distance. (n,), (n,)."""
    a, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum(hypot(*step.T), 1e-12)
    before = np.concatenate([[0.0], np.cumsum(length)[:-1]])
    offset = points[:, None] - a
    t = np.clip((offset * step).sum(axis=2) / length**2, 0.0, 1.0)
    away = offset - t[:, :, None] * step
    distance = hypot(away[:, :, 0], away[:, :, 1])
    k, rows = distance.argmin(axis=1), np.arange(len(points))
    side = step[k, 0] * offset[rows, k, 1] - step[k, 1] * offset[rows, k, 0]
    return before[k] + t[rows, k] * length[k], np.copysign(distance[rows, k], side)
