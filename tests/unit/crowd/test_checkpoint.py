"""A run that continues from a checkpoint gives the same bits; damaged files are refused."""

import gc
import warnings
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd.checkpoint import KIND
from footway.crowd.kernels import layouts as state
from tests.archives import rewrite
from tests.effort import examples
from tests.oracle.crowd import assert_same
from tests.unit.crowd.maps import box, cmap, crowd


def mixed(name="hall", seed=5):
    """A bit of everything: sources, groups, wanderers, obstacles, exits, preferences, a queue."""
    it = crowd(name, seed=seed)
    it.add(25, radius=(0.22, 0.03), name="random")
    it.add(15, destinations=[box(24, 1, 29, 19), (2.0, 10.0)], then="exit", premovement=(3, 1))
    weights = np.random.default_rng(1).uniform(0, 1, len(it.map.edges))
    it.add(10, behaviour="wander", preference=weights, radius=0.35)
    it.add_group(8, start=(4, 10), width=1.5, group_area=20.0)
    it.add_group(5, start=(25, 16), goal=(5, 3), lateral=3.0, longitudinal=5.0, then="exit")
    it.add_source(30, area=box(1, 1, 8, 19), rate=2.0, start=1.0, destinations=[(28.0, 2.0)])
    it.add_source(12, area=box(22, 1, 29, 5), schedule=[(0.5, 6), (9.0, 6)], behaviour="wander")
    it.add_obstacle((15, 17), 0.5, velocity=(0.3, 0.1))
    it.add_obstacle((25, 10), 0.6, appears=2.0, vanishes=9.0)
    return it


def resumed(it, tmp_path, **options):
    file = tmp_path / "crowd.npz"
    it.save(file)
    return fw.Crowd.load(file, it.map, **options)


