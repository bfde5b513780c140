"""`footway export`: convert a recording to other formats, pictures and animations."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli.maps import (
    LoadedMap,
    build_map,
    load_environment,
    load_map,
    load_plan_or_building,
)
from footway.cli.progress import Steps, timed_steps
from footway.cli.reports import draw_floors, facts, print_json, print_lines, say, warn_if_incomplete
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.environment import Environment
    from footway.recording.recording import Recording

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway export run.parquet -o run.sqlite\n\n"
    "  footway export run.parquet -o run.gif --animate-speed 4\n\n"
    "  footway export run.parquet -o run.png --at 30\n\n"
    "  footway export first.parquet second.parquet -o all.parquet\n\n"
    "  footway export run.parquet -o run.html --map plan.geojson\n\n"
    "  footway export run.parquet -o hall.png --floor 0\n\n"
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
_NO_MAP: Final = (
    "the recording has no map, so the geometry is a box around all characters, without walls: give "
    "the map with --map FILE"
)


class Options(NamedTuple):
    """Options of the command besides the recordings."""

    output: str
    kind: str  # the suffix
    source: opt.Source | None  # the map
    speed: float | None
    at: float | None

    def check(self) -> None:
        """Check the options before anything is read."""
        if self.kind not in _KINDS:
            named = f"'{self.kind}'" if self.kind else "none"
            known = ", ".join(f"{suffix} ({words})" for suffix, words in _TABLES.items())
            drawn = ", ".join(_DRAWN)
            raise BadInput(f"{self.output}: the suffix must be {known}, {drawn}, not {named}")
        if self.kind == ".csv" and self.source is not None:
            raise BadInput(f"{self.output}: {_KINDS[self.kind]} has no geometry; leave --map out")
        is_film = self.kind in _FILMS
        if self.speed is not None and not is_film:
            films = ", ".join(_FILMS)
            raise BadInput(f"{self.output}: --animate-speed is for animations ({films})")
        if self.at is not None and self.kind not in _PICTURES:
            raise BadInput(f"{self.output}: --at is for pictures ({', '.join(_PICTURES)})")
        opt.check_animation(self.output if is_film else None, self.speed)
        opt.check_writable(self.output)


def export(
    runs: Annotated[
        list[str], opt.argument("RUN...", "A recording (.parquet), or the parts of one run.")
    ],
    *,
    output: Annotated[
        str,
        opt.output_file(
            "JuPedSim's trajectories (.sqlite), PedPy's text format (.txt), a table (.csv), "
            "one recording (.parquet), a picture (.png, .svg, .pdf), an animation (.gif, .webp, "
            ".mp4) or one page that replays it in a browser, offline (.html)."
        ),
    ],
    map_name: Annotated[
        str | None,
        opt.option(
            "The map, for the geometry. By default the one in the recording; a file of an "
            "earlier version has none and gets a box around all characters.",
            "--map",
            unit="MAP",
        ),
    ] = None,
    between: opt.BetweenOption = None,
    up: opt.UpOption = None,
    scale: opt.ScaleOption = None,
    animate_speed: Annotated[
        float | None,
        opt.quantity(
            "TIMES",
            "Speed of an animation: 4 is four times real time. By default 1 to 8, by length.",
        ),
    ] = None,
    speed: Annotated[
        float | None, opt.option("Old name of --animate-speed.", parser=opt.number, hidden=True)
    ] = None,
    at: Annotated[
        float | None,
        opt.quantity(
            "SECONDS",
            "Simulated time that a picture shows; by default the last time when many "
            "characters are present.",
        ),
    ] = None,
    floor: Annotated[
        str | None,
        opt.option("Floor or link of a building whose people are exported.", unit="NAME"),
    ] = None,
    json: opt.JsonOption = False,
) -> None:
    """Convert the recording of a crowd for other programs, or draw it.

    Of an interrupted run, all recorded frames are exported. Several recordings are joined: they
    must be parts of one run, in any order.
    """
    source = None if map_name is None else opt.Source(map_name, scale, between, up)
    rate = speed if animate_speed is None else animate_speed
    options = Options(output, Path(output).suffix.lower(), source, rate, at)
    options.check()
    with timed_steps() as steps:
        recording = _on_floor(_load(runs, steps), floor, options)
        write = _draw if options.kind in _DRAWN else _write
        is_boxed = write(recording, options, steps)
    if is_boxed:
        say(_NO_MAP)
    warn_if_incomplete(runs[-1], recording)
    characters, rows = len(recording.characters.ids), int(recording.offsets[-1])
    if json:
        answer: dict[str, Any] = {
            "runs": list(runs),
            "complete": recording.complete,
            "characters": characters,
            "frames": recording.n_frames,
            "rows": rows,
            "duration": recording.duration,
            "times_ms": steps.in_ms(),
        }
        print_json(answer | {"map": map_name, "output": output})
        return
    table = [
        ("characters", f"{characters:,}"),
        ("frames", f"{recording.n_frames:,} in {recording.duration:,.1f} s"),
        ("rows", f"{rows:,}"),
        ("time", steps.as_text()),
    ]
    of = f" of {recording.map_name}" if recording.map_name else ""
    wrote = f"Wrote {output}: {_KINDS[options.kind]}"
    print_lines([f"Recording {', '.join(runs)}{of}", *facts(table), wrote])


def _load(runs: Sequence[str], steps: Steps) -> Recording:
    """Read recordings, refuse empty ones, and join them."""
    from footway.recording.recording import Recording

    with steps.step("load", f"Reading {', '.join(runs)}"):
        parts = [Recording.load(run) for run in runs]
        for run, part in zip(runs, parts, strict=True):
            if not len(part.characters.ids):
                raise BadInput(
                    f"{run}: the recording has no characters; there is nothing to export"
                )
        return parts[0].joined(*parts[1:]) if len(parts) > 1 else parts[0]


def _on_floor(recording: Recording, floor: str | None, options: Options) -> Recording:
    """Return the recording of one floor of a building; others export the whole building."""
    if floor is not None:
        found = recording.on_floor(floor)
        if not len(found.characters.ids):
            raise BadInput(f"--floor: nobody was on {floor!r}; there is nothing to export")
        return found
    has_map = recording.building is not None or options.source is not None
    draws_all = options.kind in (*_PICTURES, _PAGE) and has_map
    if recording.floor_names and options.kind != ".parquet" and not draws_all:
        names = ", ".join(map(repr, recording.floor_names))
        raise BadInput(f"the recording is of a building: choose with --floor: {names}")
    return recording


def _write(recording: Recording, options: Options, steps: Steps) -> bool:
    """Write a table; return whether its geometry is a box around all characters."""
    from footway.recording.jupedsim import save_jupedsim
    from footway.recording.pedpy import save_csv, save_pedpy
    from footway.recording.recorded_map import RecordedMap
    from footway.recording.trajectories import check_inside

    if options.source is not None:
        environment = load_environment(options.source, steps)
        check_inside(recording, environment, options.source.name)
        recording = replace(recording, recorded_map=RecordedMap(environment))
    with steps.step("export", f"Writing {options.output}"):
        match options.kind:
            case ".sqlite":
                save_jupedsim(recording, options.output)
            case ".txt":
                save_pedpy(recording, options.output)
            case ".csv":
                save_csv(recording, options.output)
            case _:
                recording.save(options.output)
    return options.kind in (".sqlite", ".txt") and recording.recorded_map is None


def _draw(recording: Recording, options: Options, steps: Steps) -> bool:
    """Draw one frame or all frames; return whether in a box around all characters, not on a map."""
    if recording.floor_names:
        return _draw_building(recording, options, steps)
    (cmap, environment), is_boxed = _load_map(recording, options.source, steps)
    with steps.step("export", f"Drawing {options.output}"):
        if options.kind == _PAGE:
            from footway.studio.replay import write_page

            write_page(
                recording, options.output, cmap=cmap, environment=environment, is_boxed=is_boxed
            )
        elif options.kind in _FILMS:
            pictures.animate(
                cmap, recording, options.output, speed=options.speed, environment=environment
            )
        else:
            frame = _chosen_frame(recording, options.at)
            figure = pictures.draw_moment(cmap, recording, frame, environment=environment)
            pictures.save_picture(figure, options.output)
    return is_boxed


def _draw_building(recording: Recording, options: Options, steps: Steps) -> bool:
    """Draw one frame of a crowd in a building, floors side by side, or a page of all of it."""
    from footway.corridor import CorridorMap
    from footway.environment import Building
    from footway.recording.recorded_floors import check_building

    building: Building | Environment | None = recording.building
    if options.source is not None:
        building, name = load_plan_or_building(options.source, steps), options.source.name
        if not isinstance(building, Building):
            raise BadInput(f"{name}: is a plan, and the recording is of a building; give --floor")
        check_building(recording, building, name)
    assert isinstance(building, Building)
    with steps.step("build", "Building the corridor map"):
        cmap = CorridorMap.build(building)
    with steps.step("export", f"Drawing {options.output}"):
        if options.kind == _PAGE:
            from footway.studio.replay import write_page

            write_page(recording, options.output, cmap=cmap)
            return False
        figure = draw_floors(cmap, recording, _chosen_frame(recording, options.at))
        pictures.save_picture(figure, options.output)
    return False


def _load_map(
    recording: Recording, source: opt.Source | None, steps: Steps
) -> tuple[LoadedMap, bool]:
    """Load the given map, or the one in the recording, or the gallery map that it names.

    If there is none, build a box around all characters. Also return whether it is such a box.
    """
    from footway.environment import Environment
    from footway.recording.trajectories import box_of, check_clear, check_inside

    if source is not None:
        loaded = load_map(source, steps)
        if loaded.environment is None:
            check_clear(recording, loaded.corridors, source.name)
        else:
            check_inside(recording, loaded.environment, source.name)
        return loaded, False
    name, environment = recording.map_name, recording.environment
    if environment is None and name.startswith("gallery:"):
        with suppress(BadInput):  # a different map with the same name
            named = load_environment(opt.Source(name), steps)
            check_inside(recording, named, name)
            environment = named
    is_boxed = environment is None
    if environment is None:
        environment = Environment.from_polygons(box_of(recording), name=name)
    return build_map(environment, steps), is_boxed


def _chosen_frame(recording: Recording, seconds: float | None) -> int:
    """Return the index of the last frame up to a time; by default one with many characters."""
    if seconds is None:
        return pictures.representative_frame(recording)
    first, last = recording.times[[0, -1]].tolist()
    if not first <= seconds <= last + recording.step:
        raise BadInput(f"--at is {seconds:g}; the recording is from {first:g} to {last:g} s")
    return int(recording.times.searchsorted(seconds + 1e-9, side="right")) - 1
