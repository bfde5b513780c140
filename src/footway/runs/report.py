"""Reports of studies: one HTML page, of one study or of two side by side."""

from __future__ import annotations

import html
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway import __version__
from footway.runs.results import StudyFolder, statistics
from footway.runs.study import describe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from footway.recording.recording import Recording
    from footway.runs.results import Statistics, StudyResults

MAIN: Final = ("egress_time", "egress_95", "arrivals")
"""Measures that a report begins with: the first that has values."""

_MOST_LINES = 8  # of a chart
_MOST_STRIPS = 40  # points in a chart, one below the other
_MOST_TICKS = 10
_MOST_ROWS = 200
_MOST_FRAMES = 200  # in which the most crowded moment is searched


@dataclass(frozen=True)
class Difference:
    """Difference of a measure between two studies at one point.

    Attributes:
        point: values of the varied keys.
        old: statistics of the first study.
        new: statistics of the second one.
        p: probability of such a difference if there is none: Welch's t-test, two-sided.
        is_real: whether it is significant at 5 % among all points (Holm, 1979).

    """

    point: dict[str, Any]
    old: Statistics
    new: Statistics
    p: float
    is_real: bool


def unit_of(measure: str) -> str:
    """Return the unit of a measure; "" for numbers and shares."""
    kind = measure.partition(" ")[0]
    units = {"flow": "1/s", "density": "1/m²", "greatest_density": "1/m²"}
    return "s" if kind.startswith("egress_") else units.get(kind, "")


def with_unit(measure: str) -> str:
    """Return the name of a measure with its unit, for axes."""
    return ", ".join(filter(None, (measure, unit_of(measure))))


def main_measure(*studies: StudyResults) -> str:
    """Return the measure to begin with."""
    for name in MAIN:
        if all(any(found.get(name) is not None for found in s.runs.values()) for s in studies):
            return name
    return MAIN[-1]


def sensitivities(results: StudyResults, measure: str) -> dict[str, float]:
    """Return the share of the variance of a measure that each varied key explains, 0 to 1.

    It is the correlation ratio: variance of the means by value of the key over the total variance.
    """
    rows = [
        (results.points[point], value)
        for (point, _), found in results.runs.items()
        if (value := found.get(measure)) is not None
    ]
    values = np.array([value for _, value in rows])
    total = float(((values - values.mean()) ** 2).sum()) if rows else 0.0
    shares = {}
    for key in results.points[0]:
        groups: dict[str, list[float]] = {}
        for point, value in rows:
            groups.setdefault(json.dumps(point[key]), []).append(value)
        between = sum(len(g) * (np.mean(g) - values.mean()) ** 2 for g in groups.values())
        shares[key] = float(between) / total if total > 0.0 else 0.0
    return shares


def compare(old: StudyResults, new: StudyResults, measure: str) -> list[Difference]:
    """Return the differences of a measure at the points that both studies have."""
    from scipy.stats import ttest_ind

    numbers = {json.dumps(point, sort_keys=True): k for k, point in enumerate(new.points)}
    found = []
    for k, point in enumerate(old.points):
        other = numbers.get(json.dumps(point, sort_keys=True))
        if other is None:
            continue
        a = [value for value in old.values(k, measure) if value is not None]
        b = [value for value in new.values(other, measure) if value is not None]
        p = math.nan
        if len(a) > 1 and len(b) > 1:
            same = len({*a, *b}) == 1
            p = 1.0 if same else float(ttest_ind(a, b, equal_var=False).pvalue)
        found.append((point, statistics(a), statistics(b), p))
    tested = [k for k, (*_, p) in enumerate(found) if not math.isnan(p)]
    order = sorted(tested, key=lambda k: found[k][3])
    real = set()
    for rank, k in enumerate(order):
        if found[k][3] * (len(order) - rank) > 0.05:
            break
        real.add(k)
    return [Difference(*one, k in real) for k, one in enumerate(found)]


# -- pages -----------------------------------------------------------------------------------------


