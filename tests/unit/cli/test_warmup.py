"""After `footway warmup` no command compiles anything."""

import importlib
import pkgutil
import subprocess
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import footway as fw
from footway import _jit
from footway.cli import warmup as module
from footway.cli.output import Steps
from footway.cli.warmup import _as_json, _meanwhile, _use_ground_and_roads, _use_maps, warmup


def test_every_kernel_that_python_calls_is_compiled():
    _use_maps()
    _use_ground_and_roads()
    called = dict(_called())
    assert len(called) > 20
    assert [name for name, kernel in called.items() if not kernel.signatures] == []


def test_each_half_is_used_once_here(monkeypatch, capsys):
    used = []
    for half in (_use_maps, _use_ground_and_roads):
        monkeypatch.setattr(module, half.__name__, lambda half=half: used.append(half))
    monkeypatch.setattr("footway._jit.thread_count", lambda: 1)
    warmup()
    assert used == [_use_maps, _use_ground_and_roads]
    assert "ready" in capsys.readouterr().out


@pytest.fixture
def others(monkeypatch):
    """The other processes that are started, as if there were two cores."""
    started = []

    class Noted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.options = options
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    monkeypatch.setattr("footway._jit.thread_count", lambda: 2)
    return started


@pytest.fixture
def sleep(tmp_path, monkeypatch):
    """What another process can import, and would do for an hour."""
    (tmp_path / "sleeping.py").write_text("import time\n\n\ndef sleep():\n    time.sleep(3600)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return importlib.import_module("sleeping").sleep


def test_an_interrupt_ends_the_other_process(others, sleep):
    with pytest.raises(KeyboardInterrupt), _meanwhile(sleep):
        raise KeyboardInterrupt
    assert len(others) == 1
    assert others[0].returncode not in (None, 0)


def test_both_processes_keep_kernels_in_one_directory(others, monkeypatch, tmp_path):
    monkeypatch.setattr(_jit, "_CACHE", tmp_path / "kernels")
    with _meanwhile(_jit.thread_count):
        pass
    assert Path(others[0].options["env"]["FOOTWAY_JIT_CACHE"]) == tmp_path
    assert _as_json(Steps())["cache"] == str(_jit._CACHE)


def test_one_core_has_one_process(monkeypatch, sleep):
    monkeypatch.setattr("footway._jit.thread_count", lambda: 1)
    monkeypatch.setattr(subprocess, "Popen", None)
    with _meanwhile(sleep):
        pass


def _called():
    """Every kernel that is imported by a module of Python; kernels compile those they call."""
    for info in pkgutil.walk_packages(fw.__path__, "footway."):
        if info.name.endswith(("kernels", "__main__")):
            continue
        for name, thing in vars(importlib.import_module(info.name)).items():
            if isinstance(thing, Dispatcher):
                yield f"{info.name}: {name}", thing
