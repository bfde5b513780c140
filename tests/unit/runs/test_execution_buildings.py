"""Studies of buildings: measures per floor, lines and areas on floors, one table everywhere."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import footway as fw
from footway.cli import main
from footway.formats import save_geojson
from footway.runs.execution import check, study
from footway.runs.observer import Observer
from footway.runs.report import report_html
from footway.runs.results import StudyResults
from footway.runs.study import load_study
from tests.unit.runs.test_execution import Here

FLOOR = fw.Environment.from_polygons(
    bounds=(0, 0, 10, 8), obstacles=[[(6, 3), (7.2, 3), (7.2, 7), (6, 7)]]
)
STAIRS = fw.Stairs("A", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
TWO = fw.Building([fw.Floor("0", FLOOR), fw.Floor("1", FLOOR, 3.0)], [STAIRS])
SCENARIO = """
map = "two.geojson"
duration = 60

[area]
door = [0.3, 0.3, 1.5, 1.5, "0"]

[[population]]
name = "upper"
count = 4
area = "1"
destinations = ["door"]
then = "exit"

[[population]]
name = "lower"
count = 3
area = "0"
destinations = ["door"]
then = "exit"
"""
PLAN = """
scenario = "two.toml"
seeds = 2

[vary]
"population.upper.count" = [4, 7]

[measure]
areas = ["door", "1"]
lines = { stairs = [[6, 5, "A"], [7.2, 5, "A"]], hall = [[0, 4, "1"], [6, 4, "1"]] }
"""


@pytest.fixture
def plan(tmp_path):
    save_geojson(TWO, tmp_path / "two.geojson")
    (tmp_path / "two.toml").write_text(SCENARIO)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def table(folder):
    return (folder / "results.parquet").read_bytes()


def test_the_table_is_the_same_for_threads_shards_and_processes(plan):
    folders = [plan.parent / name for name in ("here", "threads", "shards", "processes")]
    results = study(plan, folders[0], executor=Here(), keep=())
    with ThreadPoolExecutor(2) as executor:
        study(plan, folders[1], executor=executor, keep=())
    for k in (2, 1):
        study(plan, folders[2], executor=Here(), shard=(k, 2))
    study(plan, folders[2], executor=Here(), keep=())
    study(plan, folders[3], workers=2, keep=())
    assert len({table(folder) for folder in folders}) == 1
    for (point, _), found in results.runs.items():
        upper = (4, 7)[point]
        assert found["exited"] == upper + 3
        assert found["most_people 1"] == found["passed stairs"] == upper
        assert found["net stairs"] == -upper  # toward y = 3, to the right of the line
        assert found["most_people 0"] >= 3
        assert 0 < found["cleared 1"] < found["cleared 0"] == found["egress_time"]
        assert found["egress_time"] == max(found["egress_time upper"], found["egress_time lower"])
        assert 0 < found["density 1"] < found["greatest_density 1"] == upper / FLOOR.area


def test_the_recording_of_the_median_run_and_the_report(plan, capsys):
    out = plan.parent / "out"
    study(plan, out, executor=Here(), keep=("median",))
    results = StudyResults.from_folder(out)
    recording = fw.Recording.load(results.recordings["median"][0])
    assert recording.building.floors[1].name == "1"
    page = report_html(results, measure="cleared 1")
    assert "cleared 1" in page
    assert "The most crowded moment" in page
    assert main(["report", str(out), "-o", str(plan.parent / "out.html")]) == 0, capsys
    assert "Replay it" in (plan.parent / "out.html").read_text()


def test_it_is_checked_without_a_run(plan, capsys):
    assert main(["study", str(plan), "--check"]) == 0
    assert "2 points, 4 runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[[6, 5, "A"], [7.2, 5, "A"]]', "[[6, 5], [7.2, 5]]",
         r"line 10: measure.lines.stairs: is in a building: give the floor of both ends"),
        ('[[6, 5, "A"], [7.2, 5, "A"]]', '[[6, 5, "B"], [7.2, 5, "B"]]',
         r"measure.lines.stairs: there is no floor 'B'; there are '0', '1', 'A'"),
        ('[7.2, 5, "A"]', '[7.2, 5, "1"]', "has its ends on different floors; give both"),
        ('[7.2, 5, "A"]', "[7.2, 5, 1]", r"give two points, .* in a building with the floor"),
        ('[[0, 4, "1"], [6, 4, "1"]]', '[[6.5, 4, "1"], [7, 4, "1"]]',
         "the line 'hall' does not cross the free space"),
        ('["door", "1"]', '["dor"]', "measure.areas: there is no area or floor 'dor'; did you"),
        ("[measure]", '[stop]\nmeasure = "cleared 2"\nwithin = 0.1\nleast = 2\n[measure]',
         "there is no measure 'cleared 2'; did you mean 'cleared 1'?"),
        ("[4, 7]", "[4, 700]", "population.upper.count = 700: .* found free space"),
    ],
)  # fmt: skip
def test_bad_studies_are_refused(plan, old, new, message):
    plan.write_text(PLAN.replace(old, new))
    with pytest.raises(fw.BadInput, match=message):
        check(load_study(plan))


def test_a_line_with_a_floor_is_refused_on_a_plane(plan):
    plan.write_text(
        'scenario = "demo:corridor"\n[measure]\nlines = {a = [[1, 1, "0"], [2, 2, "0"]]}'
    )
    with pytest.raises(fw.BadInput, match="is on floor '0', but the map has one floor; leave it"):
        check(load_study(plan))


def test_floors_are_counted_when_people_come_back():
    """Two people go down and up again: the upper floor is cleared when the last one leaves it."""
    crowd = fw.Crowd(fw.CorridorMap.build(TWO))
    crowd.add(2, starts=[(5, 7.5, "1"), (4, 7.5, "1")], speed=1.2,
              destinations=[(9, 1, "0"), (9, 1, "1")], then="exit")  # fmt: skip
    observer = Observer(crowd, {}, {}, 0.5)
    observer.note()
    seen = []
    while len(crowd):
        crowd.step()
        observer.note()
        seen.append((crowd.time, crowd.floors.count("1"), crowd.floors.count("0")))
        assert crowd.time < 120
    found = observer.measures()
    times, upper, lower = np.array(seen).T
    assert (upper == 0).any()
    assert found["most_people 1"] == 2
    for name, people in (("1", upper), ("0", lower)):
        last = times[people > 0].max()
        assert found[f"cleared {name}"] == pytest.approx(last + crowd.dt)


def test_the_study_of_the_guide(tmp_path):
    root = Path(__file__).parents[3]
    guide = (root / "docs" / "studies.md").read_text()
    (text,) = re.findall(r"```toml\n(scenario = \"tower.toml\".*?)```", guide, re.DOTALL)
    (tmp_path / "plan.toml").write_text(text)
    (tmp_path / "tower.toml").write_text((root / "examples" / "tower.toml").read_text())
    plan = load_study(tmp_path / "plan.toml")
    check(plan)
    assert len(plan.scenario_at(1, 0).closure) == 1
