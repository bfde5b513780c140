"""Summary of a run: arrivals, exits, stuck characters, groups and the cost of a step."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from footway.crowd import Crowd, Stuck
    from footway.recording.recording import Recording
    from footway.scenario import Scenario


class StepCost(NamedTuple):
    """Cost of the steps, recording included."""

    mean: float  # s per step
    longest: float  # s
    rate: float  # character-steps per second


class GroupDispersion(NamedTuple):
    """Size of a group at the end of a run."""

    name: str
    characters: int
    lateral: float  # m
    longitudinal: float  # m
    area: float  # m2


@dataclass(frozen=True)
class Summary:
    """Result of a run.

    Attributes:
        title: of the scenario, if it has one.
        map: name of its map.
        seed: of the crowd.
        dt: duration of a step, s.
        time: simulated time at the end, s.
        steps: number of steps since time 0.
        present: number of characters at the end, by population.
        arrivals: number of goals that were reached.
        exited: number of characters that have left.
        evacuation_time: s, when the last character left; None while some are present.
        last_exits: s, the same by name, for each population that has left completely.
        cost: of a step.
        stuck: characters that are stuck at the end, with the cause.
        groups: size of each group at the end.
        is_complete: whether the run reached its end.
        recording: the recording; None if there is none.
    """

    title: str | None
    map: str
    seed: int
    dt: float
    time: float
    steps: int
    present: dict[str, int]
    arrivals: int
    exited: int
    evacuation_time: float | None
    last_exits: dict[str, float]
    cost: StepCost
    stuck: list[Stuck]
    groups: list[GroupDispersion]
    is_complete: bool = True
    recording: Recording | None = field(default=None, repr=False)

    @property
    def characters(self) -> int:
        """Number of characters that were in the run: present and exited."""
        return sum(self.present.values()) + self.exited

    @property
    def share_of_real_time(self) -> float:
        """Computing time of a step over its simulated time."""
        return self.cost.mean / self.dt

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without the recording."""
        return {
            "title": self.title,
            "map": self.map,
            "seed": self.seed,
            "time": self.time,
            "steps": self.steps,
            "characters": self.characters,
            "present": self.present,
            "arrivals": self.arrivals,
            "exited": self.exited,
            "evacuation_time": self.evacuation_time,
            "last_exits": self.last_exits,
            "ms_per_step": 1000.0 * self.cost.mean,
            "longest_step_ms": 1000.0 * self.cost.longest,
            "character_steps_per_second": self.cost.rate,
            "share_of_real_time": self.share_of_real_time,
            "stuck": [
                {"id": one.id, "at": list(one.position), "since": one.since, "cause": one.cause}
                for one in self.stuck
            ],
            "groups": [
                {key: value for key, value in group._asdict().items() if key != "name"}
                for group in self.groups
            ],
        }


@dataclass
class StepLog:
    """Measurements between the steps of a run.

    Attributes:
        moments: clock before the first step and after each step, s.
        present: number of characters at each of these moments.
        empty_at: simulated time when the last character left, s; None while some are present.
        left_at: the same by name, for each population that has left completely.
    """

    moments: list[float] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    empty_at: float | None = None
    left_at: dict[str, float] = field(default_factory=dict)
    _sizes: list[int] = field(default_factory=list)  # of the populations at the last change
    _known: tuple[int, int] = (-1, 0)  # numbers of present and exited characters at that time

    def note(self, crowd: Crowd) -> None:
        """Measure; call it before the first step and after each one."""
        number = len(crowd)
        if not self.moments:
            self._known = (-1, crowd.exited)
        if number:
            self.empty_at = None
        elif any(self.present[-1:]) or crowd.exited > self._known[1]:
            self.empty_at = crowd.time
        if (number, crowd.exited) != self._known:
            sizes = np.bincount(crowd.populations, minlength=len(crowd.names)).tolist()
            before = self._sizes + [0] * (len(sizes) - len(self._sizes))
            for name, size, was in zip(crowd.names, sizes, before, strict=True):
                if size:
                    self.left_at.pop(name, None)
                elif was:
                    self.left_at[name] = crowd.time
            self._sizes, self._known = sizes, (number, crowd.exited)
        self.present.append(number)
        self.moments.append(time.perf_counter())

    @property
    def cost(self) -> StepCost:
        """Cost of the steps, without the first one, which loads compiled kernels."""
        seconds = [b - a for a, b in pairwise(self.moments)]
        present = self.present[: len(seconds)]
        if len(seconds) > 1:
            seconds, present = seconds[1:], present[1:]
        total = sum(seconds)
        return StepCost(
            total / max(1, len(seconds)),
            max(seconds, default=0.0),
            sum(present) / total if total > 0.0 else 0.0,
        )


def summarise(
    scenario: Scenario,
    crowd: Crowd,
    log: StepLog,
    recording: Recording | None = None,
    *,
    is_complete: bool = True,
) -> Summary:
    """Return the summary of a run that has ended or was stopped between two steps."""
    groups = []
    for k, group in enumerate(crowd.groups):
        given = scenario.group[k].name if k < len(scenario.group) else None
        lateral, longitudinal, area = map(float, group.dispersion[:3])
        name = given or f"group {k + 1}"
        groups.append(GroupDispersion(name, len(group.ids), lateral, longitudinal, area))
    return Summary(
        title=scenario.title,
        map=scenario.map,
        seed=crowd.seed,
        dt=crowd.dt,
        time=crowd.time,
        steps=crowd.steps,
        present=count_by_population(crowd),
        arrivals=crowd.arrivals,
        exited=crowd.exited,
        evacuation_time=log.empty_at,
        last_exits=log.left_at,
        cost=log.cost,
        stuck=list(crowd.stuck),
        groups=groups,
        is_complete=is_complete,
        recording=recording,
    )


def count_by_population(crowd: Crowd) -> dict[str, int]:
    """Return the number of present characters of each population."""
    found = Counter(crowd.populations.tolist())
    return {name: found[k] for k, name in enumerate(crowd.names)}
