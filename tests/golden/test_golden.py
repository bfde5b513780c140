"""The same bits on every machine: committed hashes, for other CPUs and numbers of threads too."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys

import pytest
from llvmlite import binding as llvm

from tests.golden.scenes import HASHES, SCENES, WITH_THREADS

COMMITTED = json.loads(HASHES.read_text())
LEVELS = {  # of x86-64: a feature that tells whether this machine has it
    "x86-64-v2": "sse4.2",
    "x86-64-v3": "avx2",
    "x86-64-v4": "avx512bw",
}


def test_every_scene_has_a_hash():
    assert list(COMMITTED) == list(SCENES)
    assert len(set(COMMITTED.values())) == len(COMMITTED)


def test_the_changelog_names_the_hashes():
    """A user whose results change must be able to read why."""
    version = hashlib.sha256(HASHES.read_bytes()).hexdigest()[:8]
    changelog = HASHES.parents[2] / "CHANGELOG.md"
    assert f"golden hashes {version}" in changelog.read_text(), "say there why results changed"


@pytest.mark.parametrize("name", SCENES)
def test_the_bits_are_those_of_the_committed_hash(name):
    assert SCENES[name]() == COMMITTED[name], "state why in CHANGELOG, then: scenes --write"


@pytest.mark.parametrize("threads", [1, 7])
def test_threads_do_not_change_a_bit(threads):
    assert hashes(*WITH_THREADS, NUMBA_NUM_THREADS=str(threads)) == {
        name: COMMITTED[name] for name in WITH_THREADS
    }


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="levels of x86-64")
@pytest.mark.parametrize("level", LEVELS)
def test_the_cpu_does_not_change_a_bit(level):
    if not llvm.get_host_cpu_features().get(LEVELS[level]):
        pytest.skip(f"this CPU has no {LEVELS[level]}")
    target = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_NUM_THREADS": "2"}
    assert hashes(**target) == COMMITTED


def hashes(*names: str, **environment: str) -> dict[str, str]:
    """Hashes of scenes, computed by a process of its own with these environment variables."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden.scenes", *names],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout)
    return found
