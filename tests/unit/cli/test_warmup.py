"""After `footway warmup` no command compiles anything."""

import importlib
import pkgutil
import signal
import subprocess

import pytest
from numba.core.dispatcher import Dispatcher

import footway as fw
from footway.cli.warmup import _meanwhile, _use_everything


def test_every_kernel_that_python_calls_is_compiled():
    _use_everything()
    called = dict(_called())
    assert len(called) > 20
    assert [name for name, kernel in called.items() if not kernel.signatures] == []


def test_an_interrupt_ends_the_other_process():
    with pytest.raises(KeyboardInterrupt), _meanwhile(signal.pause):  # it waits for ever
        raise KeyboardInterrupt


def test_one_core_has_one_process(monkeypatch):
    monkeypatch.setattr("footway._jit.thread_count", lambda: 1)
    monkeypatch.setattr(subprocess, "Popen", None)
    with _meanwhile(signal.pause):
        pass


def _called():
    """Every kernel that is imported by a module of Python; kernels compile those they call."""
    for info in pkgutil.walk_packages(fw.__path__, "footway."):
        if info.name.endswith(("kernels", "__main__")):
            continue
        for name, thing in vars(importlib.import_module(info.name)).items():
            if isinstance(thing, Dispatcher):
                yield f"{info.name}: {name}", thing
