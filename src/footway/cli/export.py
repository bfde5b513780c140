"""`footway export`: convert a recording to other formats, pictures and animations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.files import check_writable
from footway.cli.maps import (
    JsonOption,
    LoadedMap,
    ScaleOption,
    build_map,
    load_environment,
    load_map,
)
from footway.cli.output import (
    Steps,
    announced_compilation,
    facts,
    milliseconds,
    print_json,
    print_lines,
)
from footway.cli.parsing import check_speed, parse_number
from footway.cli.recordings import warn_if_incomplete
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.recording.recording import Recording

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway export run.parquet -o run.sqlite --map plan.geojson\n\n"
    "  footway export run.parquet -o run.gif --map plan.geojson --speed 4\n\n"
    "  footway export run.parquet -o run.png --map plan.geojson --at 30\n\n"
    "  footway export first.parquet second.parquet -o all.parquet\n\n"
    "  footway export run.parquet -o run.html --map plan.geojson\n\n"
    "PedPy reads .sqlite with load_trajectory_from_jupedsim_sqlite, .txt with load_trajectory."
)

_PICTURES: Final = (".png", ".svg", ".pdf")
_FILMS: Final = (".gif", ".webp", ".mp4")
_PAGE: Final = ".html"
_DRAWN: Final = (
    dict.fromkeys(_PICTURES, "a picture")
    | dict.fromkeys(_FILMS, "an animation")
    | {_PAGE: "a page that replays it"}
)
_TABLES: Final = {
    ".sqlite": "JuPedSim's trajectories",
    ".txt": "PedPy's text format",
    ".csv": "a table",
    ".parquet": "a recording",
}
_KINDS: Final = _TABLES | _DRAWN


class Options(NamedTuple):
    """Options of the command besides the recordings."""

    output: str
    kind: str  # the suffix
    map_name: str | None
    scale: float | None
    speed: float | None
    at: float | None

    def check(self) -> None:
        """Check the options before anything is read."""
        if self.kind not in _KINDS:
            named = f"'{self.kind}'" if self.kind else "none"
            known = ", ".join(f"{suffix} ({words})" for suffix, words in _TABLES.items())
            drawn = ", ".join(_DRAWN)
            raise BadInput(f"{self.output}: the suffix must be {known}, {drawn}, not {named}")
        if self.kind in (".csv", ".parquet") and self.map_name is not None:
            raise BadInput(f"{self.output}: {_KINDS[self.kind]} has no geometry; leave --map out")
        if self.speed is not None and self.kind not in _FILMS:
            raise BadInput(f"{self.output}: --speed is for animations ({', '.join(_FILMS)})")
        if self.at is not None and self.kind not in _PICTURES:
            raise BadInput(f"{self.output}: --at is for pictures ({', '.join(_PICTURES)})")
        check_speed(self.speed, "--speed")
        if self.kind in _FILMS:
            from footway.plot import check_animation_file

            check_animation_file(self.output)
        check_writable(self.output)


def export(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="A recording (.parquet), or the parts of one run.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="JuPedSim's trajectories (.sqlite), PedPy's text format (.txt), a table (.csv), "
            "one recording (.parquet), a picture (.png, .svg, .pdf), an animation (.gif, .webp, "
            ".mp4) or one page that replays it in a browser, offline (.html).",
            show_default=False,
        ),
    ],
    map_name: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="MAP",
            help="The map of the recording, for the geometry. By default a box around all "
            "characters; pictures use the built-in map that the recording names.",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="TIMES",
            help="Speed of an animation: 4 is four times real time. By default 1 to 8, by length.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="Simulated time that a picture shows; by default the last time when many "
            "characters are present.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Convert the recording of a crowd for other programs, or draw it.

    Of an interrupted run, all recorded frames are exported. Several recordings are joined: they
    must be parts of one run, in any order.
    """
    options = Options(
        output,
        Path(output).suffix.lower(),
        map_name,
        parse_number(scale, "--scale"),
        parse_number(speed, "--speed"),
        parse_number(at, "--at"),
    )
    options.check()
    steps = Steps()
    recording = _load(runs, steps)
    with announced_compilation():
        if options.kind in _DRAWN:
            _draw(recording, options, steps)
        else:
            _write(recording, options, steps)
    warn_if_incomplete(runs[-1], recording)
    if json:
        print_json(_as_json(runs, recording, steps) | {"map": map_name, "output": output})
    else:
        print_lines(_as_text(runs, recording, steps, options))


def _load(runs: Sequence[str], steps: Steps) -> Recording:
    """Read recordings, refuse empty ones, and join them."""
    from footway.recording.recording import Recording

    with steps.step("load", f"Reading {', '.join(runs)}"):
        parts = [Recording.load(run) for run in runs]
        for run, part in zip(runs, parts, strict=True):
            if not len(part.characters.ids):
                raise BadInput(f"{run}: nobody is in the recording; there is nothing to export")
        return parts[0].joined(*parts[1:]) if len(parts) > 1 else parts[0]


