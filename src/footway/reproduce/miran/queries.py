"""Weighted routes in the city with a hundred regions: times, and gain by improvement."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.corridor import CorridorMap
from footway.plot import Line, RoutePanel, draw_routes, palette, save_picture
from footway.reproduce.claims import stated
from footway.reproduce.miran.setup import CITIZEN, DISC, PAPER, REGIONS, SEED, city
from footway.reproduce.questions import random_questions
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.timing import undisturbed
from footway.terrain.route import route
from footway.terrain.terrain import Terrain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.reproduce.miran.setup import Effort
    from footway.reproduce.questions import Question
    from footway.reproduce.report import Cell
    from footway.terrain.route import IndicativeRoute

    Floats = NDArray[np.float64]

SOURCE: Final = (
    f"{PAPER}, section 4; the paper gives no times for routes, and leaves better ones open"
)
FILE: Final = "miran-routes.png"

WANTED: Final = 5.0
"""ms. Target for the median of the improved routes."""

ROUGH, IMPROVED = "A* on the triangles", "improved"
_CLOSE: Final = 1e-6  # share of a length: rounding


class QueryResults(NamedTuple):
    """Routes of random queries before and after improvement, and their times."""

    rough: Sequence[IndicativeRoute]
    improved: Sequence[IndicativeRoute]
    times: dict[str, Floats]  # (laps, n) ms

    @property
    def weights(self) -> tuple[Floats, Floats]:
        """Weighted lengths after and before improvement, (n,) m each."""
        after, before = (
            np.array([each.weighted_length for each in routes])
            for routes in (self.improved, self.rough)
        )
        return after, before


def run(effort: Effort, folder: Path) -> Section:
    """Run random queries in the city, check the routes, and time them."""
    environment = city()
    terrain = Terrain.build(environment, DISC)
    cmap = CorridorMap.build(environment)
    questions = random_questions(cmap, effort.queries, radius=DISC, seed=SEED)
    results = run_queries(terrain, questions, effort.laps)
    return Section(
        f"Weighted routes in the city with {REGIONS} regions",
        SOURCE,
        [_times(results, terrain), _gains(results)],
        [_draw(results, folder)],
        checked=(
            f"{len(questions)} routes lead from start to goal over free ground, metres by kind add "
            "up, and none weighs more after it was improved."
        ),
        wrong=faults(results, questions),
        claims=[
            stated(f"{PAPER}, section 6", "better indicative routes (left open)",
                   f"weighted length {_percent(*results.weights)}", says="future work",
                   held=bool((results.weights[0] <= results.weights[1] * (1.0 + _CLOSE)).all()))
        ],
    )  # fmt: skip


def run_queries(terrain: Terrain, questions: Sequence[Question], laps: int) -> QueryResults:
    """Find all routes, then time them again in several laps."""
    rough = partial(route, terrain, preferences=CITIZEN, improve=False)
    improved = partial(route, terrain, preferences=CITIZEN)
    answers = [[find(*question) for question in questions] for find in (rough, improved)]
    times = {ROUGH: _laps(rough, questions, laps), IMPROVED: _laps(improved, questions, laps)}
    return QueryResults(answers[0], answers[1], times)


def _laps(find: Callable[..., object], questions: Sequence[Question], laps: int) -> Floats:
    """Return the time of each query in each lap, (laps, n) ms."""
    out = np.empty((laps, len(questions)))
    with undisturbed():
        for lap in range(laps):
            for k, question in enumerate(questions):
                begin = time.perf_counter()
                find(*question)
                out[lap, k] = 1000.0 * (time.perf_counter() - begin)
    return out


def faults(results: QueryResults, questions: Sequence[Question]) -> list[str]:
    """Return which routes are invalid, or have a larger weighted length after improvement."""
    wrong = []
    for k, question in enumerate(questions):
        before, after = results.rough[k].weighted_length, results.improved[k].weighted_length
        if after > before * (1.0 + _CLOSE):
            wrong.append(f"city, route {k}: weighs {after:.3f} m improved, {before:.3f} m before")
        for each in (results.rough[k], results.improved[k]):
            if (each.start, each.goal) != question:
                wrong.append(f"city, route {k}: does not lead from start to goal")
            if abs(sum(each.measure().values()) - each.length) > _CLOSE * each.length:
                wrong.append(f"city, route {k}: metres by kind of ground do not add up")
    return wrong


def _times(results: QueryResults, terrain: Terrain) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, laps in results.times.items():
        each, best = np.median(laps, axis=0), laps.min(axis=0)
        marks = [float(np.quantile(each, share)) for share in (0.5, 0.9, 0.99)]
        rows.append((name, *marks, float(np.median(best))))
    middle = rows[-1][1]
    assert isinstance(middle, float)
    held = "met" if middle < WANTED else f"missed: {middle:.1f} ms"
    columns = ("route", "median, ms", "p90, ms", "p99, ms", "median of best, ms")
    note = (
        f"Target: a median below {WANTED:g} ms for improved routes; {held}. "
        f"{len(results.rough):,} random queries, a disc of {DISC:g} m, "
        f"{len(terrain.ground.triangles):,} triangles; the terrain is built once, before."
    )
    return Table("Time of a query", columns, rows, note)


def _gains(results: QueryResults) -> Table:
    after, before = results.weights
    lengths = [
        np.array([each.length for each in routes]) for routes in (results.rough, results.improved)
    ]
    share = after / before
    rows: tuple[tuple[Cell, ...], ...] = (
        ("weighted length, mean, m", before.mean(), after.mean(), _percent(after, before)),
        ("length, mean, m", lengths[0].mean(), lengths[1].mean(), _percent(*lengths[::-1])),
        ("weighted length / before, median", None, f"{np.median(share):.3f}", None),
        ("weighted length / before, least", None, f"{share.min():.3f}", None),
        ("weighted length / before, most", None, f"{share.max():.3f}", None),
    )
    weights = ", ".join(f"{kind} {weight:g}" for kind, weight in CITIZEN.items())
    note = f"Weights: {weights}, the rest 1."
    return Table("Before and after improvement", ("", "before", "after", "change"), rows, note)


def _percent(after: Floats, before: Floats) -> str:
    return f"{100.0 * (after.sum() / before.sum() - 1.0):+.1f} %"


def _draw(results: QueryResults, folder: Path) -> Picture:
    """Draw the route with the greatest gain, before and after, among those that fit a page."""
    wide = [bool(np.ptp(each.points[:, 0]) > np.ptp(each.points[:, 1])) for each in results.rough]
    gains = [
        (a.weighted_length - b.weighted_length) * fits
        for a, b, fits in zip(results.rough, results.improved, wide, strict=True)
    ]
    k = int(np.argmax(gains))
    before, after = results.rough[k], results.improved[k]
    lines = [
        Line(before.points, f"before: {before.weighted_length:.0f} m weighted", "#7a3e9d"),
        Line(after.points, f"improved: {after.weighted_length:.0f} m weighted", palette.ACCENT),
    ]
    title = "An indicative route in the city, before and after it was improved"
    environment = after.terrain.environment
    details = f"{REGIONS} regions"
    figure = draw_routes(environment, [RoutePanel("", lines)], title=title, details=details)
    save_picture(figure, folder / FILE)
    return Picture(FILE, title)
