"""Warn about incomplete recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from footway.cli.output import count, say

if TYPE_CHECKING:
    from footway.recording.recording import Recording


def warn_if_incomplete(run: str, recording: Recording) -> None:
    """Print a message if a recording is incomplete."""
    from footway.recording.storage import unfinished_parts

    if recording.complete:
        return
    parts = unfinished_parts(Path(run))
    where = f", in {parts[0].parent}" if parts else ""
    frames = count(recording.n_frames, "frame")
    say(f"{run}: the run was interrupted or is not finished; it has {frames}{where}")
