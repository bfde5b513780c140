"""Batch 3: length and cost of paths with the second attraction point."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from footway.follow import cmm
from footway.plot import Panel, save_picture
from footway.reproduce import charts
from footway.reproduce.claims import Claim, less_time, stated
from footway.reproduce.cmm.queries import SEED, walk_all
from footway.reproduce.cmm.setup import LONG, RADIUS, draw_figure, faults, scene, verdict
from footway.reproduce.questions import random_questions
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.timing import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from footway.follow import Walk
    from footway.reproduce.cmm.setup import Effort, Scene
    from footway.reproduce.report import Cell
    from footway.reproduce.timing import Timing

SOURCE: Final = 'cmm-2007, "Experimental Results", "Short Paths", figures 11 to 13'

PUBLISHED: Final = {0.0: 1.0, 0.1: 2.0, 1.0: 12.0}
"""Time of a query by dt, relative to dt = 0 (both environments together)."""

SHORTCUTS: Final = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)
DRAWN: Final = 0.1
_FIGURES: Final = {"game": 11, "field": 12}
_COLOURS: Final = {"game": charts.FIRST, "field": charts.SECOND}


class Measured(NamedTuple):
    """One environment, by dt: walk and times of one long query and of 100 random ones."""

    place: Scene
    walks: Mapping[float, Walk]
    query: Mapping[float, Timing]
    follow: Mapping[float, Timing]
    many: Mapping[float, Sequence[Walk]]
    many_query: Mapping[float, Timing]


def run(effort: Effort, folder: Path) -> Section:
    """Measure both environments and draw figures 11, 12 and 13."""
    found = [_measure(scene(name), effort) for name in LONG]
    pictures = [_draw_shorter(measured, folder) for measured in found]
    pictures.append(_draw_relation(found, folder))
    walks = [walk for m in found for many in (m.walks.values(), *m.many.values()) for walk in many]
    wrong = [
        words
        for measured in found
        for dt in SHORTCUTS
        for words in faults(
            [measured.walks[dt], *measured.many[dt]], f"{measured.place.name}, dt {dt:g}"
        )
    ]
    return Section(
        "Batch 3: shorter paths", SOURCE, [*map(_table, found), _many_table(found)], pictures,
        checked=f"{verdict(walks)}.", wrong=wrong,
        claims=[claim for measured in found for claim in _claims(measured, effort)],
    )  # fmt: skip


def _claims(measured: Measured, effort: Effort) -> Iterator[Claim]:
    """Compare factors of the random queries: one long query may be an exception."""
    name = measured.place.name.capitalize()
    for dt, factor in list(PUBLISHED.items())[1:] if effort.rounds > 1 else ():
        ours = relative(measured.many_query, dt)
        yield less_time("cmm-2007, figure 13", f"{name}: time at dt = {dt:g} over dt = 0", factor,
                        ours, file="cmm-figure-13.png")  # fmt: skip
    short = _total(measured.many[DRAWN]) / _total(measured.many[0.0])
    figure = _FIGURES[measured.place.name]
    yield stated(f"cmm-2007, figure {figure}", f"{name}: dt = {DRAWN:g} makes paths shorter",
                 f"{short - 1.0:+.1%}", held=short < 1.0,
                 file=f"cmm-figure-{figure}.png")  # fmt: skip


def _measure(place: Scene, effort: Effort) -> Measured:
    question = LONG[place.name]
    corridor = place.corridor(question)
    questions = random_questions(place.cmap, effort.queries, radius=RADIUS, seed=SEED)

    def walk(dt: float) -> Walk:
        return cmm(place.corridor(question), shortcut=dt)

    follow = {dt: partial(cmm, corridor, shortcut=dt) for dt in SHORTCUTS}
    many = {dt: partial(walk_all, place, questions, shortcut=dt) for dt in SHORTCUTS}
    return Measured(
        place,
        {dt: walk(dt) for dt in SHORTCUTS},
        in_turn({dt: partial(walk, dt) for dt in SHORTCUTS}, rounds=effort.single_rounds),
        in_turn(follow, rounds=effort.single_rounds),
        {dt: call() for dt, call in many.items()},
        in_turn(many, rounds=effort.rounds),
    )


def _table(measured: Measured) -> Table:
    """Return the table of the long query."""
    name = measured.place.name.capitalize()
    plain = measured.walks[0.0].length
    lengths = ("length, m", "length, relative")
    times = ("query, ms", "query, best ms", "time, paper", "time, ours", "path alone, ours")
    rows: list[tuple[Cell, ...]] = [
        (
            f"{dt:g}",
            measured.walks[dt].length,
            f"{measured.walks[dt].length / plain:.3f}",
            1000.0 * measured.query[dt].median,
            1000.0 * measured.query[dt].minimum,
            _times(PUBLISHED.get(dt)),
            _times(relative(measured.query, dt)),
            _times(relative(measured.follow, dt)),
        )
        for dt in SHORTCUTS
    ]
    note = (
        "The last three columns are CPU times relative to dt = 0, in the same run; a query is "
        "corridor and path together. The paper gives one factor for both environments."
    )
    return Table(f"{name}: one long query", ("dt", *lengths, *times), rows, note)


def _many_table(found: Sequence[Measured]) -> Table:
    """Return the table of the random queries of batch 1, because one query may be an exception."""
    columns = ("dt", *(f"{m.place.name}, {what}" for m in found for what in ("length", "time")))
    rows = [
        (
            f"{dt:g}",
            *(
                words
                for m in found
                for words in (
                    f"{_total(m.many[dt]) / _total(m.many[0.0]):.3f}",
                    _times(relative(m.many_query, dt)),
                )
            ),
        )
        for dt in SHORTCUTS
    ]
    return Table("The random queries of batch 1, relative to dt = 0", columns, rows)


def relative(times: Mapping[float, Timing], dt: float) -> float:
    """Return CPU time by dt relative to dt = 0, independent of the load of the machine."""
    return times[dt].cpu / times[0.0].cpu


def _times(factor: float | None) -> str:
    return "" if factor is None else f"{factor:.3g}x"


def _total(walks: Sequence[Walk]) -> float:
    return sum(walk.length for walk in walks)


def _draw_shorter(measured: Measured, folder: Path) -> Picture:
    """Draw the plain path beside the shorter one."""
    place, walks = measured.place, measured.walks
    figure = _FIGURES[place.name]
    plain, short = walks[0.0], walks[DRAWN]
    panels = [
        Panel("(a) without a shortcut", [plain], details=_numbers(plain)),
        Panel(
            f"(b) with a second attraction point, dt = {DRAWN:g}",
            [short],
            details=f"{_numbers(short)}  ·  {short.length / plain.length - 1:+.1%}",
            compare=(plain, "walk of (a)"),
        ),
    ]
    title = f"{place.name.capitalize()}: a shorter path in the same corridor"
    return draw_figure(figure, place, panels, title=title, folder=folder)


def _numbers(walk: Walk) -> str:
    return f"{walk.length:.1f} m  ·  {walk.duration:.0f} s"


def _draw_relation(found: Sequence[Measured], folder: Path) -> Picture:
    """Draw path length and time against dt."""
    title = "What a shortcut gains, and what it costs"
    captions = ("Length of the path, relative to dt = 0", "CPU time of a query, relative to dt = 0")
    chart = charts.new_chart(title, details="cmm-2007, figure 13", captions=captions)
    length, time = chart.axes
    for measured in found:
        name = measured.place.name
        style: dict[str, str] = {"colour": _COLOURS[name], "name": f"ours, {name}"}
        lengths = [measured.walks[dt].length / measured.walks[0.0].length for dt in SHORTCUTS]
        charts.draw_line(length, SHORTCUTS, lengths, **style)
        factors = [relative(measured.query, dt) for dt in SHORTCUTS]
        charts.draw_line(time, SHORTCUTS, factors, **style)
    charts.draw_published(time, PUBLISHED)
    charts.name_axes(length, x="dt (share of the backbone)", y="length")
    charts.name_axes(time, x="dt (share of the backbone)", y="time")
    time.set_ylim(bottom=0.0)
    charts.draw_key(time, loc="upper left")
    save_picture(chart.figure, folder / "cmm-figure-13.png")
    return Picture("cmm-figure-13.png", f"Figure 13. {title}")
