"""A group of 50 with a bounded width and area (cmm-crowds-2008, figure 5)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.corridor import Corridor
from footway.crowd import Crowd
from footway.plot import save_picture
from footway.reproduce.claims import Claim, stated
from footway.reproduce.cmm.setup import RADIUS, scene
from footway.reproduce.crowds.setup import Panel, draw_groups, faults
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.reproduce.crowds.setup import Effort
    from footway.reproduce.report import Cell


SPEED: Final = (1.2, 0.12)
"""m/s. Mean and deviation: people of a group do not all walk at the same speed."""

_STEPS: Final = 5  # between two frames
LONGEST: Final = 900.0  # s

NEAR: Final = 8.0
"""m from its start or goal: there a group stands together, and its dispersion is not measured."""


class Limits(NamedTuple):
    """Bounds of the dispersion of a group, as in `Crowd.add_group`; None for no bound."""

    width: float | None = None  # g_w, m
    group_area: float | None = None  # g_A, m2
    lateral: float | None = None  # m
    longitudinal: float | None = None  # m


class GroupWalk(NamedTuple):
    """Recorded walk of a group."""

    limits: Limits
    corridor: Corridor  # narrowed to the limits
    times: Floats  # (f,) s
    places: Floats  # (f, n, 2) m
    apart: Floats  # (f, 4) lateral (m), longitudinal (m), area (m2), spread (m): `Dispersion`
    load: float  # CPU time / simulated time, %
    wrong: list[str]

    @property
    def seconds(self) -> float:
        """Time until all were at the goal, s."""
        return float(self.times[-1])

    @property
    def under_way(self) -> slice:
        """Frames from the time the last has left the start until the first is near the goal."""
        left, come = (
            np.hypot(*np.moveaxis(self.places - np.array(end), 2, 0)) > NEAR
            for end in (self.corridor.start, self.corridor.goal)
        )
        begin = int(left.all(axis=1).argmax())
        end = int((~come).any(axis=1).argmax()) or len(self.times)
        return slice(begin, max(end, begin + 1))

    @property
    def mean(self) -> Floats:
        """Mean of `apart` while walking, (4,)."""
        found: Floats = self.apart[self.under_way].mean(axis=0)
        return found

    @property
    def most(self) -> Floats:
        """Greatest value of `apart` while walking, (4,)."""
        found: Floats = self.apart[self.under_way].max(axis=0)
        return found

    def frame_at(self, share: float) -> int:
        """Return the frame at a share of the time until the first is near the goal."""
        return min(int(share * self.under_way.stop), len(self.times) - 1)


def walk_group(
    cmap: CorridorMap, count: int, question: Question, limits: Limits, *, name: str, seed: int
) -> GroupWalk:
    """Simulate a group until all are at the goal."""
    crowd = Crowd(cmap, seed=seed, threads=1)
    group = crowd.add_group(
        count, start=question.start, goal=question.goal, radius=RADIUS, speed=SPEED, then="stay",
        **limits._asdict(),
    )  # fmt: skip
    frames: list[tuple[float, Floats, Sequence[float]]] = []
    cpu = 0.0
    while group.arrived == 0 and crowd.time < LONGEST:
        frames.append((crowd.time, crowd.positions, group.dispersion))
        begin = time.process_time()
        crowd.step(_STEPS)
        cpu += time.process_time() - begin
    frames.append((crowd.time, crowd.positions, group.dispersion))
    wrong = faults(crowd, name)
    if group.arrived == 0:
        wrong.append(f"{name}: the group has not arrived after {LONGEST:g} s")
    times, places, apart = zip(*frames, strict=True)
    walk = GroupWalk(
        limits, Corridor.from_balls(group.backbone[:, :2], group.backbone[:, 2], radius=RADIUS),
        np.array(times), np.array(places), np.array(apart), 100.0 * cpu / crowd.time, wrong,
    )  # fmt: skip
    return walk._replace(wrong=wrong + broken_limits(walk, name))


def broken_limits(walk: GroupWalk, name: str) -> list[str]:
    """Return whether a group was wider than its corridor."""
    lateral, width = walk.most[0], 2.0 * float(walk.corridor.radii.max())
    words = f"{name}: {lateral:.1f} m across, in a corridor {width:.1f} m wide"
    return [words] if lateral > width else []


SOURCE: Final = "cmm-crowds-2008, section 6.1 and figure 5"

MEMBERS: Final = 50
LIMITS: Final = {
    "a": Limits(width=30.0, group_area=1000.0),
    "b": Limits(width=3.0, group_area=1000.0),
    "c": Limits(width=3.0, group_area=60.0),
}
"""g_w (m) and g_A (m2) of figure 5, by its parts."""
SAYS: Final = {
    "a": "weakly coherent: scattered over the whole corridor",
    "b": "more coherent laterally, weakly longitudinally",
    "c": "more coherent in both directions",
}
"""Statements of section 6.1, which gives neither numbers nor the environment."""

QUESTION: Final = Question((452.0, 104.0), (276.0, 114.5))
"""Along an avenue, across the square and around the theatre on it."""
VIEW: Final = (264.0, 90.0, 460.0, 139.0)
SEED: Final = 5

_SHARES: Final = (0.24, 0.62, 0.97)
FILE: Final = "crowds-figure-5.png"


def run(effort: Effort, folder: Path) -> Section:
    """Simulate the three groups, and draw figure 5."""
    del effort  # they take a second
    walks = {part: _walk(part) for part in LIMITS}
    return Section(
        "Coherent groups: width and area",
        SOURCE,
        [_table(walks)],
        [_draw(walks, folder)],
        checked=(
            "all arrive, nobody is in a wall, no group is wider than its corridor; the order of "
            "the three is the paper's."
        ),
        wrong=[*(words for walk in walks.values() for words in walk.wrong), *disorder(walks)],
        claims=[*(_area_claim(part, walk) for part, walk in walks.items()), *_order_claims(walks)],
    )


def _area_claim(part: str, walk: GroupWalk) -> Claim:
    """Judge the bound of the area by the greatest value: "exactly g_A" (section 6)."""
    area, most = float(walk.most[2]), walk.limits.group_area or 0.0
    return stated(
        "cmm-crowds-2008, section 6", f"group ({part}): area at most g_A, m2", area,
        says=f"{most:g}", held=area <= most, why="" if area <= most else "exceeded in bends",
    )  # fmt: skip


def _order_claims(walks: Mapping[str, GroupWalk]) -> list[Claim]:
    size = {part: f"{walk.mean[0]:.1f} x {walk.mean[1]:.1f} m" for part, walk in walks.items()}
    lost = " ".join(disorder(walks))
    return [
        stated("cmm-crowds-2008, figure 5", f"({part}): {SAYS[part]}",
               f"{size[part]}; (a) {size['a']}", held=f"({part}) is not" not in lost)
        for part in "bc"
    ]  # fmt: skip


def _walk(part: str) -> GroupWalk:
    cmap = scene("city").cmap
    return walk_group(cmap, MEMBERS, QUESTION, LIMITS[part], name=f"group ({part})", seed=SEED)


def disorder(walks: Mapping[str, GroupWalk]) -> list[str]:
    """Return where the groups differ from the statements of section 6.1."""
    lateral, longitudinal = ({part: w.mean[k] for part, w in walks.items()} for k in (0, 1))
    holds = {
        "(b) is not narrower than (a)": lateral["b"] < lateral["a"],
        "(c) is not narrower than (a)": lateral["c"] < lateral["a"],
        "(c) is not shorter than (a)": longitudinal["c"] < longitudinal["a"],
        "(c) is not shorter than (b)": longitudinal["c"] < longitudinal["b"],
    }
    return [words for words, held in holds.items() if not held]


def _table(walks: Mapping[str, GroupWalk]) -> Table:
    columns = ("", "balls, widest, m", *MEASURES, "all there, s", "paper")
    rows: list[tuple[Cell, ...]] = [
        (f"({part}) {_words(walk.limits)}", float(walk.corridor.radii.max()), *measures(walk),
         walk.seconds, SAYS[part])
        for part, walk in walks.items()
    ]  # fmt: skip
    note = (
        f"A group of {MEMBERS}. Balls are no wider than g_w and than the free space: no place on "
        "this way has a clearance of 30 m, so that (a) is not bounded by g_w. Dispersions as "
        "defined in section 6, mean / greatest while the group is under way: from when the last is "
        f"{NEAR:g} m from the start until the first is {NEAR:g} m from the goal."
    )
    return Table("Dispersion by g_w (m) and g_A (m2)", columns, rows, note)


MEASURES: Final = ("lateral, m", "longitudinal, m", "area, m2", "attraction points, m")


def measures(walk: GroupWalk) -> Sequence[str]:
    """Describe mean and greatest dispersion, area and spread of attraction points."""
    return [f"{mean:.1f} / {most:.1f}" for mean, most in zip(walk.mean, walk.most, strict=True)]


def _words(limits: Limits) -> str:
    return f"g_w = {limits.width:g}, g_A = {limits.group_area:g}"


def _draw(walks: Mapping[str, GroupWalk], folder: Path) -> Picture:
    title = f"A group of {MEMBERS}, more and more coherent"
    panels = [
        Panel(
            f"({part})  {_words(walk.limits)}",
            f"lateral {walk.mean[0]:.1f} m  ·  longitudinal {walk.mean[1]:.1f} m  ·  "
            f"area {walk.mean[2]:.0f} m²",
            walk,
            _SHARES,
        )
        for part, walk in walks.items()
    ]
    drawn = draw_groups(
        scene("city").environment, VIEW, panels, columns=1, title=title,
        details="cmm-crowds-2008, figure 5  ·  city",
    )  # fmt: skip
    save_picture(drawn, folder / FILE)
    return Picture(FILE, f"Figure 5 of cmm-crowds-2008. {title}")
