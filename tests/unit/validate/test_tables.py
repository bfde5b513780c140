"""The committed tables, and that they follow from the trajectories where these are present."""

import numpy as np
import pytest

from footway.validate.tables import FOLDER, Bins, Interval, load_table, weidmann
from tests.shared_data import shared


@pytest.mark.parametrize("name", ["corridor", "bottleneck", "two_way", "single_file"])
def test_tables_name_their_source(name):
    table = load_table(name)
    assert table.comments[1].startswith("Source: Pedestrian Dynamics Data Archive")
    assert np.isfinite(table.values).all()
    assert (FOLDER / f"{name}.csv").stat().st_size < 20_000


def test_known_values():
    """Numbers that others computed from the same trajectories."""
    flow = load_table("bottleneck").of("bottleneck_040_c_56_h")[0, 1]
    assert 1.15 <= flow <= 1.19
    speed = load_table("single_file").of("single_file_n56_cam1")[:, 2]
    assert 0.035 < speed.mean() < 0.27


def test_weidmann():
    assert weidmann(0.0) == 1.34
    assert weidmann(2.0) == pytest.approx(0.60624, abs=1e-5)
    assert weidmann(5.4) == pytest.approx(0.0, abs=1e-9)
    assert weidmann(9.0) == 0.0


def test_bins_of_known_samples():
    density = np.repeat([0.6, 1.1, 3.0], [10, 10, 2])
    value = np.concatenate([np.tile([1.0, 1.2], 5), np.tile([0.8, 0.8], 5), [9.0, 9.0]])
    bins = Bins.from_samples(density, value)
    assert bins.centres.tolist() == [0.625, 1.125]  # the last one has two samples only
    assert bins.means == pytest.approx([1.1, 0.8])
    found = bins.interval(0.875)
    assert found.mean == pytest.approx(0.95)
    assert found.high - found.mean == pytest.approx(np.std([1.0, 1.2] * 5, ddof=1))  # half of 2
    assert bins.interval(0.4) is None
    assert bins.interval(1.4) is None


def test_an_interval_is_two_deviations_wide():
    found = Interval.from_samples(np.array([1.0, 2.0, 3.0]))
    assert found == Interval(0.0, 2.0, 4.0)


def test_the_tables_follow_from_the_trajectories(tmp_path, monkeypatch):
    from benchmarks import validation_tables

    monkeypatch.setattr(validation_tables, "FOLDER", tmp_path)
    validation_tables.main(shared("trajectories/experiments"))
    for file in sorted(tmp_path.iterdir()):
        made = [line.split(",") for line in file.read_text().splitlines()]
        known = [line.split(",") for line in (FOLDER / file.name).read_text().splitlines()]
        assert len(made) == len(known) > 5
        assert made[:5] == known[:5]
        numbers = [[float(v) for v in row[-2:]] for row in made[6:]]
        assert np.array(numbers) == pytest.approx(
            np.array([[float(v) for v in row[-2:]] for row in known[6:]]), rel=2e-3
        )
