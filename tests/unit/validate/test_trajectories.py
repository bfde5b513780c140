"""Measured trajectories: files are read, and the same people are simulated again."""

import numpy as np
import pytest

import footway as fw
from footway.crowd.models import with_parameters
from footway.errors import BadFile, BadInput
from footway.recording.jupedsim import save_jupedsim
from footway.recording.pedpy import save_pedpy
from footway.validate.engines import Footway
from footway.validate.fitting import fit
from footway.validate.scenes import Scene, Stream, box
from footway.validate.trajectories import load_trajectories, replay
from tests.shared_data import shared

AREA, LINE = box(4, 0, 8, 2), ((10, 0), (10, 2))
SLOW = with_parameters("social_force", {"headway": 2.0})


@pytest.fixture(scope="module")
def people():
    """Trajectories of people who keep a longer headway than by default, at a narrow exit."""
    ring = [(0, 0), (10, 0), (10, 0.6), (10.4, 0.6), (10.4, 0), (12, 0),
            (12, 2), (10.4, 2), (10.4, 1.4), (10, 1.4), (10, 2), (0, 2)]  # fmt: skip
    times = np.arange(40) / 2.0
    stream = Stream((box(11, 0, 12, 2),), times=times, area=box(0, 0, 1.5, 2))
    scene = Scene("exit", fw.Environment.from_polygons([ring]), (stream,), 60.0)
    return Footway(SLOW).run(scene, 0)


def run(target, model, seeds=1):
    return target.run(Footway(model), quick=True, seeds=seeds, ran=lambda: None)


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "save"),
        [("a.sqlite", save_jupedsim), ("a.txt", save_pedpy), ("a.parquet", fw.Recording.save)],
    )
    def test_all_formats_give_the_same_people_and_geometry(self, people, tmp_path, name, save):
        save(people, tmp_path / name)
        found = load_trajectories(tmp_path / name)
        present = np.flatnonzero(np.diff(people.offsets))  # frames without people are not in tables
        if name != "a.parquet":
            assert found.n_frames == present[-1] - present[0] + 1
        np.testing.assert_allclose(found.positions, people.positions, atol=1e-6)
        np.testing.assert_allclose(np.diff(found.times), 0.1)
        assert found.environment.area == pytest.approx(people.environment.area)

    def test_unit_and_rate_of_the_header_count(self, tmp_path):
        file = tmp_path / "a.txt"
        file.write_text("# framerate: 25 fps\n# id frame x/cm y/cm z/cm\n7 50 100 -50 1\n")
        found = load_trajectories(file, rate=9.0, unit=1.0)
        assert found.times.tolist() == [2.0]
        assert found.positions.tolist() == [[1.0, -0.5]]

    def test_without_a_header_they_are_given(self, tmp_path):
        (tmp_path / "a.csv").write_text("ID,Frame,x,y,v\n3,10,200,100,0\n3,11,210,100,0\n")
        with pytest.raises(BadFile, match="does not say how many frames a second has"):
            load_trajectories(tmp_path / "a.csv")
        found = load_trajectories(tmp_path / "a.csv", rate=10.0, unit=0.01)
        assert found.positions.tolist() == [[2.0, 1.0], [2.1, 1.0]]

    def test_frames_without_people_are_kept(self, tmp_path):
        (tmp_path / "a.csv").write_text("ID,Frame,x,y\n1,10,0,0\n1,20,1,0\n2,50,0,0\n2,60,1,0\n")
        found = load_trajectories(tmp_path / "a.csv", rate=10.0)
        assert found.times.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        assert np.diff(found.offsets).tolist() == [1, 1, 0, 0, 1, 1]

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("a.txt", "1 2\n", "has no trajectories"),
            ("a.txt", "", "is empty"),
            ("a.txt", "one two three four\n", "has no trajectories"),
            ("a.txt", "1 0 0 0\n1 1 0 0\n1 1e15 0 0\n", "frames 0 to 1000000000000000"),
            ("a.sqlite", "no database", "is no database of JuPedSim's trajectories"),
            ("a.png", "1 2 3 4", "the suffix must be .parquet, .sqlite, .txt, .csv"),
            ("a.parquet", "1 2 3 4", "a.parquet"),
            ("a.txt", "# framerate: 5\n# geometry: POLYGON((0 0, 1\n1 1 0 0\n", "is no polygon"),
        ],
    )
    def test_bad_files(self, tmp_path, name, text, message):
        (tmp_path / name).write_text(text)
        with pytest.raises(BadFile) as caught:
            load_trajectories(tmp_path / name, rate=25.0)
        assert message in str(caught.value)
        assert str(caught.value).count(name) == 1
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("name", ["a.txt", "a.sqlite", "a.parquet"])
    def test_missing_files(self, tmp_path, name):
        with pytest.raises(BadFile, match=r"exist|no such"):
            load_trajectories(tmp_path / name)

    def test_a_file_of_jupedsim(self):
        found = load_trajectories(shared("trajectories/other-tools/jupedsim.sqlite"))
        assert (len(found.characters.ids), found.times[-1]) == (30, 490 / 25.0)
        assert found.environment.area == pytest.approx(104.0)


