"""CPU load of a crowd by its size (cmm-crowds-2008, figure 4)."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.crowd import Crowd
from footway.plot import palette, save_picture
from footway.reproduce import charts
from footway.reproduce.claims import Claim, explained, less_time, stated
from footway.reproduce.cmm.setup import RADIUS, scene
from footway.reproduce.crowds.setup import KEEP_RIGHT, PRINTED_MODEL, PRINTED_SHORTCUT, faults
from footway.reproduce.report import Picture, Section, Table, ratio
from footway.reproduce.timing import undisturbed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from footway.reproduce.cmm.setup import Scene
    from footway.reproduce.crowds.setup import Effort
    from footway.reproduce.report import Cell

SOURCE: Final = "cmm-crowds-2008, section 5.1 and figure 4"

REAL_TIME: Final = 100.0
"""%. A higher load is no longer real time (section 5.1)."""
PUBLISHED: Final[dict[float, float]] = {5_000: 40.0, 10_000: REAL_TIME}
"""% by characters: "even in environments with 5000 characters it uses only 40% of the processing
power of a single core", "approximately 10,000 characters can be simulated in real-time"."""
WALKED: Final = 260.0
"""s. Mean duration of a walk (section 2.3): in a steady state n of them reach n / 260 goals/s."""

SPARSE, CROWDED = 1_000, 10_000
"""Characters, by which "the performance does not degrade significantly" is judged."""

SPEED: Final = 1.2
"""m/s, the maximum speed of section 5.1."""
SEED: Final = 2008

FILE: Final = "crowds-figure-4.png"


class Measured(NamedTuple):
    """Measurements of one crowd."""

    place: Scene
    characters: int
    load: float  # % of one core, median over seconds
    pace: float  # m/s, mean over all
    arrivals: float  # goals reached per second
    wrong: list[str]

    @property
    def density(self) -> float:
        """Characters per m2 of free space."""
        return self.characters / float(self.place.environment.walkable.area)


def run(effort: Effort, folder: Path) -> Section:
    """Measure crowds of all sizes and draw figure 4."""
    city = [_measure(scene("city"), count, effort) for count in effort.crowds]
    printed = {
        count: _measure(scene("city"), count, effort, printed=True)
        for count in effort.crowds
        if count in (SPARSE, *PUBLISHED)
    }
    beyond = [_measure(scene("city:2x2"), count, effort) for count in effort.beyond]
    found = city + beyond
    return Section(
        "Goal-oriented crowds in the city: the CPU load",
        SOURCE,
        [_table(found, printed, effort)],
        [_draw(city, beyond, folder)],
        checked="after it nobody is in a wall, and by default nobody is stuck.",
        wrong=[words for measured in (*found, *printed.values()) for words in measured.wrong],
        claims=_claims({m.characters: m for m in city}, printed) if effort.warm > WALKED else (),
    )


def _claims(found: Mapping[int, Measured], printed: Mapping[int, Measured]) -> list[Claim]:
    where = "cmm-crowds-2008, figure 4"
    claims = [
        less_time(where, f"{count:,} characters: CPU load, %", PUBLISHED[count], m.load,
                  printed=printed[count].load)
        for count, m in found.items()
        if count in PUBLISHED
    ]  # fmt: skip
    last, grows, grows_as_printed = found[CROWDED], _growth(found), _growth(printed)
    crowded = stated(
        where, "no significant loss when it is crowded",
        f"{grows:.2f} x per character, 10,000 and 1,000", printed=f"{grows_as_printed:.2f} x",
        held=grows <= 1.5, timed=True,
    )  # fmt: skip
    slowed = f"jams form, mean speed {last.pace:.2f} m/s: characters there have many neighbours"
    return [*claims, explained(crowded, slowed)]


def _growth(found: Mapping[int, Measured]) -> float:
    """Return how much more a character costs in the crowded city."""
    return (found[CROWDED].load / CROWDED) / (found[SPARSE].load / SPARSE)