class TestResume:
    @pytest.mark.parametrize("after", [0, 1, 7, 33, 64, 150])
    def test_same_bits(self, after, tmp_path):
        one = mixed()
        one.step(after)
        other = resumed(one, tmp_path)
        assert_same(one, other)
        for _ in range(12):
            one.step(10)
            other.step(10)
            assert_same(one, other)
        assert one.names == other.names
        assert [g.dispersion for g in one.groups] == [g.dispersion for g in other.groups]
        assert one.stuck == other.stuck

    def test_with_forces_as_published(self, tmp_path):
        one = crowd("hall", seed=2, model="helbing_molnar")
        one.add(60)
        one.step(20)
        other = resumed(one, tmp_path)
        assert other._simulation.model == one._simulation.model
        one.step(40)
        other.step(40)
        assert_same(one, other)

    def test_again_and_again(self, tmp_path):
        one, other = mixed(seed=6), mixed(seed=6)
        for _ in range(10):
            one.step(9)
            other.step(9)
            other = resumed(other, tmp_path)
            assert_same(one, other)

    def test_with_somebody_who_was_faster_once(self, tmp_path):
        """The guarded gap is kept: it is never reduced."""
        one = crowd("hall", seed=2)
        one.add(60, speed=1.0)
        one.set_speed(one.ids[:1], 6.0)
        one.set_speed(one.ids[:1], 1.0)
        other = resumed(one, tmp_path)
        close = one._simulation.avoidance.close
        assert close == pytest.approx(2.2 * 6.0 * 0.1)
        assert other._simulation.avoidance.close == close
        one.step(60)
        other.step(60)
        assert_same(one, other)

    def test_with_an_obstacle_that_no_step_has_seen(self, tmp_path):
        """Characters whose path it closes request another one in the next step."""
        one = crowd("hall", seed=1)
        one.add(12, starts=[(4, y) for y in np.linspace(4, 16, 12)], goals=[(26, 10)] * 12)
        one.step(10)
        one.add_obstacle((15, 2.5), 2.6)
        other = resumed(one, tmp_path)
        for _ in range(10):
            one.step(10)
            other.step(10)
            assert_same(one, other)

    def test_counts_go_on(self, tmp_path):
        """Arrivals of groups, numbers of obstacles, and who keeps a goal."""
        one = crowd("hall", seed=1)
        one.add_group(4, start=(3, 10), goal=(8, 3), then="stay")
        one.add(3)
        one.step(300)
        first, _ = one.add_obstacle((15, 2), 0.5), one.add_obstacle((15, 18), 0.5)
        one.remove_obstacle(first)
        one._simulation.planner.request(4, keep_goal=True)
        one._simulation.planner.request(5, keep_goal=False)
        other = resumed(one, tmp_path)
        assert [group.arrived for group in other.groups] == [1]
        assert one._simulation.planner.waiting[-2:] == [(4, True), (5, False)]
        assert other._simulation.planner.waiting == one._simulation.planner.waiting
        assert other.add_obstacle((15, 18), 0.5) == one.add_obstacle((15, 18), 0.5) == 2

    def test_with_characters_that_wait_for_a_path(self, tmp_path):
        one = crowd("hall", seed=2)
        one.add_source(60, area=box(0, 0, 9, 20), schedule=[(0.0, 60)])
        one.step()
        assert one._simulation.planner.waiting
        other = resumed(one, tmp_path)
        assert other._simulation.planner.waiting == one._simulation.planner.waiting
        one.step(60)
        other.step(60)
        assert_same(one, other)

    def test_with_other_threads(self, tmp_path, monkeypatch):
        monkeypatch.setattr("footway.crowd.simulation._FEW", 2)
        one = mixed()
        one.step(40)
        other = resumed(one, tmp_path, threads=1)
        one.step(60)
        other.step(60)
        assert_same(one, other)

    def test_goes_on_with_adding(self, tmp_path):
        """What is added after it is the same too: ids, places, goals."""
        one = mixed()
        one.step(20)
        other = resumed(one, tmp_path)
        for it in (one, other):
            it.add(10, radius=0.25)
            it.add(5, radius=0.4, destinations=[box(1, 1, 5, 5)])
            it.add_group(4, start=(4, 3), goal=(25, 3))
            it.add_obstacle((8, 8), 0.4)
            it.step(60)
        assert_same(one, other)

    def test_with_extreme_obstacles(self, tmp_path):
        """Whatever `add_obstacle` accepts can be read again."""
        one = crowd("hall")
        one.add(5)
        one.add_obstacle((1e9, -1e9), 5.0)
        one.add_obstacle((1.0, 1.0), 1e-300, velocity=(1e9, -1e9))
        one.step(3)
        other = resumed(one, tmp_path)
        one.step(3)
        other.step(3)
        assert_same(one, other)

    def test_an_empty_crowd(self, tmp_path):
        one = crowd("hall")
        one.step(3)
        other = resumed(one, tmp_path)
        assert (len(other), other.steps) == (0, 3)
        for it in (one, other):
            it.add(3)
            it.step(5)
        assert_same(one, other)

    def test_with_a_path_that_is_closed(self, tmp_path):
        one = crowd("bend", seed=2)
        one.add_obstacle((28, 15), 2.5, vanishes=12.0)
        one.add(
            12, area=box(0, 0, 10, 4), destinations=[box(0, 26, 10, 30), box(0, 0, 10, 4)]
        )  # fmt: skip
        one.step(50)
        other = resumed(one, tmp_path)
        for _ in range(20):
            one.step(50)
            other.step(50)
            assert_same(one, other)


