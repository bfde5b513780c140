"""Run experiments with several models and collect the results."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from footway.errors import BadInput
from footway.validate.engines import PEERS, engines
from footway.validate.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from footway.validate.experiments import Curve, Experiment


@dataclass(frozen=True)
class Validation:
    """Results of all experiments.

    Attributes:
        experiments: the experiments, in the order of the report.
        curves: by the name of the experiment, one curve for each model and time step.
        quick: whether it was a quick run.
    """

    experiments: list[Experiment]
    curves: dict[str, list[Curve]]
    quick: bool

    def step_pairs(self) -> dict[str, tuple[float, float]]:
        """Return the shortest and the longest time step of each model that ran with several, s."""
        steps: dict[str, set[float]] = {}
        for curve in next(iter(self.curves.values()), []):
            steps.setdefault(curve.engine, set()).add(curve.dt)
        return {name: (min(dts), max(dts)) for name, dts in steps.items() if len(dts) > 1}

    def step_difference(self, experiment: str, model: str) -> float | None:
        """Return the mean relative difference of y between two time steps of a model.

        None if it ran with one step only, or failed. Where the density is a result, too, part of
        the difference comes from it.
        """
        if model not in self.step_pairs():
            return None
        fine, coarse = (
            {point.scene: point.y for curve in self.curves[experiment] for point in curve.points
             if (curve.engine, curve.dt) == (model, dt)}
            for dt in self.step_pairs()[model]
        )  # fmt: skip
        both = [abs(fine[k] - coarse[k]) / max(0.5 * (fine[k] + coarse[k]), 1e-9)
                for k in fine.keys() & coarse.keys()]  # fmt: skip
        return sum(both) / len(both) if both else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "quick": self.quick,
            "experiments": [
                {
                    "name": experiment.name,
                    "title": experiment.title,
                    "axes": list(experiment.axes),
                    "references": [
                        {"label": one.label, "role": one.role, "source": one.source}
                        for one in experiment.references()
                    ],
                    "step_difference": {
                        model: self.step_difference(experiment.name, model)
                        for model in self.step_pairs()
                    },
                    "curves": [_curve(curve) for curve in self.curves[experiment.name]],
                }
                for experiment in self.experiments
            ],
        }


def _curve(curve: Curve) -> dict[str, Any]:
    inside, known = curve.inside
    return {
        "model": curve.engine,
        "dt": curve.dt,
        "distance": curve.distance,
        "inside": inside,
        "measured": known,
        "failures": curve.failures,
        "points": [
            {
                "scene": point.scene,
                "x": point.x,
                "y": point.y,
                "deviation": point.deviation,
                "reference": None if point.reference is None else list(point.reference),
                "inside": point.inside,
                "left": point.left,
            }
            for point in curve.points
        ],
    }


def validate(
    names: Sequence[str] = (),
    *,
    models: Sequence[str] = (),
    steps: Sequence[float] = (0.05, 0.1),
    quick: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Validation:
    """Run experiments and compare them with measured data.

    Args:
        names: of the experiments; by default all.
        models: names of local models of Footway or of JuPedSim's models; by default all of Footway
            and those of JuPedSim, if it is installed.
        steps: s, time steps of Footway's models.
        quick: fewer scenes and one seed instead of three.
        progress: called with the number of runs done and of all runs.

    Raises:
        BadInput: there is no experiment or model with this name.
    """
    from footway.crowd.models import MODELS

    chosen = [_known(name, EXPERIMENTS, "experiment") for name in names or EXPERIMENTS]
    for model in models:
        _known(model, {**MODELS, **PEERS}, "model")
    found = engines(tuple(models) or None, tuple(steps))
    seeds, done = 1 if quick else 3, count(1)
    total = seeds * len(found) * sum(len(list(one.scenes(quick))) for one in chosen)

    def ran() -> None:
        if progress is not None:
            progress(min(next(done), total), total)

    curves = {
        experiment.name: [
            experiment.run(engine, quick=quick, seeds=seeds, ran=ran) for engine in found
        ]
        for experiment in chosen
    }
    return Validation(chosen, curves, quick)


def _known(name: str, known: dict[str, Any], what: str) -> Any:
    if name not in known:
        raise BadInput(f"there is no {what} {name!r}: choose among {', '.join(known)}")
    return known[name]
