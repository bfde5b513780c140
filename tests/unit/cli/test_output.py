"""What commands say while kernels are compiled."""

import numba
import pytest

from footway.cli import output


def test_compiling_is_said_once_and_counted_beside_the_spinner(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr(output, "_spinning", [shown.append])
    functions = [numba.njit(lambda x, k=k: x + k) for k in range(3)]
    with output.announced_compilation():
        for function in functions:
            function(1)
            function(2)
    assert capsys.readouterr().err.count("compiling kernels") == 1
    assert shown == [
        "compiling kernels (1 function)",
        "compiling kernels (2 functions)",
        "compiling kernels (3 functions)",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0.00 ms"),
        (0.00999, "9.99 ms"),
        (0.01, "10.0 ms"),
        (0.0994, "99.4 ms"),
        (0.1, "100 ms"),
        (12.3, "12,300 ms"),
    ],
)
def test_a_duration_has_three_digits(seconds, words):
    assert output.milliseconds(seconds) == words


def test_a_spinner_shows_more_words(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with output._spinner("Building"):
        (show,) = output._spinning
        show("compiling")
    assert output._spinning == []
