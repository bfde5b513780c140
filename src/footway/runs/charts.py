"""Charts of studies: a measure by a varied key, its distribution, and two studies side by side."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.plot import page
from footway.runs.analysis import is_number, trend, varies_alone, with_unit
from footway.runs.results import statistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from footway.runs.analysis import Difference
    from footway.runs.results import Statistics, StudyResults

_MOST_LINES: Final = 8
_MOST_STRIPS: Final = 40  # points in a chart, one below the other
_MOST_TICKS: Final = 10
_MOST_LETTERS: Final = 44
_DODGE: Final = 0.06  # between lines, where values are no numbers


def draw_curve(results: StudyResults, key: str, measure: str) -> Figure:
    """Draw the measure by a varied key: one line for each value of the other keys.

    Numbers that were drawn, which differ in all points, have a trend instead of lines.
    """
    figure, ax = page.chart(5.6, 3.6)
    values = _unique(point[key] for point in results.points)
    if not varies_alone(results, key) and all(map(is_number, values)):
        _draw_trend(ax, results, key, measure)
    else:
        _draw_lines(ax, results, key, measure, values)
    page.finish(ax, key, with_unit(measure))
    known = [v for found in results.runs.values() if (v := found.get(measure)) is not None]
    ax.set_ylim(*_limits(known))
    return figure


def _draw_trend(ax: Axes, results: StudyResults, key: str, measure: str) -> None:
    found = [results.statistics_at(k, measure) for k in range(len(results.points))]
    x = [point[key] for point in results.points]
    mean = [one.mean for one in found]
    half = np.nan_to_num([one.high - one.mean for one in found])
    colour, fine = page.COLOURS[0], page.MUTED
    ax.errorbar(x, mean, yerr=half, fmt="o", color=colour, ecolor=fine, ms=4, lw=0.8, alpha=0.8)
    line = trend(results, key, measure)
    if line is not None:
        low, high = line.mean - line.half, line.mean + line.half
        ax.plot(line.x, line.mean, color=colour, lw=1.4)
        ax.fill_between(line.x, low, high, color=colour, alpha=0.15, lw=0)


def _draw_lines(
    ax: Axes, results: StudyResults, key: str, measure: str, values: Sequence[Any]
) -> None:
    others = [name for name in results.points[0] if name != key]
    lines: dict[str, list[tuple[Any, Statistics]]] = {}
    for k, point in enumerate(results.points):
        name = _name({other: point[other] for other in others})
        lines.setdefault(name, []).append((point[key], results.statistics_at(k, measure)))
    if len(lines) > _MOST_LINES or not varies_alone(results, key):
        lines = {"all runs": _by_value(results, key, measure)}
    is_axis = all(map(is_number, values))
    for number, (name, found) in enumerate(lines.items()):
        known = [(x, one) for x, one in found if one.n]
        if not known:
            continue
        colour = page.COLOURS[number % len(page.COLOURS)]
        mean, low, high = np.array([(one.mean, one.low, one.high) for _, one in known]).T
        if is_axis:
            x = np.array([x for x, _ in known], dtype=float)
            order = np.argsort(x)
            ax.plot(x[order], mean[order], "o-", color=colour, ms=4, lw=1.4, label=name)
            ax.fill_between(x[order], low[order], high[order], color=colour, alpha=0.15, lw=0)
        else:
            at = [values.index(x) + _DODGE * (number - (len(lines) - 1) / 2) for x, _ in known]
            half = np.nan_to_num(high - mean)
            ax.errorbar(at, mean, yerr=half, fmt="o", color=colour, ms=5, lw=1.4, label=name)
    if not is_axis:
        ax.set_xticks(range(len(values)), [_text(value) for value in values])
        ax.set_xlim(-0.5, len(values) - 0.5)
        if len(values) > 4:
            ax.tick_params(axis="x", rotation=30)
    elif len(values) <= _MOST_TICKS:
        ax.set_xticks(values, [f"{value:g}" for value in values])
    if len(lines) > 1:
        ax.legend(fontsize=9, frameon=False, title=", ".join(others), title_fontsize=9)


def _limits(known: Sequence[float]) -> tuple[float, float]:
    """Return limits of an axis for these runs: the interval of two of them may be far wider."""
    low, high = min(known, default=0.0), max(known, default=0.0)
    more = 0.25 * (high - low or abs(high) or 1.0)
    return max(0.0, low - more) if low >= 0.0 else low - more, high + more


def _by_value(results: StudyResults, key: str, measure: str) -> list[tuple[Any, Statistics]]:
    """Return statistics of all runs with the same value of a key."""
    groups: dict[str, tuple[Any, list[float | None]]] = {}
    for k, point in enumerate(results.points):
        groups.setdefault(json.dumps(point[key]), (point[key], []))[1].extend(
            results.values(k, measure)
        )
    return [(value, statistics(values)) for value, values in groups.values()]


def _unique(values: Any) -> list[Any]:
    return list({json.dumps(value): value for value in values}.values())


def _text(value: Any) -> str:
    """Return a value of a key as the label of an axis or a line."""
    if is_number(value):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value)


def _name(point: Mapping[str, Any]) -> str:
    """Return the values of a point without their keys, which are the title of the legend."""
    text = ", ".join(map(_text, point.values()))
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 3]}..."


def _head(ax: Axes, keys: Iterable[str]) -> None:
    """Write the keys above the names of the points, where long ones have the whole width."""
    ax.set_title(", ".join(keys), loc="left", fontsize=10, color=page.MUTED)


def draw_distribution(results: StudyResults, measure: str) -> Figure:
    """Draw the share of the runs up to each value, or all runs by point if there are many."""
    rows = [(_name(point), results.values(k, measure)) for k, point in enumerate(results.points)]
    known = [(name, np.sort([v for v in values if v is not None])) for name, values in rows]
    known = [(name, values) for name, values in known if len(values)][:_MOST_STRIPS]
    by_point = len(known) > _MOST_LINES
    figure, ax = page.chart(11.4, 0.9 + 0.3 * len(known) if by_point else 3.6)
    for number, (name, values) in enumerate(known):
        colour = page.COLOURS[0 if by_point else number]
        rank = math.ceil(0.95 * len(values)) - 1
        if by_point:
            y = np.full(len(values), number)
            ax.plot(values, y, "o", color=colour, ms=5, alpha=0.45, mew=0)
            ax.plot(values[rank], number - 0.28, "v", color=page.INK, ms=5)
            continue
        share = np.arange(1, len(values) + 1) / len(values)
        x, y = np.r_[values[0], values], np.r_[0.0, share]
        ax.step(x, y, where="post", color=colour, label=name)
        ax.plot(values[rank], 0.95, "v", color=colour, ms=7)
    page.finish(ax, with_unit(measure), "" if by_point else "share of the runs")
    if by_point:
        _head(ax, results.points[0])
        ax.set_yticks(range(len(known)), [name for name, _ in known])
        ax.invert_yaxis()
    else:
        ax.axhline(0.95, color=page.MUTED, lw=0.8, ls="--")
        if results.points[0]:
            place: Any = "outside right upper"
            title = ",\n".join(results.points[0])
            figure.legend(fontsize=9, frameon=False, loc=place, title=title, title_fontsize=9)
    return figure


def draw_comparison(found: Sequence[Difference], measure: str) -> Figure:
    """Draw means and confidence intervals of two studies by point."""
    shown = found[:_MOST_STRIPS]
    figure, ax = page.chart(11.4, 0.9 + 0.36 * len(shown))
    sides = [side for one in shown for side in (one.old, one.new) if side.n]
    known = [value for side in sides for value in (side.least, side.most)]
    for side, (name, colour) in enumerate((("A", page.COLOURS[0]), ("B", page.COLOURS[1]))):
        sides = [one.new if side else one.old for one in shown]
        y = np.arange(len(shown)) + 0.16 * (2 * side - 1)
        mean = np.array([one.mean for one in sides])
        half = np.nan_to_num([one.high - one.mean for one in sides])
        ax.errorbar(mean, y, xerr=half, fmt="o", color=colour, ms=4, lw=1.2, label=name)
    labels = [
        (_name(one.point) or "the only point") + (" *" if one.is_real else "") for one in shown
    ]
    page.finish(ax, f"{with_unit(measure)} (mean, 95 % confidence; * significant)", "")
    _head(ax, shown[0].point)
    ax.set_yticks(np.arange(len(shown)), labels)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.set_xlim(*_limits(known))
    ax.legend(fontsize=9, frameon=False)
    return figure
