"""Crowds in the tiled city: the cost of a step of 0.1 s, from 1,000 to 1,000,000 characters.

All crowds have 0.1 characters for each free square metre: a crowd gets a square part of the gallery
city, tiled where one is too small, without the houses that its border would cut. Characters have a
radius of 0.25 m and walk at 1.2 m/s to a random goal within 500 m, and then to the next. A step is
one call of `crowd.step`: order, attraction points, forces, walls, arrivals, and the paths of those
who ask for one. Garbage is collected as Python does it. "min" and "median" are those of the rounds'
mean step, so that work done now and then is in them. The longest step of a round is divided by the
median step of that round. Parts are timed by the profiler in steps of their own. Memory is that of
the arrays which grow with the crowd, and the growth of the process; the map is not in it.

Peers get the same walls, characters and goals, and move them in turn with Footway, round by round.
pyrvo avoids and plans nothing: it is given the corners of Footway's shortest paths, nobody replans,
it works on one thread, and it looks no further than Footway's characters do: with the ranges of its
own examples it is slower. JuPedSim plans every path anew in every step. Ratios to Footway are
those to one thread. The load of a core is that of crowds in one whole city, as in figure 4 of
cmm-crowds-2008, where one core of a 2.4 GHz Core 2 did it in another city of this size.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

import footway as fw
from benchmarks.crowd_peers import JUPEDSIM, ORCA, seconds_of
from benchmarks.crowd_runs import PARTS, REST, STEP, THREADS, filled, measure, named
from benchmarks.crowd_scene import DENSITY
from benchmarks.report import Outcome, Table, Target
from footway.environment import gallery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.crowd_runs import Measured
    from benchmarks.effort import Effort
    from benchmarks.report import Cell

BASE = 10_000  # characters: what larger crowds are compared with
REAL_TIME = 500_000  # characters that two cores should move in real time
MOST = 1_000_000

LOADS = (100, 300, 1_000, 3_000, 5_000, 10_000)
PAPER_LOADS = {5_000: 40.0, 10_000: 100.0}  # %; cmm-crowds-2008, abstract and section 5.3


def run(effort: Effort) -> Outcome:
    """Check each crowd, then time it, smallest first."""
    sizes = [measure(count, effort) for count in effort.crowds]
    tables = [
        _step_table(sizes),
        _part_table(sizes),
        _entry_table(sizes),
        *(_peer_table(size) for size in sizes if len(size.laps) > len(THREADS)),
        _walking_table(sizes),
        _load_table([count for count in LOADS if count <= max(effort.crowds)], effort.crowd_steps),
    ]
    absent = dict.fromkeys(remark for size in sizes for remark in size.absent)
    return Outcome(tables, _checked(sizes), _targets(sizes), [*absent, *_stuck(sizes)])


def _checked(sizes: Sequence[Measured]) -> str:
    looks = sum(size.observed.looks for size in sizes)
    least = min(min(size.observed.clearance, size.nearest) for size in sizes)
    counts = ", ".join(f"{size.count:,}" for size in sizes)
    return (
        f"of {counts} characters nobody overlaps a wall in {looks:,} character-steps, nor by "
        f"Shapely's measure at the end of the run (nearest {least:.6f} m); all but 0.1 % at most "
        "left their place while they were watched; positions and velocities at the end are the "
        "same bits on one thread and on two."
    )


def _stuck(sizes: Sequence[Measured]) -> list[str]:
    """Describe the stuck characters."""
    remarks = []
    for size in sizes:
        causes = ", ".join(f"{n} {cause}" for cause, n in Counter(size.stuck).items())
        if causes:
            remarks.append(f"of {size.count:,} characters {len(size.stuck)} are stuck: {causes}")
    return remarks or ["Nobody is stuck."]


# -- tables ----------------------------------------------------------------------------------


def _step_table(sizes: Sequence[Measured]) -> Table:
    columns = (
        "characters", "threads", "min, ms", "median, ms", "median step, ms",
        "longest / median step: least", "median", "min, ns per character", "ratio to 10,000",
        "of real time, %",
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for size in sizes:
        for threads in THREADS:
            who = named(threads)
            mean, longest = size.mean_step(who), size.longest(who)
            each = 1e6 * mean.minimum / size.count
            times = (mean.minimum, mean.median, size.median_step(who).median)
            real = 100 * mean.median / (1e3 * STEP)
            ratio = _growth(sizes, size, threads)
            rows.append(
                (f"{size.count:,}", threads, *times, longest.minimum, longest.median, each,
                 None if ratio is None else ratio[0], real)
            )  # fmt: skip
    return Table(f"A step, {DENSITY:g} characters per free m2", columns, rows)


def _growth(sizes: Sequence[Measured], size: Measured, threads: int) -> tuple[float, float] | None:
    """Return the cost per character relative to the crowd of 10,000, by minimum and median."""
    base = next((other for other in sizes if other.count == BASE), None)
    if base is None:
        return None
    ours, theirs = size.mean_step(named(threads)), base.mean_step(named(threads))
    share = base.count / size.count
    return share * ours.minimum / theirs.minimum, share * ours.median / theirs.median


def _part_table(sizes: Sequence[Measured]) -> Table:
    columns = ("characters", "threads", *(f"{part}, ns" for part in (*PARTS, REST)))
    rows = [
        (f"{size.count:,}", threads, *(1e9 * parts[part] / size.count for part in (*PARTS, REST)))
        for size in sizes
        for threads, parts in size.parts.items()
    ]
    return Table("What a step is made of, for each character", columns, rows)


def _entry_table(sizes: Sequence[Measured]) -> Table:
    columns = (
        "characters",
        "map, m",
        "map built, s",
        *(f"`add`, {threads} thread{'s' * (threads > 1)}, s" for threads in THREADS),
        "arrays, bytes per character",
        "process, bytes per character",
    )
    rows = [
        (f"{size.count:,}", size.side, size.build, *(size.add[threads] for threads in THREADS),
         size.memory.arrays, size.memory.resident)
        for size in sizes
    ]  # fmt: skip
    return Table("Time to begin, and memory", columns, rows)


def _peer_table(size: Measured) -> Table:
    ours = size.mean_step(named(1))
    rows: list[tuple[Cell, ...]] = []
    for who in size.laps:
        mean = size.mean_step(who)
        ratio = mean.minimum / ours.minimum
        rows.append((who, mean.minimum, mean.median, ratio, size.speeds.get(who)))
    columns = ("a step of", "min, ms", "median, ms", "ratio to Footway", "progress, m/s")
    return Table(f"{size.count:,} characters, next to peers", columns, rows)


def _walking_table(sizes: Sequence[Measured]) -> Table:
    columns = (
        "characters", "character-steps watched", "nearest to a wall, m",
        "overlap deeper than 10 % of the radius, %", "did not leave their place",
        "stuck at the end", "mean speed, m/s",
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for size in sizes:
        seen = size.observed
        faults = (100 * seen.overlaps, seen.still, len(size.stuck))
        rows.append((f"{size.count:,}", seen.looks, seen.clearance, *faults, seen.speed))
    return Table("How they walk", columns, rows)


def _load_table(counts: Sequence[int], steps: int) -> Table:
    """Return the load of one core by crowds of the paper's sizes in one city."""
    cmap = fw.CorridorMap.build(gallery.make("city"))
    rows: list[tuple[Cell, ...]] = []
    for count in counts:
        _, crowd = filled(cmap, count, 1)
        crowd.step(steps)
        load = 100 * float(np.mean(seconds_of(crowd.step, steps))) / STEP
        paper = PAPER_LOADS.get(count)
        rows.append((f"{count:,}", load, paper, paper / load if paper else None))
    columns = ("characters", "load, %", "paper's, %", "paper / ours")
    return Table("Load of one core, one city of 500 x 500 m", columns, rows)


