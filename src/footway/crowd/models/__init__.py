"""Local models: how characters avoid each other and dynamic obstacles. One file per model.

A model is a frozen value with its parameters, and an inner. There are two kinds:

- A force model writes the force of each pair of neighbours, m/s2. It is added to the acceleration
  toward the preferred velocity. All pairs of a batch are computed together.
- A velocity model chooses a velocity from all neighbours of one character.

Walls and contact are handled afterwards by the guards (`kernels/guard.py`), whatever the model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway._numba.jit import inner
from footway.crowd.kernels.pairs import measure_all, pad
from footway.crowd.models.collision_free_speed import (
    CollisionFreeSpeed,
    collision_free_velocity,
)
from footway.crowd.models.declaration import LocalModel
from footway.crowd.models.orca import MOST_NEIGHBOURS, SCRATCH_ROWS, Orca, orca_velocity
from footway.crowd.models.power_law import PowerLaw, power_law_forces
from footway.crowd.models.social_force import REPULSION, SocialForce, social_forces
from footway.crowd.models.user_model import Neighbours, UserModel
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MODELS",
    "CollisionFreeSpeed",
    "LocalModel",
    "Neighbours",
    "Orca",
    "PowerLaw",
    "SocialForce",
    "UserModel",
]

MODELS: dict[str, LocalModel] = {
    "social_force": SocialForce(),
    "helbing_molnar": SocialForce(own_share=0.0, look_ahead=2.0, discs=0.0, side=0.0, headway=0.0),
    "power_law": PowerLaw(),
    "collision_free_speed": CollisionFreeSpeed(),
    "orca": Orca(),
}
"""The registry: a model with its parameters, by the name that `Crowd(model=...)` takes."""

_CLASSES: tuple[type[LocalModel], ...] = (SocialForce, PowerLaw, CollisionFreeSpeed, Orca)
"""The models by the number that kernels use."""

GIVEN_VELOCITY, GIVEN_FORCE = -2, -1  # of models of users
SOCIAL_FORCE, POWER_LAW, COLLISION_FREE_SPEED, ORCA = range(len(_CLASSES))
_ZERO = np.float32(0.0)
SCRATCH = (SCRATCH_ROWS, MOST_NEIGHBOURS)  # shape of the workspace of a velocity model
FORCE_MODELS = COLLISION_FREE_SPEED  # numbers from here on are velocity models


@inner
def prepare_pairs(used, model, pairs):
    """Compute direction and gap of each pair, and its force (m/s2) if the model is a force model.

    `model` is an `Avoidance`. Returns the number of pairs with those that fill the last batch.
    """
    n = pad(used, pairs)
    if model.number == SOCIAL_FORCE:
        social_forces(n, model.parameters, pairs)
    elif model.number == POWER_LAW:
        power_law_forces(n, model.parameters, pairs)
    else:
        measure_all(n, pairs)
    return n


@inner
def repulsion_of_obstacles(model):
    """Return k of F_i; 0 if obstacles repel by the forces of their pairs."""
    return model.parameters[REPULSION] if model.number == SOCIAL_FORCE else _ZERO


@inner
def choose_velocity(first, obstacles, end, own, model, pairs, scratch):
    """Return the velocity (m/s) that a velocity model chooses from the pairs first to end - 1.

    Those from `obstacles` on are with dynamic obstacles.
    """
    if model.number == ORCA:
        return orca_velocity(first, obstacles, end, own, model.parameters, pairs, scratch)
    return collision_free_velocity(first, end, own, model.parameters, pairs)


def get_model(model: Any) -> LocalModel | UserModel:
    """Return a model by its name in the registry, or a model as it is; else raise BadQuery."""
    if isinstance(model, (LocalModel, UserModel)):
        return model
    if callable(model):
        raise BadQuery(
            "the model is a function: give UserModel(function, gives='velocity') or "
            "UserModel(function, gives='acceleration')"
        )
    validation.one_of(model, "model", tuple(MODELS))
    return MODELS[model]


def with_parameters(name: str, parameters: Mapping[str, Any]) -> LocalModel:
    """Return a model of the registry with other parameters, or raise BadQuery."""
    validation.one_of(name, "model", tuple(MODELS))
    model = MODELS[name]
    for key in parameters:
        if key not in model.declarations():
            known = ", ".join(model.declarations())
            raise BadQuery(f"the model {name} has no parameter {key!r}: it has {known}")
    return replace(model, **parameters)


def describe_model(model: LocalModel) -> str | dict[str, Any]:
    """Return a model as scenario files have it: its name, or a table with other parameters."""
    for name, known in MODELS.items():
        if model == known:
            return name
    usual = MODELS[model.name].to_dict()
    changed = {key: value for key, value in model.to_dict().items() if value != usual[key]}
    return {"name": model.name, **changed}


def number_of(model: LocalModel | UserModel) -> int:
    """Return the number by which kernels know a model."""
    if isinstance(model, UserModel):
        return GIVEN_FORCE if model.gives == "acceleration" else GIVEN_VELOCITY
    return _CLASSES.index(type(model))
