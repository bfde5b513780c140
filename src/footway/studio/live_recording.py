"""Record the live crowd into a temporary file that is removed with the server."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from footway.errors import BadInput, FootwayError

if TYPE_CHECKING:
    from footway.crowd import Crowd

MAX_BYTES: Final = 1_000_000_000
"""Maximum size of a recording, which has about 20 bytes per character and step."""

MAX_FRAMES: Final = 500_000
"""Maximum number of frames: each frame also takes some memory."""


class LiveRecording:
    """A recording of a crowd from now on, one frame per step; it ends before it is too large.

    Frames are written to the file as they come, so memory use stays constant.

    Args:
        crowd: crowd to record.
        name: name of the file that it is saved as, without suffix.

    Raises:
        BadInput: the file cannot be created.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(5)
        >>> live_recording = LiveRecording(crowd)
        >>> crowd.step()
        >>> live_recording.add(crowd)
        >>> live_recording.end()
        >>> fw.Recording.load(live_recording.file).n_frames
        2
        >>> live_recording.drop()

    """

    def __init__(self, crowd: Crowd, name: str = "run") -> None:
        self.name = name
        self.is_running = True
        self.ended: str | None = None  # why it ended by itself
        self._begin = self._last = crowd.time
        try:
            self._folder = tempfile.TemporaryDirectory(
                prefix="footway-studio-", ignore_cleanup_errors=True
            )
        except OSError as error:
            raise _cannot_begin(error) from None
        self.file = Path(self._folder.name) / "run.parquet"
        try:
            self._recorder = crowd.recorder(self.file)
        except (FootwayError, OSError) as error:
            self._folder.cleanup()
            raise _cannot_begin(error) from None
        self.add(crowd)

    def add(self, crowd: Crowd) -> None:
        """Add a frame; an error ends the recording, never the crowd."""
        if not self.is_running:
            return
        try:
            crowd.record(self._recorder)
        except (FootwayError, OSError) as error:
            self._fail(error)
            return
        self._last = crowd.time
        if self.bytes > MAX_BYTES:
            self.end(f"it has {MAX_BYTES // 1_000_000:,} MB, and cannot be longer")
        elif len(self._recorder.steps) >= MAX_FRAMES:
            self.end(f"it has {MAX_FRAMES:,} frames, and cannot be longer")

    def end(self, why: str | None = None) -> None:
        """Finish the file; `why` is the reason if no client asked for it."""
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
            self._recorder.__exit__()  # closes the file and keeps the frames so far
        self.ended = " ".join(f"it could not be written: {error}".split())[:300]

    def drop(self) -> None:
        """Stop recording and delete the file."""
        self.end()
        self._folder.cleanup()

    def remove_file(self) -> None:
        """Delete the file without waiting for pending writes."""
        self._folder.cleanup()

    @property
    def bytes(self) -> int:
        """Size of the file so far."""
        return self.file.stat().st_size if self.file.exists() else self._recorder.size

    def facts(self) -> dict[str, Any]:
        """Return plain values for the page."""
        return {
            "running": self.is_running,
            "seconds": round(self._last - self._begin, 6),
            "frames": len(self._recorder.steps),
            "megabytes": round(self.bytes / 1e6, 1),
            "ended": self.ended,
        }


def _cannot_begin(error: Exception) -> BadInput:
    reason = " ".join(str(error).split())[:200]
    return BadInput(f"the recording cannot begin: {reason}; free some space for temporary files")
