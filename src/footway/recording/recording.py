"""Recordings: positions and velocities of characters by frame, in memory or a Parquet file.

recording = crowd.run(seconds=60)
recording.save("run.parquet")
recording = fw.Recording.load("run.parquet")
frame = recording.frame(-1)
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from footway.errors import BadQuery
from footway.notebook_display import NotebookDisplay
from footway.validation import instance, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.arrays import Floats, Ints, Singles
    from footway.environment import Building, Environment
    from footway.recording.comparing import Comparison
    from footway.recording.recorded_map import RecordedMap


class Characters(NamedTuple):
    """Constant properties of each character. Ids are ascending."""

    ids: Ints  # (n,)
    radius: Floats  # (n,) m
    population: NDArray[np.int32]  # (n,) index into the names of populations


class Frame(NamedTuple):
    """All characters at one time."""

    time: float  # s
    ids: Ints  # (n,)
    positions: Floats  # (n, 2) m
    velocities: Singles  # (n, 2) m/s


class Rows(NamedTuple):
    """One row per character and frame, ordered by frame."""

    ids: Ints  # (rows,)
    positions: Floats  # (rows, 2) m
    velocities: Singles  # (rows, 2) m/s
    floors: NDArray[np.int16] | None = None  # (rows,) None in the plane
    heights: Singles | None = None  # (rows,) m


# Columns of a recording's obstacles, one row per straight motion of a disc: x, y (m), velocity
# (m/s), radius (m), and the times of the first and the last frame of this motion (s).
_X, _Y, _VX, _VY, _RADIUS, FIRST, LAST = range(7)
OBSTACLE_COLUMNS = 7
_SAME = 1e-6  # m, m/s and s: smaller differences are ignored


class RowSource(Protocol):
    """Source of the rows of a recording: memory or a file."""

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        ...


@dataclass(frozen=True, eq=False)
class Recording(NotebookDisplay):
    """Positions and velocities of all characters in the recorded frames.

    Rows of a recording that was loaded from a file are read on demand: `frame` reads the row group
    around it; `ids`, `positions` and `velocities` read all rows.

    Attributes:
        step: s, of the simulation.
        times: (f,) s, of the frames.
        steps: (f,) number of simulation steps done at each frame, ascending.
        offsets: (f + 1,) frame k has the rows offsets[k] to offsets[k + 1] - 1.
        characters: all characters that occur in a frame.
        names: of populations.
        map_name: name of the map.
        seed: of the simulation.
        complete: False if the run was stopped or killed or still runs: existing frames are valid,
            but the last ones are missing.
        obstacles: (k, 7) straight motions of dynamic obstacles: x, y, velocity, radius, time of
            the first and of the last frame; see `obstacles_at`.
        obstacle_floors: (k,) their floors in a building, indices into `floor_names`; -1 in the
            plane.
        recorded_map: the map; None if it was not recorded. See `environment`.
        floor_names: names of the floors and then of the links of a building; () in the plane.
        source: source of the rows.
    """

    step: float
    times: Floats
    steps: Ints
    offsets: Ints
    characters: Characters
    names: tuple[str, ...]
    map_name: str
    seed: int
    complete: bool = True
    obstacles: Floats = field(default_factory=lambda: np.empty((0, OBSTACLE_COLUMNS)), repr=False)
    obstacle_floors: NDArray[np.int16] = field(
        default_factory=lambda: np.empty(0, np.int16), repr=False
    )
    recorded_map: RecordedMap | None = field(default=None, repr=False)
    floor_names: tuple[str, ...] = field(default=(), repr=False)
    source: RowSource = field(repr=False, kw_only=True)

    @staticmethod
    def load(file: str | PathLike[str]) -> Recording:
        """Load a recording from a Parquet file, also of a run that was killed or still runs.

        If a newer run is writing to this file, its frames so far are returned, from the folder of
        its parts, `run.parquet.parts`. The name of this folder is accepted, too.

        Raises:
            BadFile: the file is missing, damaged, or not a recording of Footway.
        """
        from footway.recording.storage import load

        return load(file)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the recording as Parquet, lossless: one row per character and frame.

        Raises:
            BadInput: the name does not end in .parquet.
            BadFile: the file cannot be written.
        """
        from footway.recording.storage import save

        save(self, file)

    def joined(self, *others: Recording) -> Recording:
        """Join this and other parts of one run to one recording, without duplicate frames.

        Raises:
            BadInput: seeds, steps, maps or populations differ.
        """
        from footway.recording.joining import joined

        for other in others:
            instance(other, Recording, "only a Recording can be joined to a recording")
        return joined([self, *others])

    def replay_hash(self) -> str:
        """Return a hash of the whole recording, which is the same on every machine.

        It covers times, ids, positions, velocities, radii and populations of all frames; see
        `footway.recording.comparing`.
        """
        from footway.recording.comparing import replay_hash

        return replay_hash(self)

    def compare(self, other: Recording) -> Comparison:
        """Compare with another recording: global properties and the first different frame."""
        from footway.recording.comparing import compare

        instance(other, Recording, "a Recording is needed to compare with")
        return compare(self, other)

    @property
    def environment(self) -> Environment | None:
        """The environment of the crowd, with its named areas; None if the file has none.

        Files of earlier versions have none, nor have buildings (see `building`). It is read when it
        is first needed.

        Raises:
            BadFile: the map in the file is damaged.
        """
        return None if self.recorded_map is None else self.recorded_map.environment

    @property
    def building(self) -> Building | None:
        """The building of the crowd; None in the plane."""
        return None if self.recorded_map is None else self.recorded_map.building

    def on_floor(self, name: str) -> Recording:
        """Return the recording of one floor, or link, of a building: who is there in each frame.

        Its map is the plan of that floor: exports, measures and pictures take it.

        Raises:
            BadQuery: there is no such floor, or the recording is one of a plane.

        """
        from footway.recording.recorded_map import RecordedMap

        if not isinstance(name, str) or name not in self.floor_names:
            what = ", ".join(map(repr, self.floor_names)) or "none: it is of a plane"
            raise BadQuery(f"there is no floor {shown(name)} in the recording; it has {what}")
        rows = self._rows
        assert rows.floors is not None
        is_there = rows.floors == self.floor_names.index(name)
        ids = rows.ids[is_there]
        stands = self.obstacle_floors == self.floor_names.index(name)
        counts = np.concatenate([[0], np.cumsum(is_there)])
        known = np.isin(self.characters.ids, ids)
        plans = {} if self.building is None else {
            floor.name: self.building.plan(k) for k, floor in enumerate(self.building.floors)
        }  # fmt: skip
        return replace(
            self,
            offsets=counts[self.offsets],
            characters=Characters._make(column[known] for column in self.characters),
            map_name=f"{self.map_name}, {name}",
            recorded_map=RecordedMap(plans[name]) if name in plans else None,
            floor_names=(),
            obstacles=self.obstacles[stands],
            obstacle_floors=np.full(int(stands.sum()), -1, np.int16),
            source=InMemory(Rows(ids, rows.positions[is_there], rows.velocities[is_there])),
        )

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.times)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    def frame(self, k: int) -> Frame:
        """Return frame k; -1 is the last one.

        Raises:
            BadQuery: there is no such frame.
        """
        k = self._checked(k)
        first, last = self.offsets[k : k + 2].tolist()
        return Frame(float(self.times[k]), *self.source.read(first, last)[:3])

    def obstacles_at(self, k: int) -> Floats:
        """Return x, y, radius (m, 3) in m of the dynamic obstacles in frame k.

        Raises:
            BadQuery: there is no such frame.
        """
        time, rows = float(self.times[self._checked(k)]), self.obstacles
        rows = rows[self._present(time)]
        since = time - rows[:, FIRST]
        x, y = rows[:, _X] + since * rows[:, _VX], rows[:, _Y] + since * rows[:, _VY]
        return np.column_stack([x, y, rows[:, _RADIUS]])

    def obstacle_floors_at(self, k: int) -> list[str]:
        """Return floors or links (m,) of the dynamic obstacles in frame k, of a building.

        Raises:
            BadQuery: there is no such frame, or the recording is one of a plane.
        """
        time = float(self.times[self._checked(k)])
        if not self.floor_names:
            raise BadQuery("the recording is of a plane: it has no floors")
        return [self.floor_names[floor] for floor in self.obstacle_floors[self._present(time)]]

    def _present(self, time: float) -> NDArray[np.bool_]:
        """Return which motions of obstacles are those of a time, s."""
        first, last = self.obstacles[:, FIRST], self.obstacles[:, LAST]
        found: NDArray[np.bool_] = (first <= time + _SAME) & (time <= last + _SAME)
        return found

    def floors_at(self, k: int) -> tuple[list[str], Singles]:
        """Return floors or links (n,), and heights (n,) in m, of the characters in frame k.

        Raises:
            BadQuery: there is no such frame, or the recording is one of a plane.
        """
        first, last = self.offsets[self._checked(k) :][:2].tolist()
        rows = self.source.read(first, last)
        if self.floor_names and first == last:
            return [], np.empty(0, np.float32)
        if not self.floor_names or rows.floors is None or rows.heights is None:
            raise BadQuery("the recording is of a plane: it has no floors")
        return [self.floor_names[floor] for floor in rows.floors.tolist()], rows.heights

    def _checked(self, k: int) -> int:
        """Validate a frame number and return it as a non-negative index."""
        is_whole = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
        if not is_whole or not -self.n_frames <= k < self.n_frames:
            raise BadQuery(
                f"frame {shown(k)} is not in the recording; it has {self.n_frames} frames"
            )
        return k % self.n_frames

    def trajectory(self, character: int) -> tuple[Floats, Floats]:
        """Return times (k,) s and positions (k, 2) m of one character.

        Raises:
            BadQuery: no character has this id.
        """
        is_whole = isinstance(character, (int, np.integer)) and not isinstance(character, bool)
        if not is_whole or character not in self.characters.ids:
            raise BadQuery(f"id {shown(character)} is not in the recording; see `characters.ids`")
        rows = np.flatnonzero(self.ids == character)
        frames = np.searchsorted(self.offsets, rows, side="right") - 1
        return self.times[frames], self.positions[rows]

    @property
    def ids(self) -> Ints:
        """(rows,) id of the character in each row."""
        return self._rows.ids

    @property
    def positions(self) -> Floats:
        """(rows, 2) m."""
        return self._rows.positions

    @property
    def velocities(self) -> Singles:
        """(rows, 2) m/s, float32."""
        return self._rows.velocities

    @property
    def floors(self) -> NDArray[np.int16] | None:
        """(rows,) Floor or link in a building: index into `floor_names`. None in the plane."""
        return self._rows.floors

    @property
    def heights(self) -> Singles | None:
        """(rows,) m, float32, of the floor below each character. None in the plane."""
        return self._rows.heights

    @cached_property
    def _rows(self) -> Rows:
        return self.source.read(0, int(self.offsets[-1]))

    def __repr__(self) -> str:
        """Return a summary on one line."""
        cut = "" if self.complete else ", cut short"
        return (
            f"<Recording on {self.map_name!r}: {len(self.characters.ids):,} characters, "
            f"{self.n_frames:,} frames, {self.duration:g} s{cut}>"
        )


