"""Peers that move the same characters as Footway, with a common interface for timing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from benchmarks.peers.navigator import NotInstalled
from benchmarks.peers.orca_agents import OrcaAgents
from benchmarks.peers.walking_crowd import WalkingCrowd

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    import footway as fw
    from benchmarks.crowd_scene import Scene

    Floats = NDArray[np.float64]
    Lap = dict[str, Floats]  # by timed part: duration of each step, s

ORCA, ORCA_FED = "pyrvo, its step", "pyrvo, with the loop that feeds it"
JUPEDSIM = WalkingCrowd.name


class Start(NamedTuple):
    """Initial state, the same for all runners."""

    positions: Floats  # (n, 2) m
    velocities: Floats  # (n, 2) m/s
    goals: Floats  # (n, 2) m
    radius: float  # m
    speed: float  # m/s
    step: float  # s


class Runner(Protocol):
    """A library that moves a crowd."""

    name: str
    steps: int  # of a round

    def lap(self) -> Lap:
        """Do the steps of one round."""

    @property
    def positions(self) -> Floats:
        """(n, 2) m."""


def seconds_of(step: Callable[[], object], steps: int) -> Floats:
    """Return the duration of each step, s."""
    clock = time.perf_counter
    seconds = np.empty(steps)
    for k in range(steps):
        begin = clock()
        step()
        seconds[k] = clock() - begin
    return seconds


class FootwayCrowd:
    """Footway; a step does everything."""

    def __init__(self, name: str, crowd: fw.Crowd, steps: int) -> None:
        self.name, self.steps = name, steps
        self._crowd = crowd

    def lap(self) -> Lap:
        """Time whole steps."""
        return {self.name: seconds_of(self._crowd.step, self.steps)}

    @property
    def positions(self) -> Floats:
        """(n, 2) m."""
        return self._crowd.positions


class Orca:
    """Agents of pyrvo on the shortest paths that Footway finds for them."""

    name = ORCA
    steps = 20

    def __init__(self, scene: Scene, start: Start) -> None:
        paths = scene.cmap.paths(start.positions, start.goals, radius=start.radius)
        polylines = [np.array([goal]) for goal in start.goals]
        polylines = [w if p is None else p.points for w, p in zip(polylines, paths, strict=True)]
        self._agents = OrcaAgents(
            scene.area, start.positions, start.velocities, polylines,
            radius=start.radius, speed=start.speed, step=start.step,
        )  # fmt: skip

    def lap(self) -> Lap:
        """Time the step alone, and with the Python loop that sets preferred velocities."""
        fed, alone = np.empty(self.steps), np.empty(self.steps)
        for k in range(self.steps):
            begin = time.perf_counter()
            self._agents.feed()
            alone[k] = seconds_of(self._agents.step, 1)[0]
            fed[k] = time.perf_counter() - begin
        return {ORCA: alone, ORCA_FED: fed}

    @property
    def positions(self) -> Floats:
        """(n, 2) m."""
        return self._agents.positions


class JuPedSim:
    """Agents of JuPedSim, which plans their paths in every step."""

    name = JUPEDSIM
    steps = 2

    def __init__(self, scene: Scene, start: Start) -> None:
        self._crowd = WalkingCrowd(
            scene.area, start.positions, start.goals,
            radius=start.radius, speed=start.speed, step=start.step,
        )  # fmt: skip

    def lap(self) -> Lap:
        """Time whole steps; a few of them take seconds."""
        return {JUPEDSIM: seconds_of(self._crowd.step, self.steps)}

    @property
    def positions(self) -> Floats:
        """(n, 2) m."""
        return self._crowd.positions


def peers_of(scene: Scene, start: Start) -> tuple[list[Runner], list[str]]:
    """Return the installed peers, and messages about those that are absent."""
    peers: list[Runner] = []
    absent = []
    for peer in (Orca, JuPedSim):
        try:
            peers.append(peer(scene, start))
        except NotInstalled as error:
            absent.append(str(error))
    return peers, absent
