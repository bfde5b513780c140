"""Path variation in one corridor: random paths, lanes, tight and wide corners."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from footway.follow import cmm, variations
from footway.plot import Panel, draw_panels, palette, save_picture
from footway.reproduce.claims import Claim, explained, stated
from footway.reproduce.cmm.setup import RADIUS, faults, scene, verdict
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table
from footway.reproduce.timing import in_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.corridor import Corridor
    from footway.follow import Walk
    from footway.reproduce.cmm.setup import Effort, Scene
    from footway.reproduce.report import Cell
    from footway.reproduce.timing import Timing

SOURCE: Final = "cmm-crowds-2008, section 3 and figure 3"

RANDOM_SAYS: Final = "almost the same clearance and length"
LANE_SAYS: Final = "safe clearance, no significant difference in length"
CORNER_SAYS: Final = "shorter and more direct"
"""Statements of section 3.1 about each kind; it gives no numbers."""

PLACE: Final = "game"
QUESTION: Final = Question((97.4, 64.0), (84.5, 41.0))
NOISE: Final = (0.25, 0.5, 1.0)
LANES: Final = (0.25, 0.5, 1.0)
"""Values of k, to either side."""
CORNERS: Final = (1.0, -1.0)
DRAWN_NOISE: Final = 0.5
SEED: Final = 3

_RED: Final = "random paths, lanes on the right, tight corners"
_PURPLE: Final = "lanes on the left, wide corners"
"""What the colours of the picture mean."""


class Kind(NamedTuple):
    """One row of the table: a behaviour, its walks, and the statement of the paper."""

    name: str
    walks: Sequence[Walk]
    says: str
    diversity: float | None = None


def run(effort: Effort, folder: Path) -> Section:
    """Measure all kinds in one corridor with bends, and draw figure 3."""
    place = scene(PLACE)
    corridor = place.corridor(QUESTION)
    kinds = _kinds(corridor, effort)
    plain = cmm(corridor)
    times = in_turn(_calls(corridor), rounds=effort.single_rounds)
    walks = [walk for kind in kinds.values() for walk in kind.walks]
    return Section(
        "Path variation",
        SOURCE,
        [_table(place, plain, list(kinds.values())), _time_table(times)],
        [_draw(place, plain, kinds, folder)],
        checked=f"{verdict(walks)}.",
        wrong=[words for kind in kinds.values() for words in faults(kind.walks, kind.name)],
        claims=_claims(place, plain, kinds, times),
    )


CLOSE: Final = 0.1
"""Relative difference in length or clearance that counts as almost none."""


def _claims(
    place: Scene, plain: Walk, kinds: dict[tuple[str, float], Kind], times: dict[str, Timing]
) -> list[Claim]:
    def longer(kind: Kind) -> float:
        return fmean(walk.length for walk in kind.walks) / plain.length - 1.0

    random = kinds["noise", DRAWN_NOISE]
    wider = _mean_clearance(place, random.walks) / _mean_clearance(place, [plain]) - 1.0
    lanes = {name: longer(kind) for (what, name), kind in kinds.items() if what == "lane"}
    most = max(lanes.values(), key=abs)
    tight = longer(kinds["corner", CORNERS[0]])
    slowest = max(timing.cpu for timing in times.values()) / times["plain"].cpu
    where = "cmm-crowds-2008, section 3.1"
    return [
        stated(where, "random paths: length and clearance almost the same",
               f"length {longer(random):+.1%}, clearance {wider:+.1%}",
               held=max(abs(longer(random)), abs(wider)) <= CLOSE),
        stated(where, "lanes: no significant difference in length", f"{most:+.1%} at most",
               held=abs(most) <= CLOSE),
        stated(where, "tight corners: shorter", f"{tight:+.1%}", held=tight < 0.0),
        explained(
            stated(where, "running time: marginal influence", f"{slowest - 1.0:+.0%} at most",
                   held=slowest <= 1.25, timed=True),
            f"of a plain walk of {1e6 * times['plain'].cpu:.0f} us",
        ),
    ]  # fmt: skip


def _kinds(corridor: Corridor, effort: Effort) -> dict[tuple[str, float], Kind]:
    """Return random paths, lanes, and tight and wide corners, by behaviour and its value."""
    kinds = {}
    for noise in NOISE:
        walks, diversity = variations(corridor, effort.variations, seed=SEED, noise=noise)
        name = f"{effort.variations} random paths, noise {noise:g}"
        kinds["noise", noise] = Kind(name, walks, RANDOM_SAYS, diversity)
    for k in (*LANES, *(-k for k in LANES)):
        name = f"lane on the {'left' if k > 0 else 'right'}, k = {abs(k):g}"
        kinds["lane", k] = Kind(name, [cmm(corridor, lane=k)], LANE_SAYS)
    for value in CORNERS:
        name = f"{'tight' if value > 0 else 'wide'} corners, {value:g}"
        says = CORNER_SAYS if value > 0 else ""
        kinds["corner", value] = Kind(name, [cmm(corridor, corner=value)], says)
    return kinds


def _calls(corridor: Corridor) -> dict[str, Any]:
    return {
        "plain": partial(cmm, corridor),
        "noise": partial(cmm, corridor, noise=DRAWN_NOISE, seed=SEED),
        "lane": partial(cmm, corridor, lane=LANES[1]),
        "corner": partial(cmm, corridor, corner=CORNERS[0]),
    }


def _table(place: Scene, plain: Walk, kinds: Sequence[Kind]) -> Table:
    """Return lengths and clearances relative to the plain path."""
    base = _mean_clearance(place, [plain])
    columns = ("", "length", "mean clearance", "least clearance, m", "diversity", "paper")
    rows: list[tuple[Cell, ...]] = [("plain", "1.000", "1.000", plain.clearance, None, "")]
    rows += [
        (
            kind.name,
            f"{fmean(walk.length for walk in kind.walks) / plain.length:.3f}",
            f"{_mean_clearance(place, kind.walks) / base:.3f}",
            min(walk.clearance for walk in kind.walks),
            kind.diversity,
            kind.says,
        )
        for kind in kinds
    ]
    note = (
        f"Length and mean clearance are relative to the plain path: {plain.length:.1f} m and "
        f"{base:.2f} m, for a disc of radius {RADIUS:g} m. Diversity: width of the band that "
        "holds the middle 90 % of the paths, relative to the width that their centres can use, "
        "mean along the backbone."
    )
    return Table("One corridor with bends (Game)", columns, rows, note)


def _mean_clearance(place: Scene, walks: Sequence[Walk]) -> float:
    """Return the distance to the nearest wall, mean over all samples, m."""
    return fmean(float(place.cmap.clearance(walk.points).mean()) for walk in walks)


def _time_table(times: dict[str, Timing]) -> Table:
    rows = [
        (name, 1000.0 * timing.median, f"{timing.cpu / times['plain'].cpu:.3g}x")
        for name, timing in times.items()
    ]
    note = 'Section 3.1: the variations "influence the running time of the algorithm marginally".'
    return Table("Time of one path", ("", "path alone, ms", "CPU time, relative"), rows, note)


def _draw(place: Scene, plain: Walk, kinds: dict[tuple[str, float], Kind], folder: Path) -> Picture:
    random = kinds["noise", DRAWN_NOISE]
    tight, wide = (kinds["corner", value].walks[0] for value in CORNERS)
    count = len(random.walks)
    lanes = [kind for (what, _), kind in kinds.items() if what == "lane"]
    half = len(LANES)
    panels = [
        Panel(
            f"(a) {count} random paths",
            random.walks,
            names=[_RED] * count,
            details=f"diversity {random.diversity:.2f}",
        ),
        Panel(
            f"(b) lanes, k = {', '.join(f'{k:g}' for k in LANES)}",
            [kind.walks[0] for kind in lanes],
            colours=[palette.PINCH] * half + [palette.ACCENT] * half,
            names=[_PURPLE] * half + [_RED] * half,
        ),
        Panel(
            "(c) tight and wide corners",
            [tight, wide],
            colours=[palette.ACCENT, palette.PINCH],
            names=[_RED, _PURPLE],
            compare=(plain, "plain path"),
            details=f"{_gain(tight, plain)}, {_gain(wide, plain)}",
        ),
    ]
    title = "Variation in one corridor"
    drawn = draw_panels(
        place.cmap,
        panels,
        title=title,
        details=f"cmm-crowds-2008, figure 3  ·  radius {RADIUS:g} m",
        environment=place.environment,
    )
    file = "cmm-crowds-figure-3.png"
    save_picture(drawn, folder / file)
    return Picture(file, f"Figure 3 of cmm-crowds-2008. {title}: random paths, lanes, corners")


def _gain(walk: Walk, plain: Walk) -> str:
    """Format the difference in length to the plain path."""
    return f"{walk.length / plain.length - 1:+.1%}"
