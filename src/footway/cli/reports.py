"""Print results: text or JSON on standard output, everything else on standard error."""

from __future__ import annotations

import json
import pathlib
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from footway import plot as pictures
from footway.errors import NoPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.figure import Figure

    from footway.cli.progress import Steps
    from footway.corridor import CorridorMap, Path, Pinch, TautPath
    from footway.corridor.building.path import BuildingPath
    from footway.environment import Environment, Volume
    from footway.recording.recording import Recording
    from footway.roadmap.maps.space_map import SpaceMap
    from footway.terrain import IndicativeRoute

_REASONS: Final = {
    "components": "no path at any radius",
    "pinch": "the widest path is too narrow",
    "no room": "the disc does not fit at one end",
    "blocked": "dynamic obstacles block the path",
}
"""Text in the picture by `NoPath.reason`."""


def print_titles(what: str, titles: Mapping[str, str | None], *, json: bool) -> None:
    """Print what an option --list lists, by name."""
    if json:
        print_json({what: [{"name": name, "title": title} for name, title in titles.items()]})
    else:
        print_lines(facts((name, title or "") for name, title in titles.items()))


def say(line: str) -> None:
    """Print a message on standard error."""
    print(f"footway: {line}", file=sys.stderr, flush=True)  # noqa: T201


def print_json(answer: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(answer, allow_nan=False))  # noqa: T201


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output."""
    for line in lines:
        print(line)  # noqa: T201


def print_written(*files: str | None) -> None:
    """Print the names of the files that were written."""
    print_lines(f"Wrote {file}" for file in files if file is not None)


def facts(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return names and values in two aligned columns."""
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return [f"  {name:<{width}}   {value}" for name, value in rows]


def milliseconds(seconds: float) -> str:
    """Format a duration in milliseconds, with three significant digits if it is short."""
    ms = 1000.0 * seconds
    if ms < 10:
        return f"{ms:.2f} ms"
    return f"{ms:,.1f} ms" if ms < 100 else f"{ms:,.0f} ms"


def place(point: Sequence[float | str]) -> str:
    """Format a point (x, y), (x, y, z) or (x, y, floor) in metres, to the centimetre."""
    parts = (value if isinstance(value, str) else f"{value:.2f}" for value in point)
    return f"({', '.join(parts)})"


def count(number: int, thing: str) -> str:
    """Return "1 path", "2 paths"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def repair_facts(environment: Environment) -> list[dict[str, Any]]:
    """Return the repairs of the input as JSON values."""
    return [
        {"kind": repair.kind, "at": list(repair.at), "detail": repair.detail}
        for repair in environment.repairs
    ]


def pinch_facts(pinch: Pinch) -> dict[str, Any]:
    """Return a pinch as JSON values."""
    return {
        "width": pinch.width,
        "radius": pinch.radius,
        "at": list(pinch.at),
        "left": list(pinch.left),
        "right": list(pinch.right),
    }


def ends(path: Path | BuildingPath | IndicativeRoute) -> str:
    """Return "from START to GOAL"."""
    return f"from {place(path.start)} to {place(path.goal)}"


def certificate(path: TautPath | BuildingPath) -> str:
    """Return the certificate of a path."""
    return (
        f"Certified: a disc of radius {path.radius:g} m that follows this path crosses no wall; "
        f"its centre stays {path.clearance:.3f} m or more from every wall."
    )


def widest(pinch: Pinch, path: TautPath | BuildingPath) -> str:
    """Return which radius gets through, and where the widest path is narrowest."""
    return f"a radius of {pinch.radius:.3f} m gets through, {_narrowest(pinch, path)}"


def _narrowest(pinch: Pinch, path: TautPath | BuildingPath) -> str:
    """Say where the widest path is narrowest: at an end, or in a passage."""
    if pinch.left == pinch.right:  # the wall beside an end, not the two sides of a passage
        both = {"start": tuple(path.start[:2]), "goal": tuple(path.goal[:2])}
        here = [end for end, at in both.items() if at == tuple(pinch.at)]
        if here:  # else the cabin of a lift
            return f"which is the distance of the {' or '.join(here)} to the wall"
    return f"narrowest at {place(pinch.at)}{f' on {pinch.where}' if pinch.where else ''}"


def describe_object(smap: SpaceMap, radius: float = 0.0) -> str:
    """Describe the moving object in space: a ball of at least the object's radius, or a box."""
    if smap.radius:
        return f"a ball of radius {max(radius, smap.radius):g} m"
    return f"a box of {' x '.join(f'{side:g}' for side in smap.roadmap.space.size)} m"


