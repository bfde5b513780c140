"""The examples of property tests: the same ones in every worker, alone or with other files."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import PROFILE


@pytest.mark.skipif(PROFILE != "ci", reason="only the ci profile is the same every time")
def test_examples_do_not_depend_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    before = drawn()
    constants = ", ".join(f"{number}.125, {1000 + number}" for number in range(200))
    (tmp_path / "footway_with_constants.py").write_text(f"NUMBERS = [{constants}]\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("footway_with_constants")
    assert len(module.NUMBERS) == 400
    assert drawn() == before


def drawn() -> list[tuple[int, float]]:
    """Draw what a property test draws: the examples in order."""
    examples = []

    @settings(max_examples=200)
    @given(st.integers(0, 100_000), st.floats(-1e3, 1e3))
    def keep(number, value):
        examples.append((number, value))

    keep()
    return examples