class Recorder:
    """Collects the frames of a run in memory.

    Call `add_characters` before the first frame of a character, `add_frame` for each frame, and
    `close` to get the recording. Ids are small integers: arrays are as long as the largest id.
    """

    def __init__(
        self,
        *,
        step: float,
        seed: int,
        map_name: str,
        names: Sequence[str],
        recorded_map: RecordedMap | None = None,
        floor_names: Sequence[str] = (),
    ) -> None:
        self.floor_names = tuple(floor_names)
        self.step, self.seed, self.map_name = float(step), int(seed), str(map_name)
        self.names = tuple(str(name) for name in names)
        self.recorded_map = recorded_map
        self._steps: list[int] = []
        self._times: list[float] = []
        self._counts: list[int] = []
        self._radius: Floats = np.empty(0)
        self._population: NDArray[np.int32] = np.empty(0, np.int32)
        self._seen = np.empty(0, bool)
        self._kept: list[Rows] = []
        self.size = 0  # bytes written so far
        self.obstacles: list[list[float]] = []  # rows of `Recording.obstacles`
        self.obstacle_floors: list[int] = []  # likewise, in a building
        self._motions: dict[int, int] = {}  # row of the last motion of each obstacle, by its number
        self._open: list[int] = []  # rows of a continued recording: their numbers are unknown

    def add_characters(self, ids: ArrayLike, radius: ArrayLike, population: ArrayLike) -> None:
        """Store radius (m) and population of characters, before their first frame."""
        rows = np.asarray(ids, np.int64)
        if not len(rows):
            return
        assert rows.min() >= 0, "ids are not negative"
        size = int(rows.max()) + 1
        if size > len(self._seen):
            size = max(size, 2 * len(self._seen))
            self._radius = _longer(self._radius, size, np.nan)
            self._population = _longer(self._population, size, 0)
            self._seen = _longer(self._seen, size, 0)
        self._radius[rows] = radius
        self._population[rows] = population

    def add_frame(
        self,
        step_number: int,
        time: float,
        ids: ArrayLike,
        positions: ArrayLike,
        velocities: ArrayLike,
        floors: ArrayLike | None = None,
        heights: ArrayLike | None = None,
    ) -> None:
        """Copy a frame: ids (n,), positions (n, 2) m, velocities (n, 2) m/s.

        In a building also floors (n,), indices into `floor_names`, and heights (n,) m.
        """
        assert (floors is None) == (heights is None) == (not self.floor_names)
        rows = Rows(
            np.array(ids, np.int64), np.array(positions, float), np.array(velocities, np.float32),
            None if floors is None else np.array(floors, np.int16),
            None if heights is None else np.array(heights, np.float32),
        )  # fmt: skip
        assert not self._steps or step_number > self._steps[-1], "frames come in order"
        assert rows.positions.shape == rows.velocities.shape == (len(rows.ids), 2)
        assert not np.isnan(self._radius[rows.ids]).any(), "add_characters comes first"
        self._seen[rows.ids] = True
        self._steps.append(int(step_number))
        self._times.append(float(time))
        self._counts.append(len(rows.ids))
        self._keep(rows)

    def add_obstacles(
        self, time: float, numbers: Sequence[int], discs: Floats, floors: ArrayLike | None = None
    ) -> None:
        """Store the dynamic obstacles of the next frame: x, y, velocity, radius (m, 5).

        In a building also floors (m,), indices into `floor_names`.
        """
        here = {}
        on = [-1] * len(discs) if floors is None else np.asarray(floors).tolist()
        for number, disc, floor in zip(numbers, discs.tolist(), on, strict=True):
            rows = [self._motions[number]] if number in self._motions else self._open
            rows = [k for k in rows if self.obstacle_floors[k] == floor]
            row = next((k for k in rows if _continues(self.obstacles[k], disc, time)), -1)
            if row < 0:
                row = len(self.obstacles)
                self.obstacles.append([*disc, time, time])
                self.obstacle_floors.append(floor)
            self.obstacles[row][LAST] = time
            here[number] = row
        self._motions, self._open = here, []

    def continue_from(self, recording: Recording) -> None:
        """Take over the frames of a recording, without their rows, as the first frames."""
        assert not self._steps, "a recording can be continued only once, before its first frame"
        self._steps, self._times = recording.steps.tolist(), recording.times.tolist()
        self._counts = np.diff(recording.offsets).tolist()
        self.add_characters(*recording.characters)
        self._seen[recording.characters.ids] = True
        self.obstacles = recording.obstacles.tolist()
        self.obstacle_floors = recording.obstacle_floors.tolist()
        last = self._times[-1] if self._times else -np.inf
        self._open = [k for k, motion in enumerate(self.obstacles) if motion[LAST] >= last]

    @property
    def steps(self) -> list[int]:
        """Simulation steps done at each frame so far."""
        return self._steps

    def flush(self) -> None:
        """Write the frames so far; does nothing without a file."""

    def close(self) -> Recording:
        """Return the recording."""
        rows = concatenated(self._kept)
        self._kept.clear()
        return self._recording(InMemory(rows))

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing; a recorder with a file saves its frames here."""

    def _keep(self, rows: Rows) -> None:
        """Keep the rows of the newest frame."""
        self._kept.append(rows)

    def _recording(self, source: RowSource, *, complete: bool = True) -> Recording:
        ids = np.flatnonzero(self._seen)
        return Recording(
            step=self.step,
            times=np.array(self._times, float),
            steps=np.array(self._steps, np.int64),
            offsets=np.concatenate([[0], np.cumsum(self._counts, dtype=np.int64)]),
            characters=Characters(ids, self._radius[ids], self._population[ids]),
            names=self.names,
            map_name=self.map_name,
            seed=self.seed,
            complete=complete,
            obstacles=np.array(self.obstacles, float).reshape(-1, OBSTACLE_COLUMNS),
            obstacle_floors=np.array(self.obstacle_floors, np.int16),
            recorded_map=self.recorded_map,
            floor_names=self.floor_names,
            source=source,
        )


class InMemory:
    """Rows in memory."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        return Rows._make(None if rows is None else rows[first:last] for rows in self._rows)


