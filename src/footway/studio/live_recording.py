"""A recording of the crowd as it lives, in a temporary file that is gone when the server is."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from footway.errors import BadInput, FootwayError

if TYPE_CHECKING:
    from footway.crowd import Crowd

MOST_BYTES: Final = 1_000_000_000
"""Size of a recording, at which it ends: about 20 bytes for each character and step."""

MOST_FRAMES: Final = 500_000
"""Likewise, where hardly anybody is there: what is kept in memory of each frame adds up, too."""

_NAME: Final = "run.parquet"


class LiveRecording:
    """Frames of a crowd from now on, one for each step; it ends by itself before it is too large.

    Memory stays flat: frames go to the file as they come.

    Args:
        crowd: that is recorded.
        name: of the file that it is saved as, without its ending.

    Raises:
        BadInput: there is no room for the file; nothing is left of it.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(5)
        >>> take = LiveRecording(crowd)
        >>> crowd.step()
        >>> take.add(crowd)
        >>> take.end()
        >>> fw.Recording.load(take.file).n_frames
        2
        >>> take.drop()

    """

    def __init__(self, crowd: Crowd, name: str = "run") -> None:
        self.name = name
        self.is_running = True
        self.ended: str | None = None  # why, where it did so by itself
        self._begin = self._last = crowd.time
        self._folder = _folder()
        self.file = Path(self._folder.name) / _NAME
        try:
            self._recorder = crowd.recorder(self.file)
        except (FootwayError, OSError) as error:
            self._folder.cleanup()
            raise _cannot_begin(error) from None
        self.add(crowd)

    def add(self, crowd: Crowd) -> None:
        """Add a frame; what goes wrong ends the recording, and never the crowd."""
        if not self.is_running:
            return
        try:
            crowd.record(self._recorder)
        except (FootwayError, OSError) as error:
            self._fail(error)
            return
        self._last = crowd.time
        if self.bytes > MOST_BYTES:
            self.end(f"it has {MOST_BYTES // 1_000_000:,} MB, and cannot be longer")
        elif len(self._recorder.steps) >= MOST_FRAMES:
            self.end(f"it has {MOST_FRAMES:,} frames, and cannot be longer")

    def end(self, why: str | None = None) -> None:
        """Write the rest of it; `why` says what ended it, where nobody asked for that."""
        if not self.is_running:
            return
        self.is_running, self.ended = False, why
        try:
            self._recorder.close()
        except (FootwayError, OSError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.is_running = False
        with suppress(FootwayError, OSError):
            self._recorder.__exit__()  # what is there stays, and the file is closed
        self.ended = " ".join(f"it could not be written: {error}".split())[:300]

    def drop(self) -> None:
        """Take the file away."""
        self.end()
        self._folder.cleanup()

    def remove_file(self) -> None:
        """Take the file away without waiting for what is being written."""
        self._folder.cleanup()

    @property
    def bytes(self) -> int:
        """Size of what is written so far."""
        return self.file.stat().st_size if self.file.exists() else self._recorder.size

    def facts(self) -> dict[str, Any]:
        """Plain values, for the page."""
        return {
            "running": self.is_running,
            "seconds": round(self._last - self._begin, 6),
            "frames": len(self._recorder.steps),
            "megabytes": round(self.bytes / 1e6, 1),
            "ended": self.ended,
        }


def _folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="footway-studio-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _cannot_begin(error) from None


def _cannot_begin(error: Exception) -> BadInput:
    words = " ".join(str(error).split())[:200]
    return BadInput(f"the recording cannot begin: {words}; make room for temporary files")