# -- targets ---------------------------------------------------------------------------------


def _targets(sizes: Sequence[Measured]) -> list[Target]:
    by_count = {size.count: size for size in sizes}
    base = by_count.get(BASE)
    return [
        _time("10,000 characters, one thread", 5.0, base, 1),
        _times_slower("pyrvo's step", ORCA, 3.0, base),
        _times_slower("JuPedSim's step", JUPEDSIM, 500.0, base),
        _time("500,000 in real time, two threads", 100.0, by_count.get(REAL_TIME), 2),
        _time("stretch: 1,000,000 in real time, two threads", 100.0, by_count.get(MOST), 2),
        *(_stall(count, by_count.get(count)) for count in (BASE, 100_000, MOST)),
        *(_grown(sizes, by_count.get(MOST), threads) for threads in THREADS),
        _overlaps(base),
    ]


def _time(what: str, limit: float, size: Measured | None, threads: int) -> Target:
    if size is None:
        return Target(what, limit, "ms", None)
    mean = size.mean_step(named(threads))
    return Target(what, limit, "ms", mean.median, mean.minimum)


def _times_slower(what: str, who: str, limit: float, size: Measured | None) -> Target:
    """Return the time of a peer's step relative to ours, 10,000 characters, one thread."""
    what = f"{what} over ours, 10,000 characters"
    if size is None or who not in size.laps:
        return Target(what, limit, "x", None, at_least=True)
    ours, theirs = size.mean_step(named(1)), size.mean_step(who)
    ratios = theirs.median / ours.median, theirs.minimum / ours.minimum
    return Target(what, limit, "x", *ratios, at_least=True)


def _stall(count: int, size: Measured | None) -> Target:
    what = f"longest / median step, {count:,}, two threads"
    if size is None:
        return Target(what, 3.0, "x", None)
    longest = size.longest(named(2))
    return Target(what, 3.0, "x", longest.median, longest.minimum)


def _grown(sizes: Sequence[Measured], size: Measured | None, threads: int) -> Target:
    what = f"cost of a character, 1,000,000 over 10,000, {threads} thread{'s' * (threads > 1)}"
    growth = None if size is None else _growth(sizes, size, threads)
    if growth is None:
        return Target(what, 1.5, "x", None)
    fastest, median = growth
    return Target(what, 1.5, "x", median, fastest)


def _overlaps(size: Measured | None) -> Target:
    what = "character-steps with an overlap deeper than 10 % of the radius, 10,000"
    return Target(what, 0.1, "%", None if size is None else 100 * size.observed.overlaps)
