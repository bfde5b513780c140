"""Fit parameters of a local model to measured data; data that are held out judge the result."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from footway import validation
from footway.crowd.models import MODELS
from footway.crowd.models import with_parameters as model_with
from footway.errors import BadFile, BadInput
from footway.formats.registry import read_text
from footway.validate.engines import Footway
from footway.validate.experiments import EXPERIMENTS
from footway.validate.tables import Interval
from footway.validation import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from footway.validate.engines import Engine
    from footway.validate.experiments import Curve, Experiment

FAILED: Final = 10.0
"""Distance of parameters with which a scene has no result, such as one in which nobody arrives."""

_SPREAD: Final = 0.1  # of a value of a user's curve, where it is not given


class Target(Protocol):
    """What a model is fitted to: an `Experiment`, or a `Replay` of measured trajectories."""

    @property
    def name(self) -> str:
        """Name in messages."""
        ...

    def run(self, engine: Engine, *, quick: bool, seeds: int, ran: Callable[[], Any]) -> Curve:
        """Simulate it; the points of the curve carry what was measured."""
        ...


@dataclass(frozen=True)
class Trial:
    """Parameters that were tried.

    Attributes:
        parameters: values of the fitted parameters.
        distance: to the measured data, 0 is perfect: root mean square of the relative errors.
    """

    parameters: dict[str, float]
    distance: float


@dataclass(frozen=True)
class Fit:
    """Result of a fit.

    Attributes:
        model: name of the model.
        before: the default parameters.
        best: the best parameters that were found.
        check_before: distance of the default parameters to the data that were held out.
        check_best: distance of the best ones. If greater, the fit does not carry over to others.
        trials: everything that was tried, in order.
    """

    model: str
    before: Trial
    best: Trial
    check_before: float | None
    check_best: float | None
    trials: tuple[Trial, ...]

    @property
    def carries_over(self) -> bool | None:
        """Whether the fit is no worse than the default on data that were held out."""
        if self.check_before is None or self.check_best is None:
            return None
        return self.check_best <= self.check_before

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "model": self.model,
            "parameters": self.best.parameters,
            "default_parameters": self.before.parameters,
            "distance": self.best.distance,
            "default_distance": self.before.distance,
            "check_distance": self.check_best,
            "default_check_distance": self.check_before,
            "carries_over": self.carries_over,
            "trials": [vars(trial) for trial in self.trials],
        }


def fit(
    model: str,
    parameters: Mapping[str, tuple[float, float]],
    experiments: Sequence[str | Target] = ("fundamental",),
    *,
    check: Sequence[str | Target] = (),
    step: float = 0.1,
    trials: int = 40,
    seeds: int = 1,
    quick: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Fit:
    """Find parameters with which a model comes closest to measured data.

    The search is that of Nelder and Mead, from the default parameters. It is repeatable: seeds are
    the same in every trial.

    Args:
        model: name of a local model.
        parameters: lower and upper limits of the parameters to fit, by name.
        experiments: to fit to: names of experiments, or what `with_curve` and `replay` return.
        check: experiments that are held out; they judge the result only.
        step: s, time step.
        trials: simulations of all experiments, at most.
        seeds: runs of each scene.
        quick: fewer scenes of each experiment.
        progress: called after each trial with the number of trials so far, and `trials`.

    Raises:
        BadInput: there is no such model, parameter or experiment, limits are wrong, or nothing
            was measured where the simulation with the default parameters is.
    """
    from scipy.optimize import minimize

    start, limits = _checked(model, parameters)
    fitted, held_out = (
        [_find(one) if isinstance(one, str) else one for one in some]
        for some in (experiments, check)
    )
    if not fitted:
        raise BadInput("there is nothing to fit to: name an experiment")
    both = {one.name for one in fitted} & {one.name for one in held_out}
    if both:
        raise BadInput(f"{min(both)} is both fitted and held out: leave one of them out")
    names, done = list(limits), list[Trial]()
    low, high = np.array(list(limits.values())).T

    def measure(values: Sequence[float], some: list[Target], *, check: bool = False) -> float:
        given = dict(zip(names, map(float, values), strict=True))
        engine = Footway(model_with(model, given), step)
        curves = [one.run(engine, quick=quick, seeds=seeds, ran=lambda: None) for one in some]
        for target, curve in zip(some, curves, strict=True):
            if check and curve.distance is None:
                raise BadInput(_nothing_measured(target, curve))
        found = [FAILED if c.failures or c.distance is None else c.distance for c in curves]
        return math.sqrt(sum(d * d for d in found) / len(found))

    default = [start[name] for name in names]
    before = measure(default, held_out, check=True) if held_out else None

    def objective(shares: Sequence[float]) -> float:
        values = low + np.clip(shares, 0.0, 1.0) * (high - low)
        distance = measure(values, fitted, check=not done)  # the first are the defaults
        done.append(Trial(dict(zip(names, values.tolist(), strict=True)), distance))
        if progress is not None:
            progress(len(done), trials)
        return distance

    first = (np.array(default) - low) / (high - low)
    simplex = np.vstack([first, *(_moved(first, k) for k in range(len(names)))])
    options = {"maxfev": trials, "initial_simplex": simplex, "xatol": 0.005, "fatol": 1e-4}
    minimize(
        objective, first, method="Nelder-Mead", bounds=[(0.0, 1.0)] * len(names), options=options
    )
    best = min(done, key=lambda trial: trial.distance)
    after = measure(list(best.parameters.values()), held_out) if held_out else None
    return Fit(model, done[0], best, before, after, tuple(done))


def _moved(shares: Any, k: int) -> Any:
    """Return a corner of the first simplex: one parameter moved by a quarter of its range."""
    moved = shares.copy()
    moved[k] += 0.25 if shares[k] < 0.5 else -0.25
    return moved


def _checked(
    model: str, parameters: Mapping[str, tuple[float, float]]
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return the default values and the limits of the parameters."""
    if model not in MODELS:
        raise BadInput(f"there is no model {model!r}; {did_you_mean(model, MODELS)}")
    start = MODELS[model].to_dict()
    if not parameters:
        raise BadInput(f"there is nothing to fit: name parameters of {model}: {', '.join(start)}")
    limits = {}
    for name, (low, high) in parameters.items():
        if name not in start:
            raise BadInput(f"{model} has no parameter {name!r}; {did_you_mean(name, start)}")
        if not low < high:
            raise BadInput(f"{name} has an empty range, from {low:g} to {high:g}")
        for end in (low, high):
            model_with(model, {name: end})  # raises an error out of the limits of the model
        if not low <= start[name] <= high:
            raise BadInput(
                f"{name} is {start[name]:g} by default, out of the range from {low:g} to {high:g}: "
                "the search begins there"
            )
        limits[name] = (float(low), float(high))
    return start, limits


