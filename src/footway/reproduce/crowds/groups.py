"""A group of 50 with a bounded width and area (cmm-crowds-2008, figure 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.plot import save_picture
from footway.reproduce.cmm.scenes import scene
from footway.reproduce.crowds.figures import Panel, draw_groups
from footway.reproduce.crowds.group_walk import NEAR, Limits, walk_group
from footway.reproduce.questions import Question
from footway.reproduce.report import Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from footway.reproduce.crowds.effort import Effort
    from footway.reproduce.crowds.group_walk import GroupWalk
    from footway.reproduce.report import Cell

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
"""What section 6.1 says; it gives no numbers, nor the environment."""

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
            "all arrive, nobody is in a wall, no group is wider than its corridor, and none "
            "occupies more than g_A on average; the order of the three is the paper's."
        ),
        wrong=[*(words for walk in walks.values() for words in walk.wrong), *disorder(walks)],
    )


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
    columns = ("", *MEASURES, "all there, s", "paper")
    rows: list[tuple[Cell, ...]] = [
        (f"({part}) {_words(walk.limits)}", *measures(walk), walk.seconds, SAYS[part])
        for part, walk in walks.items()
    ]
    note = (
        f"A group of {MEMBERS}; dispersions as defined in section 6, mean / greatest while the "
        f"group is under way: from when the last is {NEAR:g} m from the start until the first is "
        f"{NEAR:g} m from the goal."
    )
    return Table("Dispersion by g_w (m) and g_A (m2)", columns, rows, note)


MEASURES: Final = ("lateral, m", "longitudinal, m", "area, m2")


def measures(walk: GroupWalk) -> Sequence[str]:
    """Describe mean and greatest lateral and longitudinal dispersion, and area."""
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
        scene("city").environment,
        VIEW,
        panels,
        columns=1,
        title=title,
        details="cmm-crowds-2008, figure 5  ·  city",
    )
    save_picture(drawn, folder / FILE)
    return Picture(FILE, f"Figure 5 of cmm-crowds-2008. {title}")
