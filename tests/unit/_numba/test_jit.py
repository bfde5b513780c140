"""The kernel decorator and its cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from footway._numba import is_supported, jit

WORKLOAD = """
import json, pkgutil, importlib
import numpy as np, footway as fw
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from footway._numba import keys

env = fw.Environment.from_polygons(
    bounds=(0, 0, 12, 8), obstacles=[[(4, 3), (6, 3), (6, 5), (4, 5)]],
    lines=[[(9, 2), (9, 6)], [(0, 7), (1, 7)]], points=[(2, 6)])
for one in (env, fw.Environment.from_polygons(bounds=(0, 0, 3, 3))):
    cmap = fw.CorridorMap.build(one)
    cmap.save(FILE)
    for again in (cmap, fw.CorridorMap.load(FILE)):
        for radius in (0, 0.25, 1):
            again.path((1, 1), (2, 2), radius=radius)
            again.corridor([1, 1], np.float32([2, 2]), radius=radius)
        again.bottleneck((1, 1), (2, 2))
        again.paths([(1, 1)], [(2, 2)]), again.paths(np.ones((2, 2), int), np.ones((2, 2)))
        for query in (again.clearance, again.nearest_obstacle, again.locate, again.retract):
            for points in ([(1, 1)], np.ones((9, 4))[::3, ::2], np.asfortranarray(np.ones((5, 2)))):
                query(points)
        again.balls(0.8), again.axis(0.5)
        try:
            again.path((-1, 1), (2, 2))
        except fw.BadQuery:
            pass
counts, TARGET = {}, cpu_target.target_context.codegen().magic_tuple()
for info in pkgutil.walk_packages(fw.__path__, "footway."):
    if ".kernels." in info.name:
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            if not isinstance(thing, Dispatcher) or thing.__module__ != info.name:
                continue
            if not thing.targetoptions.get("no_cpython_wrapper"):
                counts[info.name + "." + name] = [str(s) for s in thing.signatures]
                for one in thing.signatures:
                    keys.file_name(thing, one, None, TARGET)
print(json.dumps(counts))
"""


def run(code: str, **variables: str) -> str:
    """Return the standard output of code in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_entry_kernel_has_one_signature(tmp_path):
    """More than one signature means that a caller does not normalise its arrays.

    Each has a file name: a kernel without one is compiled again in every process.
    """
    code = WORKLOAD.replace("FILE", repr(str(tmp_path / "map")))
    signatures = json.loads(run(code).splitlines()[-1])
    called = {name: found for name, found in signatures.items() if found}
    assert "footway.corridor.kernels.path.solve" in called
    assert len(called) >= 8
    assert {name: len(found) for name, found in called.items() if len(found) != 1} == {}


INCIDENCE = """
import numpy as np
from footway._numba import jit
from footway.medial.kernels.graph import incidence

said = []
with jit.announce_compilation(lambda: said.append(1)):
    offsets, _ = incidence(np.array([[0, 1], [1, 2]]), 3)
hits = sum(incidence.stats.cache_hits.values())
print(json.dumps([offsets.tolist(), len(said), hits, str(jit.cache_directory())]))
"""


def use_a_kernel(cache: str) -> list[object]:
    """Return the result of a kernel, announcements of compilation, hits and folder of the cache."""
    return json.loads(run("import json" + INCIDENCE, FOOTWAY_JIT_CACHE=cache))


class TestCache:
    def test_off(self):
        assert use_a_kernel("0") == [[0, 1, 3, 4], 1, 0, "None"]

    @pytest.mark.skipif(not is_supported(), reason="Numba's own cache is used")
    def test_compilation_is_announced_once(self, tmp_path):
        folder = tmp_path / "kernels"
        assert use_a_kernel(str(tmp_path)) == [[0, 1, 3, 4], 1, 0, str(folder)]
        assert list(folder.glob("*incidence*.kernel"))
        assert use_a_kernel(str(tmp_path)) == [[0, 1, 3, 4], 0, 1, str(folder)]


def test_a_listener_that_returned_false_is_called_again():
    said = []

    def say():
        said.append(len(said))
        return len(said) > 1  # False at first

    kernels = [jit.numba.njit(lambda x, k=k: x + k) for k in range(3)]
    with jit.announce_compilation(say):
        for kernel in kernels:
            kernel(1)
    assert said == [0, 1]


def test_arithmetic_is_strict():
    """Fast arithmetic depends on the CPU."""
    assert not jit._compile(lambda x: x).targetoptions["fastmath"]
