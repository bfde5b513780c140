"""Figure 11: the speed diagram of a camera, and the effect of looking ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.camera import motion
from footway.plot import draw_camera, palette, save_picture
from footway.reproduce import charts
from footway.reproduce.claims import stated
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.voronoi.judge import path_clearance, path_faults, speed_faults
from footway.reproduce.voronoi.setup import PAPER, RADIUS, scene

if TYPE_CHECKING:
    from pathlib import Path

    from footway.arrays import Floats
    from footway.camera import CameraMotion
    from footway.reproduce.report import Cell
    from footway.reproduce.voronoi.setup import Effort


SOURCE: Final = "voronoi-roadmaps-2004, sections 4.1 and 4.2 and figure 11"

FILE: Final = "voronoi-figure-11.png"
AHEAD_FILE: Final = "voronoi-looking-ahead.png"

SHOWN: Final = "office"
QUESTION: Final = Question((24.5, 58.0), (62.0, 19.0))

SPEED: Final = 2.5
ACCELERATION: Final = 0.8
TURN_RATE: Final = 0.8
"""m/s, m/s2 and rad/s. The paper gives none."""

LOOK_AHEAD: Final = 1.0
"""s. "About 1 second is the right amount" (section 4.2)."""

_FINE: Final = 1e-3  # s between measurements of the turn rate
_JUMP: Final = 0.02  # rad/s: a continuous turn rate changes by less between two measurements


class Rates(NamedTuple):
    """Turn rate of a view over time."""

    times: Floats  # (n,) s
    along: Floats  # (n,) rad/s, looking along the path
    ahead: Floats  # (n,) rad/s, looking ahead

    @property
    def jumps(self) -> tuple[float, float]:
        """Greatest change of both rates between two measurements, rad/s."""
        return tuple(float(np.abs(np.diff(rate)).max()) for rate in (self.along, self.ahead))  # type: ignore[return-value]


def run(effort: Effort, folder: Path) -> Section:
    """Move along a path, check every bound, and draw speed and view."""
    del effort  # it takes no time
    place = scene(SHOWN)
    path = place.cmap.path(*QUESTION, radius=RADIUS)
    flight = motion(
        path, speed=SPEED, acceleration=ACCELERATION, deceleration=ACCELERATION,
        turn_rate=TURN_RATE, look_ahead=LOOK_AHEAD,
    )  # fmt: skip
    rates = rates_of(flight)
    figure = draw_camera(place.cmap, flight, environment=place.environment)
    save_picture(figure, folder / FILE)
    assert flight.diagram is not None
    return Section(
        "Figure 11: the speed of a camera",
        SOURCE,
        [_table(flight, path_clearance(path, place.judge)), _views(rates)],
        [
            Picture(FILE, "Figure 11. The path, the greatest speed and the actual speed"),
            _draw_rates(rates, folder),
        ],
        checked=(
            "at 20,000 places the speed is within its limit, acceleration and deceleration are "
            "within theirs, and no speed that keeps them is greater; looking ahead, the rate of "
            "the view has no jump."
        ),
        wrong=[
            *path_faults(path, place.judge, "figure 11"),
            *(f"figure 11: {words}" for words in speed_faults(flight.diagram)),
            *faults(rates),
        ],
        claims=[
            stated(f"{PAPER}, figure 11", "the speed keeps its limits and both accelerations",
                   _range(flight.diagram.accelerations) + f" m/s2, bound {ACCELERATION:g}",
                   held=not list(speed_faults(flight.diagram))),
            stated(f"{PAPER}, section 4.2", "looking ahead makes the rotation C1",
                   f"rate jumps by {rates.jumps[1]:.3f}, along the path {rates.jumps[0]:.3f} rad/s",
                   held=not faults(rates), file=AHEAD_FILE),
        ],
    )  # fmt: skip


def rates_of(flight: CameraMotion) -> Rates:
    """Return the turn rate of the camera, and that of one that looks along the path."""
    assert flight.curve is not None
    times = np.arange(0.0, flight.duration, _FINE)
    moments = flight.source.at(times)
    along = flight.curve.tangent(moments.arc_lengths)
    return Rates(
        times[1:], *(np.diff(_headings(view)) / _FINE for view in (along, moments.directions))
    )


def _headings(directions: Floats) -> Floats:
    """Return headings (n,) rad, unwrapped."""
    return np.unwrap(np.arctan2(directions[:, 1], directions[:, 0]))


def faults(rates: Rates) -> list[str]:
    """Return which statements of section 4.2 do not hold."""
    along, ahead = rates.jumps
    holds = {
        f"looking ahead, the view's rate jumps by {ahead:.3f} rad/s": ahead <= _JUMP,
        f"looking along the path, the view's rate jumps by {along:.3f} rad/s only": along > _JUMP,
    }
    return [words for words, held in holds.items() if not held]


def _table(flight: CameraMotion, clearance: float) -> Table:
    diagram = flight.diagram
    assert diagram is not None
    rows: list[tuple[Cell, ...]] = [
        ("length, m", flight.length),
        ("time, s", flight.duration),
        ("the same at the greatest speed all the way, s", flight.length / SPEED),
        ("arcs", int((np.abs(flight.curve.curvatures) > 0).sum()) if flight.curve else 0),
        ("slowest arc, m/s", float(diagram.limits.min())),
        ("acceleration, least and most, m/s2", _range(diagram.accelerations)),
        ("clearance by Shapely, m", f"{clearance:.3f}"),
    ]
    note = (
        f"At most {SPEED:g} m/s, {ACCELERATION:g} m/s2 up and down, and {TURN_RATE:g} rad/s on "
        "arcs. The paper gives no numbers."
    )
    return Table("The camera of figure 11", ("", "ours"), rows, note)


def _range(values: Floats) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def _views(rates: Rates) -> Table:
    names = ("along the path", f"{LOOK_AHEAD:g} s ahead")
    rows: list[tuple[Cell, ...]] = [
        (name, says, float(np.abs(rate).max()), jump)
        for name, says, rate, jump in zip(
            names, ("C0", "C1"), (rates.along, rates.ahead), rates.jumps, strict=True
        )
    ]
    columns = (
        *("the camera looks", "rotation, paper", "fastest turn, rad/s"),
        "greatest jump of its rate, rad/s",
    )
    note = f"Jumps are changes within {1000.0 * _FINE:g} ms."
    return Table("What looking ahead is good for", columns, rows, note)


def _draw_rates(rates: Rates, folder: Path) -> Picture:
    title = "A camera that looks ahead turns smoothly"
    details = f"{PAPER}, section 4.2  ·  {LOOK_AHEAD:g} s ahead"
    chart = charts.new_chart(title, details=details, captions=["How fast the view turns"])
    (axes,) = chart.axes
    style: dict[str, Any] = {"lw": 1.3}
    shown = (rates.along, charts.SECOND, "along the path"), (rates.ahead, charts.FIRST, "ahead")
    for rate, colour, words in shown:
        axes.plot(rates.times, np.degrees(rate), color=colour, label=words, **style)
    axes.axhline(0.0, color=palette.WALL, lw=0.6)
    axes.set_xlim(0.0, rates.times[-1])
    above: dict[str, Any] = {
        "loc": "lower right",
        "bbox_to_anchor": (1.0, 1.0),
        "ncols": 2,
    }  # not on the curves
    axes.legend(frameon=False, fontsize=7.5, labelcolor=palette.MUTED, **above)
    charts.name_axes(axes, x="time (s)", y="degrees/s, to the left")
    save_picture(chart.figure, folder / AHEAD_FILE)
    return Picture(AHEAD_FILE, f"{title}: along the path its rate jumps at every arc")
