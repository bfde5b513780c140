"""Exact values on constructed motion, and the same numbers as PedPy on random motion."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway import measure
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import Recorder

DT = 0.1
HALL = fw.Environment.from_polygons(bounds=(0, 0, 10, 4), name="hall")
AREA = [(2, 0), (6, 0), (6, 4), (2, 4)]


def recorded(paths, *, env=HALL):
    """Return a recording of positions (frames, characters, 2); NaN where somebody is absent."""
    recorder = Recorder(step=DT, seed=0, map_name="", names=["all"], recorded_map=RecordedMap(env))
    ids = np.arange(paths.shape[1])
    recorder.add_characters(ids, np.full(len(ids), 0.2), np.zeros(len(ids)))
    for k, at in enumerate(paths):
        here = ~np.isnan(at[:, 0])
        recorder.add_frame(k, k * DT, ids[here], at[here], np.zeros((here.sum(), 2)))
    return recorder.close()


def straight(start, velocity, frames=21):
    """Return the positions of characters that walk at constant velocities."""
    time = DT * np.arange(frames)[:, None, None]
    return np.array(start, float) + time * np.array(velocity, float)


def random_walk(seed, characters=25, frames=40):
    rng = np.random.default_rng(seed)
    at = rng.uniform((0.5, 0.5), (9.5, 3.5), (characters, 2))
    steps = np.clip(rng.normal(0.0, 0.08, (frames, characters, 2)), -0.2, 0.2)
    paths = np.clip(at + np.cumsum(steps, axis=0), (0.1, 0.1), (9.9, 3.9))
    paths[:7, 0] = np.nan  # one comes later
    paths[30:, 1] = np.nan  # one leaves
    return recorded(paths)


def test_speed_of_constant_motion_is_exact():
    run = recorded(straight([(1, 1), (9, 3)], [(1.5, 0), (-0.6, 0.8)]))
    found = measure.speeds(run, window=0.4).reshape(-1, 2)
    assert np.isnan(found[[0, 1, -2, -1]]).all()
    assert found[2:-2] == pytest.approx(np.broadcast_to([1.5, 1.0], (17, 2)))


def test_speed_over_a_window_ignores_swaying():
    """A sway of period 0.4 s sideways is not progress over a window of 0.4 s."""
    paths = straight([(1, 2)], [(1.0, 0)])
    paths[:, 0, 1] += 0.1 * np.sin(2 * np.pi * np.arange(21) / 4)
    assert np.nanmax(measure.speeds(recorded(paths), window=0.4)) == pytest.approx(1.0)
    assert np.nanmax(measure.speeds(recorded(paths), window=0.2)) > 1.2


def test_a_gap_in_a_trajectory_is_no_motion():
    paths = straight([(1, 1)], [(1.0, 0)])
    paths[9:12] = np.nan
    found = measure.speeds(recorded(paths), window=0.2)
    assert np.nanmax(found) == pytest.approx(1.0)
    assert np.isnan(found).sum() == 4


def test_mean_speed_inside_the_area():
    run = recorded(straight([(1.05, 1), (1.05, 3)], [(2.0, 0), (1.0, 0)]))
    found = measure.mean_speed(run, AREA, window=0.2)
    assert np.isnan(found[0])  # nobody has come yet
    assert found[6] == pytest.approx(2.0)  # the fast one only
    assert found[15] == pytest.approx(1.5)


def test_classic_density_counts():
    run = recorded(straight([(1.05, 1), (1.05, 3), (8, 1)], [(2.0, 0), (1.0, 0), (0, 0)]))
    found = measure.classic_density(run, AREA)
    assert found[[0, 6, 15]].tolist() == [0.0, 1 / 16, 2 / 16]


def test_voronoi_density_of_a_regular_row():
    """People at 0.5, 1.5, ... 9.5 m own 4 m2 each, also those beside the walls."""
    at = np.column_stack([np.arange(10) + 0.5, np.full(10, 2.0)])
    run = recorded(at[None])
    assert measure.voronoi_density(run, AREA) == pytest.approx([0.25])
    everywhere = [(0, 0), (10, 0), (10, 4), (0, 4)]
    assert measure.voronoi_density(run, everywhere) == pytest.approx([0.25])


def test_voronoi_cells_end_at_walls():
    """A wall between two people: each cell is its own half, wherever they stand in it."""
    rooms = fw.Environment.from_polygons([shapely.box(0, 0, 4, 4), shapely.box(5, 0, 10, 4)])
    run = recorded(np.array([[[3.5, 2.0], [9.0, 1.0]]]), env=rooms)
    left = [(0, 0), (4, 0), (4, 4), (0, 4)]
    assert measure.voronoi_density(run, left) == pytest.approx([1 / 16])


def test_crossings_at_known_times():
    run = recorded(straight([(1, 1), (9, 3), (3, 2)], [(1.0, 0), (-2.0, 0), (0, 0)], frames=31))
    found = measure.crossings(run, ((3.95, 0), (3.95, 4)))
    assert found.ids.tolist() == [1, 0]
    assert found.times == pytest.approx([2.525, 2.95])
    assert found.left.tolist() == [True, False]
    assert not len(measure.crossings(run, ((3.95, 3.5), (3.95, 4))).ids)
    assert measure.flow(run, ((3.95, 0), (3.95, 4))) == pytest.approx(1 / 0.425)
    assert np.isnan(measure.flow(run, ((9.5, 0), (9.5, 4))))


def test_flow_of_a_regular_stream():
    run = recorded(straight([(4.95 - 0.5 * k, 2) for k in range(8)], [(1.25, 0)] * 8, frames=41))
    assert measure.flow(run, ((5, 0), (5, 4))) == pytest.approx(2.5)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_numbers_as_pedpy(seed):
    pedpy = pytest.importorskip("pedpy")
    pandas = pytest.importorskip("pandas")
    run = random_walk(seed)
    frame = np.repeat(np.arange(run.n_frames), np.diff(run.offsets))
    table = {"id": run.ids, "frame": frame, "x": run.positions[:, 0], "y": run.positions[:, 1]}
    walkers = pedpy.TrajectoryData(data=pandas.DataFrame(table), frame_rate=1 / DT)
    walkable = pedpy.WalkableArea(HALL.walkable.geoms[0])
    area = pedpy.MeasurementArea(AREA)

    theirs = (
        pedpy.compute_individual_speed(
            traj_data=walkers, frame_step=2, speed_calculation=pedpy.SpeedCalculation.BORDER_EXCLUDE
        )
        .set_index(["frame", "id"])
        .speed
    )
    ours = measure.speeds(run, window=0.4)
    assert np.isfinite(ours).sum() == len(theirs)
    for k in np.flatnonzero(np.isfinite(ours)):
        assert ours[k] == pytest.approx(theirs[frame[k], run.ids[k]])

    classic = pedpy.compute_classic_density(traj_data=walkers, measurement_area=area)
    assert measure.classic_density(run, AREA) == pytest.approx(classic.density.to_numpy())

    for cut_off in (None, 0.8):
        cells = pedpy.compute_individual_voronoi_polygons(
            traj_data=walkers,
            walkable_area=walkable,
            cut_off=None if cut_off is None else pedpy.Cutoff(radius=cut_off, quad_segments=3),
        )
        found = pedpy.compute_voronoi_density(individual_voronoi_data=cells, measurement_area=area)
        density = found[0].density.to_numpy()
        assert measure.voronoi_density(run, AREA, cut_off=cut_off) == pytest.approx(
            density, rel=1e-6
        )

    line = pedpy.MeasurementLine([(5, 0), (5, 4)])
    _, crossing = pedpy.compute_n_t(traj_data=walkers, measurement_line=line)
    first = measure.crossings(run, ((5, 0), (5, 4)))
    assert set(crossing.id) == set(first.ids.tolist())
