"""Fits of model parameters: a known optimum is found, and data that are held out judge it."""

import numpy as np
import pytest

from footway.crowd.models import MODELS
from footway.errors import BadFile, BadInput
from footway.validate.experiments import EXPERIMENTS, Curve, Experiment, Point
from footway.validate.fitting import FAILED, fit, with_curve
from footway.validate.tables import Interval


class Bowl(Experiment):
    """An experiment whose distance is known: 0 at v0 = 3 and sigma = 0.2."""

    def run(self, engine, *, quick, seeds, ran):
        model = engine.model
        y = 1.0 + 0.2 * abs(model.v0 - self.best[0]) + 2.0 * abs(model.sigma - self.best[1])
        points = [Point("bowl", 1.0, y, 0.0, Interval(0.9, 1.0, 1.1), 0)]
        fails = self.fails and model != MODELS["social_force"]  # the default has a result
        return Curve(engine.name, engine.dt, [] if fails else points, [])


def bowl(best=(3.0, 0.2), name="bowl", *, fails=False):
    made = Bowl(name, "", "", ("x", "y"), None, None, None, list, {})
    object.__setattr__(made, "best", best)
    object.__setattr__(made, "fails", fails)
    return made


LIMITS = {"v0": (0.5, 5.0), "sigma": (0.1, 0.6)}


def test_a_known_optimum_is_found():
    found = fit("social_force", LIMITS, [bowl()], trials=120)
    assert found.best.distance < 0.03 < found.before.distance
    assert found.best.parameters == pytest.approx({"v0": 3.0, "sigma": 0.2}, rel=0.1)
    assert found.before.parameters["v0"] == pytest.approx(MODELS["social_force"].v0)
    assert found.best.distance == min(trial.distance for trial in found.trials)
    assert len(found.trials) <= 122


def test_limits_hold_and_the_fit_is_repeatable():
    runs = [fit("social_force", LIMITS, [bowl((9.0, 0.2))], trials=50) for _ in range(2)]
    assert runs[0] == runs[1]
    for trial in runs[0].trials:
        assert 0.5 <= trial.parameters["v0"] <= 5.0
    assert runs[0].best.parameters["v0"] > 4.8


def test_data_that_are_held_out_judge_the_fit():
    default = MODELS["social_force"]
    against = bowl((default.v0, default.sigma), "held out")
    found = fit("social_force", LIMITS, [bowl()], check=[against], trials=60)
    assert found.check_before == pytest.approx(0.0, abs=1e-6)
    assert found.check_best > 0.1
    assert found.carries_over is False
    assert fit("social_force", LIMITS, [bowl()], trials=5).carries_over is None


def test_parameters_without_a_result_are_far_away():
    found = fit("social_force", LIMITS, [bowl(fails=True)], trials=3)
    assert [trial.distance == FAILED for trial in found.trials] == [False, True, True]


def test_a_real_experiment():
    found = fit("social_force", {"v0": (0.5, 5.0)}, ["two-way"], trials=2)
    assert 0.0 < found.best.distance < 0.5


def test_nothing_is_fitted_without_measured_data():
    message = "corner: nothing was measured to compare with, at x = 60"
    with pytest.raises(BadInput, match=message):
        fit("social_force", LIMITS, ["corner"])
    with pytest.raises(BadInput, match=message):
        fit("social_force", LIMITS, [bowl()], check=["corner"])


@pytest.mark.parametrize(
    ("model", "limits", "to", "message"),
    [
        ("social_forc", LIMITS, ["corner"], "did you mean 'social_force'"),
        ("social_force", {}, ["corner"], "there is nothing to fit: name parameters"),
        ("social_force", {"v": (1, 2)}, ["corner"], "has no parameter 'v'"),
        ("social_force", {"v0": (3, 3)}, ["corner"], "v0 has an empty range, from 3 to 3"),
        ("social_force", {"v0": (-5, 3)}, ["corner"], "v0"),
        ("social_force", {"v0": (4, 5)}, ["corner"], "out of the range from 4 to 5"),
        ("social_force", LIMITS, ["corners"], "did you mean 'corner'"),
        ("social_force", LIMITS, [], "there is nothing to fit to"),
    ],
)
def test_bad_input(model, limits, to, message):
    with pytest.raises(BadInput) as caught:
        fit(model, limits, to)
    assert message in str(caught.value)


def test_nothing_is_both_fitted_and_held_out():
    with pytest.raises(BadInput, match="corner is both fitted and held out"):
        fit("social_force", LIMITS, ["corner"], check=["corner"])


class TestCurve:
    def test_values_are_interpolated(self, tmp_path):
        (tmp_path / "mine.csv").write_text("density,speed\n2,0.6,0.1\n# rows in any order\n1,1.0\n")
        made = with_curve("fundamental", tmp_path / "mine.csv")
        assert made.scenes is EXPERIMENTS["fundamental"].scenes
        assert made.reference("any", 1.5) == pytest.approx(Interval(0.6, 0.8, 1.0))
        assert made.reference("any", 0.9) is None
        assert made.reference("any", 2.1) is None

    @pytest.mark.parametrize(
        "text", ["", "a,b\n1,2\n", "1,2\n3,x\n", "1,2,3,4\n5,6\n", "1,nan\n2,3\n"]
    )
    def test_bad_files(self, tmp_path, text):
        (tmp_path / "mine.csv").write_text(text)
        with pytest.raises(BadFile):
            with_curve("fundamental", tmp_path / "mine.csv")
        with pytest.raises(BadFile):
            with_curve("fundamental", tmp_path / "none.csv")


def test_no_value_is_lost_in_json():
    found = fit("social_force", LIMITS, [bowl()], trials=4).to_dict()
    assert found["parameters"].keys() == LIMITS.keys()
    assert np.isfinite(found["distance"])
