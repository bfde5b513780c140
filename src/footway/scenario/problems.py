"""Errors in a scenario: messages with the key path and the line of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from footway.errors import BadInput, NoPath
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footway.corridor import Pinch

Keys: TypeAlias = "tuple[str | int, ...]"

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_KINDS: Final = MappingProxyType(
    {str: "text", bool: "a boolean", list: "a list", tuple: "a list", dict: "a table"}
)


class Fault(ValueError):
    """An error in one value, raised before the file is known.

    Attributes:
        inside: keys below the value that was checked.
    """

    def __init__(self, message: str, *, inside: Keys = ()) -> None:
        super().__init__(message)
        self.inside = inside


@dataclass(frozen=True)
class Origin:
    """The file that a scenario came from, for messages."""

    name: str = "scenario"  # of the file
    lines: Mapping[Keys, int] = field(default_factory=dict, repr=False)  # line of each key, from 1

    def refuse(self, keys: Keys, message: str) -> BadInput:
        """Return an error with file, line, key, what is wrong and what to do."""
        return BadInput(self._line(keys, message))

    def no_path(self, keys: Keys, message: str, pinch: Pinch | None) -> NoPath:
        """Return the same for an unreachable goal, with the bottleneck of the widest path."""
        reason: Literal["components", "pinch"] = "components" if pinch is None else "pinch"
        return NoPath(self._line(keys, message), reason=reason, pinch=pinch)

    def _line(self, keys: Keys, message: str) -> str:
        words = " ".join(message.split())
        line = self.line_of(keys)
        parts = [self.name, f"line {line}" if line else "", path_of(keys), words]
        return ": ".join(part for part in parts if part)

    def line_of(self, keys: Keys) -> int:
        """Return the line of a key, or of the table that contains it; 0 if unknown."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys, 0)


def path_of(keys: Keys) -> str:
    """Return a key path such as `population[2].speed`; indices start at 0."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{key}" if _BARE.fullmatch(key) else f".{shown(key)}"
    return text.removeprefix(".")


def kind_of(value: Any) -> str:
    """Return the TOML type of a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number"
    return _KINDS.get(type(value), "a date or time" if value is not None else "nothing")
