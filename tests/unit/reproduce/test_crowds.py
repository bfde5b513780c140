"""Details of `footway reproduce crowds`; the whole of it is a system test."""

import numpy as np
import pytest

import footway as fw
from footway.reproduce.cmm.setup import Scene
from footway.reproduce.crowds import groups, lanes, load, passage, wandering
from footway.reproduce.crowds.groups import NEAR, Limits, broken_limits, walk_group
from footway.reproduce.crowds.setup import FULL, QUICK, Panel, draw_groups, faults
from footway.reproduce.questions import Question

COURT = [[(0, 0), (60, 0), (60, 10), (0, 10)]]


@pytest.fixture(scope="module")
def court():
    environment = fw.Environment.from_polygons(COURT, name="court")
    return Scene("court", environment, fw.CorridorMap.build(environment))


@pytest.fixture(scope="module")
def walk(court):
    question = Question((4.0, 5.0), (56.0, 5.0))
    limits = Limits(width=2.0, group_area=30.0)
    return walk_group(court.cmap, 8, question, limits, name="eight", seed=1)


def test_a_group_arrives_within_its_limits(walk):
    assert walk.wrong == []
    assert walk.places.shape == (len(walk.times), 8, 2)
    assert walk.mean[0] <= 4.0
    assert walk.mean[2] <= 30.0
    assert (walk.most >= walk.mean).all()
    assert walk.load > 0.0


def test_a_group_is_under_way_between_start_and_goal(walk):
    places = walk.places[walk.under_way]
    assert len(places) > 10
    for end in (walk.corridor.start, walk.corridor.goal):
        assert np.hypot(*(places[:-1] - end).reshape(-1, 2).T).min() > NEAR - 0.7
    assert walk.frame_at(0.0) == 0
    assert walk.frame_at(1.0) == walk.under_way.stop


def test_a_group_that_is_too_wide_is_found(walk):
    wide = walk._replace(apart=walk.apart + 50.0)
    (across,) = broken_limits(wide, "eight")
    assert "across, in a corridor 4.0 m wide" in across


def test_the_area_of_a_group_is_judged_by_its_greatest_value(walk):
    apart = walk.apart.copy()
    assert groups._area_claim("c", walk).verdict == "same"
    apart[walk.under_way.start + 3, 2] = 31.0  # the mean stays below 30
    peak = walk._replace(apart=apart)
    assert peak.mean[2] < 30.0
    assert groups._area_claim("c", peak).verdict == "worse"


def test_a_picture_of_groups_names_the_moments(court, walk):
    panels = [Panel(f"({part})", "numbers", walk, (0.3, 0.9)) for part in "ab"]
    figure = draw_groups(
        court.environment, (0, -2, 60, 12), panels, columns=1, title="Two", details="here"
    )
    words = [text.get_text() for text in figure.texts]
    assert {"Two", "here", "(a)", "(b)", "numbers"} <= set(words)
    first, second = (axes.get_position() for axes in figure.axes[:2])
    assert first.y0 > second.y1
    times = [text.get_text() for text in figure.axes[0].texts]
    assert times == [f"{walk.times[walk.frame_at(share)]:.0f} s" for share in (0.3, 0.9)]


def scaled(walk, *factors):
    """The same walk with other dispersions: lateral, longitudinal, area."""
    return walk._replace(apart=walk.apart * (*factors, 1.0))


def test_the_order_of_the_groups_is_judged(walk):
    a, b, c = scaled(walk, 3, 2, 1), scaled(walk, 1, 2, 1), walk
    assert groups.disorder({"a": a, "b": b, "c": c}) == []
    assert groups.disorder({"a": c, "b": b, "c": a}) == [
        "(b) is not narrower than (a)",
        "(c) is not narrower than (a)",
        "(c) is not shorter than (a)",
        "(c) is not shorter than (b)",
    ]


