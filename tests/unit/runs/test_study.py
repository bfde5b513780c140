"""Study files: points, samples, and one clear line for each mistake."""

import re
from pathlib import Path

import numpy as np
import pytest

from footway._numba.random_stream import RandomStream
from footway.errors import BadFile, BadInput
from footway.runs.study import load_study, parse_study, sample

BASE = 'scenario = "demo:bottleneck"\n'


def points(text):
    return [dict(point) for point in parse_study(BASE + text).points]


class TestPoints:
    def test_all_combinations(self):
        found = points('[vary]\nduration = [10, 20]\n"population.0.count" = [5, 6]')
        assert [tuple(point.values()) for point in found] == [(10, 5), (10, 6), (20, 5), (20, 6)]

    def test_a_list_of_points(self):
        rows = [
            {"duration": 10, "population.0.count": 5},
            {"population.0.count": 9, "duration": 20},
        ]
        text = "".join(
            "[[vary]]\n" + "".join(f'"{key}" = {value}\n' for key, value in row.items())
            for row in rows
        )
        assert points(text) == rows
        assert [list(point) for point in points(text)] == [list(rows[0])] * 2
        both = points("points = 3\n" + text + "[sample]\nstep = {low = 0.1, high = 0.2}")
        assert [point["duration"] for point in both] == [10] * 3 + [20] * 3

    @pytest.mark.parametrize("order", [1, -1])
    def test_models_and_their_parameters(self, order):
        lines = ['model = ["social_force", "helbing_molnar"]\n', '"model.v0" = [1.5, 3]\n']
        study = parse_study(BASE + "[vary]\n" + "".join(lines[::order]))
        models = [study.scenario_at(k, 0).model for k in range(4)]
        found = sorted((model.own_share, model.v0) for model in models)
        assert found == [(0.0, 1.5), (0.0, 3.0), (1.0, 1.5), (1.0, 3.0)]

    def test_a_range(self):
        assert points("[vary]\nduration = {low = 10.0, high = 20.0, count = 3}") == [
            {"duration": 10.0}, {"duration": 15.0}, {"duration": 20.0},
        ]  # fmt: skip

    def test_without_anything_that_varies_there_is_one_point(self):
        assert points("") == [{}]

    def test_samples_are_the_same_for_the_same_seed(self):
        text = "points = 8\n[sample]\nduration = {low = 10.0, high = 20.0}"
        assert points(text) == points(text)
        assert points(text) != points("first_seed = 1\n" + text)
        assert all(10.0 <= point["duration"] < 20.0 for point in points(text))

    def test_whole_numbers_stay_whole(self):
        found = points('points = 50\n[sample]\n"population.0.count" = {low = 1, high = 5}')
        assert {point["population.0.count"] for point in found} == {1, 2, 3, 4, 5}

    def test_a_latin_hypercube_has_one_value_in_each_part(self):
        drawn = sample("latin", 20, RandomStream(3))
        assert sorted((drawn * 20).astype(int)) == list(range(20))
        assert not np.array_equal(np.sort(drawn), drawn)

    def test_each_point_is_a_scenario(self):
        study = parse_study(BASE + '[vary]\n"population.0.count" = [5, 6]')
        scenario = study.scenario_at(1, 42)
        assert (scenario.population[0].count, scenario.seed) == (6, 42)
        assert study.scenario_at(0, 1).population[0].count == 5

    def test_a_table_is_found_by_name(self, tmp_path):
        (tmp_path / "some.toml").write_text(
            'map = "gallery:field"\n[[population]]\nname = "a.b c"\ncount = 1\n'
        )
        (tmp_path / "plan.toml").write_text(
            'scenario = "some.toml"\n[vary]\n"population.\'a.b c\'.count" = [2, 3]\n'
        )
        study = load_study(tmp_path / "plan.toml")
        assert study.scenario_at(1, 0).population[0].count == 3


FAULTS = [
    ("seed = 3", "study: line 2: seed: is not a key of a study; did you mean 'seeds'?"),
    ("[vary]\ndurations = [1]", "durations: is not a key of a scenario; did you mean 'duration'?"),
    (
        '[vary]\n"popluation.0.count" = [1]',
        "there is no table 'popluation' in the scenario; did you mean 'population'?",
    ),
    ('[vary]\n"population.9.count" = [1]', "there is no population '9' in the scenario"),
    (
        '[vary]\n"population.count" = [1]',
        "give a key of one population, such as population.0.count",
    ),
    ("[vary]\nseed = [1]", "is set by `seeds` and `first_seed`; leave it out"),
    ("[vary]\nduration = []", "line 3: vary.duration: is empty; give the values to compare"),
    ("[vary]\nduration = 5", "is a number; give a list, or {low = ..., high = ..., count = ...}"),
    ("[vary]\nduration = {low = 5, high = 5, count = 3}", "is an empty range, from 5 to 5"),
    ("[vary]\nduration = {low = 5, high = 9, count = 1}", "is 1; give 2 to 1000000"),
    ("[vary]\nduration = [-1]", "duration"),
    ("[sample]\nduration = {low = 1, high = 2}", "points: is missing"),
    ("points = 3", "is for values in [sample]; leave it out"),
    (
        "points = 3\n[vary]\nduration = [5]\n[sample]\nduration = {low = 1, high = 2}",
        "is in [vary], too",
    ),
    (
        "seeds = 3\n[stop]\nmeasure = 'egress_time'\nwithin = 0.1\nleast = 4",
        "is 4, more than the 3 seeds of a point; one contradicts the other",
    ),
    ("[stop]\nwithin = 0.1", "stop.measure: is missing"),
    ("[stop]\nmeasure = 'egress_time'", "stop.within: is missing"),
    ("[measure]\nlines = {door = [[1, 2]]}", "give two points, [[x, y], [x, y]]"),
    ("[measure]\nlines = {door = [[1, 2], [1, 2]]}", "has no length"),
    ("[measure]\nareas = 3", 'give names of areas: ["hall", "door"]'),
    ("vary = []", "vary: is empty; give the points to compare"),
    ("vary = [3]", "give [vary] with lists, or a [[vary]] for each point"),
    (
        "[[vary]]\nduration = 3\n[[vary]]\nstep = 0.1",
        "line 4: vary[1].duration: is not in all of [[vary]]; give duration for each point",
    ),
    ('[vary]\n"model.v" = [3]', "model.v = 3: "),
    ('[vary]\n"model.v0.x" = [3]', "there is no table 'v0' in model of the scenario"),
    ("[vary]\nduration = {low = 1, high = 2, count = 9999999}", "give 2 to 1000000"),
    ("seeds = 0", "is 0; give a whole number from 1 to 100000"),
    ("seeds = true", "is True; give a whole number"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_bad_input_is_one_line(text, message):
    with pytest.raises(BadInput) as caught:
        parse_study(BASE + text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_files(tmp_path):
    with pytest.raises(BadFile, match=r"does not exist|no such file"):
        load_study(tmp_path / "none.toml")
    with pytest.raises(BadFile, match="is not TOML"):
        parse_study("x = ")
    with pytest.raises(BadInput, match="scenario: is missing"):
        parse_study("seeds = 3")
    with pytest.raises(BadInput, match=r"line 1: scenario: .*none.toml"):
        parse_study('scenario = "none.toml"', folder=tmp_path)


def test_the_study_of_the_guide():
    root = Path(__file__).parents[3]
    guide = (root / "docs/studies.md").read_text()
    text, _ = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)  # the other is of a building
    study = parse_study(text, folder=root / "examples")
    assert len(study.points) == 12
    assert study.stop.measure == "egress_time"