class TestReplay:
    def test_the_same_people_enter_and_leave(self, people):
        target = replay(people, "mine", area=AREA, line=LINE)
        assert len(target.scene.streams) == 40
        times = sorted(float(stream.times[0]) for stream in target.scene.streams)
        np.testing.assert_allclose(times, np.arange(40) / 2.0, atol=0.5)
        found = Footway(SLOW).run(target.scene, 0)
        assert len(np.unique(found.ids)) == 40

    def test_the_parameters_of_the_people_are_closest(self, people):
        target = replay(people, "mine", area=AREA, line=LINE)
        own, default = run(target, SLOW, seeds=4), run(target, "social_force", seeds=4)
        assert {point.scene for point in own.points} == {"speed", "density", "flow"}
        assert own.distance < 0.15
        assert default.distance > 3.0 * own.distance

    def test_measured_values_are_those_of_the_measure_functions(self, people):
        target = replay(people, "mine", line=LINE)
        crossed = fw.measure.crossings(people, LINE)
        sign = np.where(crossed.left == crossed.left[0], 1, -1)  # somebody may step back
        for point in run(target, SLOW).points:
            width = float(target.edges[1])
            near = sign[np.abs(crossed.times - point.x) <= 0.5 * width]
            assert point.reference.mean == pytest.approx(near.sum() / width)

    def test_a_fit_finds_the_headway(self, people):
        target = replay(people, "mine", area=AREA, line=LINE)
        found = fit("social_force", {"headway": (0.3, 4.0)}, [target], trials=8)
        assert found.best.parameters["headway"] > 1.4
        assert found.best.distance < 0.7 * found.before.distance

    def test_bad_input(self, people, tmp_path):
        with pytest.raises(BadInput, match="mine: say where to compare"):
            replay(people, "mine")
        with pytest.raises(BadInput, match="mine: nothing can be measured there"):
            replay(people, "mine", area=box(50, 50, 60, 60))
        (tmp_path / "a.csv").write_text("id,frame,x,y\n" + "1,1,50,50\n1,2,51,50\n1,3,52,50\n")
        lost = load_trajectories(tmp_path / "a.csv", rate=1.0)
        with pytest.raises(BadInput, match="has no walkable space; give its map"):
            replay(lost, "mine", line=LINE)
        lost = load_trajectories(tmp_path / "a.csv", rate=1.0, environment=people.environment)
        with pytest.raises(BadInput, match="100% of the positions are outside the walkable space"):
            replay(lost, "mine", line=LINE)


@pytest.mark.slow
def test_an_experiment():
    """People in a real corridor: a fit to one exit also improves another one."""
    targets = []
    for name, width in (("uo-180-180-120", 1.2), ("uo-180-180-095", 0.95)):
        left, right = 0.9 - 0.5 * width, 0.9 + 0.5 * width
        ring = [
            (2.8, -6.5), (2.8, -4.2), (right, -4.2), (right, -4), (1.8, -4), (1.8, 4), (2.8, 4),
            (2.8, 8.1), (-1, 8.1), (-1, 4), (0, 4), (0, -4), (left, -4), (left, -4.2), (-1, -4.2),
            (-1, -6.5),
        ]  # fmt: skip
        people = load_trajectories(
            shared(f"trajectories/experiments/{name}.txt"), rate=16.0, unit=0.01,
            environment=fw.Environment.from_polygons([ring]),
        )  # fmt: skip
        area, line = box(0, -2, 1.8, 0), ((-1, -4.1), (2.8, -4.1))
        targets.append(replay(people, name, area=area, line=line, speed=(1.55, 0.18)))
    found = fit("social_force", {"space": (0.0, 0.4)}, targets[:1], check=targets[1:], trials=4)
    assert found.best.distance < found.before.distance
    assert found.check_best is not None