def _measure(place: Scene, count: int, effort: Effort, *, printed: bool = False) -> Measured:
    """Measure the CPU time of a crowd whose characters get new goals when they arrive."""
    crowd = Crowd(place.cmap, seed=SEED, threads=1)
    if printed:
        crowd = Crowd(place.cmap, seed=SEED, threads=1, model=PRINTED_MODEL)
        crowd.add(count, radius=RADIUS, speed=SPEED, lane=KEEP_RIGHT, shortcut=PRINTED_SHORTCUT)
    else:
        crowd.add(count, radius=RADIUS, speed=SPEED)
    warm = effort.warm if count <= max(PUBLISHED) else effort.warm_beyond
    crowd.step(round(warm / crowd.dt))
    arrivals = crowd.arrivals
    with undisturbed():
        seconds = [_second(crowd) for _ in range(effort.measured)]
    wrong = faults(crowd, f"{count:,} in {place.name}")
    return Measured(
        place,
        count,
        100.0 * median(seconds),
        float(np.hypot(*crowd.velocities.T).mean()),
        (crowd.arrivals - arrivals) / effort.measured,
        [words for words in wrong if not printed or "in a wall" in words],
    )


def _second(crowd: Crowd) -> float:
    """Return the CPU time of one second of simulated time, s."""
    begin = time.process_time()
    crowd.step(round(1.0 / crowd.dt))
    return time.process_time() - begin


def _table(found: Sequence[Measured], printed: Mapping[int, Measured], effort: Effort) -> Table:
    columns = (
        *("characters", "map", "per free m2", "CPU load, paper, %", "as printed, %", "ours, %"),
        *("paper / ours", "us per character and step", "mean speed, m/s", "goals reached per s"),
        "in a steady state",
    )
    rows: list[tuple[Cell, ...]] = [
        (
            f"{m.characters:,}",
            m.place.name,
            m.density,
            PUBLISHED.get(m.characters),
            printed[m.characters].load if m.characters in printed else None,
            m.load,
            ratio(PUBLISHED[m.characters], m.load) if m.characters in PUBLISHED else None,
            1000.0 * m.load / m.characters,
            m.pace,
            m.arrivals,
            m.characters / WALKED if m.characters <= max(PUBLISHED) else None,
        )
        for m in found
    ]
    note = (
        "The paper says that approximately 10,000 characters can be simulated in real time, which "
        "is a load of 100 %, and that 5,000 need 40 %; its curve has no numbers. Ours: median "
        f"over {effort.measured} s of simulated time, with all planning, one thread, after "
        f"{effort.warm:g} s, {effort.warm_beyond:g} s beyond 10,000. Steady state: characters / "
        f"{WALKED:g} s, the paper's mean walk; ours is as long. As printed: to attraction points, "
        f"with F_perp of k = {KEEP_RIGHT:g} and F_c between centres; mean speed "
        + ", ".join(f"{m.pace:.2f} m/s of {count:,}" for count, m in printed.items())
        + "."
    )
    return Table("CPU load by the number of characters", columns, rows, note)


def _draw(city: Sequence[Measured], beyond: Sequence[Measured], folder: Path) -> Picture:
    """Draw the load as in figure 4, and also for far larger crowds."""
    title = "CPU load of a crowd in the city"
    captions = ("As in figure 4", "Beyond: both axes in powers of ten")
    chart = charts.new_chart(title, details="cmm-crowds-2008, figure 4", captions=captions)
    plain, powers = chart.axes
    powers.set_xscale("log")
    charts.use_powers(powers)
    for axes in chart.axes:
        for found, name, colour in (
            (city, "ours, city", charts.SECOND),
            (beyond, "ours, four cities", charts.FIRST),
        ):
            shown = [m for m in found if axes is powers or m.characters <= max(PUBLISHED)]
            counts, loads = [m.characters for m in shown], [m.load for m in shown]
            if shown:
                charts.draw_line(axes, counts, loads, colour=colour, name=name)
        charts.draw_published(axes, PUBLISHED)
        axes.axhline(REAL_TIME, color=palette.INK, lw=0.7, dashes=(4.0, 2.5), zorder=1.5)
        charts.name_axes(axes, x="characters", y="CPU load of one core, %")
        axes.xaxis.set_major_formatter("{x:,.0f}")
    charts.draw_key(powers, loc="lower right")
    plain.set(xlim=(0.0, 1.04 * max(PUBLISHED)), ylim=(0.0, 1.12 * REAL_TIME))
    save_picture(chart.figure, folder / FILE)
    return Picture(FILE, f"Figure 4 of cmm-crowds-2008. {title}: up to 10,000, and beyond")
