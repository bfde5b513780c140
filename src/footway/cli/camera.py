"""`footway camera`: a camera motion from stop to stop, or behind a character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.camera_report import as_json, as_text
from footway.cli.camera_requests import FollowRequest, Method, Order, TourRequest
from footway.cli.camera_stops import DwellOption, LookOption, StopsOption, parse_stops
from footway.cli.files import check_different, check_plot, check_writable, write_plot
from footway.cli.maps import (  # noqa: TC001 - Typer reads them at run time
    JsonOption,
    MapArgument,
    PlotOption,
    ScaleOption,
)
from footway.cli.output import Steps, announced_compilation, print_json, print_lines
from footway.cli.parsing import parse_number
from footway.errors import BadInput, NoPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.camera import CameraMotion
    from footway.cli.camera_requests import Request
    from footway.cli.maps import LoadedMap

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    '  footway camera gallery:office --stops "10,20; 40,40; 59,61" -o tour.glb\n\n'
    '  footway camera plan.geojson --stops "2,3; 9,4; 20,12" --dwell "0;3;0" '
    '--look-at "; 9,9,1.2; " --plot tour.png -o tour.csv -o tour.glb\n\n'
    '  footway camera gallery:city --stops "100,100; 300,300; 60,200" --order optimised --speed 8 '
    "--json\n\n"
    "  footway camera plaza.geojson --follow plaza.parquet --character 7 -o behind.glb\n\n"
    "Blender opens .glb with File, Import, glTF. Exit code 3: there is no path between two stops."
)

_MOTION: Final = "Motion"
_FOLLOW: Final = "Behind a character"


def _number(unit: str, words: str, default: str, panel: str = _MOTION) -> Any:
    return typer.Option(metavar=unit, help=words, show_default=default, rich_help_panel=panel)


def camera(
    map_name: MapArgument,
    *,
    stops: StopsOption = None,
    dwell: DwellOption = None,
    look_at: LookOption = None,
    order: Annotated[
        Order | None,
        typer.Option(
            help="Visit the stops in the given order, or in the shortest order from the first on.",
            show_default="kept",
            rich_help_panel="Stops",
        ),
    ] = None,
    clearance: Annotated[
        str | None,
        typer.Option(
            "--clearance",
            "--radius",
            metavar="METRES",
            help="Least distance of the camera to every wall.",
            show_default="0.25; on a roadmap the radius of its object",
        ),
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help="Use a Voronoi roadmap with circular blends, or shortest paths.",
            show_default="prm; a saved map is used as it is",
        ),
    ] = None,
    speed: Annotated[str | None, _number("M/S", "Greatest speed.", "1.4")] = None,
    acceleration: Annotated[str | None, _number("M/S2", "Greatest acceleration.", "0.5")] = None,
    deceleration: Annotated[str | None, _number("M/S2", "Greatest deceleration.", "0.5")] = None,
    turn_rate: Annotated[
        str | None,
        _number(
            "RAD/S",
            "Greatest speed in a bend, divided by its radius; slight bends may be faster.",
            "0.8",
        ),
    ] = None,
    look_ahead: Annotated[
        str | None, _number("SECONDS", "Look at the position after this time.", "1")
    ] = None,
    height: Annotated[
        str | None, _number("METRES", "Height above the ground.", "1.7; 2.5 behind a character")
    ] = None,
    rate: Annotated[
        str | None, _number("FRAMES/S", "Rows of a table, and keys of an animated camera.", "30")
    ] = None,
    follow: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Follow a character of this recording (.parquet) instead of visiting stops.",
            show_default=False,
            rich_help_panel=_FOLLOW,
        ),
    ] = None,
    character: Annotated[
        int | None,
        typer.Option(
            metavar="ID",
            help="Character to follow.",
            show_default="the one that is present longest",
            rich_help_panel=_FOLLOW,
        ),
    ] = None,
    distance: Annotated[
        str | None, _number("METRES", "Distance behind the character.", "4", _FOLLOW)
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Save a table (.csv, .json) or an animated camera (.glb, .gltf). May be repeated.",
            show_default=False,
        ),
    ] = None,
    scale: ScaleOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Move a camera through a map: smooth, clear of walls, as fast as its bounds allow.

    The camera looks one second ahead, slows down for bends, and waits at stops for their dwell
    time, turned to their target. It passes a stop without a dwell time in a bend if there is space.
    The result is a table, a picture of the path with its speed, and a camera for Blender.
    """
    named = {
        "radius": clearance, "speed": speed, "acceleration": acceleration,
        "deceleration": deceleration, "turn_rate": turn_rate, "look_ahead": look_ahead,
        "height": height, "rate": rate, "distance": distance,
    }  # fmt: skip
    options = {name: _parse(name, text) for name, text in named.items() if text is not None}
    metres, files = parse_number(scale, "--scale"), output or []
    _check_files(files, plot)
    request: Request
    if follow is None:
        _refuse("is for a camera behind a character; add --follow", character=character,
                distance=distance)  # fmt: skip
        if stops is None:
            raise BadInput("the camera has nowhere to go; give --stops or --follow")
        request = TourRequest(
            parse_stops(stops, dwell, look_at), order or Order.KEPT, method, options
        )
    else:
        _refuse("is for a tour; leave it out with --follow", stops=stops,
                dwell=dwell, look_at=look_at, order=order, method=method, speed=speed,
                acceleration=acceleration, deceleration=deceleration,
                look_ahead=look_ahead)  # fmt: skip
        request = FollowRequest(follow, character, options)
    _fly(map_name, request, files, plot, scale=metres, json=json)


