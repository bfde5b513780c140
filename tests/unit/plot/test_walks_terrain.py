"""Pictures of routes and walks on kinds of terrain."""

import matplotlib.colors
import numpy as np
import pytest

import footway as fw
from footway import plot
from footway.plot import palette
from footway.plot.layers import terrain_colours
from footway.plot.walks import view_around

MUD = [(8, 0), (12, 0), (12, 8), (8, 8)]


@pytest.fixture(scope="module")
def yard():
    return fw.Environment.from_polygons(
        bounds=(0, 0, 20, 12), terrain=[("mud", MUD), ("slime", [(0, 0), (2, 0), (2, 2), (0, 2)])]
    )


@pytest.fixture(scope="module")
def route(yard):
    return fw.route(yard, (4, 2), (18, 2), preferences={"mud": 9.0})


def words(figure):
    return [text.get_text() for text in figure.texts]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_kinds_have_colours_of_their_own(yard):
    colours = terrain_colours(yard)
    assert list(colours) == ["ground", "mud", "slime"]
    assert colours["mud"] == palette.TERRAIN["mud"]
    assert len(set(colours.values())) == 3


def test_a_route_and_its_walk(route):
    alone = plot.draw_route(route)
    assert legend(alone) == ["indicative route"]
    assert {"ground", "mud", "slime"} <= set(words(alone))
    assert any(f"{route.length:.2f} m" in text for text in words(alone))
    walk = fw.follow.miran(route, obstacles=[fw.follow.Disc((5, 9), 0.3)])
    both = plot.draw_route(route, walk)
    assert legend(both) == ["indicative route", "walk"]
    assert any(f"{walk.length:.2f} m" in text for text in words(both))


def test_a_key_says_how_many_kinds_it_leaves_out():
    beds = [(f"bed {k}", [(k, 0), (k + 1, 0), (k + 1, 2), (k, 2)]) for k in range(14)]
    garden = fw.Environment.from_polygons(bounds=(0, 0, 20, 12), terrain=beds)
    shown = words(plot.draw_route(fw.route(garden, (1, 8), (18, 8))))
    assert "and 3 more" in shown  # 14 beds and the ground, of which 12 are named


def test_a_map_without_regions_has_no_key():
    room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
    figure = plot.draw_route(fw.route(room, (1, 1), (9, 6)))
    assert "ground" not in words(figure)


def test_panels_share_one_key(yard, route):
    lines = [
        plot.Line(route.points, "route", palette.INK, is_route=True),
        plot.Line(route.points + 0.1, "walk", palette.ACCENT),
    ]
    panels = [plot.RoutePanel(name, lines, "12 m") for name in ("(a)", "(b)", "(c)")]
    figure = plot.draw_routes(yard, panels, title="Three", columns=3)
    assert words(figure).count("mud") == 1
    assert legend(figure) == ["route", "walk"]
    assert {"(a)", "(b)", "(c)", "Three"} <= set(words(figure))
    mud = matplotlib.colors.to_rgba(palette.TERRAIN["mud"])
    for axes in figure.axes[:3]:
        assert any(patch.get_facecolor() == mud for patch in axes.patches)


def test_the_view_is_around_the_lines(yard):
    line = plot.Line(np.array([(4.0, 4.0), (6.0, 5.0)]), "route", palette.INK)
    x0, y0, x1, y1 = view_around(yard, [line])
    assert (x0, y0) == pytest.approx((3.0, 3.0))
    assert (x1, y1) == pytest.approx((7.0, 6.0))
    whole = plot.Line(np.array([(0.5, 0.5), (19.5, 11.5)]), "route", palette.INK)
    x0, y0, x1, y1 = view_around(yard, [whole])
    assert min(x0, y0) > -0.5
    assert x1 < 20.5
