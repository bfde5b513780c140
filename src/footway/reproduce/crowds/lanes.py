"""Two opposite flows in one corridor: lanes form, and all characters arrive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib.colors import to_rgb

from footway.corridor import CorridorMap
from footway.crowd import Crowd, Profile
from footway.environment import Environment
from footway.plot import palette, save_picture
from footway.plot.canvas import draw_page_bar, new_canvases
from footway.plot.layers import draw_free_space
from footway.plot.shapes import free_space_of
from footway.reproduce import charts
from footway.reproduce.claims import stated
from footway.reproduce.cmm.setup import RADIUS
from footway.reproduce.crowds.setup import (
    KEEP_RIGHT,
    PRINTED_MODEL,
    PRINTED_SHORTCUT,
    draw_dots,
    faults,
)
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.arrays import Floats
    from footway.reproduce.crowds.setup import Effort
    from footway.reproduce.report import Cell


SOURCE: Final = (
    "cmm-crowds-2008, sections 3 and 4 (lanes, avoidance); the papers have no numbers for it"
)

SIZE: Final = (100.0, 4.0)
"""m. Length and width of the corridor."""
DEPTH: Final = 3.0
"""m. Of the exits at both ends."""
SPEED: Final = (1.2, 0.12)
LANES: Final = {"keep right, k = -0.4": KEEP_RIGHT, "no preference, k = 0": 0.0}
"""Lanes by habit, and those that form by avoidance alone: place across the corridor, or as printed
k of F_perp (section 3)."""
SEED: Final = 4
LONGEST: Final = 400.0
"""s."""

NEAR: Final = (3.0, 0.35)
"""m. Distances along and across the corridor within which a character is in the same lane."""

FILE: Final = "crowds-lanes.png"
CHART_FILE: Final = "crowds-lanes-order.png"

_EAST, _WEST = charts.FIRST, charts.SECOND
_LINES: Final = (palette.INK, palette.PINCH)


class Moment(NamedTuple):
    """State at one time."""

    time: float  # s
    places: Floats  # (n, 2) m
    west: NDArray[np.bool_]  # (n,) whether a character walks west
    order: float  # order of lanes, 0 to 1; NaN if the flows do not meet
    chance: float  # the same with shuffled directions


class Run(NamedTuple):
    """Record of two opposite crowds."""

    moments: list[Moment]  # one each second
    wrong: list[str]

    def column(self, name: str) -> Floats:
        """Return a field of all moments, (n,)."""
        return np.array([getattr(moment, name) for moment in self.moments], float)

    @property
    def order(self) -> tuple[float, float]:
        """Mean order of lanes while the flows meet, and the same by chance."""
        order, chance = self.column("order"), self.column("chance")
        met = ~np.isnan(order)
        return float(order[met].mean()), float(chance[met].mean())

    @property
    def left(self) -> NDArray[np.int64]:
        """Number of characters that have not arrived, (n,)."""
        return np.array([len(moment.places) for moment in self.moments])


def run(effort: Effort, folder: Path) -> Section:
    """Simulate two opposite crowds, and draw how lanes form."""
    environment = Environment.from_polygons([_box(0.0, SIZE[0])], name="corridor")
    count = effort.each_direction
    runs = {name: _walk(environment, count, name) for name in LANES}
    printed = {name: _walk(environment, count, name, printed=True) for name in LANES}
    return Section(
        "Two opposite flows in one corridor",
        SOURCE,
        [_table(runs, printed, effort)],
        [_draw(environment, runs, effort, folder), _draw_charts(runs, folder)],
        checked="by default all arrive, nobody is stuck or in a wall.",
        wrong=[
            *(words for run in runs.values() for words in run.wrong),
            *(words for run in printed.values() for words in run.wrong if "in a wall" in words),
        ],
        claims=[
            stated("cmm-crowds-2008, section 3", f"lanes form: {name}",
                   _order(run), printed=_order(printed[name]), held=run.order[0] > run.order[1])
            for name, run in runs.items()
        ],
    )  # fmt: skip


def _order(run: Run) -> str:
    order, chance = run.order
    return f"order {order:.2f}, by chance {chance:.2f}"


def _box(x0: float, x1: float, *, margin: float = 0.0) -> list[tuple[float, float]]:
    """Return the outline of a part of the corridor, m."""
    low, high = margin, SIZE[1] - margin
    return [(x0, low), (x1, low), (x1, high), (x0, high)]


def _walk(environment: Environment, count: int, name: str, *, printed: bool = False) -> Run:
    """Simulate `count` characters in each direction, and record every second."""
    model = PRINTED_MODEL if printed else "social_force"
    crowd = Crowd(CorridorMap.build(environment), seed=SEED, threads=1, model=model)
    profile = Profile(RADIUS, SPEED, lane=LANES[name])
    if printed:
        profile = replace(profile, shortcut=PRINTED_SHORTCUT)
    length, half = SIZE[0], 0.5 * SIZE[0]
    directions = {
        "east": ((0.5, half - 3.0), (length - DEPTH, length)),
        "west": ((half + 3.0, length - 0.5), (0.0, DEPTH)),
    }
    for direction, (start, goal) in directions.items():
        area, exits = _box(*start, margin=0.3), [_box(*goal)]
        crowd.add(
            count, name=direction, profile=profile, area=area, destinations=exits, then="exit"
        )
    moments = [_look(crowd)]
    while len(crowd) and crowd.time < LONGEST:
        crowd.step(round(1.0 / crowd.dt))
        moments.append(_look(crowd))
    wrong = faults(crowd, name)
    if len(crowd):
        wrong.append(f"{name}: {len(crowd)} have not arrived after {LONGEST:g} s")
    return Run(moments, wrong)


def _look(crowd: Crowd) -> Moment:
    places, west = crowd.positions, crowd.populations == 1
    shuffled = np.random.default_rng(0).permutation(west)
    return Moment(
        crowd.time, places, west, lane_order(places, west), lane_order(places, shuffled, met=west)
    )


def lane_order(
    places: Floats, west: NDArray[np.bool_], *, met: NDArray[np.bool_] | None = None
) -> float:
    """Return the order of lanes, 0 to 1; NaN if the flows do not meet.

    ((same - other) / (same + other))^2 of the characters in a lane, after Rex and Lowen
    (2007), mean over all with a character of the other direction beside them. `met` are the
    directions that decide the latter if `west` is shuffled.
    """
    if not len(places):
        return np.nan
    gap = np.abs(places[:, None] - places)
    along = gap[:, :, 0] < NEAR[0]
    beside = along & (gap[:, :, 1] < NEAR[1])
    np.fill_diagonal(beside, val=False)
    real = west if met is None else met
    meets = (along & (real[:, None] != real)).any(axis=1)
    other = (beside & (west[:, None] != west)).sum(axis=1)
    total = beside.sum(axis=1)
    counted = meets & (total > 0)
    if not counted.any():
        return np.nan
    return float(((1.0 - 2.0 * other[counted] / total[counted]) ** 2).mean())


def _table(runs: Mapping[str, Run], printed: Mapping[str, Run], effort: Effort) -> Table:
    total = 2 * effort.each_direction
    names = (
        *("half of them arrived after, s", "all arrived after, s"),
        *("order of lanes, mean", "the same by chance"),
    )
    named = {**runs, **{f"{name}, as printed": run for name, run in printed.items()}}
    columns = [_numbers(run, total) for run in named.values()]
    rows: list[tuple[Cell, ...]] = [
        (name, *cells) for name, *cells in zip(names, *columns, strict=True)
    ]
    alone = (SIZE[0] - DEPTH) / (SPEED[0] - 2.0 * SPEED[1])
    note = (
        f"{total / (SIZE[0] * SIZE[1]):.2g} characters per m2 at the beginning; one that is "
        f"alone needs at most {alone:.0f} s. Order of lanes: 1 if all characters within "
        f"{NEAR[0]:g} m along and {NEAR[1]:g} m across walk in the same direction; mean over all "
        "characters that meet others. By chance: at the same positions, with shuffled directions. "
        "As printed: to attraction points by F_perp, and F_c between centres."
    )
    size = f"{SIZE[1]:g} m wide and {SIZE[0]:g} m long"
    title = f"A corridor {size}, {effort.each_direction} characters in each direction"
    return Table(title, ("", *named), rows, note)


def _numbers(run: Run, total: int) -> list[Cell]:
    left, times = run.left, run.column("time")
    half = float(times[(left <= total // 2).argmax()]) if left[-1] <= total // 2 else None
    return [half, float(times[-1]) if left[-1] == 0 else None, *run.order]


def _draw(
    environment: Environment, runs: Mapping[str, Run], effort: Effort, folder: Path
) -> Picture:
    title = f"{effort.each_direction} against {effort.each_direction}: lanes form"
    chosen = [(name, moment) for name, run in runs.items() for moment in _worth_seeing(run)]
    canvases = new_canvases(
        (0.0, -0.3, SIZE[0], SIZE[1] + 0.3),
        [_caption(name, moment) for name, moment in chosen],
        columns=1,
        title=title,
        details=f"corridor {SIZE[0]:g} x {SIZE[1]:g} m",
    )
    colours = np.array([to_rgb(_EAST), to_rgb(_WEST)])
    free_space = free_space_of(environment)
    for canvas, (_, moment) in zip(canvases, chosen, strict=True):
        draw_free_space(canvas, free_space)
        draw_dots(canvas, moment.places, colours[moment.west.astype(int)])
    draw_page_bar(canvases[-1])
    save_picture(canvases[0].figure, folder / FILE)
    return Picture(FILE, title)


def _worth_seeing(run: Run) -> list[Moment]:
    """Return three moments at which most characters still walk."""
    few = int((run.left <= 0.5 * run.left[0]).argmax()) or len(run.moments) - 1
    return [run.moments[round(share * few)] for share in (0.15, 0.45, 0.85)]


def _caption(name: str, moment: Moment) -> tuple[str, str]:
    order = "" if np.isnan(moment.order) else f"order of lanes {moment.order:.2f}"
    return f"{name}, {moment.time:.0f} s", order


def _draw_charts(runs: Mapping[str, Run], folder: Path) -> Picture:
    """Draw the order of lanes and the number of remaining characters over time."""
    title = "Two opposite flows in one corridor"
    chart = charts.new_chart(title, details="", captions=("Order of lanes", "Still walking"))
    order, left = chart.axes
    longest = max(run.moments[-1].time for run in runs.values())
    for axes, what in ((order, "order of lanes"), (left, "characters")):
        charts.name_axes(axes, x="s", y=what)
        axes.set_xlim(0.0, longest)
    for colour, (name, run) in zip(_LINES, runs.items(), strict=True):
        style: dict[str, Any] = {"color": colour, "lw": 1.4, "label": name}
        order.plot(run.column("time"), run.column("order"), **style)
        left.plot(run.column("time"), run.left, **style)
    first = next(iter(runs.values()))
    style = {"color": palette.MUTED, "lw": 1.0, "dashes": (3.0, 2.0)}
    order.plot(first.column("time"), first.column("chance"), label="directions shuffled", **style)
    order.set_ylim(0.0, 1.05)
    left.set_ylim(bottom=0.0)
    charts.draw_key(order, loc="center right")
    save_picture(chart.figure, folder / CHART_FILE)
    return Picture(CHART_FILE, f"{title}: order of lanes, and how many still walk")
