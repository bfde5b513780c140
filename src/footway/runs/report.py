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
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from footway.recording.recording import Recording
    from footway.runs.results import Statistics, StudyResults

MAIN: Final = ("egress_time", "egress_95", "arrivals")
"""Measures that a report begins with: the first that has values."""

_MOST_LINES = 8  # points whose distributions are drawn
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


def with_unit(measure: str) -> str:
    """Return the name of a measure with its unit, for axes."""
    units = {"egress": "s", "flow": "1/s", "density": "1/m²", "greatest_density": "1/m²"}
    unit = units.get(measure.partition(" ")[0].partition("_")[0]) or units.get(
        measure.partition(" ")[0]
    )
    return f"{measure}, {unit}" if unit else measure


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


def report_html(results: StudyResults) -> str:
    """Return the report of a study."""
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
        parts.append(f'<div class="wide">{page.as_svg(_draw_curves(results, measure))}</div>')
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
    parts += _pictures(results)
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
        rows = [
            (describe(one.point), one.old.mean, one.new.mean, one.new.mean - one.old.mean,
             f"{100.0 * (one.new.mean / one.old.mean - 1.0):+.1f} %" if one.old.mean else "",
             f"{one.p:.2g}", "real" if one.is_real else "may be chance")
            for one in found[:_MOST_ROWS]
        ]  # fmt: skip
        head = ("point", "A", "B", "B - A", "relative", "p", "difference")
        parts.append(page.table(head, rows))
    return page.page(title, parts)


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
    if not known:
        return f"No run has a value of {measure}."
    if len(known) == 1:
        one = found[known[0][1]]
        spread = f" (95 % confidence {one.low:.4g} to {one.high:.4g})" if one.n > 1 else ""
        return (
            f"{measure} is {one.mean:.4g} on average{spread}, and at most {one.p95:.4g} in 95 % of "
            f"the {one.n} runs."
        )
    low, high = min(known), max(known)
    return (
        f"{measure} is least with {describe(results.points[low[1]])} ({low[0]:.4g} on average) and "
        f"greatest with {describe(results.points[high[1]])} ({high[0]:.4g})."
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


def _pictures(results: StudyResults) -> Iterator[str]:
    """Yield pictures of the recorded runs: mean density, and the most crowded moment."""
    from footway.corridor import CorridorMap
    from footway.plot import draw_density, draw_moment, page
    from footway.recording.recording import Recording

    folder = results.folder / "recordings"
    for name in ("median", "worst"):
        file = folder / f"{name}.parquet"
        if not file.is_file():
            continue
        recording = Recording.load(file)
        if recording.environment is None:
            continue
        cmap = CorridorMap.build(recording.environment)
        moment = most_crowded(recording)
        options: dict[str, Any] = {"environment": recording.environment}
        density = page.as_image(draw_density(cmap, recording, **options), alt="mean density")
        crowd = page.as_image(
            draw_moment(cmap, recording, moment, lens="none", **options), alt="characters"
        )
        replay = folder / f"{name}.html"
        link = f' (<a href="{replay.as_uri()}">replay</a>)' if replay.is_file() else ""
        again = f"footway studio {html.escape(str(file))}"
        yield f"<h2>The {name} run</h2><p>Recorded in <code>{html.escape(str(file))}</code>{link}; "
        yield f"replay it by <code>{again}</code>.</p>"
        yield f'<div class="halves"><figure>{density}<figcaption>Mean density</figcaption></figure>'
        yield f"<figure>{crowd}<figcaption>The most crowded moment</figcaption></figure>"
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
    yield f"<h2>Repeat it</h2><p>Footway {__version__} made this page from the folder "
    yield f"<code>{html.escape(str(results.folder))}</code>, with these values:</p>"
    yield f"<details><summary>study.json</summary><pre>{text}</pre></details>"


# -- charts ----------------------------------------------------------------------------------------


def _draw_curves(results: StudyResults, measure: str) -> Figure:
    """Draw the measure by each varied key: one line for each value of the other keys."""
    from matplotlib.figure import Figure

    from footway.plot import page

    keys = list(results.points[0])
    figure = Figure(figsize=(11.4, 3.4 * -(-len(keys) // 2)), layout="constrained")
    axes = figure.subplots(-(-len(keys) // 2), min(2, len(keys)), squeeze=False).ravel()
    for ax, key in zip(axes, keys, strict=False):
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
            ax.plot(x[order], mean, "o-", color=colour, ms=4, lw=1.2, label=name)
            ax.fill_between(x[order], low, high, color=colour, alpha=0.15, lw=0)
            if not numeric:
                ax.set_xticks(x, [str(value) for value, _ in known])
        page.finish(ax, key, with_unit(measure))
        if len(lines) > 1:
            ax.legend(fontsize=7.5, frameon=False)
    for ax in axes[len(keys) :]:
        ax.set_visible(False)
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
    """Draw the share of the runs up to each value, with the 95th percentile."""
    from matplotlib.figure import Figure

    from footway.plot import page

    figure = Figure(figsize=(11.4, 3.4), layout="constrained")
    ax = figure.subplots()
    rows = [(describe(point), results.values(k, measure)) for k, point in enumerate(results.points)]
    if len(rows) > _MOST_LINES:
        rows = [("all runs", [value for _, values in rows for value in values])]
    for number, (name, values) in enumerate(rows):
        known = np.sort([value for value in values if value is not None])
        if not len(known):
            continue
        colour = page.COLOURS[number % len(page.COLOURS)]
        share = np.arange(1, len(known) + 1) / len(known)
        ax.step(np.r_[known[0], known], np.r_[0.0, share], where="post", color=colour, label=name)
        ax.plot(known[math.ceil(0.95 * len(known)) - 1], 0.95, "v", color=colour, ms=7)
    ax.axhline(0.95, color=page.MUTED, lw=0.8, ls="--")
    page.finish(ax, with_unit(measure), "share of the runs")
    ax.legend(fontsize=7.5, frameon=False, loc="best")
    return figure


def _draw_comparison(found: Sequence[Difference], measure: str) -> Figure:
    """Draw means and confidence intervals of two studies by point."""
    from matplotlib.figure import Figure

    from footway.plot import page

    shown = found[:40]
    figure = Figure(figsize=(11.4, 0.9 + 0.36 * len(shown)), layout="constrained")
    ax = figure.subplots()
    for side, (name, colour) in enumerate((("A", page.COLOURS[0]), ("B", page.COLOURS[1]))):
        sides = [one.new if side else one.old for one in shown]
        y = np.arange(len(shown)) + 0.16 * (2 * side - 1)
        mean = np.array([one.mean for one in sides])
        half = np.nan_to_num([one.high - one.mean for one in sides])
        ax.errorbar(mean, y, xerr=half, fmt="o", color=colour, ms=4, lw=1.2, label=name)
    labels = [describe(one.point) + (" *" if one.is_real else "") for one in shown]
    ax.set_yticks(np.arange(len(shown)), labels)
    ax.invert_yaxis()
    page.finish(ax, f"{with_unit(measure)} (mean, 95 % confidence; * significant)", "")
    ax.legend(fontsize=8, frameon=False)
    return figure
