"""Ctrl-C at any moment of a command is one line and exit code 130."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from footway.cli import interrupts
from tests.unit.recording.recordings import random_recording
from tests.unit.studio.serving import wait_until

BUILD = ("build", "gallery:field")

PRESSED = """
import importlib, inspect, os, signal, sys
where, sys.argv = sys.argv[1], ["footway", *sys.argv[2:]]


def press():
    print("pressed", file=sys.stdout, flush=True)
    signal.raise_signal(signal.SIGINT)


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == where:
            sys.meta_path.remove(self)
            press()


def pressing(function):
    times = []

    def called(*arguments, **options):
        if not times:  # llvmlite keeps the function, so it cannot be put back
            times.append(1)
            press()
        return function(*arguments, **options)

    return called


if ":" in where:
    module, place = where.split(":")
    owner = importlib.import_module(module)
    *owners, name = place.split(".")
    for one in owners:
        owner = getattr(owner, one)
    real = inspect.getattr_static(owner, name)
    called = pressing(getattr(owner, name))
    called.__code__ = called.__code__.replace(co_name=name)
    is_class = isinstance(real, (classmethod, staticmethod))
    setattr(owner, name, staticmethod(called) if is_class else called)
else:
    sys.meta_path.insert(0, Finder())
from footway.__main__ import main

sys.exit(main())
"""


def pressed_in(where, *arguments, **options):
    """A command in which Ctrl-C is pressed at the import of a module, or in a function of it."""
    return subprocess.run(
        [sys.executable, "-c", PRESSED, where, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


def assert_one_line(done):
    assert done.stdout == "pressed\n"
    assert done.stderr == "footway: interrupted\n"
    assert done.returncode == 130


@pytest.mark.parametrize(
    "where",
    [
        "footway.cli",
        "footway.cli.interrupts",
        "footway.cli.app",
        "typer",
        "footway.cli.commands.simulate",
        "numpy",
        "numba",
        "llvmlite.binding",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("shapely", "scipy", "dataclasses")),
        pytest.param("footway.corridor", marks=pytest.mark.slow),
    ],
)
def test_while_importing(where):
    assert_one_line(pressed_in(where, *BUILD))


@pytest.mark.parametrize(
    "where",
    [
        "numba.core.codegen:JITCodeLibrary._object_getbuffer_hook",
        "numba.core.serialize:_numba_unpickle",
    ],
)
def test_while_a_kernel_is_loaded(where):
    """Nobody takes an exception in there: it was lost, and the kernel crashed."""
    assert_one_line(pressed_in(where, "build", "gallery:city:2x2"))


def test_while_compiling(tmp_path):
    """In LLVM, which hears nothing; and as soon as it is back."""
    environment = {**os.environ, "FOOTWAY_JIT_CACHE": str(tmp_path)}
    done = pressed_in("numba.core.compiler:Compiler.define_pipelines", *BUILD, env=environment)
    assert done.stderr.splitlines()[-1] == "footway: interrupted"
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2  # one says that it compiles
    assert done.returncode == 130


def test_while_writing(tmp_path):
    run, table = tmp_path / "run.parquet", tmp_path / "run.csv"
    random_recording().save(run)
    table.write_text("the one before")
    assert_one_line(pressed_in("footway.recording.pedpy:_write_table", "export", run, "-o", table))
    assert table.read_text() == "the one before"
    assert sorted(tmp_path.iterdir()) == [table, run]


def test_as_json():
    done = pressed_in("shapely", *BUILD, "--json")
    assert json.loads(done.stdout.removeprefix("pressed\n"))["kind"] == "Interrupted"
    assert done.stderr == "footway: interrupted\n"


@pytest.mark.parametrize("seconds", [1.0, pytest.param(2.0, marks=pytest.mark.slow)])
def test_from_outside(seconds):
    """After some seconds of the processor, of about four: a busy machine gives few of them."""
    command = [sys.executable, "-m", "footway", "build", "gallery:city:6x6"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    clock = psutil.Process(process.pid).cpu_times
    wait_until(lambda: clock().user >= seconds)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out == ""
    assert err == "footway: interrupted\n"


def test_ignored_in_the_background():
    """A shell that ignores Ctrl-C for its background jobs means it."""
    done = subprocess.run(
        [sys.executable, "-c", PRESSED, "shapely", "gallery"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert done.returncode == 0
    assert "gallery:city" in done.stdout


class TestRaisedUntilHeard:
    @pytest.fixture(autouse=True)
    def _default(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)

    def test_an_interrupt_that_is_swallowed_comes_again(self):
        times = 0
        with interrupts.repeated_until_acknowledged():
            signal_self = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
            signal_self.start()
            while times < 3:
                try:
                    time.sleep(60)
                except KeyboardInterrupt:
                    times += 1
            interrupts.acknowledge()
            time.sleep(0.3)
        assert interrupts.was_interrupted()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_who_cleans_up_is_not_disturbed(self):
        cleaned = False
        with interrupts.repeated_until_acknowledged():
            try:
                try:
                    signal.raise_signal(signal.SIGINT)
                finally:
                    time.sleep(0.35)
                    cleaned = True
            except KeyboardInterrupt:
                interrupts.acknowledge()
        assert cleaned

    def test_while_a_thread_is_started(self):
        """The handler runs inside of whatever the main thread does, also with a lock held."""
        with (
            pytest.raises(KeyboardInterrupt),
            interrupts.repeated_until_acknowledged(),
            threading._active_limbo_lock,
        ):
            signal.raise_signal(signal.SIGINT)

    def test_what_others_do_with_it_stays(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interrupts.repeated_until_acknowledged():
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
            signal.raise_signal(signal.SIGINT)
        assert not interrupts.was_interrupted()
