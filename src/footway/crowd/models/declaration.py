"""Declarations of local models and of their parameters.

The fields of a model are the declarations: checks, keys of scenario files and their JSON Schema,
checkpoints, the form of the studio's page and the table of the documentation are derived from them.
"""

from __future__ import annotations

import math
from dataclasses import asdict, astuple, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from footway.validation import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Declaration of a parameter, a number.

    Attributes:
        help: its meaning, in one sentence.
        source: where the default value comes from.
        default: value if none is given.
        unit: such as "m"; "" for none.
        low: minimum.
        above: exclusive minimum.
        high: maximum.

    """

    help: str
    source: str
    default: float
    unit: str = ""
    low: float = -math.inf
    above: float = -math.inf
    high: float = math.inf


def parameter(default: float, **declaration: Any) -> Any:
    """Return a field of a local model: a number with its declaration."""
    declared = Parameter(default=default, **declaration)
    return field(default=default, metadata={"parameter": declared})


@dataclass(frozen=True)
class LocalModel:
    """A local model: its parameters are the fields. Values out of limits raise BadQuery.

    `to_array` returns what the kernel takes. Parameters are arguments of the kernel, so that a
    changed value compiles nothing.
    """

    name: ClassVar[str]  # in the registry, scenario files and on the command line
    label: ClassVar[str]  # on the studio's page
    idea: ClassVar[str]  # one sentence
    use: ClassVar[str]  # when to use it
    source: ClassVar[str]  # of the model

    def __post_init__(self) -> None:
        for name, declared in self.declarations().items():
            value = number(
                getattr(self, name), name, declared.unit,
                low=declared.low, above=declared.above, high=declared.high,
            )  # fmt: skip
            object.__setattr__(self, name, value)

    @classmethod
    def declarations(cls) -> Mapping[str, Parameter]:
        """Return the declaration of each parameter, by name."""
        return {item.name: item.metadata["parameter"] for item in fields(cls)}

    def to_dict(self) -> dict[str, float]:
        """Return the parameters by name."""
        return asdict(self)

    def to_array(self, dt: float) -> NDArray[np.float32]:  # noqa: ARG002 - some models use it
        """Return the parameters of the kernel for steps of dt s: the fields, if not overridden."""
        return np.array(astuple(self), np.float32)
