"""The report of a validation as one HTML page without external files."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from footway import __version__
from footway.plot import page
from footway.validate import scenes
from footway.validate.engines import PEERS
from footway.validate.tables import SPREAD
from footway.validate.trajectories import load_trajectories

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from footway.recording.recording import Recording
    from footway.validate.experiments import Curve, Drawn, Experiment
    from footway.validate.validation import Validation

_OURS, _OTHER_STEP, _PEER = "#e2402a", "#2f7fc9", "#6b7280"
_SAMPLES: Final = ("#8fa9c8", "#d8a657", "#7fb08a")  # colours of measured samples
_COLUMNS: Final = 3
_NONE: Final = "&ndash;"  # where there is no value
_MOST: Final = 120  # trajectories in a picture


def to_html(found: Validation, *, trajectories: Path | None = None) -> str:
    """Return the page; `trajectories` is a folder with files of the experiments, if there is one.

    Raises:
        BadFile: a file of trajectories is damaged.
    """
    parts = [_introduction(found), _summary(found)]
    for experiment in found.experiments:
        curves = found.curves[experiment.name]
        parts.append(f'<h2 id="{experiment.name}">{html.escape(experiment.title)}</h2>')
        parts.append(f"<p>{html.escape(experiment.about)}</p>")
        parts.append(_sources(experiment))
        parts.append(f'<div class="wide">{_charts(experiment, curves)}</div>')
        parts.append(_points(experiment, curves))
        parts += _failures(curves)
        parts += _trajectory_panels(experiment, curves, trajectories)
    return page.page("Footway: validation", parts)


def _introduction(found: Validation) -> str:
    size = "a quick run: few scenes, one seed" if found.quick else "three seeds"
    return (
        "<h1>Validation</h1>"
        f'<p class="muted">Footway {__version__}; {size}; radius {scenes.RADIUS:g} m, free speed '
        f"{scenes.WEIDMANN_SPEED[0]:g} ± {scenes.WEIDMANN_SPEED[1]:g} m/s unless said "
        "otherwise.</p><p>Models are compared with measured people in the same scenes and with the "
        "same measuring methods. The measured spread is the mean "
        f"± {SPREAD:g} standard deviations of the samples. "
        "The distance is the root mean square of the relative differences to the measured means. "
        "Models of JuPedSim run with their default parameters, as peers.</p>"
        "<p>Data marked “fit” are for choosing parameters; data marked “check” are held out to "
        "judge the result.</p>"
    )


def _summary(found: Validation) -> str:
    """Return a table: distance and points inside the spread, by model and experiment."""
    measured = [one for one in found.experiments if one.references()]
    head = "".join(
        f'<th><a href="#{one.name}">{html.escape(one.name)}</a></th>' for one in measured
    )
    rows = []
    keys = [(curve.engine, curve.dt) for curve in next(iter(found.curves.values()))]
    for engine, dt in keys:
        cells = []
        for experiment in measured:
            curve = next(
                one for one in found.curves[experiment.name] if (one.engine, one.dt) == (engine, dt)
            )
            cells.append(f'<td class="n">{_score(curve)}</td>')
        rows.append(
            f'<tr><td>{html.escape(engine)}</td><td class="n">{dt:g}</td>{"".join(cells)}</tr>'
        )
    table = (
        f'<div class="wide"><table><tr><th>model</th><th>dt, s</th>{head}</tr>{"".join(rows)}'
        "</table></div>"
    )
    return (
        "<h2>Distances</h2><p>Distance, and how many of the points lie in the measured spread.</p>"
        + table
        + _step_table(found)
    )


def _score(curve: Curve) -> str:
    if curve.distance is None:
        return "failed" if curve.failures else _NONE
    inside, known = curve.inside
    kind = "good" if inside == known else "bad"
    return f'{100.0 * curve.distance:.0f} % · <span class="{kind}">{inside} of {known}</span>'


def _step_table(found: Validation) -> str:
    """Return a table of differences between two time steps; empty with one step only."""
    rows = []
    for model, (fine, coarse) in found.step_pairs().items():
        cells = "".join(
            f'<td class="n">{_percent(found.step_difference(one.name, model))}</td>'
            for one in found.experiments
        )
        rows.append(f"<tr><td>{html.escape(model)}: {fine:g} and {coarse:g} s</td>{cells}</tr>")
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(one.name)}</th>" for one in found.experiments)
    return (
        "<p>Mean difference of the results between two time steps:</p>"
        f'<div class="wide"><table><tr><th>model</th>{head}</tr>{"".join(rows)}</table></div>'
    )


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100.0 * value:.1f} %"


def _sources(experiment: Experiment) -> str:
    labels: dict[tuple[str, str], list[str]] = {}
    for one in experiment.references():
        labels.setdefault((one.role, one.source), []).append(one.label)
    rows = [
        f"<li>{html.escape(', '.join(names))}: {role}. {html.escape(source)}</li>"
        for (role, source), names in labels.items()
    ]
    return f'<ul class="muted">{"".join(rows)}</ul>' if rows else ""


def _points(experiment: Experiment, curves: Sequence[Curve]) -> str:
    """Return a folded table of all points."""
    rows = []
    for curve in curves:
        for point in curve.points:
            known, verdict = point.reference, ""
            if known is not None:
                kind, verdict = ("good", "inside") if point.inside else ("bad", "outside")
                spread = f"{known.mean:.2f} ({known.low:.2f} to {known.high:.2f})"
                verdict = f'{spread}</td><td class="{kind}">{verdict}'
            else:
                verdict = f"{_NONE}</td><td>"
            left = f"{point.left} had not left at the end" if point.left else ""
            rows.append(
                f"<tr><td>{html.escape(curve.engine)}</td><td>{curve.dt:g}</td>"
                f'<td>{html.escape(point.scene)}</td><td class="n">{point.x:.2f}</td>'
                f'<td class="n">{point.y:.2f} ± {point.deviation:.2f}</td><td>{verdict}</td>'
                f"<td>{left}</td></tr>"
            )
    x, y = map(html.escape, experiment.axes)
    return (
        "<details><summary>All points</summary><div class='wide'><table><tr><th>model</th><th>dt, s"
        f"</th><th>scene</th><th>{x}</th><th>{y}</th><th>measured</th><th></th><th></th></tr>"
        f"{''.join(rows)}</table></div></details>"
    )


def _failures(curves: Sequence[Curve]) -> Iterator[str]:
    for curve in curves:
        if curve.failures:
            first = html.escape(curve.failures[0][:160])
            yield (
                f'<p class="muted">{html.escape(curve.engine)} failed in {len(curve.failures)} '
                f"scenes, for example {first}</p>"
            )


# -- charts --------------------------------------------------------------------------------------


def _charts(experiment: Experiment, curves: Sequence[Curve]) -> str:
    """Return one chart for each model, all with the same axes, as SVG."""
    names = list(dict.fromkeys(curve.engine for curve in curves if curve.points))
    rows = max(1, -(-len(names) // _COLUMNS))
    figure = Figure(figsize=(11.4, 0.5 + 2.9 * rows), layout="constrained")
    axes = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=False):
        _draw_references(ax, experiment)
        own = [curve for curve in curves if curve.engine == name]
        for k, curve in enumerate(sorted(own, key=lambda one: -one.dt)):
            colour = _PEER if name in PEERS else (_OURS, _OTHER_STEP)[k % 2]
            x, y, spread = np.array([(p.x, p.y, p.deviation) for p in curve.points]).T
            order = np.argsort(x)
            ax.errorbar(
                x[order], y[order], spread[order], color=colour, marker="o", ms=4.5, lw=1.2,
                elinewidth=0.9, label=f"dt {curve.dt:g} s", mfc=colour if k == 0 else "white",
                zorder=4 - k,
            )  # fmt: skip
        ax.set_title(name, fontsize=10, color=page.INK, loc="left")
        ax.legend(fontsize=7.5, frameon=False, loc="best")
        ax.grid(color=page.GRID, lw=0.6)
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.tick_params(labelsize=8, colors=page.MUTED)
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    axes[0].set_ylim(bottom=0.0)
    axes[0].set_xlim(left=0.0)
    figure.supxlabel(experiment.axes[0], fontsize=9, color=page.MUTED)
    figure.supylabel(experiment.axes[1], fontsize=9, color=page.MUTED)
    return page.as_svg(figure)


def _draw_references(ax: Any, experiment: Experiment) -> None:
    colours = iter(_SAMPLES)
    for one in experiment.references():
        if one.is_line:
            ax.plot(one.x, one.y, color=page.MUTED, lw=1.0, ls="--", label=one.label, zorder=2)
            if one.deviation is not None:
                low, high = one.y - one.deviation, one.y + one.deviation
                ax.fill_between(one.x, low, high, color=page.BAND, alpha=0.45, lw=0, zorder=1)
        elif one.deviation is not None:
            ax.errorbar(
                one.x, one.y, one.deviation, color=page.INK, ls="", marker="s", ms=4, lw=1.0,
                label=one.label, zorder=3,
            )  # fmt: skip
        else:
            ax.scatter(
                one.x, one.y, s=6, color=next(colours), edgecolors="none", alpha=0.7,
                label=one.label, zorder=1.5,
            )  # fmt: skip


# -- trajectories --------------------------------------------------------------------------------


def _trajectory_panels(
    experiment: Experiment, curves: Sequence[Curve], folder: Path | None
) -> Iterator[str]:
    """Return pictures of trajectories: of the experiment, and of each model at its longest step."""
    longest = {curve.engine: curve for curve in sorted(curves, key=lambda one: one.dt)}
    for scene, drawn in experiment.drawn.items():
        shown: list[tuple[str, Recording]] = []
        file = folder / drawn.file if folder is not None and drawn.file else None
        if file is not None and file.is_file():
            people = load_trajectories(file, rate=drawn.rate, unit=drawn.unit)
            shown.append((f"people ({file.stem})", people))
        shown += [
            (f"{curve.engine}, dt {curve.dt:g} s", curve.pictures[scene])
            for curve in longest.values()
            if scene in curve.pictures
        ]
        if not shown:
            continue
        panels = "".join(
            f"<figure>{_draw_trajectories(run, drawn)}"
            f"<figcaption>{html.escape(name)}</figcaption></figure>"
            for name, run in shown
        )
        yield f'<p>Trajectories: {html.escape(scene)}</p><div class="panels">{panels}</div>'


def _draw_trajectories(recording: Recording, drawn: Drawn) -> str:
    """Return a picture of trajectories as an image of the page."""
    x0, y0, x1, y1 = drawn.view
    wide = 1.6 if drawn.is_timed else (x1 - x0) / (y1 - y0)
    width = 3.6 if wide > 0.6 else 2.6
    figure = Figure(figsize=(width, max(0.9, min(5.2, width / wide))), layout="constrained")
    ax = figure.subplots()
    lines, values = _lines(recording, drawn)
    ax.add_collection(LineCollection(lines, array=values, cmap="viridis", lw=0.6, alpha=0.75))
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    ax.tick_params(labelsize=6.5, colors=page.MUTED)
    if drawn.is_timed:
        ax.set_xlabel("time, s", fontsize=7, color=page.MUTED)
        ax.set_ylabel("distance, m", fontsize=7, color=page.MUTED)
    else:
        ax.set_aspect("equal")
        if recording.environment is not None:
            for x_a, y_a, x_b, y_b in recording.environment.walls.segments:
                ax.plot([x_a, x_b], [y_a, y_b], color=page.INK, lw=1.0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return page.as_image(figure, alt="trajectories")


def _lines(recording: Recording, drawn: Drawn) -> tuple[list[Any], Any]:
    """Return polylines of some characters, and a number for the colour of each."""
    ids = recording.characters.ids
    chosen = ids[np.unique(np.linspace(0, len(ids) - 1, _MOST).astype(int))]
    frame = np.repeat(np.arange(recording.n_frames), np.diff(recording.offsets))
    times = recording.times - recording.times[0]
    lines: list[Any] = []
    values: list[float] = []
    for character in chosen.tolist():
        rows = recording.ids == character
        at, when = recording.positions[rows], times[frame[rows]]
        if drawn.is_timed:
            lines += _distances(recording, at, when)
            values += [0.35] * (len(lines) - len(values))
        else:
            lines.append(at[:: max(1, round(0.2 / max(recording.step, 1e-9)))])
            values.append(float(at[0, 0] + at[0, 1]))
    return lines, np.array(values)


def _distances(recording: Recording, at: Any, when: Any) -> list[Any]:
    """Return the distance along the straight part by time; of people, along x."""
    if recording.environment is None:
        return [np.column_stack([when, -at[:, 0] if at[-1, 0] < at[0, 0] else at[:, 0]])]
    along = scenes.along_oval(at) - 1.5
    cuts = np.flatnonzero(np.abs(np.diff(along)) > 0.5 * scenes.OVAL) + 1
    pieces = zip(np.split(when, cuts), np.split(along, cuts), strict=True)
    return [np.column_stack(piece) for piece in pieces]
