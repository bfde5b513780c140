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


def test_nothing_is_said_where_all_is_there(told, compiler):
    with told.announce("MIRAN"):
        pass
    assert told.said == []


def test_it_is_said_once_and_taken_back(told, compiler):
    with told.announce("MIRAN"):
        compiler()
        assert told.what == "MIRAN"
    assert told.said == ["MIRAN", None]
    assert told.what is None


def test_what_another_process_makes_is_said_when_it_says_so(told):
    with told.announce_process("maps") as compiling:
        assert told.said == []
        compiling()
        compiling()
        assert told.what == "maps"
    assert told.said == ["maps", None]


def test_it_is_taken_back_after_an_error(told, compiler):
    def fail():
        with told.announce("IRM"):
            compiler()
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert told.said == ["IRM", None]


def test_what_another_thread_needs_is_said_by_that_one(told, compiler):
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


def test_it_is_said_though_another_thread_made_something_first(told, compiler):
    with told.announce("MIRAN"):
        Elsewhere(told, "the crowd", compiler).go()
        assert told.said == ["the crowd", None]
        compiler()
        assert told.what == "MIRAN"
    assert told.said == ["the crowd", None, "MIRAN", None]


def test_who_is_ready_takes_back_no_word_of_others(told, compiler):
    other = Elsewhere(told, "MIRAN", compiler)
    with told.announce("paths"):
        compiler()
        assert told.what == "paths"
    assert told.what == "MIRAN"
    other.go()
    assert told.said == ["MIRAN", "paths", "MIRAN", None]


def test_who_is_ready_first_leaves_the_newest_word(told, compiler):
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
def test_words(ask, expected):
    assert compile_label(parse(json.dumps({"n": 1, **ask}))) == expected


def test_all_are_made_until_it_is_over(told, monkeypatch):
    made = []
    monkeypatch.setattr(preparing, "_compile_route", made.append)
    monkeypatch.setattr(preparing, "_compile_crowd", made.append)
    compile_all(told, lambda: len(made) >= 2)
    assert made == ["cmm", "miran"]


@pytest.mark.parametrize(("method", "count"), [("cmm", 6), ("miran", 4), ("irm", 4)])
def test_there_is_room_for_a_crowd_on_the_small_map(method, count, monkeypatch):
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
def test_there_is_room_for_a_walk_on_the_small_map(method, monkeypatch):
    made, walk = [], getattr(follow, method)
    monkeypatch.setattr(follow, method, lambda *given: made.append(walk(*given)) or made[-1])
    preparing._compile_route(method)
    assert [one.goal for one in made] == [(11.0, 1.0)]
    assert 10.0 <= made[0].length < 20.0
