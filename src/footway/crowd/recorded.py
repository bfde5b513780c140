"""A crowd as its recorders see it: a frame now, and files that go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.adding import Adding
from footway.crowd.state import POPULATION, RADIUS
from footway.recording.recording import Recorder
from footway.validation import file as checked_file
from footway.validation import instance, whole

if TYPE_CHECKING:
    from os import PathLike


class Recorded(Adding):
    """The part of a crowd by which it is recorded."""

    def goes_on_in(self, file: str | PathLike[str], *, every: int = 1) -> bool:
        """Whether a file is the recording of this run up to now, so that `run` goes on in it.

        `every` are the steps between two of its frames.
        """
        from footway.recording.joining import recorded_before

        whole(every, "every", low=1)
        return recorded_before(self, checked_file(file), every) is not None

    def recorder(self, to: str | PathLike[str] | None = None, *, every: int = 1) -> Recorder:
        """Return what records this crowd from now on, one at a time: `run` for those who step.

        `to` and `every` are those of `run`. Add frames by `record`, and end it by `close`.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
            >>> _ = crowd.add(5)
            >>> recorder = crowd.recorder()
            >>> for _ in range(3):
            ...     crowd.step()
            ...     crowd.record(recorder)
            >>> recorder.close().n_frames
            3

        """
        whole(every, "every", low=1)
        self._cast.new = [self.ids]
        facts: dict[str, Any] = {
            "step": self.dt, "seed": self.seed, "map_name": self.map.name, "names": self.names,
        }  # fmt: skip
        if to is None:
            return Recorder(**facts)
        from footway.recording.joining import recorded_before
        from footway.recording.storage import ParquetRecorder, check_name

        file = check_name(to)
        before = recorded_before(self, file, every) if self.steps else None
        return ParquetRecorder(file, **facts, before=before)

    def record(self, recorder: Recorder) -> None:
        """Add a frame of now to a recorder; at most one in a step."""
        instance(recorder, Recorder, "a recorder of this crowd is needed")
        cast, engine = self._cast, self._cast.engine
        new = np.concatenate([np.empty(0, np.int64), *cast.new])
        new = new[engine.slot_of[new] >= 0] if len(new) else new
        if len(new):
            slots, state = engine.slot_of[new], engine.state
            radius, population = state.body[slots, RADIUS], state.story[slots, POPULATION]
            recorder.add_characters(new, radius.astype(np.float64), population)
        cast.new = []
        recorder.names = tuple(self.names)  # functions of the user may have added populations
        velocities = self._rows("body")[:, :2]
        obstacles = cast.obstacles
        recorder.add_obstacles(self.time, obstacles.numbers(self.time), obstacles.discs(self.time))
        recorder.add_frame(self.steps, self.time, self.ids, self.positions, velocities)
