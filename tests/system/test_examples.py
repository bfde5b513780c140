"""Every example runs and says something."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example(file, capsys):
    runpy.run_path(str(file), run_name="__main__")
    assert capsys.readouterr().out.strip()