class Chained:
    """Rows of several sources, one after the other; subclasses open them."""

    def __init__(self) -> None:
        self._ends: list[int] = []  # cumulative number of rows

    @property
    def n_rows(self) -> int:
        """Number of rows of all sources."""
        return self._ends[-1] if self._ends else 0

    def source(self, k: int) -> RowSource:
        """Return source k."""
        raise NotImplementedError

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        found: Rows | None = None
        at, k = first, bisect_right(self._ends, first)
        while at < last:
            begin, stop = self._ends[k - 1] if k else 0, min(last, self._ends[k])
            part = self.source(k).read(at - begin, stop - begin)
            if found is None:
                found = no_rows(last - first, on_floors=part.floors is not None)
            for rows, some in zip(found, part, strict=True):
                if rows is not None and some is not None:
                    rows[at - first : stop - first] = some
            at, k = stop, k + 1
        if found is None and self._ends:  # with floors in a building
            return self.source(min(k, len(self._ends) - 1)).read(0, 0)
        return found or no_rows(0)


def no_rows(count: int, *, on_floors: bool = False) -> Rows:
    """Return so many rows to be filled."""
    rows = Rows(np.empty(count, np.int64), np.empty((count, 2)), np.empty((count, 2), np.float32))
    if not on_floors:
        return rows
    return rows._replace(floors=np.empty(count, np.int16), heights=np.empty(count, np.float32))


def concatenated(parts: Iterable[Rows]) -> Rows:
    """Concatenate rows."""
    parts = list(parts)
    on_floors = bool(parts) and parts[0].floors is not None
    columns = zip(no_rows(0, on_floors=on_floors), *parts, strict=True)
    return Rows._make(None if some[0] is None else np.concatenate(some) for some in columns)


def _continues(row: list[float], disc: list[float], time: float) -> bool:
    """Whether a disc continues a straight motion with the same velocity and radius."""
    since = time - row[FIRST]
    expected = [row[_X] + since * row[_VX], row[_Y] + since * row[_VY], *row[_VX : _RADIUS + 1]]
    return all(abs(a - b) < _SAME for a, b in zip(expected, disc, strict=True))


def _longer(array: NDArray[Any], size: int, fill: float) -> NDArray[Any]:
    """Return a longer copy, filled up at the end."""
    longer = np.full(size, fill, array.dtype)
    longer[: len(array)] = array
    return longer
