"""Report of the demo, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footway.cli.crowd_report import by_population
from footway.cli.output import facts, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.cli.demo import Show


def as_json(show: Show) -> dict[str, Any]:
    """Return the report as JSON values."""
    (cmap, city), crowd, cost = show.loaded, show.crowd, show.crowd.cost
    assert city is not None
    return {
        "map": city.name,
        "area": city.area,
        "holes": city.holes,
        "vertices": cmap.n_vertices,
        "edges": cmap.n_edges,
        "characters": len(crowd),
        "populations": by_population(crowd),
        "seconds": show.seconds,
        "steps": crowd.steps,
        "median_step_ms": 1000.0 * cost.median,
        "longest_step_ms": 1000.0 * cost.longest,
        "share_of_real_time": _share(show),
        "character_steps_per_second": _rate(show),
        "arrivals": crowd.arrivals,
        "stuck": [{"id": one.id, "at": one.position, "cause": one.cause} for one in crowd.stuck],
        "least_gap": show.gap,
        "written": list(show.written),
        "times_ms": show.steps.in_ms(),
    }


def as_text(show: Show) -> Iterator[str]:
    """Return the lines to print."""
    crowd, written = show.crowd, show.written
    yield f"A city and {len(crowd):,} characters, for {show.seconds:g} s"
    yield from facts((name, f"{took:>9}   {words}") for name, took, words in _rows(show))
    yield _verdict(show)
    yield f"Look at {written.picture} and {written.animation}. Next:"
    yield f"  footway path {written.corridors} --start 2,3 --goal 480,451 --plot path.png"
    yield f"  footway export {written.recording} -o crowd.txt"
    yield "  footway simulate demo:evacuation --plot evacuation.png"


def _rows(show: Show) -> Iterator[tuple[str, str, str]]:
    """Return each step with its duration and its result."""
    crowd, cost, written = show.crowd, show.crowd.cost, show.written
    took = {name: milliseconds(seconds) for name, seconds in show.steps.seconds.items()}
    corridors = show.loaded.corridors
    kinds = [f"{number:,} {name}" for name, number in by_population(crowd).items()]
    steps = f"{crowd.steps:,} steps of {crowd.dt:g} s"
    rate = f"{_rate(show) / 1e6:.1f} million character-steps per second"
    files = (written.recording, written.corridors, written.environment)
    yield "city", took["load"], _city_words(show)
    yield "map", took["build"], f"{corridors.n_vertices:,} vertices, {corridors.n_edges:,} edges"
    yield "crowd", took["crowd"], ", ".join(kinds[:3])
    yield "", "", ", ".join(kinds[3:])
    yield "walk", took["walk"], f"{steps}: {_share(show):.1%} of real time, recorded"
    longest = f"longest {milliseconds(cost.longest)}"
    yield "a step", milliseconds(cost.median), f"median; {longest}; {rate}"
    yield "check", took["check"], f"of every frame: {1000.0 * show.gap:.2f} mm or more to any wall"
    yield "picture", took["picture"], written.picture
    yield "animation", took["animation"], written.animation
    yield "files", took["save"], ", ".join(files)


def _verdict(show: Show) -> str:
    stuck = show.crowd.stuck
    named = ", ".join(f"{one.id} ({one.cause})" for one in stuck[:5])
    who = f"{len(stuck):,} are stuck: {named}" if stuck else "nobody is stuck"
    through = "nobody walked into a wall" if show.gap >= 0.0 else "somebody is in a wall"
    return f"{show.crowd.arrivals:,} goals were reached, {who}, {through}."


def _city_words(show: Show) -> str:
    city = show.loaded.environment
    assert city is not None
    x0, y0, x1, y1 = city.bounds
    size = f"{x1 - x0:.0f} x {y1 - y0:.0f} m, {city.holes} blocks and buildings"
    return f"{size}, {city.area:,.0f} m2 walkable"


def _share(show: Show) -> float:
    """Return the computing time of the run, recording included, over the simulated time."""
    return show.steps.seconds["walk"] / show.seconds


def _rate(show: Show) -> float:
    """Return character-steps per second."""
    return len(show.crowd) * show.crowd.steps / show.crowd.cost.total
