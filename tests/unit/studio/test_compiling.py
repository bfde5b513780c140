"""Announcements of kernels that are compiled."""

import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from footway import crowd, follow
from footway.studio import compiling as preparing
from footway.studio.compiling import KernelPreparation, compile_all, compile_label
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import unpacked


@pytest.fixture
def compiler(monkeypatch):
    """Return a function that calls the listeners, as Numba does when it compiles."""
    listeners = []

    @contextmanager
    def announce(tell):
        listeners.append(tell)
        yield
        if tell in listeners:
            listeners.remove(tell)

    def compiles():
        listeners[:] = [tell for tell in listeners if tell() is False]

    monkeypatch.setattr(preparing, "announce_compilation", announce)
    return compiles


@pytest.fixture
def preparation():
    sent = []
    made = KernelPreparation(lambda message: sent.append(unpacked(message)[0]["facts"]["what"]))
    made.sent = sent
    return made


def test_nothing_is_announced_without_compilation(preparation, compiler):
    with preparation.announce("MIRAN"):
        pass
    assert preparation.sent == []


def test_compilation_is_announced_once_and_cleared(preparation, compiler):
    with preparation.announce("MIRAN"):
        compiler()
        assert preparation.what == "MIRAN"
    assert preparation.sent == ["MIRAN", None]
    assert preparation.what is None


def test_compilation_in_another_process_is_announced(preparation):
    with preparation.announce_process("maps") as compiling:
        assert preparation.sent == []
        compiling()
        compiling()
        assert preparation.what == "maps"
    assert preparation.sent == ["maps", None]


def test_the_announcement_is_cleared_after_an_error(preparation, compiler):
    def fail():
        with preparation.announce("IRM"):
            compiler()
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert preparation.sent == ["IRM", None]


def test_each_thread_announces_its_own_compilation(preparation, compiler):
    def other():
        with preparation.announce("MIRAN"):
            compiler()

    with preparation.announce("paths"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert preparation.sent == ["MIRAN", None]


class Elsewhere:
    """A thread that does some work inside `announce` and leaves it on `go`."""

    def __init__(self, preparation, what, work):
        self._is_done, self._may_go = threading.Event(), threading.Event()

        def run():
            with preparation.announce(what):
                work()
                self._is_done.set()
                self._may_go.wait(60)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert self._is_done.wait(60)

    def go(self):
        self._may_go.set()
        self._thread.join(60)


def test_compilation_is_announced_after_that_of_another_thread(preparation, compiler):
    with preparation.announce("MIRAN"):
        Elsewhere(preparation, "the crowd", compiler).go()
        assert preparation.sent == ["the crowd", None]
        compiler()
        assert preparation.what == "MIRAN"
    assert preparation.sent == ["the crowd", None, "MIRAN", None]


def test_clearing_an_announcement_keeps_those_of_others(preparation, compiler):
    other = Elsewhere(preparation, "MIRAN", compiler)
    with preparation.announce("paths"):
        compiler()
        assert preparation.what == "paths"
    assert preparation.what == "MIRAN"
    other.go()
    assert preparation.sent == ["MIRAN", "paths", "MIRAN", None]


def test_the_newest_announcement_stays_until_it_is_cleared(preparation, compiler):
    other = Elsewhere(preparation, "MIRAN", compiler)
    with preparation.announce("paths"):
        compiler()
        other.go()
        assert preparation.what == "paths"
    assert preparation.sent == ["MIRAN", "paths", None]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "path", "start": [0, 0], "goal": [1, 1], "method": "irm"}, "IRM"),
        ({"type": "path", "start": [0, 0], "goal": [1, 1]}, "paths"),
        ({"type": "population", "do": "add", "preferences": {"mud": 2.0}}, "MIRAN"),
        ({"type": "population", "do": "add"}, "the crowd"),
        ({"type": "crowd", "do": "step"}, "the crowd"),
        ({"type": "hello"}, "the map"),
    ],
    ids=str,
)
def test_labels(fields, expected):
    assert compile_label(parse(json.dumps({"n": 1, **fields}))) == expected


def test_kernels_are_compiled_until_the_end(preparation, monkeypatch):
    made = []
    monkeypatch.setattr(preparing, "_compile_route", made.append)
    monkeypatch.setattr(preparing, "_compile_crowd", made.append)
    compile_all(preparation, lambda: len(made) >= 2)
    assert made == ["cmm", "miran"]


@pytest.mark.parametrize(("method", "count"), [("cmm", 6), ("miran", 4), ("irm", 4)])
def test_a_crowd_fits_on_the_small_map(method, count, monkeypatch):
    made = []

    class Noted(crowd.Crowd):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(crowd, "Crowd", Noted)
    preparing._compile_crowd(method)
    (one,) = made
    assert len(one) == count
    assert one.time == pytest.approx(0.5)
    assert np.linalg.norm(one.velocities, axis=1).max() > 0.1


@pytest.mark.parametrize("method", ["miran", "irm"])
def test_a_walk_fits_on_the_small_map(method, monkeypatch):
    made, walk = [], getattr(follow, method)
    monkeypatch.setattr(follow, method, lambda *given: made.append(walk(*given)) or made[-1])
    preparing._compile_route(method)
    assert [one.goal for one in made] == [(11.0, 1.0)]
    assert 10.0 <= made[0].length < 20.0
