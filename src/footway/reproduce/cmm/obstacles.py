"""Batch 2: one long query with 0 to 10 dynamic obstacles, avoided by both methods."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.constants import TOUCH
from footway.errors import NoPath
from footway.follow import Disc, cmm
from footway.plot import Panel, save_picture
from footway.reproduce import charts
from footway.reproduce.claims import less_time, stated
from footway.reproduce.cmm.setup import LONG, draw_figure, faults, scene, verdict
from footway.reproduce.report import Picture, Section, Table, ratio
from footway.reproduce.timing import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from footway.corridor import Corridor
    from footway.follow import Walk
    from footway.follow.cmm import Avoid
    from footway.reproduce.claims import Claim
    from footway.reproduce.cmm.setup import Effort, Scene
    from footway.reproduce.report import Cell
    from footway.reproduce.timing import Timing

SOURCE: Final = 'cmm-2007, "Experimental Results", "Dynamic Obstacles", figures 8 to 10'

PUBLISHED: Final = {
    ("game", "forces"): (11.0, 12.0),
    ("game", "corridor"): (5.0, 8.0),
    ("field", "forces"): (25.0, 32.0),
    ("field", "corridor"): (10.0, 66.0),
}
"""Range of the query times over 0 to 10 obstacles, ms."""

MOST: Final = 10
METHODS: Final[tuple[Avoid, ...]] = ("forces", "corridor")
PRINTED: Final[Avoid] = "published-corridor"
SEED: Final = {"game": 1, "field": 9}
"""Seeds of the placements that are drawn and timed, chosen among those in which both methods get
through; the others are counted, too."""

_WORDS: Final = {
    "forces": "extending the force function",
    "corridor": "updating the corridor",
    PRINTED: "updating it as printed",
}
_CAPTIONS: Final = {"forces": "forces", "corridor": "corridor", PRINTED: "as printed"}
_COLOURS: Final = {"forces": charts.FIRST, "corridor": charts.SECOND}
_FIGURES: Final = {"game": 8, "field": 9}


class Measured(NamedTuple):
    """One environment.

    Times are by method and number of obstacles, walks avoid all ten, and `arrived` is the number
    of random placements in which each method arrives.
    """

    place: Scene
    times: Mapping[tuple[Avoid, int], Timing]
    walks: Mapping[Avoid, Walk]
    arrived: Mapping[Avoid, int]


def run(effort: Effort, folder: Path) -> Section:
    """Measure both environments and draw figures 8, 9 and 10."""
    found = [_measure(scene(name), effort) for name in LONG]
    pictures = [_draw_avoidance(measured, folder) for measured in found]
    pictures.append(_draw_times(found, effort, folder))
    ours = [(measured, method) for measured in found for method in METHODS]
    walks = [measured.walks[method] for measured, method in ours]
    wrong = [
        words
        for (measured, method), walk in zip(ours, walks, strict=True)
        for words in faults([walk], f"{measured.place.name}, {method}")
    ]
    return Section(
        "Batch 2: dynamic obstacles",
        SOURCE,
        [_range_table(found), _table(found, effort), _arrival_table(found, effort)],
        pictures,
        checked=f"with 10 obstacles, {verdict(walks)}.",
        wrong=wrong,
        claims=[claim for measured in found for claim in _claims(measured, effort)],
    )


def _claims(measured: Measured, effort: Effort) -> Iterator[Claim]:
    name = measured.place.name
    for method in METHODS:
        what = f"{name.capitalize()}, {_WORDS[method]}"
        most = max(_medians(measured, method))
        yield less_time("cmm-2007, figure 10", f"{what}: slowest query, ms",
                        PUBLISHED[name, method][1], most, file="cmm-figure-10.png")  # fmt: skip
        arrived, printed = measured.arrived[method], measured.arrived[PRINTED]
        more = {"printed": f"{printed} of {effort.placements}"} if method == "corridor" else {}
        yield stated(f"cmm-2007, figure {_FIGURES[name]}", f"{what}: ten obstacles are avoided",
                     f"{arrived} of {effort.placements} placements",
                     held=arrived == effort.placements,
                     file=f"cmm-figure-{_FIGURES[name]}.png", **more)  # fmt: skip


def discs_along(corridor: Corridor, count: int, *, seed: int) -> list[Disc]:
    """Return discs close to a backbone, on either side, that leave a passage.

    They are spread along the backbone except its ends, in a random order, so that the first n of
    them are spread too. They are about a quarter as wide as the corridor.
    """
    random = np.random.default_rng(seed)
    backbone, radii = corridor.backbone, corridor.radii
    step = np.diff(backbone, axis=0)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(step[:, 0], step[:, 1]))])
    shares = 0.04 + 0.88 * (np.arange(count) + random.uniform(0.3, 0.7, count)) / count
    discs = []
    for share in random.permutation(shares):
        k = min(int(np.searchsorted(along, share * along[-1])), len(step) - 1)
        ahead = step[k] / np.hypot(*step[k])
        side = random.choice((-1.0, 1.0)) * random.uniform(0.1, 0.35) * radii[k]
        at = backbone[k] + side * np.array([-ahead[1], ahead[0]])
        radius = float(np.clip(0.24 * radii[k], 0.35, 0.9))
        discs.append(Disc(at=(float(at[0]), float(at[1])), radius=radius))
    return discs


def _measure(place: Scene, effort: Effort) -> Measured:
    question = LONG[place.name]
    discs = discs_along(place.corridor(question), MOST, seed=SEED[place.name])

    def walk(method: Avoid, count: int) -> Walk:
        return cmm(place.corridor(question), obstacles=discs[:count], avoid=method)

    calls = {
        (method, count): partial(walk, method, count)
        for count in effort.discs
        for method in METHODS
    }
    times = in_turn(calls, rounds=effort.single_rounds)
    return Measured(
        place,
        times,
        {method: walk(method, MOST) for method in (*METHODS, PRINTED)},
        {method: _arrivals(place, method, effort.placements) for method in (*METHODS, PRINTED)},
    )


def _arrivals(place: Scene, method: Avoid, placements: int) -> int:
    """Count the placements of ten discs, each with a passage, in which a method arrives.

    Walks by forces that cancel out make a detour in a sub-corridor: these do not count. As printed,
    a corridor may tear, or lead into a disc: these do not count either.
    """
    corridor = place.corridor(LONG[place.name])
    arrived = 0
    for seed in range(placements):
        try:
            walk = cmm(corridor, obstacles=discs_along(corridor, MOST, seed=seed), avoid=method)
        except NoPath:
            continue
        arrived += (method != "forces" or walk.corridor is corridor) and walk.gap > -TOUCH
    return arrived


def _range_table(found: Sequence[Measured]) -> Table:
    """Compare ranges over 0 to 10 obstacles, as published in the paper."""
    rows: list[tuple[Cell, ...]] = []
    for measured in found:
        for method in METHODS:
            name = measured.place.name
            low, high = PUBLISHED[name, method]
            ours = _medians(measured, method)
            rows.append(
                (
                    f"{name.capitalize()}, {_WORDS[method]}",
                    f"{low:g} to {high:g}",
                    f"{min(ours):.3g} to {max(ours):.3g}",
                    ratio(low, min(ours)),
                    ratio(high, max(ours)),
                )
            )
    columns = ("query time with 0 to 10 obstacles, ms", "paper", "ours")
    return Table(
        "Range of query times",
        (*columns, "paper / ours, least", "paper / ours, most"),
        rows,
        "A query is corridor and path together; ours are CPU times, medians of the rounds. The "
        "paper's own queries are not known: ours go from end to end of the map.",
    )


def _table(found: Sequence[Measured], effort: Effort) -> Table:
    columns = ["obstacles"]
    columns += [f"{m.place.name}, {method}" for m in found for method in METHODS]
    rows: list[tuple[Cell, ...]] = [
        (str(count), *(1000.0 * m.times[method, count].cpu for m in found for method in METHODS))
        for count in effort.discs
    ]
    return Table("Query time by number of obstacles, CPU ms (figure 10)", tuple(columns), rows)


def _arrival_table(found: Sequence[Measured], effort: Effort) -> Table:
    rows = [
        (f"{m.place.name.capitalize()}, {_WORDS[method]}", m.arrived[method], effort.placements)
        for m in found
        for method in (*METHODS, PRINTED)
    ]
    note = (
        "Every placement leaves a passage beside each disc; the paper does not mention this. As "
        "printed, (B', R') ignores the radii of obstacles: a walk that touches one did not get "
        "through, nor did one whose corridor is torn."
    )
    columns = ("ten obstacles at random near the backbone", "arrived", "of")
    return Table("How often a walk gets through", columns, rows, note)


def _medians(measured: Measured, method: Avoid) -> list[float]:
    """Return CPU ms, from few obstacles to many; independent of the load of the machine."""
    return [1000.0 * t.cpu for (which, _), t in measured.times.items() if which == method]


def _draw_avoidance(measured: Measured, folder: Path) -> Picture:
    """Draw the walks of both methods around ten obstacles."""
    place, walks = measured.place, measured.walks
    figure = _FIGURES[place.name]
    panels = [
        Panel(f"({letter}) {_CAPTIONS[method]}", [walks[method]], details=_numbers(walks[method]))
        for letter, method in zip("abc", (*METHODS, PRINTED), strict=True)
    ]
    title = f"{place.name.capitalize()}: around ten dynamic obstacles"
    return draw_figure(figure, place, panels, title=title, folder=folder)


def _numbers(walk: Walk) -> str:
    return f"{walk.length:.1f} m  ·  {walk.duration:.0f} s  ·  gap {walk.gap:.2f} m"


def _draw_times(found: Sequence[Measured], effort: Effort, folder: Path) -> Picture:
    """Draw query time against the number of obstacles, with the paper's ranges as bands."""
    title = "Query time with dynamic obstacles"
    chart = charts.new_chart(
        title,
        details="cmm-2007, figure 10  ·  bands: the paper's ranges  ·  lines: ours",
        captions=[measured.place.name.capitalize() for measured in found],
    )
    for axes, measured in zip(chart.axes, found, strict=True):
        charts.use_powers(axes)
        for method in METHODS:
            low, high = PUBLISHED[measured.place.name, method]
            style: dict[str, str] = {"colour": _COLOURS[method]}
            ours = _medians(measured, method)
            charts.draw_range(axes, low, high, name=f"paper, {method}", **style)
            charts.draw_line(axes, effort.discs, ours, name=f"ours, {method}", **style)
        axes.set(xticks=range(0, MOST + 1, 2), ylim=(0.05, 100.0))
        charts.name_axes(axes, x="dynamic obstacles", y="query time (CPU ms)")
    charts.draw_key(chart.axes[0], loc="upper left")
    save_picture(chart.figure, folder / "cmm-figure-10.png")
    return Picture("cmm-figure-10.png", f"Figure 10. {title}")