def report_html(results: StudyResults, replays: Mapping[str, str] | None = None) -> str:
    """Return the report of a study; `replays` are links to pages that replay the recorded runs."""
    from footway.plot import page

    measure = main_measure(results)
    title = results.title
    parts = [f"<h1>{html.escape(title)}</h1>", f'<p class="muted">{_about(results)}</p>']
    parts.append(f"<p>{html.escape(_finding(results, measure))}</p>")
    left = sum(results.not_out(point) for point in range(len(results.points)))
    if left:
        parts.append(
            f'<p class="bad">In {left} of {len(results.runs)} runs somebody was still inside at '
            "the end. These runs have no egress time: means and percentiles leave them out.</p>"
        )
    if results.points[0]:
        parts.append("<h2>What varies</h2>")
        charts = "".join(
            page.as_svg(_draw_curve(results, key, measure)) for key in results.points[0]
        )
        parts.append(f'<div class="halves">{charts}</div>')
        rows = [
            (key, f"{100.0 * share:.0f} %")
            for key, share in sorted(
                sensitivities(results, measure).items(), key=lambda one: -one[1]
            )
        ]
        parts.append("<p>Share of the variance of all runs that each key explains:</p>")
        parts.append(page.table(("key", measure), rows))
    parts.append("<h2>Distribution of the runs</h2>")
    parts.append(f'<div class="wide">{page.as_svg(_draw_distribution(results, measure))}</div>')
    parts.append('<p class="muted">Triangles: 95th percentile of the runs of a point.</p>')
    parts += _pictures(results, replays or {})
    parts += ["<h2>All points</h2>", _point_table(results, measure)]
    parts += _other_measures(results)
    parts += _repeat(results)
    return page.page(f"{title}: study", parts)


def comparison_html(old: StudyResults, new: StudyResults) -> str:
    """Return the report of two studies side by side."""
    from footway.plot import page

    measure = main_measure(old, new)
    found = compare(old, new, measure)
    real = sum(one.is_real for one in found)
    title = f"{old.folder.name} and {new.folder.name}"
    names = (html.escape(str(old.folder)), html.escape(str(new.folder)))
    left = [sum(s.not_out(k) for k in range(len(s.points))) for s in (old, new)]
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="muted">A is {names[0]}: {_about(old)}<br>B is {names[1]}: {_about(new)}</p>',
        f"<p>{measure} differs significantly at {real} of {len(found)} points.</p>",
        '<p class="muted">Welch\'s t-test, two-sided, 5 % for all points together (Holm).</p>',
    ]
    if any(left):
        parts.append(
            f'<p class="bad">Somebody was still inside at the end in {left[0]} runs of A and '
            f"{left[1]} of B; these runs have no egress time and are left out.</p>"
        )
    if not found:
        parts.append("<p>The studies have no point in common.</p>")
    else:
        parts.append(f'<div class="wide">{page.as_svg(_draw_comparison(found, measure))}</div>')
        rows = [_difference_row(one) for one in found[:_MOST_ROWS]]
        head = ("point", "A", "B", "B - A", "relative", "p", "difference")
        parts.append(page.table(head, rows))
    return page.page(title, parts)


def _difference_row(one: Difference) -> tuple[Any, ...]:
    """Return a row of the table of differences; values that no run has are left blank."""
    known = [side.mean if side.n else "" for side in (one.old, one.new)]
    if not (one.old.n and one.new.n):
        return (describe(one.point), *known, "", "", "", "no values to compare")
    change = one.new.mean - one.old.mean
    relative = f"{100.0 * change / one.old.mean:+.1f} %" if one.old.mean else ""
    if math.isnan(one.p):
        return (describe(one.point), *known, change, relative, "", "too few runs to test")
    verdict = "real" if one.is_real else "may be chance"
    return (describe(one.point), *known, change, relative, f"{one.p:.2g}", verdict)


def _about(results: StudyResults) -> str:
    facts = StudyFolder(results.folder).facts()
    return (
        f"{len(results.runs):,} runs of {len(results.points):,} points, up to {facts['seeds']} "
        f"seeds each; scenario {html.escape(facts['base'][0])}; Footway {facts['version']}"
    )


def _finding(results: StudyResults, measure: str) -> str:
    """Return the main result in a sentence."""
    found = [results.statistics_at(k, measure) for k in range(len(results.points))]
    known = [(one.mean, k) for k, one in enumerate(found) if one.n]
    unit = f" {unit_of(measure)}".rstrip()
    if not known:
        return f"No run has a value of {measure}."
    if len(known) == 1:
        one = found[known[0][1]]
        spread = f" (95 % confidence {one.low:.4g} to {one.high:.4g})" if one.n > 1 else ""
        return (
            f"{measure} is {one.mean:.4g}{unit} on average{spread}, and at most "
            f"{one.p95:.4g}{unit} in 95 % of the {one.n} runs."
        )
    low, high = min(known), max(known)
    return (
        f"{measure} is least with {describe(results.points[low[1]])} ({low[0]:.4g}{unit} on "
        f"average) and greatest with {describe(results.points[high[1]])} ({high[0]:.4g}{unit})."
    )


