"""`footway gallery`: the built-in maps."""

from __future__ import annotations

from footway.cli.maps import JsonOption  # noqa: TC001 - Typer reads it at run time
from footway.cli.output import count, facts, print_json, print_lines


def gallery(*, json: JsonOption = False) -> None:
    """List the built-in maps.

    Use them as gallery:NAME wherever a MAP is asked for. They are made by rules,
    the same on every machine, after the environments of the papers.
    """
    from footway.environment import gallery as maps

    made = {name: maps.make(name) for name in maps.names()}
    if json:
        rows = [
            {
                "name": f"gallery:{name}",
                "bounds": list(environment.bounds),
                "area": environment.area,
                "holes": environment.holes,
            }
            for name, environment in made.items()
        ]
        print_json({"maps": rows})
        return
    pairs = []
    for name, environment in made.items():
        x0, y0, x1, y1 = environment.bounds
        size = f"{x1 - x0:4.0f} x {y1 - y0:.0f} m"
        area = f"{environment.area:9,.0f} m2 walkable"
        pairs.append((f"gallery:{name}", f"{size:>13} {area}, {count(environment.holes, 'hole')}"))
    pairs.append(("gallery:city:NxN", "  N x N cities side by side, N up to 12"))
    print_lines(facts(pairs))
