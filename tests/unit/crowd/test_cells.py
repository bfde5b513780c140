"""Cells: everybody is in one, in order, and the nine around a character hold all neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footway.crowd.kernels import pairs as avoid
from footway.crowd.kernels.layouts import BODY_COLUMNS, GONE, ID, MODE, make_state
from tests.effort import examples
from tests.oracle.crowd import neighbours
from tests.unit.crowd._open_kernels import avoid_all, avoided, cell_of
from tests.unit.crowd.maps import crowd

SPREADS = st.sampled_from([0.5, 4.0, 30.0])


def ordered(seed, count, *, spread=30.0, radii=(0.1, 0.6), gone=0.0):
    """Characters anywhere, also on and beyond the border of the map: simulation and cells."""
    rng = np.random.default_rng(seed)
    simulation = crowd("hall", threads=2)._simulation
    bounds = simulation.map.bounds
    low, high = np.array(bounds[:2]) - 8.0, np.array(bounds[2:]) + 8.0
    middle = rng.uniform(low, high)
    place = np.clip(middle + rng.uniform(-spread, spread, (count, 2)), low, high)
    rows = make_state(count)
    body, cursor = rows.body, rows.cursor
    body[:, 2] = rng.uniform(*radii, count)
    body[:, :2] = rng.normal(0, 1, (count, 2))
    cursor[:, MODE] = np.where(rng.random(count) < gone, GONE, 2)
    cursor[:, ID] = np.arange(count)
    rows.place[:, :2] = rows.place[:, 2:4] = place
    simulation.append(np.arange(count), place=rows.place, body=body, cursor=cursor)
    return simulation, simulation.sort_by_cells()


class TestOrder:
    @examples(40)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 300), SPREADS)
    def test_everybody_is_in_one_cell(self, seed, count, spread):
        simulation, cells = ordered(seed, count, spread=spread)
        assert len(cells.slots) == count == cells.offsets[-1]
        assert sorted(cells.slots.tolist()) == list(range(count))
        assert (np.diff(cells.offsets) >= 0).all()
        for cell in np.flatnonzero(np.diff(cells.offsets)):
            for k in cells.slots[cells.offsets[cell] : cells.offsets[cell + 1]]:
                assert (
                    cell_of(
                        *simulation.characters.state.place[k, :2], simulation.box, simulation.shape
                    )
                    == cell
                )

    @examples(20)
    @given(st.integers(0, 2**32 - 1), SPREADS)
    def test_the_border_is_empty(self, seed, spread):
        simulation, cells = ordered(seed, 200, spread=spread)
        columns, rows = simulation.shape
        inside = np.diff(cells.offsets).reshape(rows, columns)[1:-1, 1:-1]
        assert inside.sum() == 200

    @examples(20)
    @given(st.integers(0, 2**32 - 1))
    def test_those_who_are_gone_are_nowhere(self, seed):
        simulation, cells = ordered(seed, 100, gone=0.4)
        there = np.flatnonzero(simulation.characters.state.cursor[:100, MODE] != GONE)
        assert sorted(cells.slots.tolist()) == there.tolist()

    @examples(20)
    @given(st.integers(0, 2**32 - 1))
    def test_bodies_are_what_others_see(self, seed):
        simulation, cells = ordered(seed, 50)
        slots, bodies = cells.slots, cells.bodies[: len(cells.slots)].astype(float)
        middle = simulation.box[:2] + 0.5 * simulation.box[2] * simulation.shape
        np.testing.assert_allclose(
            bodies[:, :2] + middle, simulation.characters.state.place[slots, :2], atol=1e-5
        )
        np.testing.assert_array_equal(bodies[:, 2:5], simulation.characters.state.body[slots, :3])

    def test_does_not_depend_on_threads(self, monkeypatch):
        monkeypatch.setattr("footway.crowd.simulation._FEW", 2)
        _, two = ordered(5, 300)
        monkeypatch.setattr("footway.crowd.simulation._FEW", 10_000)
        _, one = ordered(5, 300)
        np.testing.assert_array_equal(one.slots, two.slots)
        np.testing.assert_array_equal(one.bodies[:300], two.bodies[:300])
        np.testing.assert_array_equal(one.offsets, two.offsets)


class TestNeighbours:
    @examples(40)
    @given(st.integers(0, 2**32 - 1), st.integers(2, 80), SPREADS)
    def test_are_all_in_the_nine_cells(self, seed, count, spread):
        simulation, cells = ordered(seed, count, spread=spread, radii=(0.1, 1.5))
        place, radii = (
            simulation.characters.state.place[:count, :2],
            simulation.characters.state.body[:count, 2].astype(float),
        )
        around = {}
        for k in range(count):
            cell = cell_of(*place[k], simulation.box, simulation.shape)
            rows = [
                row
                for line in (-1, 0, 1)
                for row in range(
                    cells.offsets[cell + line * simulation.shape[0] - 1],
                    cells.offsets[cell + line * simulation.shape[0] + 2],
                )
            ]
            assert len(set(rows)) == len(rows), "nobody is there twice"
            around[k] = set(cells.slots[rows].tolist())
        for i, j in neighbours(place, radii, avoid.RANGE):
            assert j in around[i]

    def test_wider_cells_for_wider_characters(self):
        simulation = crowd("hall")._simulation
        before = simulation.box[2]
        simulation.append(np.array([0]), body=np.full((1, BODY_COLUMNS), 2.0, np.float32))
        assert simulation.box[2] == pytest.approx(avoid.RANGE + 4.0)
        assert simulation.box[2] > before


class TestForces:
    @pytest.mark.parametrize(("count", "spread"), [(2, 1.0), (60, 3.0), (600, 4.0)])
    @pytest.mark.parametrize("seed", range(5))
    def test_are_those_of_all_others(self, seed, count, spread):
        """The last case is a crush; earlier characters use part of the pair buffer."""
        simulation, cells = ordered(seed, count, spread=spread, radii=(0.2, 0.3))
        bodies, near = cells.bodies, np.empty(avoid.NEARBY + 1, np.int64)
        pairs, used = np.ones((avoid.PAIR_ROWS, avoid.PAIRS), np.float32), 13
        aim, model = (np.float32(0.6), np.float32(0.8)), simulation.avoidance
        for row in range(0, len(cells.slots), 7):
            cell = cell_of(
                *simulation.characters.state.place[cells.slots[row], :2],
                simulation.box,
                simulation.shape,
            )
            found = avoided(row, cell, *aim, model, cells, simulation.index.grid, near, used, pairs)
            expected = everybody(row, aim, model, bodies[: len(cells.slots)])
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def everybody(row, aim, model, bodies):
    """Sum over all others in range, one after the other."""
    total = np.zeros(2)
    x, y, r = bodies[row, [0, 1, 4]]
    for k, (ox, oy, _, _, radius) in enumerate(bodies.astype(float)):
        if k == row or np.hypot(x - ox, y - oy) > float(r) + radius + avoid.RANGE:
            continue
        pairs = np.zeros((avoid.PAIR_ROWS, avoid.PAIRS), np.float32)
        avoid_all(row, *aim, model, bodies, bodies, np.array([k]), pairs)
        total += pairs[[avoid.FORCE_X, avoid.FORCE_Y], 0]
    return total
