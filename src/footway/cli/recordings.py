"""Tell the user if a recording that a command reads is not complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from footway.cli.output import count, say

if TYPE_CHECKING:
    from footway.recording.recording import Recording


def tell_if_cut(run: str, recording: Recording) -> None:
    """Print a line if a recording is not complete."""
    from footway.recording.storage import unfinished_parts

    if recording.complete:
        return
    parts = unfinished_parts(Path(run))
    where = f", in {parts[0].parent}" if parts else ""
    frames = count(recording.n_frames, "frame")
    say(f"{run}: the run was cut short, or is not over; it has {frames}{where}")
