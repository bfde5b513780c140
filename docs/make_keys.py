# ruff: noqa: INP001 - a script, not a package
"""Write the tables of keys into docs/scenarios.md again: `python docs/make_keys.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from footway.scenario.schema import markdown

DOCUMENT: Final = Path(__file__).resolve().parent / "scenarios.md"
BEGIN: Final = "<!-- keys: written by docs/make_keys.py -->\n"
END: Final = "<!-- end of keys -->\n"


def with_keys(document: str) -> str:
    """Return the document with its tables made from the models."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{markdown()}\n\n{END}{after}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_keys(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
