"""Reports of studies: one HTML page, of one study or of two side by side."""

from __future__ import annotations

import html
import json
import math
from typing import TYPE_CHECKING, Any, Final

from footway import __version__
from footway.runs.analysis import (
    compare,
    main_measure,
    most_crowded,
    sensitivities,
    unit_of,
    varies_alone,
)
from footway.runs.results import KEPT, StudyFolder
from footway.runs.study import describe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from footway.runs.analysis import Difference
    from footway.runs.results import StudyResults
    from footway.runs.study import StopRule

_MOST_ROWS: Final = 200


def report_html(
    results: StudyResults,
    replays: Mapping[str, str] | None = None,
    *,
    measure: str | None = None,
) -> str:
    """Return the report of a study.

    Args:
        results: of the study.
        replays: links to pages that replay the recorded runs, by their name.
        measure: what the charts are about; by default the time of egress, if anybody leaves.

    """
    from footway.plot import page
    from footway.runs.charts import draw_curve, draw_distribution

    measure = main_measure(results, chosen=measure)
    title = results.title
    parts = [f"<h1>{html.escape(title)}</h1>", f'<p class="muted">{_about(results)}</p>']
    parts.append(f"<p>{html.escape(_finding(results, measure))}</p>")
    left = sum(results.not_out(point) for point in range(len(results.points)))
    if left:
        parts.append(
            f'<p class="bad">In {left} of {len(results.runs)} runs somebody was still inside at '
            "the end. These runs have no egress time: means and percentiles leave them out.</p>"
        )
    uncertain = sum(map(results.is_uncertain, range(len(results.points))))
    if results.stop is not None and uncertain:
        text = uncertain_text(results.stop, uncertain, len(results.points))
        parts.append(f'<p class="bad">{html.escape(text)}</p>')
    if results.points[0]:
        parts.append("<h2>What varies</h2>")
        charts = "".join(
            page.as_svg(draw_curve(results, key, measure)) for key in results.points[0]
        )
        parts.append(f'<div class="halves">{charts}</div>')
        rows = [
            (key, "too few points" if math.isnan(share) else f"{100.0 * share:.0f} %")
            for key, share in sorted(
                sensitivities(results, measure).items(), key=lambda one: (one[1] != one[1], -one[1])
            )
        ]
        parts.append(
            "<p>Share of the variance of all runs that each key explains; the rest is chance, and "
            "what keys do together:</p>"
        )
        parts.append(page.table(("key", measure), rows))
        if not all(varies_alone(results, key) for key in results.points[0]):
            parts.append(
                '<p class="muted">Keys that differ in all points: the curve is a parabola through '
                "the points with its 95 % confidence band, and the share is what it explains.</p>"
            )
    parts.append("<h2>Distribution of the runs</h2>")
    parts.append(f'<div class="wide">{page.as_svg(draw_distribution(results, measure))}</div>')
    parts.append('<p class="muted">Triangles: 95th percentile of the runs of a point.</p>')
    parts += _pictures(results, replays or {})
    parts += ["<h2>All points</h2>", _point_table(results, measure)]
    parts += _other_measures(results)
    parts += _repeat(results)
    return page.page(f"{title}: study", parts)


def uncertain_text(rule: StopRule, uncertain: int, points: int) -> str:
    """Return a sentence about the points that have too few runs for the stop rule."""
    return (
        f"At {uncertain} of {points} points all seeds are not enough to know {rule.measure} to "
        f"{100.0 * rule.within:g} %: give more seeds."
    )


def comparison_html(old: StudyResults, new: StudyResults, *, measure: str | None = None) -> str:
    """Return the report of two studies side by side; of the time of egress if it is not given."""
    from footway.plot import page
    from footway.runs.charts import draw_comparison

    measure = main_measure(old, new, chosen=measure)
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
        parts.append(f'<div class="wide">{page.as_svg(draw_comparison(found, measure))}</div>')
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
    texts = []
    for mean, k in (low, high):
        n, runs = found[k].n, len(results.values(k, measure))
        few = f" in {n} of {runs} runs" if n < runs else " on average"
        texts.append(f"{describe(results.points[k])} ({mean:.4g}{unit}{few})")
    begun = sum(bool(results.values(k, measure)) for k in range(len(found)))
    without = begun - len(known)
    where = f"Where there are values, {measure}" if without else measure
    more = f" Points without a value in any run: {without} of {begun}." if without else ""
    return f"{where} is least with {texts[0]} and greatest with {texts[1]}.{more}"


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
        runs = len(results.values(k, measure))
        rows.append((*point.values(), runs, left, one.mean, spread, one.median, one.p95, one.most))
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
            (describe(point), name, one.n, one.mean, one.deviation, one.median, one.p95)
            for name, one in zip(names, means, strict=True)
            if one.n
        ]
    yield "<details><summary>All measures</summary>"
    yield table(
        ("point", "measure", "runs", "mean", "deviation", "median", "95th percentile"), rows
    )
    yield "</details>"


def _pictures(results: StudyResults, replays: Mapping[str, str]) -> Iterator[str]:
    """Yield pictures of the recorded runs: mean density, and the most crowded moment."""
    from footway.corridor import CorridorMap
    from footway.plot import draw_building, draw_density, draw_moment, page
    from footway.recording.recording import Recording

    for name, (file, point, seed) in results.recordings.items():
        recording = Recording.load(file)
        whole = recording.building or recording.environment
        if whole is None:
            continue
        cmap = CorridorMap.build(whole)
        moment = most_crowded(recording)
        frame = recording.frame(moment)
        link = ""
        if name in replays:
            link = f'<a href="{html.escape(replays[name])}">Replay it</a>, or '
        heading = f"The {name} run by time of egress" if name in KEPT else f"Run {name}"
        yield f"<h2>{heading}</h2><p>{html.escape(describe(results.points[point]))}, seed "
        yield f"{seed}. {link}<code>footway studio {html.escape(str(file))}</code></p>"
        crowded = f"The most crowded moment: {len(frame.ids):,} people after {frame.time:.0f} s"
        if recording.building is not None:
            names, _ = recording.floors_at(moment)
            people = [(*at, on) for at, on in zip(frame.positions.tolist(), names, strict=True)]
            yield page.figure(draw_building(cmap, people=people), crowded)
            continue
        options: dict[str, Any] = {"environment": recording.environment}
        yield '<div class="halves">'
        density = draw_density(cmap, recording, **options)
        yield page.figure(density, f"Mean density over {recording.duration:.0f} s")
        crowd = draw_moment(cmap, recording, moment, lens="none", **options)
        yield page.figure(crowd, crowded)
        yield "</div>"


def _repeat(results: StudyResults) -> Iterator[str]:
    """Yield everything that is needed to repeat the study."""
    facts = StudyFolder(results.folder).facts()
    text = html.escape(json.dumps(facts, indent=1))
    seeds = f"{facts['first_seed']} to {facts['first_seed'] + facts['seeds'] - 1}"
    yield f"<h2>Repeat it</h2><p>Footway {__version__}, seeds {seeds} of each point. A run depends "
    yield "on nothing but its scenario, map and seed; recordings contain the map. Scenario, points "
    yield f"and measures:</p><details><summary>study.json</summary><pre>{text}</pre></details>"
