"""Pictures of buildings: floors, links and paths are where they belong."""

import numpy as np
import pytest

import footway as fw
from footway import plot
from footway.plot import palette


@pytest.fixture(scope="module")
def station():
    return fw.CorridorMap.build(fw.load("gallery:station"))


@pytest.fixture(scope="module")
def path(station):
    return station.path((5, 5, "street"), (-20, 35, "platform 1"), radius=0.25)


def red_lines(axes):
    lines = [line for line in axes.lines if line.get_color() == palette.ACCENT]
    return [line for line in lines if line.get_marker() == "None"]


def test_each_floor_has_a_panel_with_its_part_of_the_path(station, path):
    figure = plot.draw_building(station, path=path)
    assert [axes.get_title("left").split("  ")[0] for axes in figure.axes] == [
        "street", "concourse", "platform 1", "platform 2"]  # fmt: skip
    drawn = [len(red_lines(axes)) for axes in figure.axes]
    assert min(drawn[:3]) > 0
    assert drawn[3] == 0
    ends = [line.get_xydata()[0].tolist() for axes in figure.axes for line in axes.lines
            if line.get_marker() == "o"]  # fmt: skip
    assert ends == [[5.0, 5.0], [-20.0, 35.0]]


def test_axonometry_draws_the_whole_path_and_arrows_on_escalators(station, path):
    (axes,) = plot.draw_building(station, path=path, style="axonometry").axes
    assert len(red_lines(axes)) == len(path.points) - 1
    arrows = [text for text in axes.texts if text.get_text() == ""]
    assert len(arrows) == sum(link.kind == "escalator" for link in station.building.links)
    heights = np.concatenate([line.get_xydata()[:, 1] for line in red_lines(axes)])
    assert np.ptp(heights) > 10.0


def test_passages_and_links_are_named_and_their_texts_apart(station):
    passages = station.passages(5)
    figure = plot.draw_building(station, passages=passages)
    figure.canvas.draw()
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert sum(text == "1.20 m" for text in shown) == sum(len(p.where) > 0 for p in passages)
    for axes in figure.axes:
        boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
        for k, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:k])
    assert {"lift", "entrance up", "west 2"} <= set(shown)


def test_what_is_no_path_of_the_building_is_refused(station):
    field = fw.CorridorMap.build(fw.load("gallery:field"))
    flat = field.path((2, 2), (17, 11), radius=0.25)
    with pytest.raises(fw.BadQuery, match="one of the building's map"):
        plot.draw_building(station, path=flat)
    with pytest.raises(fw.BadQuery, match="takes the map of a building"):
        plot.draw_building(field)


@pytest.mark.parametrize("style", ["floors", "axonometry"])
def test_people_are_drawn_on_their_floors(station, style):
    people = [(5, 5, "street"), (-20, 35, "platform 1"), (-21, 35, "platform 1")]
    figure = plot.draw_building(station, people=people, style=style)
    drawn = [
        [len(line.get_xydata()) for line in axes.lines if line.get_marker() == "o"]
        for axes in figure.axes
    ]
    assert drawn == ([[1], [], [2], []] if style == "floors" else [[2, 1]])
    with pytest.raises(fw.BadQuery, match="there is no floor"):
        plot.draw_building(station, people=[(5, 5, "moon")])
