"""Details of `footway reproduce cmm`; the whole of it is a system test."""

import numpy as np
import pytest

from footway import plot
from footway.follow import cmm
from footway.reproduce.cmm import obstacles, shortcuts, smooth, town
from footway.reproduce.cmm.setup import LONG, RADIUS, faults, scene, verdict


@pytest.fixture(scope="module")
def field():
    return scene("field")


@pytest.fixture(scope="module")
def walk(field):
    return cmm(field.corridor(LONG["field"]))


def test_published_numbers_agree_with_each_other():
    for published in (smooth.GAME, smooth.FIELD):
        load = published.milliseconds / published.seconds
        assert load == pytest.approx(published.load, abs=0.005)
        assert published.percent == pytest.approx(published.load / 10)
    load = town.PATH_MS / 1000 / town.WALKED * 100
    assert load == pytest.approx(town.LOAD, rel=0.01)
    assert set(shortcuts.LIMIT) == set(shortcuts.PUBLISHED) - {0.0}


@pytest.mark.parametrize("name", LONG)
def test_discs_are_close_to_the_backbone_and_leave_room(name):
    corridor = scene(name).corridor(LONG[name])
    discs = obstacles.discs_along(corridor, 10, seed=obstacles.SEED[name])
    assert discs == obstacles.discs_along(corridor, 10, seed=obstacles.SEED[name])
    for disc in discs:
        distance = np.hypot(*(corridor.backbone - disc.at).T)
        k = int(distance.argmin())
        assert distance[k] < 0.4 * corridor.radii[k]
        room = corridor.radii[k] + distance[k] - disc.radius  # on the far side of the backbone
        assert room > 2.0 * RADIUS
        assert min(distance[0], distance[-1]) > disc.radius + RADIUS


def test_a_good_walk_has_no_faults(walk):
    assert faults([walk], "field") == []
    assert verdict([walk]).startswith("1 walks arrive")


def test_a_walk_through_a_wall_is_found(walk):
    class Through:
        points, corridor, radius, gap = walk.points[:-5], walk.corridor, walk.radius, -0.1
        clearance = walk.radius - 0.01

    stops, wall, disc = faults([Through()], "field")
    assert "stops" in stops
    assert "from a wall" in wall
    assert "0.1000 m into a dynamic obstacle" in disc


def test_shortcuts_make_random_queries_shorter(field):
    questions = smooth.random_questions(field.cmap, 10, radius=RADIUS, seed=smooth.SEED)
    plain, short = (
        sum(w.length for w in smooth.walk_all(field, questions, shortcut=dt)) for dt in (0.0, 1.0)
    )
    assert short < plain


def test_a_picture_of_a_walk_names_what_is_seen(field, walk):
    figure = plot.draw_walk(field.cmap, walk, environment=field.environment)
    words = " ".join(text.get_text() for text in figure.texts)
    assert f"{walk.length:.2f} m" in words
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"corridor", "backbone"} <= set(legend)


def test_wide_panels_are_stacked_and_square_ones_are_not(field, walk):
    panels = [plot.Panel(name, [walk]) for name in ("(a)", "(b)")]
    figure = plot.draw_panels(field.cmap, panels, title="Two")
    first, second = (axes.get_position() for axes in figure.axes[:2])
    assert first.y0 == pytest.approx(second.y0)
    assert first.x1 < second.x0
    game = scene("game")
    walk = cmm(game.corridor(LONG["game"]))
    panels = [plot.Panel(name, [walk]) for name in ("(a)", "(b)")]
    figure = plot.draw_panels(game.cmap, panels, title="Two")
    first, second = (axes.get_position() for axes in figure.axes[:2])
    assert first.y0 > second.y1