class TestDamaged:
    @pytest.fixture
    def file(self, tmp_path):
        file = tmp_path / "crowd.npz"
        file.write_bytes(checkpoint_bytes())
        return file

    def assert_refused(self, file, name="hall"):
        with pytest.raises(fw.BadFile) as error:
            fw.Crowd.load(file, cmap(name))
        assert str(file) in str(error.value)
        assert "\n" not in str(error.value)

    def test_missing(self, tmp_path):
        self.assert_refused(tmp_path / "none.npz")

    def test_a_folder(self, tmp_path):
        self.assert_refused(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"PK", b"not a checkpoint", b"\x93NUMPY" * 40])
    def test_something_else(self, tmp_path, content):
        (tmp_path / "crowd.npz").write_bytes(content)
        self.assert_refused(tmp_path / "crowd.npz")

    def test_arrays_of_others(self, tmp_path):
        np.savez(tmp_path / "crowd.npz", positions=np.zeros((3, 2)))
        self.assert_refused(tmp_path / "crowd.npz")

    def test_a_plain_array(self, tmp_path):
        np.save(tmp_path / "crowd.npy", np.zeros((3, 2)))
        self.assert_refused(tmp_path / "crowd.npy")

    def test_a_pickle(self, tmp_path):
        np.savez(tmp_path / "crowd.npz", facts=np.array([{"a": 1}], dtype=object))
        self.assert_refused(tmp_path / "crowd.npz")

    def test_of_another_map(self, file):
        self.assert_refused(file, "branch")

    def test_of_a_map_with_as_many_edges(self, tmp_path):
        """A room of the same length, half a metre wider."""
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 15.5), name="room")
        other = fw.CorridorMap.build(env)
        it = crowd("room")
        assert len(other.edges) == len(it.map.edges)
        it.save(tmp_path / "room.npz")
        with pytest.raises(fw.BadFile, match="another map"):
            fw.Crowd.load(tmp_path / "room.npz", other)
        other.save(tmp_path / "other.fwmap")
        fw.Crowd(other).save(tmp_path / "other.npz")
        same = fw.CorridorMap.load(tmp_path / "other.fwmap")
        assert len(fw.Crowd.load(tmp_path / "other.npz", same)) == 0

    def test_is_whole_or_not_there(self, file, monkeypatch):
        """Stopped while it is written: the one before is still there, and nothing beside it."""
        before = file.read_bytes()

        def stop(out, **_arrays):
            out.write(b"half")
            raise KeyboardInterrupt

        monkeypatch.setattr(np, "savez", stop)
        with pytest.raises(KeyboardInterrupt):
            crowd("hall").save(file)
        assert file.read_bytes() == before
        assert list(file.parent.iterdir()) == [file]

    def test_that_cannot_be_written(self, tmp_path):
        with pytest.raises(fw.BadFile, match="written"):
            crowd("hall").save(tmp_path / "no" / "crowd.npz")

    @pytest.mark.parametrize("key", ["format", "version"])
    def test_another_kind(self, file, key):
        rewrite(file, lambda header, _: header.update({key: 99}))
        self.assert_refused(file)

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("map", "0" * 64),
            ("steps", "x"),
            ("step", None),
            ("step", 1e-300),
            ("seed", -1),
            ("next", 3),
            ("next", 10**12),
            ("widest", 0.0),
            ("populations", 5),
            ("populations", [[1]]),
            ("groups", [[1]]),
            ("groups", []),
            ("obstacles", [[0, {"at": 1}]]),
            ("sources", [0, 0, 0, 0]),
        ],
    )
    def test_other_facts(self, file, key, value):
        rewrite(file, lambda header, _: header["facts"].update({key: value}))
        self.assert_refused(file)

    @pytest.mark.parametrize("key", ["steps", "populations", "next_obstacle"])
    def test_without_a_fact(self, file, key):
        rewrite(file, lambda header, _: header["facts"].pop(key))
        self.assert_refused(file)

    @pytest.mark.parametrize("key", KIND.arrays)
    def test_without_an_array(self, file, key):
        rewrite(file, lambda _, arrays: arrays.pop(key))
        self.assert_refused(file)

    @pytest.mark.parametrize("key", sorted(set(KIND.arrays) - {"seen"}))
    def test_with_rows_missing(self, file, key):
        def shorten(_header, arrays):
            rows = arrays[key]
            arrays[key] = rows[:-1] if len(rows) else np.zeros((1, *rows.shape[1:]), rows.dtype)

        rewrite(file, shorten)
        self.assert_refused(file)

    @pytest.mark.parametrize(
        ("key", "column", "value"),
        [
            ("cursor", state.AT, 10**6), ("cursor", state.END, 0), ("cursor", state.HALF, 10**6),
            ("cursor", state.LEFT, 5), ("cursor", state.MODE, 6), ("cursor", state.ID, 0),
            ("cursor", state.GROUP, 0), ("cursor", state.GROUP, 7), ("cursor", state.FOLLOWS, 1),
            ("cursor", state.FOLLOWS, 2), ("cursor", state.FOLLOWS, 3),
            ("journey", state.POPULATION, 99), ("journey", state.GOAL, 10**6),
            ("journey", state.PATH_SIZE, 0), ("body", state.RADIUS, 0.0),
            ("body", state.RADIUS, np.nan), ("place", 0, np.nan), ("place", 1, 1e6),
            ("paths", None, 10**6), ("group_ids", None, 0), ("group_edges", None, 10**6),
            ("group_sizes", 0, 0), ("source_ids", None, 0), ("source_sizes", 1, 2**31 - 1),
            ("queue", None, 10**6), ("weights", 0, -1.0), ("reach", None, np.inf),
        ],
    )  # fmt: skip
    def test_numbers_that_do_not_fit(self, file, key, column, value):
        """Kernels read beyond the ends of arrays with these."""

        def change(_header, arrays):
            array = arrays[key] if len(arrays[key]) else np.zeros(1, arrays[key].dtype)
            array[...] = value if column is None else array
            if column is not None:
                array[:, column] = value
            arrays[key] = array

        rewrite(file, change)
        self.assert_refused(file)

    @pytest.mark.parametrize("damage", ["nowhere", "backwards", "in a group"])
    def test_a_walker_on_its_last_edge(self, tmp_path, damage):
        """It must be on an edge, not beyond the end of its path, and in no other group."""
        file, it = tmp_path / "crowd.npz", crowd("corridor")
        it.add(1, starts=[(20, 2)], goals=[(40, 2)])
        it.add_group(2, start=(5, 2), goal=(50, 2))
        it.step(5)
        it.save(file)

        def change(_header, arrays):
            (row,) = arrays["cursor"][arrays["cursor"][:, state.ID] == 0]
            assert row[state.LEFT] == 0
            assert row[state.AT] != row[state.END]
            if damage == "nowhere":
                row[state.HALF] = -1
            elif damage == "backwards":
                row[[state.AT, state.END]] = row[[state.END, state.AT]]
            else:
                row[[state.GROUP, state.AT]] = 0
            arrays["cursor"][arrays["cursor"][:, state.ID] == 0] = row

        fw.Crowd.load(file, cmap("corridor"))
        rewrite(file, change)
        self.assert_refused(file, "corridor")

    def test_is_closed_again(self, file):
        file.write_bytes(file.read_bytes()[:-100])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assert_refused(file)
            gc.collect()
        assert not seen

    @pytest.mark.filterwarnings("ignore::ResourceWarning")
    @examples(40)
    @given(st.data())
    def test_any_byte(self, data):
        """Cut off anywhere, or with some bytes changed: refused, or exactly what it was."""
        good = checkpoint_bytes()
        cut = data.draw(st.integers(0, len(good)))
        if data.draw(st.booleans()):
            bad = good[:cut]
        else:
            noise = data.draw(st.binary(min_size=1, max_size=8))
            bad = good[:cut] + noise + good[cut + len(noise) :]
        load_or_refuse(bad)
        gc.collect(1)


@cache
def checkpoint_bytes():
    """A good checkpoint."""
    it = mixed()
    it.step(20)
    with TemporaryDirectory() as folder:
        file = Path(folder, "crowd.npz")
        it.save(file)
        return file.read_bytes()


def load_or_refuse(content):
    with NamedTemporaryFile(suffix=".npz") as file:
        file.write(content)
        file.flush()
        try:
            found = fw.Crowd.load(file.name, cmap("hall"))
        except fw.BadFile:
            return
        it = mixed()
        it.step(20)
        assert_same(found, it)
