"""Local models: how characters avoid each other and dynamic obstacles. One file per model.

A model is a frozen value with its parameters, and an inner that computes the force of each pair of
neighbours; the acceleration of a character is the sum over its pairs. A new model is a file and
four entries here: its number, its parameter sets in `MODELS`, their names in the type `Model`, and
its branch in `compute_forces`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from footway._numba.jit import inner
from footway.crowd.kernels.pairs import pad
from footway.crowd.models.helbing_molnar import HelbingMolnar, helbing_molnar_forces

HELBING_MOLNAR = 0


class LocalModel(NamedTuple):
    """A model by number, with its parameters."""

    number: int
    parameters: Any  # a value with `to_array`


Model = Literal["relative", "published"]

MODELS: dict[str, LocalModel] = {
    "relative": LocalModel(HELBING_MOLNAR, HelbingMolnar()),
    "published": LocalModel(HELBING_MOLNAR, HelbingMolnar(own_share=0.0, look_ahead=2.0)),
}
"""The registry: parameter sets by the name that `Crowd(avoidance=...)` takes."""


@inner
def compute_forces(used, model, pairs):
    """Compute force (m/s2), direction and gap of each pair; `model` is an `Avoidance`."""
    n = pad(used, pairs)
    if model.number == HELBING_MOLNAR:
        helbing_molnar_forces(n, model.parameters, pairs)
