"""Control of a lift: which stop its cabin goes to next (collective control).

The cabin serves the calls ahead of it in its direction of travel, then it reverses. It stops for
people inside, and for people who wait to go in its direction; if there is nothing further ahead,
for those who wait to go the other way, too. A full cabin passes those who wait. Without calls it
stays where it is, with shut doors.

    idle --> opening --> open --> closing --> idle, opening again, or moving --> opening ...

Doors take `door_time` to open and to close; the cabin travels from stop to stop at its speed. A
phase begins where the one before it ends, at any time between two steps. Only the end of `open`,
which depends on people, falls on a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

IDLE, OPENING, OPEN, CLOSING, MOVING = range(5)
"""Phases of a lift."""

PHASES: Final = ("idle", "opening", "open", "closing", "moving")
_ON_TIME = 1e-9  # s


class Calls(NamedTuple):
    """Who wants to be served, as numbers of stops."""

    inside: AbstractSet[int]  # where people in the cabin get out
    up: AbstractSet[int]  # where people wait to go up
    down: AbstractSet[int]  # where people wait to go down
    is_full: bool  # whether nobody else can get in


@dataclass
class Control:
    """State of a lift.

    Attributes:
        heights: of its stops, ascending, m.
        speed: of the cabin, m/s.
        door_time: s, to open or to close the doors.
        phase: IDLE, OPENING, OPEN, CLOSING or MOVING.
        stop: where the cabin stands, or that it left last.
        heading: next stop, while it moves.
        direction: of travel: 1 up, -1 down, 0 none.
        since: s, when the phase began.

    """

    heights: Sequence[float]
    speed: float
    door_time: float
    phase: int = IDLE
    stop: int = 0
    heading: int = 0
    direction: int = 0
    since: float = 0.0

    def advance(self, now: float, calls: Calls, *, may_close: bool) -> None:
        """Go through all phases that end by now; `may_close` ends `open`."""
        while True:
            if self.phase == IDLE:
                if not self._leave(max(now, self.since), calls):
                    return
            elif self.phase == OPEN:
                if not may_close:
                    return
                self._begin(CLOSING, now)
                may_close = False
            elif self.ends > now + _ON_TIME:
                return
            elif self.phase == OPENING:
                self._begin(OPEN, self.ends)
                return  # people come before the next decision
            elif self.phase == CLOSING:
                if not self._leave(self.ends, calls):
                    self._begin(IDLE, self.ends)
            else:
                self._arrive(calls)

    @property
    def ends(self) -> float:
        """When the phase ends, if that depends on time alone, s."""
        if self.phase == MOVING:
            rise = abs(self.heights[self.heading] - self.heights[self.stop])
            return self.since + rise / self.speed
        return self.since + self.door_time

    def height(self, now: float) -> float:
        """Height of the cabin, m."""
        low = self.heights[self.stop]
        if self.phase != MOVING:
            return low
        high, gone = self.heights[self.heading], self.speed * max(0.0, now - self.since)
        return low + min(gone, high - low) if high > low else low - min(gone, low - high)

    def serves(self, calls: Calls) -> int:
        """Direction in which people may get in at an open door; 0: any."""
        ahead = self._ahead(self.direction, calls)
        here = calls.up if self.direction > 0 else calls.down
        if self.direction == 0 or ahead or self.stop in here:
            return self.direction
        back = calls.down if self.direction > 0 else calls.up
        is_called_back = self.stop in back or self._ahead(-self.direction, calls)
        return -self.direction if is_called_back else 0

    def _begin(self, phase: int, time: float) -> None:
        self.phase, self.since = phase, time

    def _leave(self, time: float, calls: Calls) -> bool:
        """Leave for the next call, or open the doors; return False if there is no call."""
        waiting = set() if calls.is_full else calls.up | calls.down
        for direction in (self.direction, -self.direction) if self.direction else ():
            if self._ahead(direction, calls):
                self.direction = direction
                self._go(time)
                return True
        if self.direction == 0 and self.stop not in waiting | calls.inside:
            others = waiting | calls.inside
            if others:
                nearest = min(others, key=lambda k: (abs(self._rise(k)), -self.heights[k], k))
                self.direction = 1 if nearest > self.stop else -1
                self._go(time)
                return True
        self.direction = 0
        if self.stop in waiting | calls.inside:
            self._begin(OPENING, time)
            return True
        return False

    def _rise(self, stop: int) -> float:
        return self.heights[stop] - self.heights[self.stop]

    def _go(self, time: float) -> None:
        self.heading = self.stop + self.direction
        self._begin(MOVING, time)

    def _arrive(self, calls: Calls) -> None:
        """Stop at the next stop, or pass it."""
        time, self.stop = self.ends, self.heading
        same, other = (calls.up, calls.down) if self.direction > 0 else (calls.down, calls.up)
        stops = self.stop in calls.inside or (not calls.is_full and self.stop in same)
        if not stops and self._ahead(self.direction, calls):
            self._go(time)
        elif stops or (not calls.is_full and self.stop in other):
            self._begin(OPENING, time)
        elif not self._leave(time, calls):  # those who called are gone
            self._begin(IDLE, time)

    def _ahead(self, direction: int, calls: Calls) -> bool:
        """Whether there are calls beyond the stop in a direction."""
        waiting = set() if calls.is_full else calls.up | calls.down
        return any((k - self.stop) * direction > 0 for k in waiting | calls.inside)
