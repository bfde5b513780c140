# ruff: noqa: INP001 - a script, not a package
"""Make the pictures of the README again: `python docs/make_pictures.py`.

docs/city.png    a hundred ways home from the widest square of the city
docs/axis.png    the medial axis of the city, coloured by clearance
docs/path.png    a path through the office, with its corridor and its pinch
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image

import footway as fw
from footway.cli.journeys import ways_home
from footway.io import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS: Final = Path(__file__).resolve().parent
START: Final = (9.6, 19.8)
GOAL: Final = (58.9, 60.8)


def main() -> None:
    """Write all pictures."""
    city = fw.load("gallery:city")
    cmap = fw.CorridorMap.build(city)
    starts, goals = ways_home(cmap, 100, room=1.0, seed=2008)
    walks = cmap.paths(starts, goals, radius=0.25)
    write(picture.draw_paths(cmap, walks, environment=city), "city.png")
    write(picture.draw_map(cmap, environment=city), "axis.png")

    office = fw.load("gallery:office")
    cmap = fw.CorridorMap.build(office)
    figure = picture.draw_path(
        cmap,
        cmap.path(START, GOAL, radius=0.25),
        corridor=cmap.corridor(START, GOAL, radius=0.25),
        pinch=cmap.bottleneck(START, GOAL),
        environment=office,
    )
    write(figure, "path.png")


def write(figure: Figure, name: str) -> None:
    """Write a figure with 256 colours, a third of the bytes: the repo keeps every version."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=200)
    full = Image.open(buffer).convert("RGB")
    few = full.quantize(256, kmeans=4, dither=Image.Dither.NONE)
    few.save(DOCS / name, optimize=True)


if __name__ == "__main__":
    main()
