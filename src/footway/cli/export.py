"""`footway export`: from a recording to the files of other programs, pictures and animations."""

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
from footway.cli.recordings import tell_if_cut
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.environment import Environment
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


class Wishes(NamedTuple):
    """What was typed beside the recordings."""

    output: str
    kind: str  # the suffix
    map_name: str | None
    scale: float | None
    speed: float | None
    at: float | None

    def check(self) -> None:
        """Refuse what does not go together, before anything is read."""
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
            help="The map that they walked on, for the geometry; a box around everybody if left "
            "out, or the built-in map of the recording where it is drawn.",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="TIMES",
            help="Of an animation: 4 is four times real time. By default 1 to 8, by its length.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="Simulated time that a picture shows; the last moment when many are there if "
            "left out.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write the recording of a crowd for other programs, or draw it.

    A recording of a run that was killed is exported as far as it goes. Several recordings are
    joined: the parts of one run, in any order.
    """
    wishes = Wishes(
        output,
        Path(output).suffix.lower(),
        map_name,
        parse_number(scale, "--scale"),
        parse_number(speed, "--speed"),
        parse_number(at, "--at"),
    )
    wishes.check()
    steps = Steps()
    recording = _load(runs, steps)
    with announced_compilation():
        if wishes.kind in _DRAWN:
            _draw(recording, wishes, steps)
        else:
            _write(recording, wishes, steps)
    tell_if_cut(runs[-1], recording)
    if json:
        print_json(_as_json(runs, recording, steps) | {"map": map_name, "output": output})
    else:
        print_lines(_as_text(runs, recording, steps, wishes))


def _load(runs: Sequence[str], steps: Steps) -> Recording:
    """Read recordings, none of them without frames, and join them."""
    from footway.recording.recording import Recording

    with steps.step("load", f"Reading {', '.join(runs)}"):
        parts = [Recording.load(run) for run in runs]
        for run, part in zip(runs, parts, strict=True):
            if not len(part.characters.ids):
                raise BadInput(f"{run}: nobody is in the recording; there is nothing to export")
        return parts[0].joined(*parts[1:]) if len(parts) > 1 else parts[0]


def _write(recording: Recording, wishes: Wishes, steps: Steps) -> None:
    from footway.recording.jupedsim import save_jupedsim
    from footway.recording.pedpy import save_csv, save_pedpy
    from footway.recording.trajectories import check_inside

    environment = None
    if wishes.map_name is not None:
        environment = load_environment(wishes.map_name, scale=wishes.scale, steps=steps)
        check_inside(recording, environment, wishes.map_name)
    with steps.step("export", f"Writing {wishes.output}"):
        match wishes.kind:
            case ".sqlite":
                save_jupedsim(recording, wishes.output, environment=environment)
            case ".txt":
                save_pedpy(recording, wishes.output, environment=environment)
            case ".csv":
                save_csv(recording, wishes.output)
            case _:
                recording.save(wishes.output)


def _draw(recording: Recording, wishes: Wishes, steps: Steps) -> None:
    """Draw one frame, or all of them, on the map or on a box around everybody."""
    from footway.plot import animate, draw_moment, save_picture, telling_frame

    own = _built_in(recording, steps) if wishes.map_name is None else None
    loaded = own or _ground(recording, wishes, steps)
    with steps.step("export", f"Drawing {wishes.output}"):
        if wishes.kind == _PAGE:
            is_boxed = own is None and wishes.map_name is None
            _write_page(recording, loaded, wishes.output, is_boxed=is_boxed)
            return
        if wishes.kind in _FILMS:
            animate(
                loaded.corridors,
                recording,
                wishes.output,
                speed=wishes.speed,
                environment=loaded.environment,
            )
            return
        frame = telling_frame(recording) if wishes.at is None else _frame_at(recording, wishes.at)
        figure = draw_moment(loaded.corridors, recording, frame, environment=loaded.environment)
        save_picture(figure, wishes.output)


def _write_page(recording: Recording, loaded: LoadedMap, output: str, *, is_boxed: bool) -> None:
    from footway.studio.sharing import write_page

    cmap, environment = loaded
    write_page(recording, output, cmap=cmap, environment=environment, is_boxed=is_boxed)


def _built_in(recording: Recording, steps: Steps) -> LoadedMap | None:
    """Load the map that the recording names, where it is of the gallery and they are on it."""
    from footway.recording.trajectories import check_inside

    name = recording.map_name
    if not name.startswith("gallery:"):
        return None
    try:
        environment = load_environment(name, scale=None, steps=steps)
        check_inside(recording, environment, name)
    except BadInput:
        return None  # another map of the same name
    return LoadedMap(build_map(environment, steps=steps), environment)


def _ground(recording: Recording, wishes: Wishes, steps: Steps) -> LoadedMap:
    """Load the map that they walked on, or make one of a box around everybody."""
    from footway.recording.trajectories import box_of, check_clear, check_inside

    name = wishes.map_name
    if name is None:
        box = _named_box(recording, box_of(recording))
        return LoadedMap(build_map(box, steps=steps), box)
    loaded = load_map(name, scale=wishes.scale, steps=steps)
    if loaded.environment is None:
        check_clear(recording, loaded.corridors, name)
    else:
        check_inside(recording, loaded.environment, name)
    return loaded


def _named_box(recording: Recording, box: Any) -> Environment:
    from footway.environment import Environment

    return Environment.from_polygons(box, name=recording.map_name)


def _frame_at(recording: Recording, seconds: float) -> int:
    """Return the number of the last frame up to a time."""
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
    runs: Sequence[str], recording: Recording, steps: Steps, wishes: Wishes
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
    yield f"Wrote {wishes.output}: {_KINDS[wishes.kind]}"