def _nothing_measured(target: Target, curve: Curve) -> str:
    """Return why a simulation with the default parameters cannot be compared."""
    if curve.failures:
        return (
            f"{target.name}: cannot be simulated with the default parameters: {curve.failures[0]}"
        )
    at = ", ".join(f"{point.x:.3g}" for point in curve.points) or "any place"
    return f"{target.name}: nothing was measured to compare with, at x = {at}"


def _find(experiment: str) -> Experiment:
    if experiment not in EXPERIMENTS:
        raise BadInput(
            f"there is no experiment {experiment!r}; {did_you_mean(experiment, EXPERIMENTS)}"
        )
    return EXPERIMENTS[experiment]


def with_curve(experiment: str, file: str | PathLike[str]) -> Experiment:
    """Return an experiment that is compared with a measured curve of your own.

    Args:
        experiment: its name: the scenes, and what x and y are.
        file: CSV with columns x, y and optionally the deviation of y; values between two rows are
            interpolated, and nothing is compared outside the curve.

    Raises:
        BadFile: the file has no such rows.
    """
    known = _find(experiment)
    rows = _read_curve(file)

    def reference(_: str, x: float) -> Interval | None:
        if not rows[0, 0] <= x <= rows[-1, 0]:
            return None
        mean, spread = (float(np.interp(x, rows[:, 0], rows[:, k])) for k in (1, 2))
        return Interval(mean - 2.0 * spread, mean, mean + 2.0 * spread)

    return replace(known, reference=reference)


def _read_curve(file: str | PathLike[str]) -> Any:
    """Return the rows of a curve (n, 3), by ascending x."""
    found: list[list[float]] = []
    try:
        text = read_text(validation.file(file))
    except BadFile as error:
        raise BadFile(f"{file}: {error}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            values = [float(value) for value in line.replace(";", ",").split(",")]
        except ValueError:
            if not found:
                continue  # names of the columns
            raise BadFile(f"{file}: line {number}: is not x, y in numbers") from None
        if len(values) not in (2, 3) or not all(map(math.isfinite, values)):
            raise BadFile(f"{file}: line {number}: give x, y and optionally the deviation of y")
        found.append([*values[:2], values[2] if len(values) == 3 else _SPREAD * abs(values[1])])
    if len(found) < 2:
        raise BadFile(f"{file}: has no curve: give two rows x, y or more")
    rows = np.array(found)
    return rows[np.argsort(rows[:, 0], kind="stable")]
