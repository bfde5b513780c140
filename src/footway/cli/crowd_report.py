"""Report of a crowd run, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from footway.cli.output import facts, milliseconds, place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.cli.output import Steps
    from footway.cli.progress import Run
    from footway.crowd import Crowd

_MOST_STUCK: Final = 5  # listed characters
_MOST_NAMES: Final = 6  # listed populations


def as_json(run: Run) -> dict[str, Any]:
    """Return the report as JSON values."""
    crowd, cost = run.crowd, run.cost
    return {
        "title": run.scenario.title,
        "map": run.scenario.map,
        "seed": crowd.seed,
        "time": crowd.time,
        "steps": crowd.steps,
        "characters": len(crowd) + crowd.exited,
        "present": by_population(crowd),
        "arrivals": crowd.arrivals,
        "exited": crowd.exited,
        "evacuation_time": run.clock.empty_at,
        "last_exits": run.clock.left_at,
        "ms_per_step": 1000.0 * cost.mean,
        "longest_step_ms": 1000.0 * cost.longest,
        "character_steps_per_second": cost.rate,
        "share_of_real_time": cost.mean / crowd.dt,
        "stuck": [
            {"id": one.id, "at": list(one.position), "since": one.since, "cause": one.cause}
            for one in crowd.stuck
        ],
        "groups": [_dispersion(run, k) for k in range(len(crowd.groups))],
    }


def as_text(name: str, run: Run, steps: Steps) -> Iterator[str]:
    """Return the lines to print."""
    crowd, cost = run.crowd, run.cost
    share = f"{cost.mean / crowd.dt:.1%}"
    yield f"{run.scenario.title or name}: {crowd.time:,.1f} s in {crowd.steps:,} steps"
    rows = [
        ("characters", f"{len(crowd) + crowd.exited:,}, {len(crowd):,} of them there at the end"),
        ("a step", f"{milliseconds(cost.mean)}, longest {milliseconds(cost.longest)}"),
        (
            "speed",
            f"{cost.rate / 1e6:.2f} million character-steps per second, {share} of real time",
        ),
        ("arrivals", f"{crowd.arrivals:,}"),
    ]
    if crowd.exited:
        rows.append(("exits", _exits(run)))
        rows += _last_exits(run)
    rows.append(("stuck", _stuck_counts(run)))
    rows += [_group_row(run, k) for k in range(len(crowd.groups))]
    rows.append(("time", ", ".join(f"{n} {milliseconds(s)}" for n, s in steps.seconds.items())))
    yield from facts(rows)
    yield from _stuck_lines(run)


def _exits(run: Run) -> str:
    exited = f"{run.crowd.exited:,}"
    if run.clock.empty_at is None:
        return exited
    return f"{exited}, the last one after {run.clock.empty_at:.1f} s: everybody is out"


def _last_exits(run: Run) -> list[tuple[str, str]]:
    """Return when the last character of each population left, if there are several."""
    if len(run.crowd.names) < 2 or not run.clock.left_at:
        return []
    listed = [f"{name} {when:.1f} s" for name, when in run.clock.left_at.items()]
    more = f" and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    return [("last of", ", ".join(listed[:_MOST_NAMES]) + more)]


def _stuck_counts(run: Run) -> str:
    causes = Counter(one.cause for one in run.crowd.stuck)
    if not causes:
        return "nobody"
    listed = ", ".join(f"{cause} {number:,}" for cause, number in causes.most_common())
    return f"{causes.total():,} ({listed})"


def _stuck_lines(run: Run) -> Iterator[str]:
    stuck = run.crowd.stuck
    for one in stuck[:_MOST_STUCK]:
        yield (
            f"  character {one.id} is stuck at {place(one.position)} since {one.since:.1f} s: "
            f"{one.cause}"
        )
    if len(stuck) > _MOST_STUCK:
        yield f"  and {len(stuck) - _MOST_STUCK:,} more: --json lists them all"


def _dispersion(run: Run, number: int) -> dict[str, Any]:
    group = run.crowd.groups[number]
    lateral, longitudinal, area = group.dispersion
    return {
        "characters": len(group.ids),
        "lateral": float(lateral),
        "longitudinal": float(longitudinal),
        "area": float(area),
    }


def _group_row(run: Run, number: int) -> tuple[str, str]:
    """Return name and dispersion of a group at the end."""
    found = _dispersion(run, number)
    given = run.scenario.group[number].name if number < len(run.scenario.group) else None
    size = f"{found['lateral']:.1f} m wide, {found['longitudinal']:.1f} m long"
    return given or f"group {number + 1}", f"{size}, on {found['area']:.0f} m2"


def by_population(crowd: Crowd) -> dict[str, int]:
    """Return the number of present characters of each population."""
    found = Counter(crowd.populations.tolist())
    return {name: found[k] for k, name in enumerate(crowd.names)}
