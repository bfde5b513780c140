"""Groups with a bounded lateral and longitudinal dispersion (voronoi-roadmaps-2004, figure 10).

Their corridors come from the smooth roadmap, as in the paper, and from our exact map.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from footway.constants import TOUCH
from footway.corridor import CorridorMap
from footway.environment import Environment
from footway.plot import save_picture
from footway.reproduce.claims import Claim, less_time, stated
from footway.reproduce.cmm.setup import Scene
from footway.reproduce.crowds.groups import LONGEST, MEASURES, Limits, measures, walk_group
from footway.reproduce.crowds.setup import Panel, draw_groups
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table, ratio
from footway.roadmap.voronoi.voronoi_prm import voronoi_prm

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from footway.reproduce.crowds.groups import GroupWalk
    from footway.reproduce.crowds.setup import Effort
    from footway.reproduce.report import Cell

SOURCE: Final = "voronoi-roadmaps-2004, sections 3.3 and 3.4 and figure 10"

MEMBERS: Final = 50
SIZES: Final = (50, 75, 100)
LOAD: Final = 1.0
"""%. "For groups of 50 to 100 entities the processor usage did not exceed 1 percent" (3.4)."""

LIMITS: Final = {
    "a": Limits(lateral=1.6, longitudinal=60.0),
    "b": Limits(lateral=5.0, longitudinal=14.0),
    "c": Limits(lateral=16.0, longitudinal=4.0),
    "d": Limits(lateral=8.0, longitudinal=8.0),
}
"""Our values: the paper says only high, medium and low. In less than 4 m fifty discs do not fit."""
SAYS: Final = {
    "a": "high longitudinal, very low lateral dispersion",
    "b": "medium longitudinal, medium lateral dispersion",
    "c": "low longitudinal, larger lateral dispersion",
    "d": "the first wait for the last behind a narrow passage",
}

ALONG: Final = Question((7.0, 9.0), (83.0, 10.0))
THROUGH: Final = Question((7.0, 9.0), (82.0, 35.0))
"""(d) goes from the lower left to the upper right."""

SIDES: Final = (90.0, 44.0)
GAP: Final = (48.0, 24.5)
"""m. Where the narrow passage is, between the two hedges."""
PASSAGE_WIDTH: Final = 1.3
"""m. Width of the passage: characters get through one after the other."""

SEED: Final = 2004
FILE: Final = "crowds-groups-figure-10.png"

_SHARES: Final = {
    "a": (0.45, 0.97),
    "b": (0.35, 0.68, 0.99),
    "c": (0.35, 0.68, 0.99),
    "d": (0.28, 0.60, 0.98),
}


def run(effort: Effort, folder: Path) -> Section:
    """Simulate the four groups, draw figure 10, and measure the load of larger groups."""
    del effort  # they take a second
    walks = {part: _walk(part, MEMBERS) for part in LIMITS}
    smooth = {part: _walk(part, MEMBERS, smooth=True) for part in LIMITS}
    loads = {count: _walk("b", count).load for count in SIZES}
    return Section(
        "Coherent groups: lateral and longitudinal dispersion",
        SOURCE,
        [
            _table(smooth, "on the smooth roadmap, as in the paper"),
            _table(walks, "on the exact map"),
            _wait_table(walks["d"]),
            _load_table(loads),
        ],
        [_draw(smooth, folder)],
        checked=(
            "on the exact map all arrive, nobody is in a wall, no group is wider than its "
            "corridor; (a) is longer and narrower than (b), (b) than (c); the first of (d) wait."
        ),
        wrong=[*(words for walk in walks.values() for words in walk.wrong), *disorder(walks)],
        claims=_claims(walks, smooth, loads),
    )


def _claims(
    walks: Mapping[str, GroupWalk], smooth: Mapping[str, GroupWalk], loads: Mapping[int, float]
) -> list[Claim]:
    where = "voronoi-roadmaps-2004, section 3.3"
    claims = []
    for part, limits in LIMITS.items():
        bound, ours, printed = limits.longitudinal or 0.0, walks[part].most[3], smooth[part].most[3]
        is_held = max(ours, printed) <= bound + TOUCH
        apart = f"people are up to {max(walks[part].most[1], smooth[part].most[1]):.0f} m apart"
        claims.append(
            stated(where, f"({part}): attraction points at most the bound apart, m", float(ours),
                   says=f"{bound:g}", printed=float(printed), held=is_held,
                   why=apart if is_held else f"{_excess(walks[part], bound)}; {apart}")
        )  # fmt: skip
    lost = disorder(smooth)
    come = [part for part, walk in smooth.items() if walk.seconds >= LONGEST]
    return [
        *claims,
        stated("voronoi-roadmaps-2004, figure 10", "the bounds control the shape",
               f"{4 - len(disorder(walks))} of 4", printed="; ".join(lost) or "yes", held=not lost),
        stated("voronoi-roadmaps-2004, figure 10", "all groups arrive", "4 of 4",
               printed=f"{4 - len(come)} of 4", held=not come,
               why="; ".join(words for walk in smooth.values() for words in walk.wrong)),
        less_time("voronoi-roadmaps-2004, section 3.4", "CPU load of a group of 50 to 100, %", LOAD,
                  max(loads.values())),
    ]  # fmt: skip


def _excess(walk: GroupWalk, bound: float) -> str:
    """Return how often the attraction points are farther apart than the bound, and why."""
    above = walk.apart[walk.under_way, 3] > bound + TOUCH
    return (
        f"by default in {above.sum()} of {len(above)} frames, when somebody is pushed back at the "
        "passage; from the next step on the first go back"
    )


@cache
def meadow() -> Scene:
    """Return a meadow of 90 x 44 m with rocks; a hedge with a narrow passage cuts it in two."""
    left, right = GAP[0] - 0.5 * PASSAGE_WIDTH, GAP[0] + 0.5 * PASSAGE_WIDTH
    low, high = GAP[1] - 0.7, GAP[1] + 0.7
    hedges = [
        [(0.2, 23.0), (20.0, 21.0), (left, low), (left, high), (20.0, 22.4), (0.2, 24.4)],
        [(right, low), (70.0, 20.6), (89.8, 22.0), (89.8, 23.4), (70.0, 22.0), (right, high)],
    ]
    rocks = [
        _rock((30.0, 5.0), 3.6, 7, 0.2),
        _rock((56.0, 15.5), 2.6, 6, 0.9),
        _rock((66.0, 4.0), 3.0, 8, 0.4),
        _rock((14.0, 33.0), 4.0, 7, 0.1),
        _rock((34.0, 36.0), 3.2, 6, 0.6),
        _rock((66.0, 37.5), 3.4, 8, 0.3),
        _rock((79.0, 27.0), 1.8, 6, 0.5),
    ]
    environment = Environment.from_polygons(
        bounds=(0.0, 0.0, *SIDES), obstacles=[*hedges, *rocks], name="meadow"
    )
    return Scene("meadow", environment, CorridorMap.build(environment))


def _rock(
    centre: tuple[float, float], size: float, corners: int, turn: float
) -> list[tuple[float, float]]:
    """Return a ring of uneven corners around a point."""
    angle = turn + np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    reach = size * (1.0 + 0.16 * np.sin(3.0 * angle + turn))
    points = np.column_stack([reach * np.cos(angle), reach * np.sin(angle)]) + centre
    return [(round(x, 2), round(y, 2)) for x, y in points.tolist()]


@cache
def smooth_map() -> CorridorMap:
    """Return the meadow's smooth roadmap as a map; edges stay away from obstacles (section 3.1)."""
    roadmap = voronoi_prm(meadow().environment, clearance=1.5, seed=SEED)
    cmap = CorridorMap.from_roadmap(roadmap)
    assert isinstance(cmap, CorridorMap)
    return cmap


