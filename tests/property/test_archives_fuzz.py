"""Damaged maps, roadmaps and checkpoints are refused in one line, or can be used without harm."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import footway as fw
from tests.effort import examples
from tests.mutants import KINDS, REFUSED, SURVIVED, mutate, outcome, run
from tests.strategies import Scene, scenes


def assert_harmless(found: dict[int, str]) -> None:
    bad = {number: what for number, what in found.items() if what not in {REFUSED, SURVIVED}}
    assert not bad
    assert REFUSED in found.values()


@pytest.mark.parametrize("name", KINDS)
def test_reading(name, tmp_path):
    kind, file = KINDS[name], tmp_path / KINDS[name].file
    kind.save(file)
    kind.load(file)
    content = file.read_bytes()
    found = {}
    for number in range(150):
        file.write_bytes(mutate(content, number))
        found[number] = outcome(file, kind, used=False)
    assert_harmless(found)


@pytest.mark.parametrize("name", ["map", "checkpoint"])
def test_using(name):
    assert_harmless(run(name, 2000, 2025))


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_using_thousands(name):
    assert_harmless(run(name, 0, 1500))


@examples(60)
@given(scenes())
def test_no_good_map_is_refused(scene: Scene):
    try:
        cmap = scene.corridor_map()
    except fw.BadGeometry:
        return
    with tempfile.TemporaryDirectory() as folder:
        cmap.save(Path(folder) / "map.fwmap")
        again = fw.CorridorMap.load(Path(folder) / "map.fwmap")
    for one, other in zip(cmap.solver.index.axis, again.solver.index.axis, strict=True):
        np.testing.assert_array_equal(one, other)
