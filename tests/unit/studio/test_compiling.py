"""Announcements of kernels that are compiled."""

import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from footway import crowd, follow
from footway.studio import compiling as preparing
from footway.studio.compiling import KernelPreparation, compile_all, compile_label
from footway.studio.requests import parse
from footway.studio.wire import unpacked


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
def told():
    said = []
    made = KernelPreparation(lambda message: said.append(unpacked(message)[0]["facts"]["what"]))
    made.said = said
    return made


def test_nothing_is_announced_without_compilation(told, compiler):
    with told.announce("MIRAN"):
        pass
    assert told.said == []


def test_compilation_is_announced_once_and_cleared(told, compiler):
    with told.announce("MIRAN"):
        compiler()
        assert told.what == "MIRAN"
    assert told.said == ["MIRAN", None]
    assert told.what is None


def test_compilation_in_another_process_is_announced(told):
    with told.announce_process("maps") as compiling:
        assert told.said == []
        compiling()
        compiling()
        assert told.what == "maps"
    assert told.said == ["maps", None]


def test_the_announcement_is_cleared_after_an_error(told, compiler):
    def fail():
        with told.announce("IRM"):
            compiler()
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert told.said == ["IRM", None]


def test_each_thread_announces_its_own_compilation(told, compiler):
    def other():
        with told.announce("MIRAN"):
            compiler()

    with told.announce("paths"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert told.said == ["MIRAN", None]


class Elsewhere:
    """A thread that does some work inside `announce` and leaves it on `go`."""

    def __init__(self, told, what, work):
        self._is_done, self._may_go = threading.Event(), threading.Event()

        def run():
            with told.announce(what):
                work()
                self._is_done.set()
                self._may_go.wait(60)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert self._is_done.wait(60)

    def go(self):
        self._may_go.set()
        self._thread.join(60)


def test_compilation_is_announced_after_that_of_another_thread(told, compiler):
    with told.announce("MIRAN"):
        Elsewhere(told, "the crowd", compiler).go()
        assert told.said == ["the crowd", None]
        compiler()
        assert told.what == "MIRAN"
    assert told.said == ["the crowd", None, "MIRAN", None]


def test_clearing_an_announcement_keeps_those_of_others(told, compiler):
    other = Elsewhere(told, "MIRAN", compiler)
    with told.announce("paths"):
        compiler()
        assert told.what == "paths"
    assert told.what == "MIRAN"
    other.go()
    assert told.said == ["MIRAN", "paths", "MIRAN", None]


def test_the_newest_announcement_stays_until_it_is_cleared(told, compiler):
    other = Elsewhere(told, "MIRAN", compiler)
    with told.announce("paths"):
        compiler()
        other.go()
        assert told.what == "paths"
    assert told.said == ["MIRAN", "paths", None]


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ({"ask": "path", "start": [0, 0], "goal": [1, 1], "method": "irm"}, "IRM"),
        ({"ask": "path", "start": [0, 0], "goal": [1, 1]}, "paths"),
        ({"ask": "population", "do": "add", "preferences": {"mud": 2.0}}, "MIRAN"),
        ({"ask": "population", "do": "add"}, "the crowd"),
        ({"ask": "crowd", "do": "step"}, "the crowd"),
        ({"ask": "hello"}, "the map"),
    ],
    ids=str,
)
def test_labels(ask, expected):
    assert compile_label(parse(json.dumps({"n": 1, **ask}))) == expected


def test_kernels_are_compiled_until_the_end(told, monkeypatch):
    made = []
    monkeypatch.setattr(preparing, "_compile_route", made.append)
    monkeypatch.setattr(preparing, "_compile_crowd", made.append)
    compile_all(told, lambda: len(made) >= 2)
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
