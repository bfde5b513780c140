"""`footway export`: from a recording to the files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.files import check_writable
from footway.cli.maps import JsonOption, ScaleOption, load_environment
from footway.cli.numbers import parse_number
from footway.cli.output import Steps, count, facts, milliseconds, print_json, print_lines, say
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.crowd.recording import Recording
    from footway.environment import Environment

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway export run.parquet -o run.sqlite --map plan.geojson\n\n"
    "  footway export run.parquet -o run.txt --json\n\n"
    "PedPy reads .sqlite with load_trajectory_from_jupedsim_sqlite, .txt with load_trajectory."
)

_KINDS: Final = {
    ".sqlite": "JuPedSim's trajectories",
    ".txt": "PedPy's text format",
    ".csv": "a table",
}


def export(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="A recording (.parquet).", show_default=False),
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="JuPedSim's trajectories (.sqlite), PedPy's text format (.txt) or a table (.csv).",
            show_default=False,
        ),
    ],
    map_name: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="MAP",
            help="The map that they walked on, for the geometry; a box around everybody if left "
            "out.",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
) -> None:
    """Write the recording of a crowd for other programs.

    A recording of a run that was killed is exported as far as it goes.
    """
    kind = _check_output(output, map_name)
    metres = parse_number(scale, "--scale")
    steps = Steps()
    recording = _load(run, steps)
    environment = None
    if map_name is not None:
        environment = load_environment(map_name, scale=metres, steps=steps)
    with steps.step("export", f"Writing {output}"):
        _write(recording, output, kind, environment)
    if not recording.complete:
        say(f"{run}: the run was cut short; exported its {count(recording.n_frames, 'frame')}")
    if json:
        print_json(_as_json(run, recording, steps) | {"map": map_name, "output": output})
    else:
        print_lines(_as_text(run, recording, steps, output, kind))


def _check_output(output: str, map_name: str | None) -> str:
    """Return the suffix, if a file can be written in its format."""
    kind = Path(output).suffix.lower()
    if kind not in _KINDS:
        named = f"'{kind}'" if kind else "none"
        known = ", ".join(f"{suffix} ({words})" for suffix, words in _KINDS.items())
        raise BadInput(f"{output}: the suffix must be {known}, not {named}")
    if kind == ".csv" and map_name is not None:
        raise BadInput(f"{output}: a table has no geometry; leave --map out")
    check_writable(output)
    return kind


def _load(run: str, steps: Steps) -> Recording:
    from footway.crowd.recording import Recording

    with steps.step("load", f"Reading {run}"):
        return Recording.load(run)


def _write(recording: Recording, output: str, kind: str, environment: Environment | None) -> None:
    from footway.io.jupedsim import save_jupedsim
    from footway.io.pedpy import save_csv, save_pedpy

    if kind == ".sqlite":
        save_jupedsim(recording, output, environment=environment)
    elif kind == ".txt":
        save_pedpy(recording, output, environment=environment)
    else:
        save_csv(recording, output)


def _as_json(run: str, recording: Recording, steps: Steps) -> dict[str, Any]:
    return {
        "run": run,
        "complete": recording.complete,
        "characters": len(recording.characters.ids),
        "frames": recording.n_frames,
        "rows": int(recording.offsets[-1]),
        "duration": recording.duration,
        "times_ms": steps.in_ms(),
    }


def _as_text(run: str, recording: Recording, steps: Steps, output: str, kind: str) -> Iterator[str]:
    yield f"Recording {run}" + (f" of {recording.map_name}" if recording.map_name else "")
    times = ", ".join(f"{name} {milliseconds(s)}" for name, s in steps.seconds.items())
    yield from facts(
        [
            ("characters", f"{len(recording.characters.ids):,}"),
            ("frames", f"{recording.n_frames:,} in {recording.duration:,.1f} s"),
            ("rows", f"{int(recording.offsets[-1]):,}"),
            ("time", times),
        ]
    )
    yield f"Wrote {output}: {_KINDS[kind]}"
