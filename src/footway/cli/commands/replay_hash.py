"""`footway replay-hash`: print the hash of each frame of a recording."""

from __future__ import annotations

from typing import Annotated, Final

from footway.cli.options import JsonOption, argument
from footway.cli.reports import count, print_json, print_lines, warn_if_incomplete

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway replay-hash run.parquet\n\n"
    "  footway replay-hash run.parquet --json\n\n"
    "docs/crowds.md describes what is hashed."
)

RunArgument = Annotated[str, argument("RUN", "A recording (.parquet).")]


def replay_hash(run: RunArgument, *, json: JsonOption = False) -> None:
    """Print the hash of each frame of a recording, and of the whole recording.

    The hash covers the bits of times, ids, positions, velocities, radii and populations, and is
    the same on every machine. Two runs are equal if the last lines of the output are equal.
    """
    from footway.recording.comparing import frame_hashes, replay_hash
    from footway.recording.recording import Recording

    recording = Recording.load(run)
    warn_if_incomplete(run, recording)
    if json:
        frames = list(frame_hashes(recording))
        whole = replay_hash(recording, frames)
        rows = [frame._asdict() for frame in frames]
        print_json({"run": run, "hash": whole, "complete": recording.complete, "frames": rows})
        return
    frames = []
    print_lines([f"{'frame':>8} {'step':>10} {'time/s':>12} {'characters':>10}  hash"])
    for frame in frame_hashes(recording):
        number, step, time, characters, found = frame
        print_lines([f"{number:>8} {step:>10} {time:>12.6g} {characters:>10}  {found}"])
        frames.append(frame)
    whole = replay_hash(recording, frames)
    print_lines([f"replay {whole} ({count(len(frames), 'frame')})"])