def _walk(part: str, count: int, *, smooth: bool = False) -> GroupWalk:
    question = THROUGH if part == "d" else ALONG
    name = f"group ({part}) of {count}"
    cmap = smooth_map() if smooth else meadow().cmap
    return walk_group(cmap, count, question, LIMITS[part], name=name, seed=SEED)


def disorder(walks: Mapping[str, GroupWalk]) -> list[str]:
    """Return where the groups differ from the statements of the paper."""
    a, b, c = (walks[part].mean for part in "abc")
    first, last, ahead = passing(walks["d"])
    longest = LIMITS["d"].longitudinal or 0.0
    holds = {
        "(a) is not longer than (b)": a[1] > b[1],
        "(b) is not longer than (c)": b[1] > c[1],
        "(a) is not narrower than (b)": a[0] < b[0],
        "(b) is not narrower than (c)": b[0] < c[0],
        "the first of (d) do not wait for the last": last > first and ahead < 2.0 * longest,
    }
    return [words for words, held in holds.items() if not held]


def passing(walk: GroupWalk) -> tuple[float, float, float]:
    """Return the times (s) when the first and the last pass the gap, and their distance (m)."""
    beyond = walk.places[:, :, 1] > GAP[1]
    first, last = int(beyond.any(axis=1).argmax()), int(beyond.all(axis=1).argmax())
    ahead = float(np.hypot(*(walk.places[last] - GAP).T).max())
    return float(walk.times[first]), float(walk.times[last]), ahead