def _point_table(results: StudyResults, measure: str) -> str:
    from footway.plot.page import table

    head = (
        *results.points[0],
        "runs",
        "not all out",
        "mean",
        "95 % confidence",
        "median",
        "95th percentile",
        "worst",
    )
    rows = []
    for k, point in enumerate(results.points[:_MOST_ROWS]):
        one = results.statistics_at(k, measure)
        spread = f"{one.low:.4g} to {one.high:.4g}" if one.n > 1 else ""
        left = results.not_out(k)
        rows.append(
            (*point.values(), one.n + left, left, one.mean, spread, one.median, one.p95, one.most)
        )
    more = len(results.points) - _MOST_ROWS
    note = f"<p>and {more} more in results.parquet</p>" if more > 0 else ""
    return f"<p>{measure}:</p>{table(head, rows)}{note}"


def _other_measures(results: StudyResults) -> Iterator[str]:
    """Yield a folded table of the means of all measures."""
    from footway.plot.page import table

    names = results.measures
    rows = []
    for k, point in enumerate(results.points[:_MOST_ROWS]):
        means = [results.statistics_at(k, name) for name in names]
        rows += [
            (describe(point), name, one.n, one.mean, one.deviation if one.n > 1 else "")
            for name, one in zip(names, means, strict=True)
            if one.n
        ]
    yield "<details><summary>All measures</summary>"
    yield table(("point", "measure", "runs", "mean", "deviation"), rows)
    yield "</details>"


def recordings(results: StudyResults) -> dict[str, Path]:
    """Return the files of the recorded runs by name: "median" and "worst"."""
    files = {name: results.folder / "recordings" / f"{name}.parquet" for name in results.recorded}
    return {name: file for name, file in files.items() if file.is_file()}


def _pictures(results: StudyResults, replays: Mapping[str, str]) -> Iterator[str]:
    """Yield pictures of the recorded runs: mean density, and the most crowded moment."""
    from footway.corridor import CorridorMap
    from footway.plot import draw_density, draw_moment, page
    from footway.recording.recording import Recording

    for name, file in recordings(results).items():
        recording = Recording.load(file)
        if recording.environment is None:
            continue
        cmap = CorridorMap.build(recording.environment)
        moment = most_crowded(recording)
        frame = recording.frame(moment)
        options: dict[str, Any] = {"environment": recording.environment}
        density = draw_density(cmap, recording, **options)
        crowd = draw_moment(cmap, recording, moment, lens="none", **options)
        link = f'<a href="{html.escape(replays[name])}">Replay it</a>, or ' * (name in replays)
        point, seed = results.recorded[name]
        yield f"<h2>The {name} run</h2><p>{html.escape(describe(results.points[point]))}, seed "
        yield f"{seed}. {link}<code>footway studio {html.escape(str(file))}</code></p>"
        yield '<div class="halves">'
        yield page.figure(density, f"Mean density over {recording.duration:.0f} s")
        crowded = f"The most crowded moment: {len(frame.ids):,} people after {frame.time:.0f} s"
        yield page.figure(crowd, crowded)
        yield "</div>"


def most_crowded(recording: Recording, near: float = 1.0) -> int:
    """Return the frame with the most pairs of characters within `near` m of each other."""
    from scipy.spatial import KDTree

    frames = np.unique(np.linspace(0, recording.n_frames - 1, _MOST_FRAMES).astype(int))
    pairs = []
    for k in frames.tolist():
        tree = KDTree(recording.frame(k).positions)
        pairs.append(int(tree.count_neighbors(tree, near)) - tree.n)
    return int(frames[int(np.argmax(pairs))])


def _repeat(results: StudyResults) -> Iterator[str]:
    """Yield everything that is needed to repeat the study."""
    facts = StudyFolder(results.folder).facts()
    text = html.escape(json.dumps(facts, indent=1))
    seeds = f"{facts['first_seed']} to {facts['first_seed'] + facts['seeds'] - 1}"
    yield f"<h2>Repeat it</h2><p>Footway {__version__}, seeds {seeds} of each point. A run depends "
    yield "on nothing but its scenario, map and seed; recordings contain the map. Scenario, points "
    yield f"and measures:</p><details><summary>study.json</summary><pre>{text}</pre></details>"


# -- charts ----------------------------------------------------------------------------------------