def certificate_in_space(smap: SpaceMap, radius: float, clearance: float, where: str) -> str:
    """Return the certificate of a path or walk in space; `where` is e.g. "on this walk"."""
    whose = "its centre" if smap.radius else "it"
    return (
        f"Certified: {describe_object(smap, radius)} {where} never runs into an obstacle; "
        f"{whose} stays {clearance:.3f} m or more from each."
    )


def warn_of_ignored(name: str, made: Environment | Volume | None) -> None:
    """Warn about parts of a map that are ignored, or misspelled: they may be walls."""
    repairs = made.repairs if made else ()
    ignored = [repair for repair in repairs if repair.kind in ("ignored", "spelling")]
    if ignored:
        more = "" if len(ignored) == 1 else f" (and {len(ignored) - 1} more: footway check {name})"
        say(f"{name}: {ignored[0]}{more}")


def warn_if_incomplete(run: str, recording: Recording) -> None:
    """Warn if a recording is incomplete."""
    from footway.recording.storage import unfinished_parts

    if recording.complete:
        return
    parts = unfinished_parts(pathlib.Path(run))
    where = f", in {parts[0].parent}" if parts else ""
    frames = count(recording.n_frames, "frame")
    say(f"{run}: the run was interrupted or is not finished; it has {frames}{where}")


# -- pictures ------------------------------------------------------------------------------------


def draw(make: Callable[[], Figure], plot: str | None, steps: Steps) -> None:
    """Make and write a picture if it was requested."""
    if plot is not None:
        with steps.step("plot", f"Drawing {plot}"):
            pictures.save_picture(make(), plot)


def draw_floors(cmap: CorridorMap, recording: Recording, frame: int, *, title: str = "") -> Figure:
    """Draw one frame of a crowd in a building, floors side by side."""
    floors, _ = recording.floors_at(frame)
    now = recording.frame(frame)
    people = [(x, y, floor) for (x, y), floor in zip(now.positions.tolist(), floors, strict=True)]
    figure = pictures.draw_building(cmap, people=people)
    name, after = title or recording.map_name, f"after {now.time:,.1f} s"
    words = filter(None, (name, count(len(people), "character"), after))
    figure.suptitle("  ·  ".join(words), fontsize=9)
    return figure


@contextmanager
def drawing_refusals(
    make: Callable[[NoPath], Figure | None], plot: str | None, *, quiet: bool
) -> Iterator[None]:
    """Draw the reason of a NoPath error if a picture was requested, and raise the error again."""
    try:
        yield
    except NoPath as refusal:
        figure = None if plot is None else make(refusal)
        if figure is not None and plot is not None:
            pictures.save_picture(figure, plot)
            print_lines([] if quiet else [f"Wrote {plot}"])
        raise


def draw_refusal(
    cmap: CorridorMap,
    environment: Environment | None,
    start: Sequence[float],
    goal: Sequence[float],
    refusal: NoPath,
) -> Figure:
    """Draw start and goal, and the pinch if there is one; of a building only the pinch."""
    if hasattr(cmap, "building"):
        passages = [] if refusal.pinch is None else [refusal.pinch]
        return pictures.draw_building(cmap, passages=passages)
    because = _REASONS[refusal.reason]
    if refusal.reason == "blocked" and not refusal.obstacles:  # a walk that made no progress
        because = "the walk gets no further"
    return pictures.draw_no_path(
        cmap,
        (start[0], start[1]),
        (goal[0], goal[1]),
        pinch=refusal.pinch,
        because=because,
        environment=environment,
    )
