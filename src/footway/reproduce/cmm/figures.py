"""Pictures of walks, numbered as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway.plot import draw_panels, save_picture
from footway.reproduce.cmm.scenes import RADIUS
from footway.reproduce.report import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.plot import Panel
    from footway.reproduce.cmm.scenes import Scene


def draw_figure(
    number: int, place: Scene, panels: Sequence[Panel], *, title: str, folder: Path
) -> Picture:
    """Draw a figure of cmm-2007, and write it to a folder."""
    drawn = draw_panels(
        place.cmap,
        panels,
        title=title,
        details=f"cmm-2007, figure {number}  ·  radius {RADIUS:g} m",
        environment=place.environment,
    )
    file = f"cmm-figure-{number}.png"
    save_picture(drawn, folder / file)
    return Picture(file, f"Figure {number}. {title}")
