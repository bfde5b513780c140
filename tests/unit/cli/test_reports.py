"""Formats of printed numbers."""

import pytest

from footway.cli.reports import milliseconds


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
    assert milliseconds(seconds) == words
