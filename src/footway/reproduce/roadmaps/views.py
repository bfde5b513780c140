"""Figure 5: the roadmaps of RRM, RRM* and RRRM in all environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.plot import RoadmapPanel, draw_roadmaps, save_picture
from footway.reproduce.report import Picture, Section
from footway.reproduce.roadmaps.setup import SETTINGS, roadmaps_of

if TYPE_CHECKING:
    from pathlib import Path

    from footway.reproduce.roadmaps.setup import Built, Effort

SOURCE: Final = "rrm-roadmaps-2006, section V.B and figure 5"

METHODS: Final = ("RRM", "RRM*", "RRRM")


def run(effort: Effort, folder: Path) -> Section:
    """Draw all environments."""
    built = [roadmaps_of(SETTINGS[name]) for name in effort.environments]
    return Section("Figure 5: the roadmaps", SOURCE, (), [_draw(each, folder) for each in built])


def _draw(built: Built, folder: Path) -> Picture:
    panels = [
        RoadmapPanel(
            method,
            built.roadmaps[method],
            f"{built.roadmaps[method].n_nodes} nodes, {built.roadmaps[method].n_edges} edges",
        )
        for method in METHODS
    ]
    title = f"{built.name}: reachability roadmap, with useful cycles, and retracted"
    figure = draw_roadmaps(
        panels,
        title=title,
        details="rrm-roadmaps-2006, figure 5",
        environment=built.environment,
    )
    file = f"roadmaps-figure-5-{built.setting.slug}.png"
    save_picture(figure, folder / file)
    levels = "" if built.setting.size is None else ", level by level, without ceilings"
    return Picture(file, f"Figure 5. {built.name}: RRM, RRM* and RRRM{levels}")
