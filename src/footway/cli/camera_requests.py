"""Camera requests: a tour from stop to stop, or following a character."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from footway.cli.files import write_plot
from footway.cli.maps import LoadedMap, build_map, is_saved, load_environment, load_map
from footway.cli.no_path_picture import draw_refusal
from footway.cli.recordings import warn_if_incomplete
from footway.errors import BadInput, NoPath

if TYPE_CHECKING:
    from footway.camera import CameraMotion, Stop
    from footway.cli.output import Steps
    from footway.crowd import Recording

Point: TypeAlias = tuple[float, float]

RADIUS = 0.25
"""Default distance to walls, m."""


class Method(StrEnum):
    """Source of the paths of a tour."""

    PRM = "prm"
    SHORT = "short"


class Order(StrEnum):
    """Order of the stops."""

    KEPT = "kept"
    OPTIMISED = "optimised"


class Flight(NamedTuple):
    """A motion and the character that it follows; None on a tour."""

    motion: CameraMotion
    character: int | None = None


class Request(Protocol):
    """What the camera shall do."""

    def load(self, map_name: str, *, scale: float | None, steps: Steps) -> LoadedMap:
        """Load the map, and build what the request needs."""
        ...

    def fly(self, loaded: LoadedMap, steps: Steps) -> Flight:
        """Return the motion of the camera and the character that it follows."""
        ...

    def draw_refusal(self, loaded: LoadedMap, refusal: NoPath, plot: str) -> bool:
        """Draw why there is no path; return False if there is nothing to draw."""
        ...


@dataclass(frozen=True)
class TourRequest:
    """A tour from stop to stop."""

    stops: list[Stop]
    order: Order
    method: Method | None
    options: dict[str, Any]

    def load(self, map_name: str, *, scale: float | None, steps: Steps) -> LoadedMap:
        """Load a saved map; for any other build the Voronoi roadmap or the corridor map."""
        if is_saved(map_name):
            if self.method is not None:
                raise BadInput(f"{map_name}: is a saved map and used as it is; leave --method out")
            return load_map(map_name, scale=scale, steps=steps)
        environment = load_environment(map_name, scale=scale, steps=steps)
        if self.method is Method.SHORT:
            return LoadedMap(build_map(environment, steps=steps), environment)
        from footway.corridor import CorridorMap
        from footway.roadmap.voronoi_prm import voronoi_prm

        with steps.step("build", "Building the roadmap"):
            roadmap = voronoi_prm(environment, radius=self.options.get("radius", RADIUS))
            return LoadedMap(CorridorMap.from_roadmap(roadmap), environment)

    def _radius(self, loaded: LoadedMap) -> float:
        """Return the distance to walls, m; by default the radius that a roadmap was made for."""
        made_for = loaded.corridors.solver.made_for
        radius: float = self.options.get("radius", RADIUS if made_for is None else made_for)
        return radius

    def fly(self, loaded: LoadedMap, steps: Steps) -> Flight:
        """Visit all stops."""
        from footway.camera import tour

        options = self.options | {"radius": self._radius(loaded)}
        with steps.step("tour", "Planning the tour"):
            return Flight(tour(loaded.corridors, self.stops, order=self.order.value, **options))

    def draw_refusal(self, loaded: LoadedMap, refusal: NoPath, plot: str) -> bool:
        """Draw the first two stops without a path between them, and the pinch."""
        ends = self._unconnected(loaded)
        if ends is None:
            return False
        write_plot(draw_refusal(*loaded, *ends, refusal), plot)
        return True

    def _unconnected(self, loaded: LoadedMap) -> tuple[Point, Point] | None:
        radius = self._radius(loaded)
        pairs = pairwise if self.order is Order.KEPT else lambda all_: combinations(all_, 2)
        for start, goal in pairs([stop.at for stop in self.stops]):
            try:
                loaded.corridors.path(start, goal, radius=radius)
            except NoPath:
                return start, goal
        return None


@dataclass(frozen=True)
class FollowRequest:
    """A camera behind a character of a recording."""

    run: str
    character: int | None
    options: dict[str, Any]

    def load(self, map_name: str, *, scale: float | None, steps: Steps) -> LoadedMap:
        """Load the map of the recording."""
        return load_map(map_name, scale=scale, steps=steps)

    def fly(self, loaded: LoadedMap, steps: Steps) -> Flight:
        """Follow the character as long as it is present."""
        from footway.camera import follow

        recording = self._read(loaded, steps)
        id_ = _longest(recording) if self.character is None else self.character
        if id_ not in recording.characters.ids:
            known = recording.characters.ids
            raise BadInput(
                f"--character {id_} is not in {self.run}; it has {len(known):,} characters, from "
                f"{known.min()} to {known.max()}"
            )
        with steps.step("follow", "Following"):
            return Flight(follow(recording, id_, cmap=loaded.corridors, **self.options), id_)

    def draw_refusal(self, loaded: LoadedMap, refusal: NoPath, plot: str) -> bool:
        """Draw nothing: a recorded character always has a path."""
        del loaded, refusal, plot
        return False

    def _read(self, loaded: LoadedMap, steps: Steps) -> Recording:
        from footway.crowd import Recording
        from footway.recording.trajectories import check_clear, check_inside

        with steps.step("read", f"Reading {self.run}"):
            recording = Recording.load(self.run)
            if not len(recording.characters.ids):
                raise BadInput(f"{self.run}: nobody is in the recording; there is nobody to follow")
            if loaded.environment is None:
                check_clear(recording, loaded.corridors, loaded.corridors.name)
            else:
                check_inside(recording, loaded.environment, loaded.environment.name)
        warn_if_incomplete(self.run, recording)
        return recording


def _longest(recording: Recording) -> int:
    """Return the character that is in most frames; the first one of several."""
    import numpy as np  # slow to import: --help does not need it

    ids, frames = np.unique(recording.ids, return_counts=True)
    return int(ids[frames.argmax()])
