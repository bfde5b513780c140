"""`footway camera`: a camera motion from stop to stop, or behind a character."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports
from footway.cli.commands.route import RADIUS
from footway.cli.maps import LoadedMap, build_map, load_map, load_plan_or_building, load_saved
from footway.cli.progress import timed_steps
from footway.errors import BadInput, NoPath
from footway.formats.registry import is_saved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from footway.camera import CameraMotion, Stop
    from footway.cli.progress import Steps

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    '  footway camera gallery:office --stops "10,20; 40,40; 59,61" -o tour.glb\n\n'
    '  footway camera plan.geojson --stops "2,3; 9,4; 20,12" --dwell "0;3;0" '
    '--look-at "; 9,9,1.2; " --plot tour.png -o tour.csv -o tour.glb\n\n'
    '  footway camera gallery:tower --stops "5,4,10; 20,10,0" -o tower.glb\n\n'
    '  footway camera gallery:city --stops "100,100; 300,300; 60,200" --order optimised --speed 8 '
    "--json\n\n"
    "  footway camera plaza.geojson --follow plaza.parquet --character 7 -o behind.glb\n\n"
    "Blender opens .glb with File, Import, glTF. Exit code 3: there is no path between two stops."
)

_EYES: Final = 1.7  # m, height of the camera unless it is given
_STOPS: Final = "Stops"
_MOTION: Final = "Motion"
_FOLLOW: Final = "Behind a character"
_number = partial(opt.quantity, panel=_MOTION)


Method: TypeAlias = Literal["voronoi_prm", "short"]
Order: TypeAlias = Literal["kept", "optimised"]


def camera(
    map_name: opt.MapArgument,
    *,
    stops: Annotated[
        opt.Parts | None,
        opt.option(
            "Positions of the stops, metres, and their floors in a building; two or more.",
            unit='"X,Y[,FLOOR]; ..."',
            panel=_STOPS,
            parser=opt.places,
        ),
    ] = None,
    dwell: Annotated[
        opt.Parts | None,
        opt.option(
            "Time to wait, turned to the target: one number for all stops, or one for each stop. "
            "The time to turn is added.",
            unit='SECONDS | "S; S; ..."',
            default="0: pass without stopping",
            panel=_STOPS,
            parser=opt.seconds,
        ),
    ] = None,
    look_at: Annotated[
        opt.Parts | None,
        opt.option(
            "View target during the dwell time, one for each stop; empty for none.",
            unit='"X,Y[,Z]; ; ..."',
            panel=_STOPS,
            parser=opt.targets,
        ),
    ] = None,
    order: Annotated[
        Order | None,
        opt.option(
            "Visit the stops in the given order, or in the shortest order from the first on.",
            default="kept",
            panel=_STOPS,
        ),
    ] = None,
    radius: Annotated[
        float | None,
        opt.quantity(
            "METRES",
            "Least distance of the camera to every wall.",
            "0.25; on a roadmap the radius of its object; behind a character at most its "
            "own distance",
        ),
    ] = None,
    clearance: Annotated[
        float | None, opt.option("Old name of --radius.", parser=opt.number, hidden=True)
    ] = None,
    method: Annotated[
        Method | None,
        opt.option(
            "Use a Voronoi roadmap with circular blends, or shortest paths.",
            default="voronoi_prm; a saved map is used as it is",
        ),
    ] = None,
    speed: Annotated[float | None, _number("M/S", "Greatest speed.", "1.4")] = None,
    acceleration: Annotated[float | None, _number("M/S2", "Greatest acceleration.", "0.5")] = None,
    deceleration: Annotated[float | None, _number("M/S2", "Greatest deceleration.", "0.5")] = None,
    turn_rate: Annotated[
        float | None,
        _number(
            "RAD/S",
            "Greatest speed in a bend, divided by its radius; slight bends may be faster.",
            "0.8",
        ),
    ] = None,
    look_ahead: Annotated[
        float | None, _number("SECONDS", "Look at the position after this time.", "1")
    ] = None,
    arcs: Annotated[
        Literal["eased", "strict"] | None,
        opt.option(
            "Speed on arcs: the turn rate times the radius (strict), or more in slight bends.",
            default="eased",
        ),
    ] = None,
    height: Annotated[
        float | None, _number("METRES", "Height above the ground.", "1.7; 2.5 behind a character")
    ] = None,
    rate: Annotated[
        float | None,
        _number(
            "FRAMES/S", "Rows of a table and keyframes of an animated camera per second.", "30"
        ),
    ] = None,
    follow: Annotated[
        str | None,
        opt.option(
            "Follow a character of this recording (.parquet) instead of visiting stops.",
            unit="RUN",
            panel=_FOLLOW,
        ),
    ] = None,
    character: Annotated[
        int | None,
        opt.option(
            "Character to follow.",
            unit="ID",
            default="the one that is present longest",
            panel=_FOLLOW,
        ),
    ] = None,
    distance: Annotated[
        float | None, _number("METRES", "Distance behind the character.", "4", panel=_FOLLOW)
    ] = None,
    output: Annotated[
        list[str] | None,
        opt.output_file(
            "Save a table (.csv, .json) or an animated camera (.glb, .gltf). May be repeated."
        ),
    ] = None,
    between: opt.BetweenOption = None,
    up: opt.UpOption = None,
    scale: opt.ScaleOption = None,
    json: opt.JsonOption = False,
    plot: opt.PlotOption = None,
) -> None:
    """Move a camera through a map: smooth, clear of walls, as fast as its bounds allow.

    The camera looks one second ahead, slows down for bends, and waits at stops for their dwell
    time, turned to their target. It passes a stop without a dwell time in a bend if there is space.
    The result is a table, a picture of the path with its speed, and a camera for Blender.
    """
    speeds = opt.given(
        speed=speed, acceleration=acceleration, deceleration=deceleration, look_ahead=look_ahead,
        arcs=arcs,
    )  # fmt: skip
    shared = opt.given(
        radius=clearance if radius is None else radius, turn_rate=turn_rate, height=height,
        rate=rate,
    )  # fmt: skip
    files, source = output or [], opt.Source(map_name, scale, between, up)
    _check_files(files, plot)
    if follow is None:
        options = shared | speeds
        why = "is for a camera behind a character; add --follow"
        _refuse(why, opt.given(character=character, distance=distance))
        if stops is None:
            raise BadInput("the camera has nowhere to go; give --stops or --follow")
        visited = make_stops(stops, dwell, look_at)
    else:
        options = shared | opt.given(distance=distance)
        tour = opt.given(stops=stops, dwell=dwell, look_at=look_at, order=order, method=method)
        _refuse("is for a tour; leave it out with --follow", tour | speeds)
    shot: CameraMotion
    with timed_steps() as steps:
        if follow is None:
            loaded = _load_for_tour(source, method, options.get("radius", RADIUS), steps)
            _check_floors(loaded, visited)
            made_for = loaded.corridors.solver.made_for
            options.setdefault("radius", RADIUS if made_for is None else made_for)
            shot = _visit(loaded, visited, order or "kept", options, steps, plot, quiet=json)
        else:
            loaded = load_map(source, steps)
            shot, character = _follow(loaded, follow, character, options, steps)
        if files:
            from footway.plot.camera_files import save_camera

            scene = loaded.environment or loaded.corridors
            with steps.step("save", f"Writing {', '.join(files)}"):
                for file in files:
                    save_camera(shot, file, environment=scene)
        cmap, environment = loaded

        def draw() -> Figure:
            if loaded.building is not None:
                ground = shot.positions - (0.0, 0.0, options.get("height", _EYES))
                return pictures.draw_building(cmap, path=ground, style="axonometry")
            return pictures.draw_camera(cmap, shot, environment=environment)

        reports.draw(draw, plot, steps)
    if json:
        written = {"output": list(files), "plot": plot}
        known = {"map": map_name, "character": character, **_as_json(shot)}
        reports.print_json({**known, "times_ms": steps.in_ms(), **written})
    else:
        behind = "" if character is None else f", behind character {character}"
        reports.print_lines(_as_text(f"{map_name}{behind}", shot, steps, files))
        reports.print_written(plot)


def _refuse(why: str, options: dict[str, Any]) -> None:
    """Refuse options that do not apply."""
    for name in options:
        raise BadInput(f"{opt.as_typed(name)} {why}")


def _check_files(files: Sequence[str], plot: str | None) -> None:
    """Check all output files before the computation."""
    opt.check_plot(plot)
    for file in files:
        from footway.plot.camera_files import check_camera_file

        check_camera_file(file)
        opt.check_writable(file)
    opt.check_different([*files, plot])


def make_stops(at: opt.Parts, dwell: opt.Parts | None, look_at: opt.Parts | None) -> list[Stop]:
    """Return the stops of a tour.

    Raises:
        BadInput: the number of dwell times or targets is not the number of stops.
    """
    from footway.camera import Stop

    times = _one_for_each(dwell, "--dwell", len(at), spread=True)
    things = _one_for_each(look_at, "--look-at", len(at))
    return [
        Stop(place, dwell=time or 0.0, look_at=thing)
        for place, time, thing in zip(at, times, things, strict=True)
    ]


def _one_for_each(
    parts: opt.Parts | None, typed: str, number: int, *, spread: bool = False
) -> list[Any]:
    """Return one part for each stop; with `spread`, a single part is for all of them."""
    if parts is None:
        return [None] * number
    if len(parts) == number + 1 and parts[-1] is None:
        parts = opt.Parts(parts[:-1])  # after a semicolon at the end
    if spread and len(parts) == 1:
        return list(parts) * number
    if len(parts) != number:
        example = ";".join(["3", "", "5", *[""] * number][:number])
        hint = f"one for each, such as {example!r}" if spread else "one for each, empty for none"
        many = reports.count(len(parts), "part")
        raise BadInput(f"{typed} has {many} and there are {number} stops; give {hint}")
    return list(parts)


def _load_for_tour(
    source: opt.Source, method: Method | None, radius: float, steps: Steps
) -> LoadedMap:
    """Load a saved map; for any other build the Voronoi roadmap or the corridor map."""
    if is_saved(source.name):
        if method is not None:
            raise BadInput(f"{source.name}: is a saved map and used as it is; leave --method out")
        saved = LoadedMap(load_saved(source, steps), None)
        return saved if saved.building is not None else load_map(source, steps)
    environment = load_plan_or_building(source, steps)
    if hasattr(environment, "floors"):
        if method is not None:
            raise BadInput(f"{source.name}: is a building, with shortest paths; leave --method out")
        return build_map(environment, steps)
    if method == "short":
        return build_map(environment, steps)
    from footway.corridor import CorridorMap
    from footway.roadmap.voronoi.voronoi_prm import voronoi_prm

    with steps.step("build", "Building the roadmap"):
        roadmap = voronoi_prm(environment, radius=radius)
        return LoadedMap(CorridorMap.from_roadmap(roadmap), environment)


def _check_floors(loaded: LoadedMap, stops: list[Stop]) -> None:
    """Check that stops have a floor in a building, and none on a plan."""
    for stop in stops:
        if loaded.building is not None and len(stop.at) == 2:
            floors = ", ".join(floor.name for floor in loaded.building.floors)
            raise BadInput(
                f"--stops: the map is a building; give X,Y,FLOOR with one of {floors}, not "
                f"{reports.place(stop.at)}"
            )
        if loaded.building is None and len(stop.at) == 3:
            x, y, floor = stop.at
            raise BadInput(f"--stops: '{x:g},{y:g},{floor}' is not a place on a plan: give X,Y")


def _visit(
    loaded: LoadedMap,
    stops: list[Stop],
    order: Order,
    options: dict[str, Any],
    steps: Steps,
    plot: str | None,
    *,
    quiet: bool,
) -> CameraMotion:
    """Visit all stops. Without a path, draw the first two stops that have none between them."""
    from footway.camera import tour

    def draw_why_not(refusal: NoPath) -> Figure | None:
        at = [stop.at for stop in stops]
        for start, goal in pairwise(at) if order == "kept" else combinations(at, 2):
            try:
                loaded.corridors.path(start, goal, radius=options["radius"])
            except NoPath:
                return reports.draw_refusal(*loaded, start, goal, refusal)
        return None

    with (
        reports.drawing_refusals(draw_why_not, plot, quiet=quiet),
        steps.step("tour", "Planning the tour"),
    ):
        return tour(loaded.corridors, stops, order=order, **options)


def _follow(
    loaded: LoadedMap, run: str, character: int | None, options: dict[str, Any], steps: Steps
) -> tuple[CameraMotion, int]:
    """Follow a character of a recording as long as it is present; also return its id."""
    import numpy as np  # slow to import: --help does not need it

    from footway.camera import follow
    from footway.crowd import Recording
    from footway.recording.trajectories import check_clear, check_inside

    cmap, environment = loaded
    with steps.step("read", f"Reading {run}"):
        recording = Recording.load(run)
        known = recording.characters.ids
        if not len(known):
            raise BadInput(f"{run}: the recording has no characters; there is none to follow")
        if environment is None:
            check_clear(recording, cmap, cmap.name)
        else:
            check_inside(recording, environment, environment.name)
    reports.warn_if_incomplete(run, recording)
    if character is None:  # the one that is in most frames; the first of several
        ids, frames = np.unique(recording.ids, return_counts=True)
        character = int(ids[frames.argmax()])
    if character not in known:
        raise BadInput(
            f"--character {character} is not in {run}; it has {len(known):,} characters, from "
            f"{known.min()} to {known.max()}"
        )
    with steps.step("follow", "Following"):
        return follow(recording, character, cmap=cmap, **options), character


# -- reports -------------------------------------------------------------------------------------


def _as_json(motion: CameraMotion) -> dict[str, Any]:
    """Return the motion without its frames as JSON values."""
    known = motion.to_dict()
    del known["columns"], known["frames"]
    speeds = {"top_speed": float(motion.speeds.max()), "mean_speed": _mean_speed(motion)}
    return known | speeds | {"frames": len(motion.times)}


def _as_text(name: str, motion: CameraMotion, steps: Steps, files: Sequence[str]) -> Iterator[str]:
    from footway.plot.camera_files import KINDS

    stops = getattr(motion, "stops", ())
    top, mean = motion.speeds.max(), _mean_speed(motion)
    is_certified = math.isfinite(motion.clearance)
    yield f"Camera through {name}" + (f": {reports.count(len(stops), 'stop')}" if stops else "")
    rows = [
        ("length", f"{motion.length:,.2f} m"),
        ("duration", f"{motion.duration:,.1f} s"),
        ("speed", f"at most {top:.2f} m/s, {mean:.2f} on average"),
        ("clearance", f"{motion.clearance:.3f} m"),
        ("frames", f"{len(motion.times):,}, {motion.rate:g} a second"),
        ("time", steps.as_text()),
    ]
    yield from reports.facts(row for row in rows if is_certified or row[0] != "clearance")
    if stops:
        yield from _timetable(motion)
    if is_certified:
        yield f"Certified: the camera stays {motion.clearance:.3f} m or more from every wall."
    for file in files:
        yield f"Wrote {file}: {KINDS[Path(file).suffix.lower()]}"


def _timetable(motion: Any) -> Iterator[str]:
    """Return the time at each stop of a tour, and the distance to stops that are passed."""
    rows = zip(
        motion.stops, motion.order, motion.arrivals, motion.departures, motion.misses, strict=True
    )
    for stop, k, arrival, departure, miss in rows:
        stays = departure - arrival
        what = f"stays {stays:.1f} s" if stays > 0 else f"passes {miss:.2f} m away"
        if k == motion.order[0] and stays == 0:
            what = "starts"
        elif k == motion.order[-1] and stays == 0:
            what = "ends"
        looks = f", looks at {reports.place(stop.look_at)}" if stop.look_at is not None else ""
        yield f"  {arrival:8.1f} s   stop {k + 1} {reports.place(stop.at)}: {what}{looks}"


def _mean_speed(motion: CameraMotion) -> float:
    """Return the mean speed including dwell times, m/s."""
    return motion.length / motion.duration if motion.duration > 0 else 0.0
