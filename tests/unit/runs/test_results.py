"""Statistics and stop rules of studies, compared with SciPy."""

import numpy as np
import pytest
from scipy import stats

from footway.runs.results import StudyResults, enough, select, statistics
from footway.runs.study import StopRule


@pytest.mark.parametrize("n", [2, 5, 30])
def test_statistics(n):
    values = np.random.default_rng(n).normal(60.0, 5.0, n)
    found = statistics(values.tolist(), 0.9)
    low, high = stats.t.interval(0.9, n - 1, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.median == pytest.approx(np.median(values))
    assert found.p95 == np.quantile(values, 0.95, method="inverted_cdf")
    assert (found.n, found.least, found.most) == (n, values.min(), values.max())


def test_missing_values_do_not_count():
    found = statistics([1.0, None, 3.0])
    assert (found.n, found.mean) == (2, 2.0)
    assert statistics([None]).n == 0
    assert np.isnan(statistics([4.0]).low)


def test_a_point_stops_at_the_first_narrow_interval():
    rng = np.random.default_rng(0)
    values = rng.normal(50.0, 6.0, 200).tolist()
    rule = StopRule("x", 0.03, 0.95, 4)
    n = enough(values, rule)
    assert 4 < n < 200
    assert enough(values[: n - 1], rule) is None
    assert enough(values[: n + 7], rule) == n  # runs that ended later change nothing
    width = stats.sem(values[:n]) * stats.t.ppf(0.975, n - 1)
    assert width <= 0.03 * np.mean(values[:n])


def test_a_rule_for_a_missing_value_is_never_satisfied():
    assert enough([1.0, 1.0, None, 1.0, 1.0], StopRule("x", 0.5, 0.95, 3)) is None


def test_only_runs_up_to_a_gap_count():
    finished = {(0, seed): {"x": 1.0 + 0.001 * seed} for seed in (0, 1, 2, 4)}
    finished[1, 0] = {"x": 5.0}
    assert list(select(finished, 2, range(5), None)) == [(0, 0), (0, 1), (0, 2), (1, 0)]
    rule = StopRule("x", 0.1, 0.95, 2)
    assert list(select(finished, 2, range(5), rule)) == [(0, 0), (0, 1), (1, 0)]


def test_table(tmp_path):
    points = ({"a": 1, "b": "x", "c": [1]}, {"a": 2.5, "b": "y", "c": [2]})
    runs = {(0, 3): {"m": 1.0, "n": None}, (1, 3): {"m": 2.0, "n": 4.0}}
    table = StudyResults("t", points, runs, tmp_path).to_arrow()
    assert table.column("a").to_pylist() == [1.0, 1.0, 2.5, 2.5]
    assert table.column("c").to_pylist() == ["[1]", "[1]", "[2]", "[2]"]
    assert table.column("measure").to_pylist() == ["m", "n", "m", "n"]
    assert table.column("value").to_pylist() == [1.0, None, 2.0, 4.0]