def _write(recording: Recording, options: Options, steps: Steps) -> None:
    from footway.recording.jupedsim import save_jupedsim
    from footway.recording.pedpy import save_csv, save_pedpy
    from footway.recording.trajectories import check_inside

    environment = None
    if options.map_name is not None:
        environment = load_environment(options.map_name, scale=options.scale, steps=steps)
        check_inside(recording, environment, options.map_name)
    with steps.step("export", f"Writing {options.output}"):
        match options.kind:
            case ".sqlite":
                save_jupedsim(recording, options.output, environment=environment)
            case ".txt":
                save_pedpy(recording, options.output, environment=environment)
            case ".csv":
                save_csv(recording, options.output)
            case _:
                recording.save(options.output)


def _draw(recording: Recording, options: Options, steps: Steps) -> None:
    """Draw one frame or all frames, on the map or in a box around all characters."""
    from footway.plot import animate, draw_moment, save_picture, telling_frame

    own = _built_in(recording, steps) if options.map_name is None else None
    loaded = own or _ground(recording, options, steps)
    with steps.step("export", f"Drawing {options.output}"):
        if options.kind == _PAGE:
            is_boxed = own is None and options.map_name is None
            _write_page(recording, loaded, options.output, is_boxed=is_boxed)
            return
        if options.kind in _FILMS:
            animate(
                loaded.corridors,
                recording,
                options.output,
                speed=options.speed,
                environment=loaded.environment,
            )
            return
        frame = telling_frame(recording) if options.at is None else _frame_at(recording, options.at)
        figure = draw_moment(loaded.corridors, recording, frame, environment=loaded.environment)
        save_picture(figure, options.output)


def _write_page(recording: Recording, loaded: LoadedMap, output: str, *, is_boxed: bool) -> None:
    from footway.studio.replay import write_page

    cmap, environment = loaded
    write_page(recording, output, cmap=cmap, environment=environment, is_boxed=is_boxed)


def _built_in(recording: Recording, steps: Steps) -> LoadedMap | None:
    """Load the gallery map that the recording names; None if the characters are not on it."""
    from footway.recording.trajectories import check_inside

    name = recording.map_name
    if not name.startswith("gallery:"):
        return None
    try:
        environment = load_environment(name, scale=None, steps=steps)
        check_inside(recording, environment, name)
    except BadInput:
        return None  # a different map with the same name
    return LoadedMap(build_map(environment, steps=steps), environment)


def _ground(recording: Recording, options: Options, steps: Steps) -> LoadedMap:
    """Load the map of the recording, or build one of a box around all characters."""
    from footway.environment import Environment
    from footway.recording.trajectories import box_of, check_clear, check_inside

    name = options.map_name
    if name is None:
        box = Environment.from_polygons(box_of(recording), name=recording.map_name)
        return LoadedMap(build_map(box, steps=steps), box)
    loaded = load_map(name, scale=options.scale, steps=steps)
    if loaded.environment is None:
        check_clear(recording, loaded.corridors, name)
    else:
        check_inside(recording, loaded.environment, name)
    return loaded


def _frame_at(recording: Recording, seconds: float) -> int:
    """Return the index of the last frame up to a time."""
    first, last = recording.times[[0, -1]].tolist()
    if not first <= seconds <= last + recording.step:
        raise BadInput(f"--at is {seconds:g}; the recording is from {first:g} to {last:g} s")
    return int(recording.times.searchsorted(seconds + 1e-9, side="right")) - 1


def _as_json(runs: Sequence[str], recording: Recording, steps: Steps) -> dict[str, Any]:
    return {
        "runs": list(runs),
        "complete": recording.complete,
        "characters": len(recording.characters.ids),
        "frames": recording.n_frames,
        "rows": int(recording.offsets[-1]),
        "duration": recording.duration,
        "times_ms": steps.in_ms(),
    }


def _as_text(
    runs: Sequence[str], recording: Recording, steps: Steps, options: Options
) -> Iterator[str]:
    of = f" of {recording.map_name}" if recording.map_name else ""
    yield f"Recording {', '.join(runs)}{of}"
    times = ", ".join(f"{name} {milliseconds(s)}" for name, s in steps.seconds.items())
    yield from facts(
        [
            ("characters", f"{len(recording.characters.ids):,}"),
            ("frames", f"{recording.n_frames:,} in {recording.duration:,.1f} s"),
            ("rows", f"{int(recording.offsets[-1]):,}"),
            ("time", times),
        ]
    )
    yield f"Wrote {options.output}: {_KINDS[options.kind]}"