def _table(walks: Mapping[str, GroupWalk], where: str) -> Table:
    columns = ("", *MEASURES, "all there, s", "paper")
    rows: list[tuple[Cell, ...]] = [
        (f"({part}) {_words(walk.limits)}", *measures(walk), walk.seconds, SAYS[part])
        for part, walk in walks.items()
    ]
    note = (
        "Bounds: width of the corridor, and distance along the backbone between the least and the "
        "most advanced attraction point. Dispersions: mean / greatest while the group is under way."
    )
    return Table(f"Dispersion by its bounds (m), {where}", columns, rows, note)


def _words(limits: Limits) -> str:
    return f"lateral {limits.lateral:g}, longitudinal {limits.longitudinal:g}"


def _wait_table(walk: GroupWalk) -> Table:
    first, last, ahead = passing(walk)
    free = 1.2 * (last - first)
    rows: list[tuple[Cell, ...]] = [
        ("the first is through after, s", first),
        ("the last is through after, s", last),
        ("the furthest is then beyond it, m", ahead),
        ("where it would be had it walked on, m", free),
    ]
    return Table(f"(d) The passage, {PASSAGE_WIDTH:g} m wide", ("", "ours"), rows)


def _load_table(loads: Mapping[int, float]) -> Table:
    columns = ("characters", "paper, at most, %", "ours, %", "paper / ours")
    rows: list[tuple[Cell, ...]] = [
        (str(count), LOAD, load, ratio(LOAD, load)) for count, load in loads.items()
    ]
    return Table("CPU load of one group, (b)", columns, rows)


def _draw(walks: Mapping[str, GroupWalk], folder: Path) -> Picture:
    title = f"A group of {MEMBERS} with different dispersions"
    panels = [
        Panel(
            f"({part})  {SAYS[part]}",
            f"{walk.mean[0]:.1f} x {walk.mean[1]:.1f} m",
            walk,
            _SHARES[part],
        )
        for part, walk in walks.items()
    ]
    place = meadow()
    drawn = draw_groups(
        place.environment, (0.0, 0.0, *SIDES), panels, columns=2, title=title,
        details="voronoi-roadmaps-2004, figure 10  ·  lateral x longitudinal dispersion",
    )  # fmt: skip
    save_picture(drawn, folder / FILE)
    return Picture(FILE, f"Figure 10 of voronoi-roadmaps-2004. {title}")
