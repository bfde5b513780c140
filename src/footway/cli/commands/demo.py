"""`footway demo`: simulate ten thousand characters in a city, and draw them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway import plot as pictures
from footway.cli.maps import LoadedMap, build_map, load_environment
from footway.cli.options import JsonOption, Source, prepare_folder
from footway.cli.progress import Steps, timed_steps
from footway.cli.reports import facts, milliseconds, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.corridor import CorridorMap
    from footway.crowd import Crowd, Recording
    from footway.environment import Environment

EXAMPLES: Final = "[bold]Examples[/bold]\n\n  footway demo\n\n  footway demo -o somewhere --json"

SEED: Final = 1
_EVERY: Final = 5  # steps between two frames
_FEW: Final = 250  # characters; with fewer, the groups would be empty
_FLOAT: Final = 5.0  # radius of the parade float that crosses the market, m


class Files(NamedTuple):
    """Files that the demo writes."""

    picture: str
    animation: str
    recording: str
    corridors: str
    environment: str


class Show(NamedTuple):
    """Result of the demo."""

    loaded: LoadedMap
    crowd: Crowd
    step_seconds: list[float]  # duration of each step, without the time for recording it
    seconds: float  # of simulated time
    gap: float  # least gap between a wall and a character, m
    files: Files
    steps: Steps

    @property
    def share(self) -> float:
        """Computing time of the run, recording included, over the simulated time."""
        return self.steps.seconds["walk"] / self.seconds

    @property
    def rate(self) -> float:
        """Character-steps per second."""
        return len(self.crowd) * self.crowd.steps / sum(self.step_seconds)


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
    folder = prepare_folder(output)
    names = ("crowd.png", "crowd.gif", "crowd.parquet", "city.fwmap", "city.geojson")
    files = Files(*(str(folder / name) for name in names))
    with timed_steps() as steps:
        show = _perform(count, float(seconds), files, steps)
    if json:
        print_json(_as_json(show))
    else:
        print_lines(_as_text(show))


def _perform(count: int, seconds: float, files: Files, steps: Steps) -> Show:
    """Build the city, run the crowd, and write all files."""
    from footway.crowd import Crowd
    from footway.formats import save_geojson

    city = load_environment(Source("gallery:city"), steps)
    loaded = build_map(city, steps)
    cmap = loaded.corridors
    with steps.step("save", "Writing the map"):
        cmap.save(files.corridors)
        save_geojson(city, files.environment)
    with steps.step("prepare", "Loading the compiled kernels"):  # by a small crowd: not timed below
        few = Crowd(cmap, seed=SEED)
        fill(few, city, _FEW)
        few.step()
    with steps.step("crowd", f"Placing {count:,} characters"):
        crowd = Crowd(cmap, seed=SEED)
        fill(crowd, city, count)
    with steps.bar("walk", f"{len(crowd):,} characters walk for {seconds:g} s") as progress:
        recording, step_seconds = _record(crowd, seconds, files.recording, progress)
    with steps.step("check", "Measuring the distance of all characters to the walls"):
        gap = least_gap(recording, cmap)
    with steps.step("picture", f"Drawing {files.picture}"):
        figure = pictures.draw_moment(cmap, recording, environment=city)
        pictures.save_picture(figure, files.picture)
    with steps.step("animation", f"Drawing {files.animation}"):
        pictures.animate(cmap, recording, files.animation, environment=city)
    return Show(loaded, crowd, step_seconds, seconds, gap, files, steps)


def _record(
    crowd: Crowd, seconds: float, file: str, progress: Any
) -> tuple[Recording, list[float]]:
    """Run and record the crowd; also return the duration of each step without recording, s."""
    step_seconds, total = [], round(seconds / crowd.dt)
    with crowd.recorder(file, every=_EVERY) as recorder:
        crowd.record(recorder)
        for done in range(1, total + 1):
            begin = time.perf_counter()
            crowd.step()
            step_seconds.append(time.perf_counter() - begin)
            if done % _EVERY == 0 or done == total:
                crowd.record(recorder)
            if progress is not None:
                progress(done, total)
        return recorder.close(), step_seconds


def fill(crowd: Crowd, city: Environment, count: int) -> None:
    """Add `count` characters with goals, wanderers and two groups, and an obstacle."""
    from footway.crowd import Profile

    adult = Profile(radius=(0.25, 0.02), speed=(1.3, 0.2))
    stroller = Profile(radius=(0.25, 0.02), speed=(0.9, 0.15), noise=0.3)
    child = Profile(radius=0.18, speed=(1.2, 0.2), lane=0.0, noise=0.2)
    wheelchair = Profile(radius=0.4, speed=(1.0, 0.15))
    area = {named.name: named.polygon for named in city.areas}
    middle = {name: polygon.representative_point().coords[0] for name, polygon in area.items()}
    wander, shop, roll, group = 3 * count // 10, count // 7, count // 50, count // 250
    squares = [area["market"], area["station square"], area["corn square"]]
    errands = count - wander - shop - roll - 2 * group
    crowd.add(errands, profile=adult, name="errands", within=250.0)
    crowd.add(wander, profile=stroller, name="strollers", behaviour="wander")
    crowd.add(shop, profile=adult, name="shoppers", destinations=squares)
    crowd.add(roll, profile=wheelchair, name="wheelchairs", within=150.0)
    crowd.add_group(
        group, start=middle["market"], profile=child, name="pupils",
        width=2.0, group_area=2.0 * group,
    )  # fmt: skip
    crowd.add_group(
        group, start=middle["corn square"], goal=middle["market"], name="tourists", speed=1.0,
        lateral=4.0, longitudinal=20.0,
    )  # fmt: skip
    x, y = middle["market"]
    crowd.add_obstacle((x - 8.0, y), _FLOAT, velocity=(0.5, 0.1), appears=15.0, vanishes=45.0)


def least_gap(recording: Recording, cmap: CorridorMap) -> float:
    """Return the least gap between a wall and a character in all frames of a recording, m."""
    import numpy as np  # slow to import: --help does not need it

    characters, least = recording.characters, np.inf
    for k in range(recording.n_frames):
        frame = recording.frame(k)
        radius = characters.radius[np.searchsorted(characters.ids, frame.ids)]
        least = min(least, float((cmap.clearance(frame.positions) - radius).min(initial=np.inf)))
    return least


# -- reports -------------------------------------------------------------------------------------


def _as_json(show: Show) -> dict[str, Any]:
    from statistics import median

    from footway.runs.summary import count_by_population

    (cmap, city), crowd = show.loaded, show.crowd
    assert city is not None
    return {
        "map": city.name,
        "area": city.area,
        "holes": city.holes,
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "characters": len(crowd),
        "populations": count_by_population(crowd),
        "seconds": show.seconds,
        "steps": crowd.steps,
        "median_step_ms": 1000.0 * median(show.step_seconds),
        "longest_step_ms": 1000.0 * max(show.step_seconds),
        "share_of_real_time": show.share,
        "character_steps_per_second": show.rate,
        "arrivals": crowd.arrivals,
        "stuck": [{"id": one.id, "at": one.position, "cause": one.cause} for one in crowd.stuck],
        "least_gap": show.gap,
        "written": list(show.files),
        "times_ms": show.steps.in_ms(),
    }


def _as_text(show: Show) -> Iterator[str]:
    crowd, files = show.crowd, show.files
    yield f"A city and {len(crowd):,} characters, for {show.seconds:g} s"
    yield from facts((name, f"{took:>9}   {words}") for name, took, words in _rows(show))
    named = ", ".join(f"{one.id} ({one.cause})" for one in crowd.stuck[:5])
    who = f"{len(crowd.stuck):,} are stuck: {named}" if crowd.stuck else "nobody is stuck"
    through = "nobody walked into a wall" if show.gap >= 0.0 else "a character is in a wall"
    yield f"{crowd.arrivals:,} goals were reached, {who}, {through}."
    yield f"Look at {files.picture} and {files.animation}. Next:"
    yield f"  footway path {files.corridors} --start 2,3 --goal 480,451 --plot path.png"
    yield f"  footway export {files.recording} -o crowd.txt"
    yield "  footway simulate demo:evacuation --plot evacuation.png"


def _rows(show: Show) -> Iterator[tuple[str, str, str]]:
    """Return each step with its duration and its result."""
    from statistics import median

    from footway.runs.summary import count_by_population

    (cmap, city), crowd, files = show.loaded, show.crowd, show.files
    assert city is not None
    took = {name: milliseconds(seconds) for name, seconds in show.steps.seconds.items()}
    x0, y0, x1, y1 = city.bounds
    size = f"{x1 - x0:.0f} x {y1 - y0:.0f} m, {city.holes} blocks and buildings"
    kinds = [f"{number:,} {name}" for name, number in count_by_population(crowd).items()]
    steps = f"{crowd.steps:,} steps of {crowd.dt:g} s"
    longest = f"longest {milliseconds(max(show.step_seconds))}"
    rate = f"{show.rate / 1e6:.1f} million character-steps per second"
    written = f"{files.recording}, {files.corridors}, {files.environment}"
    yield "city", took["load"], f"{size}, {city.area:,.0f} m2 walkable"
    yield "map", took["build"], f"{cmap.n_vertices:,} vertices, {cmap.n_edges:,} edges"
    yield "crowd", took["crowd"], ", ".join(kinds[:3])
    yield "", "", ", ".join(kinds[3:])
    yield "walk", took["walk"], f"{steps}: {show.share:.1%} of real time, recorded"
    yield "a step", milliseconds(median(show.step_seconds)), f"median; {longest}; {rate}"
    yield "check", took["check"], f"of every frame: {1000.0 * show.gap:.2f} mm or more to any wall"
    yield "picture", took["picture"], files.picture
    yield "animation", took["animation"], files.animation
    yield "files", took["save"], written
