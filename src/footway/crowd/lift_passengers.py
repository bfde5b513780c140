"""People who use a lift, and what a running lift knows about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footway.crowd.lift_control import Control
    from footway.environment.shafts import Shaft

HEADING, QUEUED, BOARDING, ABOARD = range(4)
"""Stages of a passenger: on the way to the lift, waiting, walking into the cabin, in it."""


@dataclass
class Passenger:
    """A character that uses a lift."""

    id: int
    lift: int
    start: int  # stop
    end: int  # stop
    goal: int  # in the table of goals, behind the lift
    stage: int
    since: float  # s, when this stage began
    until: float  # s, when it searches for another path, if it still waits then


@dataclass
class Service:
    """A running lift.

    Attributes:
        shaft: where it is.
        control: where its cabin is, and goes.
        queues: ids of those who wait at each stop, in their order.
        boarding: ids of those who walk in.
        aboard: ids of those inside.
        leaving: how many of those inside get out here.
        tried: ids of those who could not get in while the doors were open.
        last: s, when somebody got in or out last.

    """

    shaft: Shaft
    control: Control
    queues: list[list[int]]
    boarding: list[int] = field(default_factory=list)
    aboard: list[int] = field(default_factory=list)
    leaving: int = 0
    tried: list[int] = field(default_factory=list)
    last: float = 0.0
