"""`footway gallery`: the built-in maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footway.cli.maps import JsonOption  # noqa: TC001 - Typer reads it at run time
from footway.cli.output import count, facts, print_json, print_lines

if TYPE_CHECKING:
    from footway.environment import Environment, Volume


def gallery(*, json: JsonOption = False) -> None:
    """List the built-in maps.

    Use them as gallery:NAME for any MAP argument. They are modelled on the environments of the
    papers, and generated identically on every machine. Maps with three lengths are
    three-dimensional: `footway build --method` builds roadmaps of them.
    """
    from footway.environment import gallery as maps

    made = {f"gallery:{name}": maps.make(name) for name in maps.names()}
    if json:
        print_json({"maps": [_as_json(name, each) for name, each in made.items()]})
        return
    pairs = [(name, _as_text(each)) for name, each in made.items()]
    pairs.append(("gallery:city:NxN", "N x N cities side by side, N up to 12"))
    print_lines(facts(pairs))


def _as_json(name: str, made: Environment | Volume) -> dict[str, Any]:
    from footway.environment import Volume

    row: dict[str, Any] = {"name": name, "bounds": list(made.bounds)}
    if isinstance(made, Volume):
        return row | {
            "dimension": 3,
            "resolution": made.resolution,
            "free_volume": made.free_volume,
        }
    return row | {"dimension": 2, "area": made.area, "holes": made.holes}


def _as_text(made: Environment | Volume) -> str:
    from footway.environment import Volume

    half = len(made.bounds) // 2
    size = [b - a for a, b in zip(made.bounds[:half], made.bounds[half:], strict=True)]
    words = f"{' x '.join(f'{side:.0f}' for side in size)} m"
    if isinstance(made, Volume):
        return f"{words:<15} {made.free_volume:9,.0f} m3 free, voxels of {made.resolution:g} m"
    return f"{words:<15} {made.area:9,.0f} m2 walkable, {count(made.holes, 'hole')}"
