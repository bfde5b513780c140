"""Run a scene with a local model of Footway or a model of JuPedSim; both give a recording."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from footway.corridor import CorridorMap
from footway.crowd import Crowd
from footway.crowd.models import MODELS
from footway.environment.areas import as_polygon, contains
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import Recorder, Recording
from footway.validate.scenes import RADIUS, Scene, Stream

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.crowd.models import LocalModel

FRAME: Final = 0.1  # s between two recorded frames
_TRIES: Final = 20  # points that a new person of JuPedSim tries per second of waiting
_USUAL: Final = 3  # peers that run unless others are chosen; the last one takes minutes


class Engine(Protocol):
    """A simulator with one model and one time step."""

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    @property
    def dt(self) -> float:
        """Time step, s."""
        ...

    def run(self, scene: Scene, seed: int) -> Recording:
        """Run a scene until everybody has left, or to its end."""
        ...


@dataclass(frozen=True)
class Footway:
    """A local model of Footway: its name, or a model with other parameters."""

    model: str | LocalModel
    dt: float = 0.1

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model if isinstance(self.model, str) else self.model.name

    def run(self, scene: Scene, seed: int) -> Recording:
        """Run a scene until everybody has left, or to its end."""
        crowd = Crowd(
            CorridorMap.build(scene.environment), seed=seed, step=self.dt, model=self.model
        )
        for stream in scene.streams:
            common: dict[str, Any] = {
                "destinations": stream.stops,
                "then": "repeat" if stream.repeat else "exit",
                "radius": RADIUS,
                "speed": stream.speed,
            }
            if stream.starts is not None:
                crowd.add(len(stream.starts), starts=stream.starts, **common)
            elif stream.times is not None:
                schedule = [(float(time), 1) for time in stream.times]
                crowd.add_source(len(schedule), area=stream.area, schedule=schedule, **common)
        every = max(1, round(FRAME / self.dt))
        recorder = crowd.recorder()
        crowd.record(recorder)
        for _ in range(round(scene.seconds / (every * self.dt))):
            crowd.step(every)
            crowd.record(recorder)
            if not len(crowd) and not crowd.to_come:
                break
        return recorder.close()


PEERS: Final = {
    "JuPedSim collision-free speed": ("CollisionFreeSpeedModel", 0.05),
    "JuPedSim anticipation velocity": ("AnticipationVelocityModel", 0.05),
    "JuPedSim social force": ("SocialForceModel", 0.01),
    "JuPedSim centrifugal force": ("GeneralizedCentrifugalForceModel", 0.01),
}
"""Models of JuPedSim with their default parameters, and their time steps in s."""


@dataclass(frozen=True)
class JuPedSim:
    """A model of JuPedSim with its default parameters."""

    name: str

    @property
    def dt(self) -> float:
        """Time step, s."""
        return PEERS[self.name][1]

    def run(self, scene: Scene, seed: int) -> Recording:
        """Run a scene until everybody has left, or to its end."""
        import jupedsim as jps

        kind, dt = PEERS[self.name]
        ground = scene.environment.walkable.geoms[0]
        simulation = jps.Simulation(model=getattr(jps, kind)(), geometry=ground, dt=dt)
        rng = np.random.default_rng(seed)
        waiting: list[tuple[float, Any, Any, float]] = []  # due, point or area, journey, speed
        for stream in scene.streams:
            journey = _journey(simulation, jps, stream)
            places = stream.starts if stream.starts is not None else [None] * len(_times(stream))
            for due, place in zip(_times(stream), places, strict=True):
                speed = max(0.3, float(rng.normal(*stream.speed)))
                waiting.append((due, stream.area if place is None else place, journey, speed))
        waiting.sort(key=lambda one: one[0])
        recorder = Recorder(
            step=FRAME, seed=seed, map_name=scene.name, names=[self.name],
            recorded_map=RecordedMap(scene.environment),
        )  # fmt: skip
        numbers: dict[int, int] = {}
        per_frame = round(FRAME / dt)
        for frame in range(round(scene.seconds / FRAME) + 1):
            time = frame * FRAME
            waiting = self._admit(simulation, jps, waiting, time, rng)
            agents = list(simulation.agents())
            new = [agent.id for agent in agents if agent.id not in numbers]
            for one in new:
                numbers[one] = len(numbers)
            ids = np.array([numbers[agent.id] for agent in agents], np.int64)
            recorder.add_characters(
                [numbers[one] for one in new], np.full(len(new), RADIUS), np.zeros(len(new))
            )
            at = np.array([agent.position for agent in agents]).reshape(-1, 2)
            recorder.add_frame(frame, time, ids, at, np.zeros_like(at))
            if not agents and not waiting:
                break
            simulation.iterate(per_frame)
        return recorder.close()

    def _admit(
        self, simulation: Any, jps: Any, waiting: list[Any], time: float, rng: Any
    ) -> list[Any]:
        """Add the people who are due and find free space; return the others."""
        left, tried = [], 0
        for person in waiting:
            due, place, (journey, stage), speed = person
            if due > time or tried > 10:
                left.append(person)
                continue
            points = [place] if np.ndim(place) == 1 else _points_in(place, rng)
            for at in points:
                given = self._parameters(jps, (float(at[0]), float(at[1])), speed, journey, stage)
                try:
                    simulation.add_agent(given)
                    break
                except RuntimeError:  # too close to somebody or to a wall
                    continue
            else:
                tried += 1
                left.append(person)
        return left

    def _parameters(
        self, jps: Any, at: tuple[float, float], speed: float, journey: int, stage: int
    ) -> Any:
        kind = PEERS[self.name][0]
        more: dict[str, Any] = {"radius": RADIUS}
        if kind == "GeneralizedCentrifugalForceModel":
            more = {"a_min": 0.18, "b_min": 0.18, "b_max": RADIUS, "desired_direction": (1.0, 0.0)}
        return getattr(jps, f"{kind}AgentParameters")(
            position=at, desired_speed=speed, journey_id=journey, stage_id=stage, **more
        )


def _journey(simulation: Any, jps: Any, stream: Stream) -> tuple[int, int]:
    """Return the journey of a stream and its first stage."""
    if not stream.repeat:
        stage = simulation.add_exit_stage(list(stream.stops[-1]))
        return simulation.add_journey(jps.JourneyDescription([stage])), stage
    stages = [simulation.add_waypoint_stage(stop, 1.0) for stop in stream.stops]
    journey = jps.JourneyDescription(stages)
    for here, after in zip(stages, [*stages[1:], stages[0]], strict=True):
        journey.set_transition_for_stage(here, jps.Transition.create_fixed_transition(after))
    return simulation.add_journey(journey), stages[0]


def _times(stream: Stream) -> Floats:
    if stream.times is not None:
        return stream.times
    assert stream.starts is not None
    return np.zeros(len(stream.starts))


def _points_in(area: Any, rng: Any) -> Floats:
    """Return random points of an area, a radius and a bit away from its sides. (n, 2)."""
    polygon = as_polygon(area)
    x0, y0, x1, y1 = polygon.bounds
    margin = RADIUS + 0.12
    points = rng.uniform((x0 + margin, y0 + margin), (x1 - margin, y1 - margin), (_TRIES, 2))
    found: Floats = points[contains(polygon, points)]
    return found


def engines(models: tuple[str, ...] | None, steps: tuple[float, ...]) -> list[Engine]:
    """Return the engines with these names: by default all of Footway, and the peers installed."""
    peers = list(PEERS) if find_spec("jupedsim") is not None else []
    chosen = models or (*MODELS, *peers[:_USUAL])
    found: list[Engine] = [Footway(name, dt) for name in chosen if name in MODELS for dt in steps]
    return found + [JuPedSim(name) for name in chosen if name in PEERS]
