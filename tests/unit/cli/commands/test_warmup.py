"""After `footway warmup` no command compiles anything."""

import importlib
import os
import pkgutil
import sys

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import footway as fw
from footway._numba import jit
from footway.cli.commands import warmup as module
from footway.cli.commands.warmup import (
    PARTS,
    _import_kernels,
    _other_process,
    _reporting_ready,
    warmup,
)
from footway.medial.kernels.graph import incidence

FOUNDATIONS = ("footway._numba.", "footway.crowd.models")  # kernels that others call


def test_every_kernel_that_python_calls_is_compiled():
    for part in PARTS:
        part()
    called = dict(_called())
    assert len(called) > 20
    assert [name for name, kernel in called.items() if not kernel.signatures] == []
    names, ready = jit.kernel_names()
    unused = {name for name in names - ready - _called_by_kernels() if name.startswith("footway.")}
    assert unused == set()


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Three parts instead of all, in a module that another process can import as well.

    Each notes the process that used it; "last" goes wrong in the other process.
    """
    (tmp_path / "little.py").write_text(LITTLE.format(folder=str(tmp_path)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    )
    monkeypatch.setattr(module, "PARTS", module.PARTS)  # the import replaces them
    little = importlib.import_module("little")
    monkeypatch.setattr(module, "__name__", "little")
    monkeypatch.setattr(jit, "_CACHE", tmp_path / "kernels")
    monkeypatch.setattr("footway._numba.jit.thread_count", lambda: 2)
    yield little
    del sys.modules["little"]


LITTLE = """
import os, time
from pathlib import Path
from footway.cli.commands import warmup

def _note(name):
    with Path({folder!r}, "notes").open("a") as file:
        file.write(f"{{name}} {{os.getpid()}}\\n")

def first():
    _note("first")
    while "last" not in Path({folder!r}, "notes").read_text():
        time.sleep(0.01)  # so that the other process gets its turn

def middle():
    _note("middle")

def last():
    _note("last")
    if os.environ.get("GOES_WRONG") == "there" and os.getpid() != {pid}:
        raise ValueError

PARTS = warmup.PARTS = (first, middle, last)
compile_in_helper_process = warmup.compile_in_helper_process
""".replace("{pid}", str(os.getpid()))


def _notes(folder):
    lines = (folder / "notes").read_text().splitlines()
    return [(name, int(process) == os.getpid()) for name, process in map(str.split, lines)]


def test_two_processes_share_the_parts(parts, tmp_path, capsys):
    warmup()
    notes = _notes(tmp_path)
    assert sorted(name for name, _ in notes) == ["first", "last", "middle"]
    assert ("first", True) in notes
    assert ("last", False) in notes
    assert "ready" in capsys.readouterr().out


def test_parts_that_fail_in_the_helper_are_used_here(parts, tmp_path, monkeypatch):
    monkeypatch.setenv("GOES_WRONG", "there")
    warmup()
    assert [name for name, here in _notes(tmp_path)[-3:] if here] == ["first", "middle", "last"]


def test_one_core_has_one_process(parts, tmp_path, monkeypatch):
    (tmp_path / "notes").write_text("last 0\n")
    monkeypatch.setattr("footway._numba.jit.thread_count", lambda: 1)
    warmup()
    assert _notes(tmp_path)[1:] == [("first", True), ("middle", True), ("last", True)]


def test_an_interrupt_ends_the_other_process(parts, tmp_path):
    with pytest.raises(KeyboardInterrupt), _other_process(str(tmp_path), set()) as other:
        raise KeyboardInterrupt
    assert other.returncode not in (None, 0)


def test_names_of_ready_kernels_are_printed():
    """Kernels that are ready are reported at the beginning and at the end."""
    ready = []
    with _reporting_ready(ready.append):
        incidence(np.array([[0, 1]]), 2)
    assert "footway.medial.kernels.graph.incidence" in ready[-1]


def test_all_kernels_are_counted():
    names = _import_kernels()
    assert len(names) > 100
    assert "footway.crowd.kernels.step" in {name.rpartition(".")[0] for name in names}


def _called():
    """Every kernel that is imported by a module of Python; kernels compile those they call."""
    for info in pkgutil.walk_packages(fw.__path__, "footway."):
        is_kernel = ".kernels." in info.name or info.name.startswith(FOUNDATIONS)
        if is_kernel or info.name.endswith("__main__"):
            continue
        for name, thing in vars(importlib.import_module(info.name)).items():
            if isinstance(thing, Dispatcher):
                yield f"{info.name}: {name}", thing


def _called_by_kernels():
    """Names of kernels that other kernels use: they are not loaded alone."""
    found = set()
    for kernel in jit._KERNELS:
        function = kernel.py_func
        for name in function.__code__.co_names:
            thing = function.__globals__.get(name)
            if isinstance(thing, Dispatcher) and thing is not kernel:
                found.add(f"{thing.__module__}.{thing.__qualname__}")
    return found
