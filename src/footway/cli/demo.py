"""`footway demo`: simulate ten thousand characters in a city, and draw them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from footway.cli.files import prepare_folder, write_plot
from footway.cli.maps import JsonOption, LoadedMap, build_map, load_environment
from footway.cli.output import Steps, announced_compilation, print_json, print_lines
from footway.cli.progress import progress_bar

if TYPE_CHECKING:
    from footway.cli.demo_crowd import TimedCrowd
    from footway.crowd import Recording

EXAMPLES: Final = "[bold]Examples[/bold]\n\n  footway demo\n\n  footway demo -o somewhere --json"

SEED: Final = 1
_EVERY: Final = 5  # steps between two frames
_FEW: Final = 250  # characters; with fewer, the groups would be empty


class Written(NamedTuple):
    """Files that the demo writes."""

    picture: str
    animation: str
    recording: str
    corridors: str
    environment: str


class Show(NamedTuple):
    """Result of the demo."""

    loaded: LoadedMap
    crowd: TimedCrowd
    seconds: float  # of simulated time
    gap: float  # least gap between a wall and a character, m
    written: Written
    steps: Steps


def demo(
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder for the files.")
    ] = "out",
    count: Annotated[
        int, typer.Option(metavar="N", min=_FEW, max=40_000, help="Number of characters.")
    ] = 10_000,
    seconds: Annotated[
        int, typer.Option(metavar="S", min=1, max=3600, help="Simulated time, seconds.")
    ] = 60,
    json: JsonOption = False,
) -> None:
    """Simulate ten thousand characters in a city, and draw them.

    Writes crowd.png, crowd.gif, the recording crowd.parquet, and the city as city.fwmap and
    city.geojson.
    """
    from footway.cli.demo_report import as_json, as_text

    written = _prepare(output)
    with announced_compilation():
        show = _perform(count, float(seconds), written)
    if json:
        print_json(as_json(show))
    else:
        print_lines(as_text(show))


def _prepare(output: str) -> Written:
    folder = prepare_folder(output)
    names = ("crowd.png", "crowd.gif", "crowd.parquet", "city.fwmap", "city.geojson")
    return Written(*(str(folder / name) for name in names))


def _perform(count: int, seconds: float, written: Written) -> Show:
    """Build the city, run the crowd, and write all files."""
    from footway.cli.demo_crowd import least_gap

    steps = Steps()
    environment = load_environment("gallery:city", scale=None, steps=steps)
    loaded = LoadedMap(build_map(environment, steps=steps), environment)
    _save(loaded, written, steps)
    crowd = _gather(loaded, count, steps)
    recording = _walk(crowd, seconds, written.recording, steps)
    with steps.step("check", "Measuring the distance of all characters to the walls"):
        gap = least_gap(recording, loaded.corridors)
    _draw(recording, loaded, written, steps)
    return Show(loaded, crowd, seconds, gap, written, steps)


def _save(loaded: LoadedMap, written: Written, steps: Steps) -> None:
    from footway.formats import save_geojson

    assert loaded.environment is not None
    with steps.step("save", "Writing the map"):
        loaded.corridors.save(written.corridors)
        save_geojson(loaded.environment, written.environment)


def _gather(loaded: LoadedMap, count: int, steps: Steps) -> TimedCrowd:
    """Load the kernels with a small crowd, then place the crowd, so that only this is timed."""
    from footway.cli.demo_crowd import TimedCrowd, fill

    cmap, city = loaded
    assert city is not None
    with steps.step("prepare", "Loading the compiled kernels"):
        few = TimedCrowd(cmap, seed=SEED)
        fill(few, city, _FEW)
        few.step()
    with steps.step("crowd", f"Placing {count:,} characters"):
        crowd = TimedCrowd(cmap, seed=SEED)
        fill(crowd, city, count)
    return crowd


def _walk(crowd: TimedCrowd, seconds: float, file: str, steps: Steps) -> Recording:
    """Run and record the crowd, with a progress bar on a terminal."""
    begin = time.perf_counter()
    with progress_bar(f"{len(crowd):,} characters walk for {seconds:g} s") as progress:
        recording = crowd.run(seconds=seconds, every=_EVERY, to=file, progress=progress)
    steps.seconds["walk"] = time.perf_counter() - begin
    return recording


def _draw(recording: Recording, loaded: LoadedMap, written: Written, steps: Steps) -> None:
    from footway.plot import animate, draw_moment

    cmap, city = loaded
    with steps.step("picture", f"Drawing {written.picture}"):
        write_plot(draw_moment(cmap, recording, environment=city), written.picture)
    with steps.step("animation", f"Drawing {written.animation}"):
        animate(cmap, recording, Path(written.animation), environment=city)
