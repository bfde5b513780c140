"""Cells: everybody is in one, in order, and the nine around a character hold all neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footway.crowd.kernels import avoidance as avoid
from footway.crowd.state import GONE, ID, MODE
from tests.effort import examples
from tests.oracle.crowd import neighbours
from tests.unit.crowd._open_kernels import avoid_all, avoided, cell_of
from tests.unit.crowd.maps import crowd

SPREADS = st.sampled_from([0.5, 4.0, 30.0])


def ordered(seed, count, *, spread=30.0, radii=(0.1, 0.6), gone=0.0):
    """Engine with characters anywhere, also on and beyond the border of the map; and how many."""
    rng = np.random.default_rng(seed)
    engine = crowd("hall", threads=2)._simulation.engine
    low, high = np.array(engine._bounds[:2]) - 8.0, np.array(engine._bounds[2:]) + 8.0
    middle = rng.uniform(low, high)
    place = np.clip(middle + rng.uniform(-spread, spread, (count, 2)), low, high)
    body, track = np.zeros((count, 8), np.float32), np.zeros((count, 10), np.int32)
    body[:, 2] = rng.uniform(*radii, count)
    body[:, :2] = rng.normal(0, 1, (count, 2))
    track[:, MODE] = np.where(rng.random(count) < gone, GONE, 2)
    track[:, ID] = np.arange(count)
    rows = np.column_stack([place, place])
    engine.append(np.arange(count), place=rows, body=body, track=track)
    return engine, engine._sort_bodies()


class TestOrder:
    @examples(40)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 300), SPREADS)
    def test_everybody_is_in_one_cell(self, seed, count, spread):
        engine, total = ordered(seed, count, spread=spread)
        assert total == count == engine._offsets[-1]
        assert sorted(engine._slots[:total].tolist()) == list(range(count))
        assert (np.diff(engine._offsets) >= 0).all()
        for cell in np.flatnonzero(np.diff(engine._offsets)):
            for k in engine._slots[engine._offsets[cell] : engine._offsets[cell + 1]]:
                assert cell_of(*engine.state.place[k, :2], engine.box, engine.shape) == cell

    @examples(20)
    @given(st.integers(0, 2**32 - 1), SPREADS)
    def test_the_border_is_empty(self, seed, spread):
        engine, _ = ordered(seed, 200, spread=spread)
        columns, rows = engine.shape
        inside = np.diff(engine._offsets).reshape(rows, columns)[1:-1, 1:-1]
        assert inside.sum() == 200

    @examples(20)
    @given(st.integers(0, 2**32 - 1))
    def test_those_who_are_gone_are_nowhere(self, seed):
        engine, total = ordered(seed, 100, gone=0.4)
        there = np.flatnonzero(engine.state.track[:100, MODE] != GONE)
        assert sorted(engine._slots[:total].tolist()) == there.tolist()

    @examples(20)
    @given(st.integers(0, 2**32 - 1))
    def test_bodies_are_what_others_see(self, seed):
        engine, total = ordered(seed, 50)
        slots, bodies = engine._slots[:total], engine._bodies[:total].astype(float)
        middle = engine.box[:2] + 0.5 * engine.box[2] * engine.shape
        np.testing.assert_allclose(bodies[:, :2] + middle, engine.state.place[slots, :2], atol=1e-5)
        np.testing.assert_array_equal(bodies[:, 2:5], engine.state.body[slots, :3])

    def test_does_not_depend_on_threads(self, monkeypatch):
        monkeypatch.setattr("footway.crowd.stepping._FEW", 2)
        two, _ = ordered(5, 300)
        monkeypatch.setattr("footway.crowd.stepping._FEW", 10_000)
        one, _ = ordered(5, 300)
        np.testing.assert_array_equal(one._slots[:300], two._slots[:300])
        np.testing.assert_array_equal(one._bodies[:300], two._bodies[:300])
        np.testing.assert_array_equal(one._offsets, two._offsets)


class TestNeighbours:
    @examples(40)
    @given(st.integers(0, 2**32 - 1), st.integers(2, 80), SPREADS)
    def test_are_all_in_the_nine_cells(self, seed, count, spread):
        engine, _ = ordered(seed, count, spread=spread, radii=(0.1, 1.5))
        place, radii = engine.state.place[:count, :2], engine.state.body[:count, 2].astype(float)
        around = {}
        for k in range(count):
            cell = cell_of(*place[k], engine.box, engine.shape)
            rows = [
                row
                for line in (-1, 0, 1)
                for row in range(
                    engine._offsets[cell + line * engine.shape[0] - 1],
                    engine._offsets[cell + line * engine.shape[0] + 2],
                )
            ]
            assert len(set(rows)) == len(rows), "nobody is there twice"
            around[k] = set(engine._slots[rows].tolist())
        for i, j in neighbours(place, radii, avoid.RANGE):
            assert j in around[i]

    def test_wider_cells_for_wider_characters(self):
        engine = crowd("hall")._simulation.engine
        before = engine.box[2]
        engine.append(np.array([0]), body=np.full((1, 8), 2.0, np.float32))
        assert engine.box[2] == pytest.approx(avoid.RANGE + 4.0)
        assert engine.box[2] > before


class TestForces:
    @pytest.mark.parametrize(("count", "spread"), [(2, 1.0), (60, 3.0), (600, 4.0)])
    @pytest.mark.parametrize("seed", range(5))
    def test_are_those_of_all_others(self, seed, count, spread):
        """The last case is a crush; earlier characters use part of the pair buffer."""
        engine, total = ordered(seed, count, spread=spread, radii=(0.2, 0.3))
        bodies, near = engine._bodies, np.empty(avoid.NEARBY + 1, np.int64)
        pairs, used = np.ones((avoid.ROWS, avoid.PAIRS), np.float32), 13
        aim, model = (np.float32(0.6), np.float32(0.8)), engine.model
        for row in range(0, total, 7):
            cell = cell_of(*engine.state.place[engine._slots[row], :2], engine.box, engine.shape)
            found = avoided(
                row, cell, *aim, model, engine.shape[0], engine._offsets, bodies, near, used, pairs
            )
            expected = everybody(row, aim, model, bodies[:total])
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def everybody(row, aim, model, bodies):
    """Sum over all others in range, one after the other."""
    total = np.zeros(2)
    x, y, r = bodies[row, [0, 1, 4]]
    for k, (ox, oy, _, _, radius) in enumerate(bodies.astype(float)):
        if k == row or np.hypot(x - ox, y - oy) > float(r) + radius + avoid.RANGE:
            continue
        pairs = np.zeros((avoid.ROWS, avoid.PAIRS), np.float32)
        avoid_all(row, *aim, model, bodies, bodies, np.array([k]), pairs)
        total += pairs[7:9, 0]
    return total
