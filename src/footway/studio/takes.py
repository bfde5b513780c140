"""A recording of the crowd as it lives, in a temporary file that is gone when the server is."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from footway.errors import FootwayError

if TYPE_CHECKING:
    from footway.crowd import Crowd

MOST_BYTES: Final = 1_000_000_000
"""Size of a recording, at which it ends: about 20 bytes for each character and step."""

_NAME: Final = "run.parquet"


class Take:
    """Frames of a crowd from now on, one for each step; it ends by itself before it is too large.

    Memory stays flat: frames go to the file as they come.

    Args:
        crowd: that is recorded.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(5)
        >>> take = Take(crowd)
        >>> crowd.step()
        >>> take.add(crowd)
        >>> take.end()
        >>> fw.Recording.load(take.file).n_frames
        2
        >>> take.drop()

    """

    def __init__(self, crowd: Crowd) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="footway-studio-", ignore_cleanup_errors=True
        )
        self.file = Path(self._folder.name) / _NAME
        self.is_running = True
        self.ended: str | None = None  # why, where it did so by itself
        self._begin = self._last = crowd.time
        self._recorder = crowd.recorder(self.file)
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

    @property
    def bytes(self) -> int:
        """Size of the file so far."""
        return self.file.stat().st_size if self.file.exists() else 0

    def facts(self) -> dict[str, Any]:
        """Plain values, for the page."""
        return {
            "running": self.is_running,
            "seconds": round(self._last - self._begin, 6),
            "frames": len(self._recorder.steps),
            "megabytes": round(self.bytes / 1e6, 1),
            "ended": self.ended,
        }
