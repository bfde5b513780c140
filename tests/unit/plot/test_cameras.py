"""Pictures of camera motions: figure 11's three parts."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import StepPatch

import footway as fw
from footway import plot
from footway.plot.cameras import _VIEWS

BLOCK = [(4, 3), (6, 3), (6, 5), (4, 5)]


@pytest.fixture(scope="module")
def env():
    return fw.Environment.from_polygons(bounds=(0, 0, 12, 8), obstacles=[BLOCK], name="room")


@pytest.fixture(scope="module")
def cmap(env):
    return fw.CorridorMap.build(env)


@pytest.fixture(scope="module")
def tour(cmap):
    stops = [(1, 4), fw.camera.Stop((11, 4), dwell=1, look_at=(5, 4)), (11, 1), (1, 1)]
    return fw.camera.tour(cmap, stops, order="optimised")


def words(figure):
    found = [text.get_text() for axes in figure.axes for text in axes.texts]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    return {*found, *titles, *(text.get_text() for text in figure.texts)}


def line_of(axes):
    (line,) = (line for line in axes.lines if len(line.get_xdata()) > 2)
    return line.get_xydata()


def test_three_parts(cmap, env, tour, tmp_path):
    figure = plot.draw_camera(cmap, tour, environment=env)
    plan, limit, actual, *_ = figure.axes
    (path,) = (c for c in plan.collections if isinstance(c, LineCollection) and c.cmap is not None
               and c.get_array() is not None)  # fmt: skip
    assert path.get_array().max() <= 1.4
    (stairs, _) = (patch for patch in limit.patches if isinstance(patch, StepPatch))
    assert np.array_equal(stairs.get_data().values, tour.diagram.limits)
    speed = line_of(actual)
    assert speed[-1].tolist() == pytest.approx([tour.diagram.length, 0.0])
    assert (speed[:, 1] <= tour.diagram.limit_at(speed[:, 0]) + 1e-9).all()
    plot.save_picture(figure, tmp_path / "tour.png")


def test_stops_have_the_numbers_of_the_list(cmap, tour):
    figure = plot.draw_camera(cmap, tour)
    assert {"1", "2", "3", "4"} <= words(figure)
    assert "room" in words(figure)
    assert any("clearance" in text for text in words(figure))


@pytest.mark.parametrize("goal", [(11, 1), (1.4, 7.5)])
def test_wide_and_high_paths_stay_on_the_page(cmap, env, goal):
    motion = fw.camera.motion(cmap.path((1, 1), goal, radius=0.25))
    figure = plot.draw_camera(cmap, motion, environment=env)
    for axes in figure.axes:
        place = axes.get_position()
        assert 0 <= place.x0 < place.x1 <= 1
        assert 0 <= place.y0 < place.y1 <= 1
    assert figure.get_figheight() <= 10


def test_a_camera_behind_a_character(cmap, tmp_path):
    crowd = fw.Crowd(cmap, seed=1)
    ids = crowd.add(3)
    shot = fw.camera.follow(crowd.run(seconds=4), ids[0])  # no map: no clearance is known
    figure = plot.draw_camera(cmap, shot)
    assert {"Speed", "How fast it turns"} <= words(figure)
    assert not any("clearance" in text for text in words(figure))
    plot.save_picture(figure, tmp_path / "behind.png")


def test_an_environment_is_enough(env, tour):
    assert "room" in words(plot.draw_camera(env, tour))


def test_colours_are_speeds_and_sectors_are_directions(cmap, tour):
    axes = plot.draw_camera(cmap, tour).axes[0]
    (path,) = (c for c in axes.collections if isinstance(c, LineCollection)
               and c.get_array() is not None)  # fmt: skip
    np.testing.assert_allclose(path.get_array(), 0.5 * (tour.speeds[1:] + tour.speeds[:-1]))
    np.testing.assert_allclose(path.get_segments()[7], tour.positions[7:9, :2])
    assert path.norm.vmax == tour.speeds.max()
    (seen,) = (c for c in axes.collections if type(c) is PatchCollection)
    frames = np.unique(np.linspace(0, len(tour.times) - 1, _VIEWS).astype(int))
    for frame, sector in zip(frames, seen.get_paths(), strict=True):
        ahead = sector.vertices.mean(axis=0) - tour.positions[frame, :2]
        cosine = ahead @ tour.directions[frame, :2] / np.linalg.norm(ahead)
        assert cosine > 0.99
