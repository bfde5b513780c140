"""`footway diff`: find the first difference of two recordings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.options import JsonOption, argument
from footway.cli.reports import count, facts, print_json, print_lines, warn_if_incomplete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.recording.comparing import Comparison

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway diff before.parquet after.parquet\n\n"
    "Exit codes: 0 the recordings are equal, 1 they differ, 2 bad input."
)

DIFFERENT: Final = 1  # exit code, as of the command diff

_UNITS: Final = {"step": "s", "time": "s", "position": "m", "velocity": "m/s", "radius": "m"}


def diff(
    a: Annotated[str, argument("A", "A recording.")],
    b: Annotated[str, argument("B", "Another one.")],
    *,
    json: JsonOption = False,
) -> None:
    """Find the first frame and character in which two recordings differ.

    Times, ids, positions, velocities, radii and populations are compared bit by bit. Different
    seeds or maps are reported, but do not count as a difference. The exit code is 0 if the
    recordings are equal, and 1 if they differ.
    """
    from footway.recording.recording import Recording

    one, other = Recording.load(a), Recording.load(b)
    found = one.compare(other)
    warn_if_incomplete(a, one)
    warn_if_incomplete(b, other)
    if json:
        first = None if found.first is None else _finite(found.first._asdict())
        pairs = {name: list(pair) for name, pair in found.facts.items()}
        print_json({"a": a, "b": b, "equal": found.equal, "facts": pairs, "first": first})
    else:
        verdict = "are equal" if found.equal else "differ"
        print_lines([f"{a} and {b} {verdict}"])
        print_lines(facts(_as_text(found, one.n_frames)))
    if not found.equal:
        raise typer.Exit(DIFFERENT)


def _as_text(found: Comparison, frames: int) -> Iterator[tuple[str, str]]:
    for name, (one, other) in found.facts.items():
        unit = " s" if name == "dt" else ""
        yield name, f"{_shown(one)}{unit} in A, {_shown(other)}{unit} in B"
    if found.first is None:
        yield "same", f"the first {count(min(found.facts.get('frames', (frames,))), 'frame')}"
        return
    first = found.first
    yield "first", f"frame {first.frame}: step {first.step}, {first.time:g} s in A"
    if first.character >= 0:
        more = f" and {first.characters - 1:,} more" if first.characters > 1 else ""
        yield "character", f"{first.character}{more}"
    one, other = first.values
    if one is None or other is None:
        yield "differs", f"{first.what}; it is at {_shown(other if one is None else one)}"
        return
    by = "" if first.amount is None else f", {first.amount:g} {_UNITS[first.what]} apart"
    yield "differs", f"{first.what}: {_shown(one)} in A, {_shown(other)} in B{by}"


def _shown(value: Any) -> str:
    """Format a value at full precision."""
    if isinstance(value, list):
        return f"({', '.join(map(_shown, value))})"
    return repr(value) if isinstance(value, float) else str(value)


def _finite(value: Any) -> Any:
    """Return JSON values; NaN and infinities become strings."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
