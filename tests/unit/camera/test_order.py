"""The shortest order of stops: exact for few of them, locally best for many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from footway.camera.order import EXACT, _improved, order_length, shortest_order


def lengths_of(count, seed):
    places = np.random.default_rng(seed).uniform(0, 100, (count, 2))
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def length_of_the_best(lengths):
    """Of all orders that begin at place 0, m."""
    every = np.array([[0, *rest] for rest in itertools.permutations(range(1, len(lengths)))])
    return lengths[every[:, :-1], every[:, 1:]].sum(axis=1).min()


def assert_an_order(found, count):
    assert found[0] == 0
    assert sorted(found) == list(range(count))


def changes(order):
    """Every order that one reversal, or one move of up to three places in a row, gives."""
    n = len(order)
    for i, j in itertools.combinations(range(1, n), 2):
        yield [*order[:i], *reversed(order[i : j + 1]), *order[j + 1 :]]
    for size, i in itertools.product((1, 2, 3), range(1, n)):
        moved, rest = order[i : i + size], order[:i] + order[i + size :]
        if len(moved) == size:
            for k in range(1, len(rest) + 1):
                yield [*rest[:k], *moved, *rest[k:]]


@pytest.mark.parametrize("count", range(2, 10))
@pytest.mark.parametrize("seed", range(3))
def test_few_are_exact(count, seed):
    lengths = lengths_of(count, seed)
    found = shortest_order(lengths)
    assert_an_order(found, count)
    assert order_length(lengths, found) == pytest.approx(length_of_the_best(lengths))


@pytest.mark.parametrize("seed", range(3))
def test_as_many_as_are_exact(seed):
    """No change makes it shorter, and each half of it is the shortest path between its ends."""
    lengths = lengths_of(EXACT, seed)
    found = shortest_order(lengths)
    assert_an_order(found, EXACT)
    assert all(
        order_length(lengths, other) >= order_length(lengths, found) - 1e-9
        for other in changes(found)
    )
    for part in (found[-9:], found[:9][::-1]):
        inner = np.array(
            [[part[0], *rest, part[-1]] for rest in itertools.permutations(part[1:-1])]
        )
        best = lengths[inner[:, :-1], inner[:, 1:]].sum(axis=1).min()
        assert order_length(lengths, part) == pytest.approx(best)


@pytest.mark.parametrize("count", [EXACT + 1, 30])
@pytest.mark.parametrize("seed", range(3))
def test_many_are_made_shorter_by_no_reversal_and_no_move(count, seed):
    lengths = lengths_of(count, seed)
    found = shortest_order(lengths)
    assert_an_order(found, count)
    length = order_length(lengths, found)
    assert length < order_length(lengths, list(range(count)))
    assert all(order_length(lengths, other) >= length - 1e-9 for other in changes(found))


def test_a_move_is_found_where_no_reversal_helps():
    """Some of many starts are stuck for reversals alone: moves get them on."""
    moved = 0
    for seed in range(20):
        lengths = lengths_of(EXACT + 1, seed)
        order = list(range(EXACT + 1))
        while True:  # reversals only
            n = len(order)
            turns = [
                [*order[:i], *reversed(order[i : j + 1]), *order[j + 1 :]]
                for i, j in itertools.combinations(range(1, n), 2)
            ]
            best = min(turns, key=lambda other: order_length(lengths, other))
            if order_length(lengths, best) >= order_length(lengths, order) - 1e-9:
                break
            order = best
        found = _improved(lengths, order)
        assert_an_order(found, n)
        moved += order_length(lengths, found) < order_length(lengths, order) - 1e-9
    assert moved > 0


def test_hundreds_of_places_take_no_hundreds_of_lists():
    lengths = lengths_of(200, 5)
    found = shortest_order(lengths)
    assert_an_order(found, 200)
    assert order_length(lengths, found) < 0.76 * np.sqrt(200 * 100.0**2) * 1.25  # of a random tour


def test_places_on_a_line_come_in_their_order():
    places = np.array([0.0, 7.0, 3.0, 5.0, 1.0])
    assert shortest_order(np.abs(places[:, None] - places[None])) == [0, 4, 2, 3, 1]