def test_the_load_of_a_crowd_is_judged_with_that_of_the_printed_method():
    def measured(loads):
        return {n: load.Measured(None, n, percent, 1.0, 1.0, []) for n, percent in loads.items()}

    found = measured({1_000: 1.0, 5_000: 5.5, 10_000: 12.0})
    printed = measured({1_000: 2.0, 5_000: 50.0, 10_000: 80.0})
    five, ten, crowded = load._claims(found, printed)
    assert (five.ours, five.printed, five.verdict) == (5.5, 50.0, "better")
    assert (ten.ours, ten.printed) == (12.0, 80.0)
    assert (crowded.ours[:6], crowded.printed, crowded.verdict) == ("1.20 x", "4.00 x", "same")
    found[10_000] = found[10_000]._replace(load=20.0)
    assert load._claims(found, printed)[-1].verdict == "worse"


def test_the_meadow_has_one_way_through_the_hedge():
    cmap = passage.meadow().cmap
    pinch = cmap.bottleneck(passage.THROUGH.start, passage.THROUGH.goal)
    assert pinch.width == pytest.approx(passage.PASSAGE_WIDTH)
    assert pinch.at == pytest.approx(passage.GAP, abs=0.8)
    assert cmap.bottleneck(passage.ALONG.start, passage.ALONG.goal).width > 5.0


def test_lanes_are_ordered_and_a_mixed_crowd_is_not():
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(0.0, 20.0), np.arange(4) + 0.5))
    places = np.column_stack([x, y])
    assert lanes.lane_order(places, y > 2.0) == 1.0
    assert lanes.lane_order(places, np.arange(len(x)) % 2 == 0) < 0.3
    assert np.isnan(lanes.lane_order(places, np.zeros(len(x), bool)))
    # Two walk west, one east: each of the two sees one of either, the third only others.
    three = np.array([(5.0, 1.0), (5.2, 1.0), (5.4, 1.0)])
    assert lanes.lane_order(three, np.array([True, True, False])) == pytest.approx((0 + 0 + 1) / 3)
    assert np.isnan(lanes.lane_order(places[:0], np.zeros(0, bool)))


def test_long_dead_ends_are_distinguished_from_corners():
    # A court with a blind alley: its end is long, the corners are not.
    ring = [(0, 0), (20, 0), (20, 20), (11, 20), (11, 40), (9, 40), (9, 20), (0, 20)]
    court = [(4, 4), (16, 4), (16, 16), (4, 16)]
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons([ring], obstacles=[court]))
    ends = wandering.dead_ends(cmap)
    assert len(ends.long) == 1
    assert ends.long[0] == pytest.approx([10.0, 39.0], abs=0.1)
    assert ends.clearance[0] == pytest.approx(1.0, abs=0.1)
    assert len(ends.short) >= 4
    assert (cmap.clearance(ends.short) < 0.01).all()


def test_who_is_in_a_wall_is_found(court):
    crowd = fw.Crowd(court.cmap, seed=1)
    crowd.add(3, starts=[(5, 5), (6, 5), (7, 5)])
    assert faults(crowd, "three") == []

    class Through:
        map, ids, radii, stuck = court.cmap, crowd.ids, crowd.radii, ()
        positions = np.array([[5.0, 5.0], [6.0, 0.1], [7.0, 5.0]])

    assert faults(Through(), "three") == ["three: character 1 is 0.1500 m in a wall"]
    Through.positions = np.array([[5.0, 5.0], [6.0, 0.25 - 1e-7], [7.0, 0.25 - 5e-4]])
    assert faults(Through(), "three") == ["three: character 2 is 0.0005 m in a wall"]


def test_what_the_paper_says_is_measured():
    assert set(load.PUBLISHED) <= set(FULL.crowds)
    assert max(QUICK.crowds) < max(FULL.crowds)
    assert set(groups.LIMITS) == set(groups.SAYS)
    assert set(passage.LIMITS) == set(passage.SAYS)
    assert passage.SIZES[0] == 50
    assert passage.SIZES[-1] == 100