def _fly(
    map_name: str,
    request: Request,
    files: Sequence[str],
    plot: str | None,
    *,
    scale: float | None,
    json: bool,
) -> None:
    steps = Steps()
    with announced_compilation():
        loaded = request.load(map_name, scale=scale, steps=steps)
        try:
            motion, character = request.fly(loaded, steps)
        except NoPath as refusal:
            if plot is not None and request.draw_refusal(loaded, refusal, plot):
                print_lines([] if json else [f"Wrote {plot}"])
            raise
        _write(motion, loaded, files, steps)
        if plot is not None:
            with steps.step("plot", f"Drawing {plot}"):
                _draw(motion, loaded, plot)
    if json:
        written = {"output": list(files), "plot": plot}
        known = {"map": map_name, "character": character, **as_json(motion)}
        print_json({**known, "times_ms": steps.in_ms(), **written})
    else:
        behind = "" if character is None else f", behind character {character}"
        print_lines(as_text(f"{map_name}{behind}", motion, steps, files))
        print_lines([f"Wrote {plot}"] if plot is not None else [])


def _parse(name: str, text: str) -> float | None:
    option = "clearance" if name == "radius" else name.replace("_", "-")
    return parse_number(text, f"--{option}")


def _refuse(why: str, **given: Any) -> None:
    """Refuse options that do not apply."""
    for name, value in given.items():
        if value is not None:
            raise BadInput(f"--{name.replace('_', '-')} {why}")


def _check_files(files: Sequence[str], plot: str | None) -> None:
    """Check all output files before the computation."""
    from footway.plot.camera_files import check_camera_file

    check_plot(plot)
    for file in files:
        check_camera_file(file)
        check_writable(file)
    check_different([*files, plot] if plot is not None else files)


def _write(motion: CameraMotion, loaded: LoadedMap, files: Sequence[str], steps: Steps) -> None:
    from footway.plot.camera_files import save_camera

    ground = loaded.environment or loaded.corridors
    if files:
        with steps.step("save", f"Writing {', '.join(files)}"):
            for file in files:
                save_camera(motion, file, environment=ground)


def _draw(motion: CameraMotion, loaded: LoadedMap, plot: str) -> None:
    from footway.plot import draw_camera

    write_plot(draw_camera(loaded.corridors, motion, environment=loaded.environment), plot)
