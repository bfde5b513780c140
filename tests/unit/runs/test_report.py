"""Reports of studies: influence of keys, tests of differences, and the pages."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text
from scipy import stats

import footway as fw
from footway.errors import BadInput
from footway.runs.analysis import (
    compare,
    main_measure,
    most_crowded,
    sensitivities,
    trend,
    unit_of,
    with_unit,
)
from footway.runs.charts import draw_comparison, draw_curve, draw_distribution
from footway.runs.report import comparison_html, report_html
from footway.runs.results import StudyFolder, StudyResults
from footway.runs.study import StopRule, parse_study

PLAN = 'scenario = "demo:bottleneck"\nseeds = 5\n[vary]\nduration = [5, 6]\nstep = [0.1, 0.2]\n'


def results(folder, by_point, noise=1.0):
    """Return a study whose measure is a number per point and some noise."""
    plan = parse_study(PLAN)
    files = StudyFolder(folder)
    files.open(plan)
    rng = np.random.default_rng(len(str(folder)))
    for point, mean in enumerate(by_point):
        for seed in range(5):
            files.add(point, seed, {"egress_time": mean + noise * rng.normal(), "arrivals": 1.0})
    return StudyResults.from_folder(folder)


def test_influence_of_keys(tmp_path):
    found = results(tmp_path / "a", [10, 10, 30, 30], noise=1e-6)
    shares = sensitivities(found, "egress_time")
    assert shares == pytest.approx({"duration": 1.0, "step": 0.0}, abs=1e-6)
    both = sensitivities(results(tmp_path / "b", [0, 3, 4, 7], noise=1e-9), "egress_time")
    assert both == pytest.approx({"duration": 16 / 25, "step": 9 / 25}, abs=1e-6)


def test_influence_of_keys_that_were_drawn(tmp_path):
    """Each value occurs at one point only: a grouping by value would explain everything."""
    text = PLAN.partition("[vary]")[0] + "points = 40\n[sample]\n"
    plan = parse_study(text + "duration = {low = 1.0, high = 9.0}\nstep = {low = 0.1, high = 0.2}")
    files = StudyFolder(tmp_path)
    files.open(plan)
    rng = np.random.default_rng(1)
    for k, point in enumerate(plan.points):
        for seed in range(3):
            files.add(k, seed, {"egress_time": point["duration"] ** 2 + rng.normal()})
    found = StudyResults.from_folder(tmp_path)
    shares = sensitivities(found, "egress_time")
    assert shares["duration"] > 0.95
    assert shares["step"] < 0.2
    line = trend(found, "duration", "egress_time")
    assert np.abs(line.mean - line.x**2).max() < 2.0
    assert (line.half > 0.0).all()
    few = StudyResults("few", found.points[:3], {k: v for k, v in found.runs.items() if k[0] < 3},
                       tmp_path)  # fmt: skip
    assert all(np.isnan(list(sensitivities(few, "egress_time").values())))
    assert "too few points" in report_html(few)
    assert "a parabola through the points" in report_html(found)


def test_a_point_without_values_leaves_a_gap(tmp_path):
    """Names on an axis keep their places, also if the first one has no value."""
    points = tuple({"map": name, "n": n} for name in "abc" for n in (1, 2))
    runs = {(k, s): {"t": None if k == 0 else 10.0 * k + s} for k in range(6) for s in range(3)}
    found = StudyResults("t", points, runs, tmp_path)
    (ax,) = draw_curve(found, "map", "t").axes
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    places = [[round(x) for x in line[0].get_xdata()] for line in ax.containers]
    assert places == [[1, 2], [0, 1, 2]]
    assert list(ax.containers[0][0].get_ydata()) == [21.0, 41.0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1", "2"]


def test_the_axis_shows_the_runs_and_not_a_huge_interval(tmp_path):
    runs = {(0, 0): {"t": 10.0}, (0, 1): {"t": 50.0}, (1, 0): {"t": 20.0}, (1, 1): {"t": 21.0}}
    found = StudyResults("t", ({"n": 1}, {"n": 2}), runs, tmp_path)
    assert found.statistics_at(0, "t").low < -200.0
    (ax,) = draw_curve(found, "n", "t").axes
    assert ax.get_ylim() == pytest.approx((0.0, 60.0))


def test_long_names_of_keys_are_in_the_picture(tmp_path):
    """They are above the points: beside them the ends of long names are cut off."""
    keys = ["profile.employee.speed.mean", "population.employees.count"]
    points = tuple(dict.fromkeys(keys, k) for k in range(9))
    runs = {(k, s): {"t": 10.0 * k + s} for k in range(9) for s in range(3)}
    many = StudyResults("t", points, runs, tmp_path)
    few = replace(many, points=points[:3])
    figures = [draw_distribution(many, "t"), draw_distribution(few, "t"),
               draw_comparison(compare(few, few, "t"), "t")]  # fmt: skip
    for figure in figures:
        figure.draw_without_rendering()
        texts = [text for text in figure.findobj(Text) if keys[0] in text.get_text()]
        assert texts
        assert all(keys[1] in text.get_text() for text in texts)
        for box in (text.get_window_extent() for text in texts):
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1


def test_differences_are_tested(tmp_path):
    old = results(tmp_path / "old", [10, 10, 30, 30])
    new = results(tmp_path / "newer", [10, 16, 30, 30])
    found = compare(old, new, "egress_time")
    assert [one.is_real for one in found] == [False, True, False, False]
    a, b = old.values(1, "egress_time"), new.values(1, "egress_time")
    assert found[1].p == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert not any(one.is_real for one in compare(old, old, "egress_time"))


def test_pages(tmp_path):
    old = results(tmp_path / "old", [10, 10, 30, 30])
    new = results(tmp_path / "new", [10, 16, 30, 31])
    for text in (report_html(old), comparison_html(old, new)):
        assert text.startswith("<!doctype html>")
        assert "<svg" in text
        assert not re.search(r'(src|href)="https?:', text)
        assert "nan" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)
    assert "differs significantly at 1 of 4 points" in comparison_html(old, new)
    assert "least with duration = 5" in report_html(old)
    assert json.dumps(parse_study(PLAN).digest) in report_html(old).replace("&quot;", '"')


def test_runs_in_which_somebody_is_left_are_counted(tmp_path):
    old = results(tmp_path / "old", [10, 10, 30, 30])
    new = results(tmp_path / "new", [10, 10, 30, 30])
    for k in (0, 1):
        new.runs[2, k] |= {"egress_time": None, "present": 7.0}
    for study in (old, new):
        for values in study.runs.values():
            values["exited"] = 20.0
    assert [new.not_out(k) for k in range(4)] == [0, 0, 2, 0]
    assert "In 2 of 20 runs somebody was still inside" in report_html(new)
    for k in range(2, 5):
        new.runs[2, k] |= {"egress_time": None, "present": 7.0}
    assert "Points without a value in any run: 1 of 4." in report_html(new)
    for k in range(2, 5):
        new.runs[2, k] |= {"egress_time": 50.0, "present": 0.0}
    assert "(50 s in 3 of 5 runs)" in report_html(new)
    assert "in 0 runs of A and 2 of B" in comparison_html(old, new)
    assert "still inside" not in report_html(old)


def test_points_that_cannot_be_compared(tmp_path):
    old = results(tmp_path / "old", [10, 10, 30, 30])
    new = results(tmp_path / "new", [10, 10, 30, 30])
    for seed in range(5):
        new.runs[2, seed] |= {"egress_time": None}
        new.runs[3, seed] |= {"egress_time": None if seed else 31.0}
    text = re.sub(r"<svg.*?</svg>", "", comparison_html(old, new), flags=re.DOTALL)
    assert text.count("no values to compare") == text.count("too few runs to test") == 1
    assert "nan" not in text


def test_main_measure(tmp_path):
    found = results(tmp_path / "a", [1, 2, 3, 4])
    assert main_measure(found) == "egress_time"
    for values in found.runs.values():
        values["egress_time"] = None
    assert main_measure(found) == "arrivals"
    assert main_measure(found, chosen="arrivals") == "arrivals"
    for name in ("egress_time", "arrival"):
        with pytest.raises(BadInput, match=f"no run has a value of '{name}'; .*'arrivals'"):
            main_measure(found, chosen=name)
    assert unit_of("egress_mean people") == "s"
    assert with_unit("egress_95 people") == "egress_95 people, s"
    assert with_unit("greatest_density hall") == "greatest_density hall, 1/m²"
    assert with_unit("stuck") == "stuck"


def test_most_crowded_moment():
    room = fw.Environment.from_polygons(bounds=(0, 0, 20, 6))
    crowd = fw.Crowd(fw.CorridorMap.build(room))
    starts = [(2, 1), (2, 5), (18, 1), (18, 5)]
    goals = [(18, 5), (18, 1), (2, 5), (2, 1)]  # they meet in the middle
    crowd.add(4, starts=starts, goals=goals, speed=1.0, radius=0.2)
    recording = crowd.run(seconds=14)
    frame = recording.frame(most_crowded(recording, near=2.0))
    assert 5.0 < frame.time < 11.0


def test_points_that_are_uncertain_are_counted(tmp_path):
    found = results(tmp_path / "plan", [10, 10, 30, 30])
    assert "not enough" not in report_html(found)
    narrow = replace(found, stop=StopRule("egress_time", within=1e-4))
    wide = replace(found, stop=StopRule("egress_time", within=5.0))
    assert "At 4 of 4 points all seeds are not enough" in report_html(narrow)
    assert "not enough" not in report_html(wide)
