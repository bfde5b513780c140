"""Progress of commands, and runs that are stopped between two steps."""

import signal

import numba
import pytest

from footway.cli import progress
from footway.cli.progress import StopSignals


def test_compiling_is_announced_once_and_counted_beside_the_spinner(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr(progress, "_spinning", [shown.append])
    functions = [numba.njit(lambda x, k=k: x + k) for k in range(3)]
    with progress.timed_steps():
        for function in functions:
            function(1)
            function(2)
    assert capsys.readouterr().err.count("compiling kernels") == 1
    assert shown == [
        "compiling kernels (1 function)",
        "compiling kernels (2 functions)",
        "compiling kernels (3 functions)",
    ]


def test_a_spinner_shows_more_words(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress._spinner("Building"):
        (show,) = progress._spinning
        show("compiling")
    assert progress._spinning == []


def test_a_signal_stops_after_the_step_and_a_second_one_at_once():
    shown = []
    signals = StopSignals(lambda done, total: shown.append((done, total)))
    before = signal.getsignal(signal.SIGTERM)
    with signals.handled():
        signals.after_step(1, 9)
        signal.raise_signal(signal.SIGTERM)
        assert signals.received == signal.SIGTERM
        with pytest.raises(KeyboardInterrupt):
            signals.after_step(2, 9)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert shown == [(1, 9)]
    assert signal.getsignal(signal.SIGTERM) is before
