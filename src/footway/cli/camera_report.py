"""Report of `footway camera`, as text and as JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footway.cli.output import count, facts, milliseconds, place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.camera import CameraMotion
    from footway.cli.output import Steps


def as_json(motion: CameraMotion) -> dict[str, Any]:
    """Return the motion without its frames as JSON values."""
    known = motion.to_dict()
    del known["columns"], known["frames"]
    speeds = {"top_speed": float(motion.speeds.max()), "mean_speed": _mean_speed(motion)}
    return known | speeds | {"frames": len(motion.times)}


def as_text(name: str, motion: CameraMotion, steps: Steps, files: Sequence[str]) -> Iterator[str]:
    """Return the lines to print."""
    from footway.plot.camera_files import KINDS

    stops = getattr(motion, "stops", ())
    yield f"Camera through {name}" + (f": {count(len(stops), 'stop')}" if stops else "")
    yield from facts(
        [
            ("length", f"{motion.length:,.2f} m"),
            ("duration", f"{motion.duration:,.1f} s"),
            (
                "speed",
                f"at most {motion.speeds.max():.2f} m/s, {_mean_speed(motion):.2f} on average",
            ),
            *_clearance(motion),
            ("frames", f"{len(motion.times):,}, {motion.rate:g} a second"),
            ("time", ", ".join(f"{step} {milliseconds(s)}" for step, s in steps.seconds.items())),
        ]
    )
    if stops:
        yield from _timetable(motion)
    if math.isfinite(motion.clearance):
        yield f"Certified: the camera stays {motion.clearance:.3f} m or more from every wall."
    for file in files:
        yield f"Wrote {file}: {KINDS[Path(file).suffix.lower()]}"


def _clearance(motion: CameraMotion) -> Iterator[tuple[str, str]]:
    if math.isfinite(motion.clearance):
        yield "clearance", f"{motion.clearance:.3f} m"


def _timetable(motion: Any) -> Iterator[str]:
    """Return the time at each stop of a tour, and the distance to stops that are passed."""
    rows = zip(
        motion.stops, motion.order, motion.arrivals, motion.departures, motion.misses, strict=True
    )
    for stop, number, arrival, departure, miss in rows:
        stays = departure - arrival
        what = f"stays {stays:.1f} s" if stays > 0 else f"passes {miss:.2f} m away"
        if number == motion.order[0] and stays == 0:
            what = "starts"
        elif number == motion.order[-1] and stays == 0:
            what = "ends"
        looks = f", looks at {place(stop.look_at)}" if stop.look_at is not None else ""
        yield f"  {arrival:8.1f} s   stop {number + 1} {place(stop.at)}: {what}{looks}"


def _mean_speed(motion: CameraMotion) -> float:
    """Return the mean speed including dwell times, m/s."""
    return motion.length / motion.duration if motion.duration > 0 else 0.0
