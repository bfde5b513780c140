"""What is wrong with a scenario, and where: a key path that becomes a line of the file."""

from __future__ import annotations

import difflib
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from footway.errors import BadInput, NoPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from footway.corridor import Pinch

T = TypeVar("T")
Keys: TypeAlias = "tuple[str | int, ...]"

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_KINDS: Final = MappingProxyType(
    {str: "text", bool: "a boolean", list: "a list", tuple: "a list", dict: "a table"}
)


class Fault(ValueError):
    """Something wrong in one value, before it is known in which file.

    Attributes:
        inside: keys below the value that was looked at.

    """

    def __init__(self, message: str, *, inside: Keys = ()) -> None:
        super().__init__(message)
        self.inside = inside


@contextmanager
def inside(*keys: str | int) -> Iterator[None]:
    """Work on a part of a value: faults in here are in that part."""
    try:
        yield
    except Fault as fault:
        raise Fault(str(fault), inside=keys + fault.inside) from None


def each(values: Iterable[Any], check: Callable[[Any], T]) -> tuple[T, ...]:
    """What a check makes of each value of a list."""
    found = []
    for i, value in enumerate(values):
        with inside(i):
            found.append(check(value))
    return tuple(found)


@dataclass(frozen=True)
class Origin:
    """The file that a scenario came from, for messages.

    Attributes:
        name: of the file.
        lines: line of each key, 1 is the first.

    """

    name: str = "scenario"
    lines: Mapping[Keys, int] = field(default_factory=dict, repr=False)

    def refuse(self, keys: Keys, message: str) -> BadInput:
        """One line: file, line of the file, key, what is wrong and what to do."""
        return BadInput(self._line(keys, message))

    def no_path(self, keys: Keys, message: str, pinch: Pinch | None) -> NoPath:
        """The same for a goal that cannot be reached, with what is too narrow on the widest way."""
        reason: Literal["components", "pinch"] = "components" if pinch is None else "pinch"
        return NoPath(self._line(keys, message), reason=reason, pinch=pinch)

    def _line(self, keys: Keys, message: str) -> str:
        words = " ".join(message.split())
        line = self.line_of(keys)
        parts = [self.name, f"line {line}" if line else "", path_of(keys), words]
        return ": ".join(part for part in parts if part)

    def line_of(self, keys: Keys) -> int:
        """Line of a key, or of what it is in; 0 where nothing is known."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys, 0)


def path_of(keys: Keys) -> str:
    """Keys as in `population[2].speed`; the first of a list is 0."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{key}" if _BARE.fullmatch(key) else f".{show(key)}"
    return text.removeprefix(".")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question with the most similar name, or what there is; "" where there is nothing."""
    names = sorted(known)
    near = similar(name, names)
    if near:
        return f"did you mean {show(near)}?"
    listed = ", ".join(show(one) for one in names[:12])
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"there are {listed}{more}" if names else ""


def similar(name: str, known: Iterable[str], *, at_least: float = 0.6) -> str:
    """The most similar of some names, whatever the case; "" where none is similar enough."""
    lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower()[:60], lower, n=1, cutoff=at_least)
    return lower[near[0]] if near else ""


def kind_of(value: Any) -> str:
    """What a value of the file is, in TOML's words."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number"
    return _KINDS.get(type(value), "a date or time" if value is not None else "nothing")


def show(value: Any) -> str:
    """A value for a message: quoted, on one line and short."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        text = "a huge number"
    return text if len(text) <= 60 else f"{text[:56]}..."
