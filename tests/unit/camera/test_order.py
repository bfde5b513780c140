"""The shortest order of stops: exact for few of them, locally best for many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from footway.camera.order import EXACT, order_length, shortest_order


def lengths_of(count, seed):
    places = np.random.default_rng(seed).uniform(0, 100, (count, 2))
    return np.linalg.norm(places[:, None] - places[None], axis=2)


@pytest.mark.parametrize("count", range(2, 8))
@pytest.mark.parametrize("seed", range(3))
def test_few_are_exact(count, seed):
    lengths = lengths_of(count, seed)
    every = [[0, *rest] for rest in itertools.permutations(range(1, count))]
    best = min(order_length(lengths, order) for order in every)
    found = shortest_order(lengths)
    assert found[0] == 0
    assert sorted(found) == list(range(count))
    assert order_length(lengths, found) == pytest.approx(best)


def test_as_many_as_are_exact():
    lengths = lengths_of(EXACT, 7)
    assert sorted(shortest_order(lengths)) == list(range(EXACT))


@pytest.mark.parametrize("count", [EXACT + 1, 30])
def test_many_are_not_made_shorter_by_two_exchanged_stops(count):
    lengths = lengths_of(count, 1)
    found = shortest_order(lengths)
    assert found[0] == 0
    assert sorted(found) == list(range(count))
    length = order_length(lengths, found)
    assert length < order_length(lengths, list(range(count)))
    for i, j in itertools.combinations(range(1, count), 2):
        other = found.copy()
        other[i : j + 1] = other[i : j + 1][::-1]
        assert order_length(lengths, other) >= length - 1e-9


def test_places_on_a_line_come_in_their_order():
    places = np.array([0.0, 7.0, 3.0, 5.0, 1.0])
    assert shortest_order(np.abs(places[:, None] - places[None])) == [0, 4, 2, 3, 1]
