"""Which sheet of a building each recorded row is on."""

import numpy as np
import pytest

import footway as fw
from footway.recording.recorded_floors import check_building, rows_of, sheets_of
from footway.recording.recording import Recorder

HALL = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))


def lift(name):
    doors = [(floor, (0.5, 8), (1.5, 8)) for floor in ("0", "1", "2")]
    return fw.Lift(name, [(0, 8), (2, 8), (2, 10), (0, 10)], doors)


def building(names=("0", "1", "2"), name="L"):
    return fw.Building([fw.Floor(one, HALL, 3.0 * k) for k, one in enumerate(names)], [lift(name)])


@pytest.fixture
def recording():
    """One person who rides up in the lift, and one who stands on the highest floor."""
    recorder = Recorder(
        step=0.1, seed=0, map_name="", names=["all"], floor_names=["0", "1", "2", "L"]
    )
    recorder.add_characters([0, 1], [0.2, 0.2], [0, 0])
    at = np.array([[1.0, 9.0], [5.0, 5.0]])
    for k, height in enumerate([0.0, 1.4, 1.6, 4.4, 4.6, 6.0]):
        recorder.add_frame(k, 0.1 * k, [0, 1], at, 0 * at, [3, 2], [height, 6.0])
    return recorder.close()


def test_a_ride_is_in_the_cabin_at_the_nearest_height(recording):
    made = building()
    sheets = [sheets_of(recording, made, rows_of(recording, k)) for k in range(6)]
    layers = [[made.layers[k] for k in on] for on in sheets]
    assert [one.low for one, _ in layers] == [0.0, 0.0, 3.0, 3.0, 6.0, 6.0]
    assert {one.link for one, _ in layers} == {0}
    assert {other.floor for _, other in layers} == {2}


def test_floors_may_be_in_another_order(recording):
    floors = building().floors
    turned = fw.Building(floors[::-1], [lift("L")])
    check_building(recording, turned, "turned")
    (_, other) = sheets_of(recording, turned, rows_of(recording, 0))
    assert turned.layers[other].name == "floor '2'"


@pytest.mark.parametrize("other", [("0", "1", "attic"), ("0", "1", "2", "3")])
def test_another_building_is_refused(recording, other):
    floors = [fw.Floor(one, HALL, 3.0 * k) for k, one in enumerate(other)]
    with pytest.raises(fw.BadInput, match=r"house: is not the building .* has 0, 1, 2, L;"):
        check_building(recording, fw.Building(floors), "house")
    with pytest.raises(fw.BadInput, match="is not the building"):
        check_building(recording, building(name="M"), "house")


def test_a_frame_without_anybody_has_no_floors(tmp_path):
    recorder = Recorder(step=0.1, seed=0, map_name="", names=["all"], floor_names=["0"])
    recorder.add_characters([0], [0.2], [0])
    recorder.add_frame(0, 0.0, [0], np.zeros((1, 2)), np.zeros((1, 2)), [0], [0.0])
    recorder.add_frame(1, 0.1, [], np.empty((0, 2)), np.empty((0, 2)), [], [])
    made = recorder.close()
    made.save(tmp_path / "run.parquet")
    for one in (made, fw.Recording.load(tmp_path / "run.parquet")):
        names, heights = one.floors_at(1)
        assert names == []
        assert heights.shape == (0,)


def test_nobody_is_on_a_sheet_of_a_frame_without_anybody(recording, tmp_path):
    """Everybody has left at the end of an evacuation: it can be replayed up to there."""
    recorder = Recorder(
        step=0.1, seed=0, map_name="", names=["all"], floor_names=["0", "1", "2", "L"]
    )
    recorder.add_characters([0], [0.2], [0])
    recorder.add_frame(0, 0.0, [0], np.ones((1, 2)), np.zeros((1, 2)), [0], [0.0])
    recorder.add_frame(1, 0.1, [], np.empty((0, 2)), np.empty((0, 2)), [], [])
    recorder.close().save(tmp_path / "run.parquet")
    loaded = fw.Recording.load(tmp_path / "run.parquet")
    rows = rows_of(loaded, 1)
    assert rows.floors is not None
    assert sheets_of(loaded, building(), rows).tolist() == []
