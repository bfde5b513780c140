# ruff: noqa: INP001 - a script, not a package
"""Make the pictures of the README again: `python docs/make_pictures.py`.

docs/crowd.png   the middle of the city, with the ten thousand characters of the demo
docs/axis.png    the medial axis of the city, coloured by clearance
docs/path.png    a path through the office, with its corridor and its pinch
docs/alternatives.png  five paths through the city, each in its own corridor
docs/distances.png     distances from a desk of the office, as contours
docs/walk.png    walks across the field: in lanes, with noise, around people
docs/roadmap.png        the retracted roadmap of the office, with useful cycles
docs/roadmap-house.png  a path through the house, in three dimensions
docs/roadmap-prm.png    the Voronoi roadmap of the field, in lines and arcs
docs/camera.png  a camera through the office: its path, its greatest and its actual speed
docs/building.png a path through the station, from the street to a platform
docs/terrain.png an adult and a child in the forest: routes and walks over what each prefers
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image, ImageColor

import footway as fw
from footway import plot
from footway.cli.commands.demo import SEED, fill
from footway.environment.gallery import forest
from footway.plot import palette

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

DOCS: Final = Path(__file__).resolve().parent
MIDDLE: Final = (120.0, 150.0, 360.0, 310.0)
SHADE: Final = 12  # of 765: by how much averages move a colour
START: Final = (9.6, 19.8)
GOAL: Final = (58.9, 60.8)
LANES: Final = {"#e2402a": 0.0, "#1b6ca8": 1.2, "#4fa3d1": 0.6, "#e39a2d": -0.6, "#b5651d": -1.2}
PEOPLE: Final = ((6.5, 12), (12.5, 20.5), (17.5, 26), (30, 27.5), (38, 36), (41, 33))


def main() -> None:
    """Write all pictures."""
    city = fw.load("gallery:city")
    cmap = fw.CorridorMap.build(city)
    write(draw_people(cmap, city), "crowd.png")
    write(plot.draw_map(cmap, environment=city), "axis.png")
    paths = cmap.paths_between((40, 60), (177.5, 152), k=5, radius=0.25)
    write(plot.draw_alternatives(cmap, paths, environment=city), "alternatives.png")

    office = fw.load("gallery:office")
    cmap = fw.CorridorMap.build(office)
    figure = plot.draw_path(
        cmap,
        cmap.path(START, GOAL, radius=0.25),
        corridor=cmap.corridor(START, GOAL, radius=0.25, around="path"),
        pinch=cmap.bottleneck(START, GOAL),
        environment=office,
    )
    write(figure, "path.png")
    write(plot.draw_distances(cmap, START, environment=office), "distances.png")
    write(draw_walks(), "walk.png")
    write(draw_office(office), "roadmap.png")
    write(draw_house(), "roadmap-house.png")
    write(draw_blends(), "roadmap-prm.png")
    write(draw_tour(office), "camera.png")
    write(draw_forest(), "terrain.png")
    station = fw.CorridorMap.build(fw.load("gallery:station"))
    path = station.path((5, 5, "street"), (-20, 35, "platform 1"), radius=0.25, by="time")
    write(plot.draw_building(station, path=path, style="axonometry"), "building.png")


def draw_people(cmap: fw.CorridorMap, city: fw.Environment) -> Figure:
    """Return the middle of the city after 14 s of the demo."""
    crowd = fw.Crowd(cmap, seed=SEED)
    fill(crowd, city, 10_000)
    crowd.step(120)
    return plot.draw_moment(cmap, crowd.run(seconds=2), view=MIDDLE, environment=city)


def draw_walks() -> Figure:
    """Return three maps of one corridor: lanes, noise, and people in the way."""
    field = fw.load("gallery:field")
    cmap = fw.CorridorMap.build(field)
    corridor = cmap.corridor((2, 3), (44, 44), radius=0.3)
    lanes = [fw.follow.cmm(corridor, lane=k) for k in LANES.values()]
    varied = fw.follow.variations(corridor, 60, noise=1.0, seed=3)
    people = [fw.follow.Disc(at, radius=0.5) for at in PEOPLE]
    around = [
        fw.follow.cmm(corridor, obstacles=people, avoid="corridor", shortcut=0.05),
        fw.follow.cmm(corridor, obstacles=people, avoid="forces"),
    ]
    panels = [
        plot.Panel("Lanes", lanes, _lengths(lanes), list(LANES), ["walk"] * len(lanes)),
        plot.Panel(
            "Noise: 60 walks",
            varied.walks,
            f"{varied.diversity:.0%} of the corridor's width",
            names=["walk"] * 60,
        ),
        plot.Panel(
            "People in the way",
            around,
            f"at least {min(walk.gap for walk in around):.2f} m from them",
            ["#e2402a", "#7a3e9d"],
            ["walk", "pushed off by forces"],
        ),
    ]
    return plot.draw_panels(cmap, panels, title="Characters that walk", environment=field)


def draw_office(office: fw.Environment) -> Figure:
    """Return the retracted roadmap of the office."""
    roadmap = fw.roadmap.rrrm(office, resolution=0.2, radius=0.25)  # all doors are open
    return plot.draw_roadmap(roadmap, environment=office)


def draw_house() -> Figure:
    """Return a path from the study to the nursery, on the retracted roadmap of the house."""
    house = fw.load("gallery:house")
    roadmap = fw.roadmap.rrrm(house, size=(3, 3, 3))
    path = fw.CorridorMap.from_roadmap(roadmap).path((8, 6, 5), (48, 30, 15))
    return plot.draw_roadmap(roadmap, environment=house, path=path)


def draw_blends() -> Figure:
    """Return the Voronoi roadmap of the field, with a circular blend for every turn."""
    field = fw.load("gallery:field")
    return plot.draw_roadmap(fw.roadmap.voronoi_prm(field, radius=0.3), environment=field)


def draw_tour(office: fw.Environment) -> Figure:
    """Return a tour with four stops through the office, as docs/camera.md has it."""
    cmap = fw.CorridorMap.from_roadmap(fw.roadmap.voronoi_prm(office, radius=0.25))
    assert isinstance(cmap, fw.CorridorMap)
    looking = fw.camera.Stop((40, 52), dwell=3, look_at=(45, 50, 1.0))
    tour = fw.camera.tour(cmap, [(10, 20), looking, (59, 61), (40, 30)], radius=0.25)
    return plot.draw_camera(cmap, tour, environment=office)


def draw_forest() -> Figure:
    """Return the ways of an adult and a child through the forest, as docs/terrain.md has them."""
    terrain = fw.Terrain.build(fw.load("gallery:forest"), radius=0.25)
    lines = []
    for name, wishes, sigma, colour in (
        ("adult", forest.ADULT, 80, palette.ACCENT),
        ("child", forest.CHILD, 100, "#5b3a9b"),
    ):
        route = fw.route(terrain, forest.START, forest.GOAL, preferences=wishes, margin=5)
        walk = fw.follow.miran(route, sigma=sigma, spacing=20)
        lines.append(plot.Line(route.points, f"route, {name}", colour, is_route=True))
        lines.append(plot.Line(walk.points, f"walk, {name}", colour))
    panel = plot.RoutePanel("", lines)
    return plot.draw_routes(terrain.environment, [panel], title="An adult and a child")


def _lengths(walks: Sequence[fw.Path]) -> str:
    lengths = [walk.length for walk in walks]
    return f"{min(lengths):.1f} to {max(lengths):.1f} m"


def write(figure: Figure, name: str) -> None:
    """Write a figure with 256 colours, a third of the bytes: the repo keeps every version."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=200)
    full = Image.open(buffer).convert("RGB")
    few = full.quantize(palette=_palette(full), dither=Image.Dither.NONE)
    _restore_grounds(few)
    few.save(DOCS / name, optimize=True)


def _palette(full: Image.Image) -> Image.Image:
    """Return 256 colours, with enough of them for the colour bar, which is small but smooth."""
    width, height = full.size
    bar = full.crop((40, height - 75, width // 3, height - 70)).resize((width, height // 8))
    both = Image.new("RGB", (width, height + height // 8))
    both.paste(full, (0, 0))
    both.paste(bar, (0, height))
    return both.quantize(256, kmeans=4, dither=Image.Dither.NONE)


def _restore_grounds(few: Image.Image) -> None:
    """Make the large areas exactly white and so on again, where averages have moved them."""
    table = np.array(few.getpalette()).reshape(-1, 3)
    common = np.argsort(few.histogram())[-5:]
    for name in (palette.PAGE, palette.GROUND, palette.OBSTACLE):
        exact = np.array(ImageColor.getrgb(name))
        distance = np.abs(table[common] - exact).sum(axis=1)
        if distance.min() <= SHADE:  # a picture in three dimensions has other grounds
            table[common[distance.argmin()]] = exact
    few.putpalette([int(value) for value in table.ravel()])


if __name__ == "__main__":
    main()