def _draw_curve(results: StudyResults, key: str, measure: str) -> Figure:
    """Draw the measure by a varied key: one line for each value of the other keys."""
    from footway.plot import page

    figure, ax = page.chart(5.6, 3.6)
    lines: dict[str, list[tuple[Any, Statistics]]] = {}
    for k, point in enumerate(results.points):
        others = describe({name: value for name, value in point.items() if name != key})
        lines.setdefault(others, []).append((point[key], results.statistics_at(k, measure)))
    if len(lines) > _MOST_LINES:
        lines = {"all": _by_value(results, key, measure)}
    for number, (name, found) in enumerate(lines.items()):
        known = [(x, one) for x, one in found if one.n]
        if not known:
            continue
        numeric = all(isinstance(x, int | float) for x, _ in known)
        x = np.array([x for x, _ in known]) if numeric else np.arange(len(known))
        order = np.argsort(x)
        mean, low, high = np.array([(o.mean, o.low, o.high) for _, o in known])[order].T
        colour = page.COLOURS[number % len(page.COLOURS)]
        ax.plot(x[order], mean, "o-", color=colour, ms=4, lw=1.4, label=name)
        ax.fill_between(x[order], low, high, color=colour, alpha=0.15, lw=0)
        if len(known) <= _MOST_TICKS:
            ax.set_xticks(x, [f"{v:g}" if numeric else str(v) for v, _ in known])
    page.finish(ax, key, with_unit(measure))
    if len(lines) > 1:
        ax.legend(fontsize=9, frameon=False)
    return figure


def _by_value(results: StudyResults, key: str, measure: str) -> list[tuple[Any, Statistics]]:
    """Return statistics of all runs with the same value of a key."""
    groups: dict[str, tuple[Any, list[float | None]]] = {}
    for k, point in enumerate(results.points):
        groups.setdefault(json.dumps(point[key]), (point[key], []))[1].extend(
            results.values(k, measure)
        )
    return [(value, statistics(values)) for value, values in groups.values()]


def _draw_distribution(results: StudyResults, measure: str) -> Figure:
    """Draw the share of the runs up to each value, or all runs by point if there are many."""
    from footway.plot import page

    rows = [(describe(point), results.values(k, measure)) for k, point in enumerate(results.points)]
    known = [(name, np.sort([v for v in values if v is not None])) for name, values in rows]
    known = [(name, values) for name, values in known if len(values)][:_MOST_STRIPS]
    by_point = len(known) > _MOST_LINES
    figure, ax = page.chart(11.4, 0.9 + 0.3 * len(known) if by_point else 3.6)
    for number, (name, values) in enumerate(known):
        colour = page.COLOURS[0 if by_point else number]
        rank = math.ceil(0.95 * len(values)) - 1
        if by_point:
            ax.plot(
                values, np.full(len(values), number), "o", color=colour, ms=5, alpha=0.45, mew=0
            )
            ax.plot(values[rank], number - 0.28, "v", color=page.INK, ms=5)
            continue
        share = np.arange(1, len(values) + 1) / len(values)
        x, y = np.r_[values[0], values], np.r_[0.0, share]
        ax.step(x, y, where="post", color=colour, label=name)
        ax.plot(values[rank], 0.95, "v", color=colour, ms=7)
    if by_point:
        ax.set_yticks(range(len(known)), [name for name, _ in known])
        ax.invert_yaxis()
    else:
        ax.axhline(0.95, color=page.MUTED, lw=0.8, ls="--")
        ax.legend(fontsize=9, frameon=False, loc="best")
    page.finish(ax, with_unit(measure), "" if by_point else "share of the runs")
    return figure


def _draw_comparison(found: Sequence[Difference], measure: str) -> Figure:
    """Draw means and confidence intervals of two studies by point."""
    from footway.plot import page

    shown = found[:_MOST_STRIPS]
    figure, ax = page.chart(11.4, 0.9 + 0.36 * len(shown))
    for side, (name, colour) in enumerate((("A", page.COLOURS[0]), ("B", page.COLOURS[1]))):
        sides = [one.new if side else one.old for one in shown]
        y = np.arange(len(shown)) + 0.16 * (2 * side - 1)
        mean = np.array([one.mean for one in sides])
        half = np.nan_to_num([one.high - one.mean for one in sides])
        ax.errorbar(mean, y, xerr=half, fmt="o", color=colour, ms=4, lw=1.2, label=name)
    labels = [describe(one.point) + (" *" if one.is_real else "") for one in shown]
    ax.set_yticks(np.arange(len(shown)), labels)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    page.finish(ax, f"{with_unit(measure)} (mean, 95 % confidence; * significant)", "")
    ax.legend(fontsize=9, frameon=False)
    return figure
