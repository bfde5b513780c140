"""Find the line of each key in a TOML file, for error messages (`tomllib` does not report it)."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from footway.scenario.problems import Keys

_PART = r"(?:[A-Za-z0-9_-]+|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*')"
_KEY: Final = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TOKEN: Final = re.compile(
    r"\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}"  # strings of many lines
    r"|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}\n]|[^\[\]{}\n\"'#]+",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Keys, int]:
    """Return the line (from 1) of each key and table of a valid TOML document.

    Keys inside inline tables and lists are not included, only their outer key.
    """
    return _Scan(text).lines


class _Scan:
    """One pass over the statements of a document."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.table: Keys = ()
        self.sizes: dict[Keys, int] = {}  # of the arrays of tables
        self.lines: dict[Keys, int] = {}
        while self._skip(_BLANK) and self.at < len(text):
            begin = self.at
            if not self._statement():
                break
            assert self.at > begin

    def _statement(self) -> bool:
        """Read a header or a `key = value`; return whether it was recognised."""
        line = self.text.count("\n", 0, self.at) + 1
        brackets = 2 if self.text.startswith("[[", self.at) else int(self.text[self.at] == "[")
        self.at += brackets
        self._skip(_BLANK)
        found = _KEY.match(self.text, self.at)
        if found is None:
            return False
        self.at = found.end()
        keys = _keys_in(found[0])
        if brackets:
            self.table = self._enter(keys, new=brackets == 2)
            self._record(self.table, line)
        else:
            self._record((*self.table, *keys), line)
        self._skip_value()
        return True

    def _enter(self, keys: Keys, *, new: bool) -> Keys:
        """Return the full path of a table; `new` starts another one of an array of tables."""
        path: Keys = ()
        for i, key in enumerate(keys):
            path = (*path, key)
            last = i == len(keys) - 1
            if last and new:
                self.sizes[path] = self.sizes.get(path, 0) + 1
            if path in self.sizes:
                path = (*path, self.sizes[path] - 1)
        return path

    def _record(self, keys: Keys, line: int) -> None:
        """Store the line of a key, and the first line of each table that contains it."""
        for length in range(1, len(keys) + 1):
            self.lines.setdefault(keys[:length], line)

    def _skip_value(self) -> None:
        """Skip to the end of the line on which all brackets and strings are closed."""
        depth = 0
        while self.at < len(self.text):
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                self.at = len(self.text)
                return
            self.at = found.end()
            if found[0] == "\n" and depth <= 0:
                return
            depth += (found[0] in ("[", "{")) - (found[0] in ("]", "}"))

    def _skip(self, what: re.Pattern[str]) -> bool:
        found = what.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return True


def _keys_in(text: str) -> Keys:
    """Return the parts of a dotted key, unquoted."""
    found: Any = tomllib.loads(f"{text} = 0")
    keys: list[str] = []
    while isinstance(found, dict):
        keys.append(next(iter(found)))
        found = found[keys[-1]]
    return tuple(keys)
