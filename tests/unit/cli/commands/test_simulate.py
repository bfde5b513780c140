"""`footway simulate`: runs, reports, and refused input."""

import json
import re
import signal
from contextlib import suppress

import numpy as np
import pytest

from footway import plot as picture
from footway.cli import progress as running
from footway.cli.commands.simulate import _last_exits, _stuck_lines
from footway.crowd import Crowd, Recording, Stuck
from footway.crowd.simulation import Simulation
from footway.environment import Building, Environment, Floor, Stairs
from footway.formats import save_geojson
from footway.recording.storage import ParquetRecorder
from footway.scenario.reading import demo_names
from tests.unit.recording.recordings import assert_same

EVACUATION = """
title = "Out of the room"
map = "room.wkt"
duration = 30

[[population]]
name = "people"
count = 8
radius = 0.2
area = [0, 0, 3, 8]
destinations = [[8, 1, 9.5, 7]]
then = "exit"
"""
FOREVER = 'map = "room.wkt"\n[[population]]\ncount = 8\n'


@pytest.fixture
def scenario(room, tmp_path):
    """Writes a scenario beside the map of a room."""

    def write(text=EVACUATION):
        file = tmp_path / "plaza.toml"
        file.write_text(text)
        return file

    return write


def test_says_what_happened_and_what_it_cost(footway, scenario):
    out = footway("simulate", scenario()).printed
    assert out.startswith("Out of the room: 30.0 s in 300 steps")
    for words in ("8, 0 of them present", "longest", "character-steps per", "times real time"):
        assert words in out
    assert "everybody is out" in out
    assert "nobody" in out


def test_json_has_the_same(footway, scenario):
    answer = footway("simulate", scenario(), "--seconds", "2", "--seed", "5", "--json").json
    assert (answer["time"], answer["steps"], answer["seed"]) == (pytest.approx(2.0), 20, 5)
    assert answer["characters"] == 8
    assert answer["present"] == {"people": 8}
    assert answer["evacuation_time"] is None
    assert answer["stuck"] == []
    assert answer["longest_step_ms"] >= answer["ms_per_step"] > 0
    assert answer["character_steps_per_second"] > 0
    assert set(answer["times_ms"]) == {"map", "crowd", "run"}


def test_evacuation_time(footway, scenario):
    answer = footway("simulate", scenario(), "--json").json
    assert answer["exited"] == answer["arrivals"] == 8
    assert 4.0 < answer["evacuation_time"] < 30.0


def test_records_in_a_file(footway, scenario, tmp_path):
    file = tmp_path / "run.parquet"
    text = EVACUATION + "[output]\nevery = 5\n"
    result = footway("simulate", scenario(text), "-o", file, "--seconds", "3")
    assert f"Wrote {file}" in result.out
    recording = Recording.load(file)
    assert recording.n_frames == 7
    assert recording.names == ("people",)
    assert len(recording.characters.ids) == 8


def test_the_scenario_may_name_the_recording(footway, scenario, tmp_path):
    text = EVACUATION + '[output]\nrecording = "mine.parquet"\n'
    assert footway("simulate", scenario(text), "--seconds", "1").code == 0
    assert Recording.load(tmp_path / "mine.parquet").n_frames == 11


def test_pictures(footway, scenario, tmp_path):
    plot, film = tmp_path / "run.png", tmp_path / "run.webp"
    options = ("--seconds", "1", "--plot", plot, "--animate", film)
    answer = footway("simulate", scenario(), *options, "--json").json
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert film.read_bytes()[8:12] == b"WEBP"
    assert (answer["plot"], answer["animation"]) == (str(plot), str(film))


def test_a_picture_shows_a_moment_with_people(footway, scenario, tmp_path):
    file = tmp_path / "run.parquet"
    footway("simulate", scenario(), "-o", file)
    recording = Recording.load(file)
    assert len(recording.frame(-1).ids) == 0
    assert len(recording.frame(picture.representative_frame(recording)).ids) >= 4


def test_going_on_from_a_checkpoint_is_the_same_run(footway, scenario, tmp_path):
    saved, whole, rest = (tmp_path / name for name in ("a.npz", "whole.parquet", "rest.parquet"))
    file = scenario(FOREVER)
    assert footway("simulate", file, "--seconds", "2", "--checkpoint", saved).code == 0
    assert footway("simulate", file, "--seconds", "4", "-o", whole).code == 0
    assert footway("simulate", file, "--seconds", "4", "--resume", saved, "-o", rest).code == 0
    ends = [Recording.load(run).frame(-1) for run in (whole, rest)]
    assert (ends[0].positions == ends[1].positions).all()
    footway("simulate", file, "--seconds", "1", "--resume", saved).refuses("give more --seconds")


def halves(footway, file, tmp_path, *, every=1, seconds=(2, 4), names=("run", "run")):
    """A run in two halves: exit codes, recordings and messages."""
    saved = tmp_path / "half.npz"
    text = FOREVER + f"[output]\nevery = {every}\n"
    file.write_text(text)
    parts = [tmp_path / f"{name}.parquet" for name in names]
    first = footway(
        "simulate", file, "--seconds", seconds[0], "--checkpoint", saved, "-o", parts[0]
    )
    assert first.code == 0
    return parts, footway(
        "simulate", file, "--seconds", seconds[1], "--resume", saved, "-o", parts[1]
    )


@pytest.mark.parametrize("every", [1, 5])
def test_going_on_in_the_same_recording_loses_nothing(footway, scenario, tmp_path, every):
    (file, _), result = halves(footway, scenario(), tmp_path, every=every)
    assert result.code == 0
    whole = tmp_path / "whole.parquet"
    assert footway("simulate", tmp_path / "plaza.toml", "--seconds", "4", "-o", whole).code == 0
    assert_same(Recording.load(file), Recording.load(whole))
    assert not list(tmp_path.glob("*.part"))


def test_frames_after_the_checkpoint_are_made_anew(footway, scenario, tmp_path):
    (file, _), result = halves(footway, scenario(), tmp_path)
    saved = tmp_path / "half.npz"
    again = footway(
        "simulate", tmp_path / "plaza.toml", "--seconds", "3", "--resume", saved, "-o", file
    )
    assert again.code == result.code == 0
    assert Recording.load(file).steps.tolist() == list(range(31))


def test_going_on_does_not_replace_another_recording(footway, scenario, tmp_path):
    file, other, saved = scenario(FOREVER), tmp_path / "other.parquet", tmp_path / "half.npz"
    footway("simulate", file, "--seconds", "2", "--checkpoint", saved)
    footway("simulate", file, "--seconds", "3", "--seed", "5", "-o", other)
    kept = other.read_bytes()
    footway("simulate", file, "--seconds", "4", "--resume", saved, "-o", other).refuses(
        "is not the recording of this run up to the checkpoint, at 2 s; give another -o"
    )
    assert other.read_bytes() == kept


def test_two_outputs_of_one_name(footway, scenario, tmp_path, monkeypatch):
    monkeypatch.setattr("footway.plot.check_animation_file", lambda _: None)
    file = tmp_path / "run.png"
    footway("simulate", scenario(), "--plot", file, "--animate", file).refuses(
        f"{file}: two outputs have this name"
    )


def test_the_last_of_each_population(footway, scenario):
    slow = EVACUATION.split("[[population]]")[1].replace("people", "late") + "premovement = 10\n"
    answer = footway("simulate", scenario(EVACUATION + "[[population]]" + slow), "--json").json
    last = answer["last_exits"]
    assert set(last) == {"people", "late"}
    assert last["people"] + 2 < last["late"] == answer["evacuation_time"]
    out = footway("simulate", scenario(EVACUATION + "[[population]]" + slow)).out
    assert f"people {last['people']:.1f} s, late {last['late']:.1f} s" in out


def test_a_goal_that_cannot_be_reached_is_no_path(footway, door, tmp_path):
    file = tmp_path / "a.toml"
    people = "radius = 0.5\nstarts = [[2, 4]]\ngoals = [[8, 4]]\n"
    file.write_text(f'map = "{door.name}"\n[[population]]\n{people}')
    result = footway("simulate", file, "--check", "--json")
    assert result.code == 3
    assert result.json["reason"] == "pinch"
    assert result.json["pinch"]["width"] == pytest.approx(0.8)
    assert result.err.startswith("footway: ")
    assert "a.toml: line 5: population[0].goals[0]" in result.err


def test_the_seed_of_a_checkpoint_is_named(footway, scenario, tmp_path):
    saved, file = tmp_path / "a.npz", scenario(FOREVER)
    footway("simulate", file, "--seconds", "1", "--seed", "77", "--checkpoint", saved)
    answer = footway("simulate", file, "--seconds", "2", "--resume", saved, "--json").json
    assert answer["seed"] == 77
    footway("simulate", file, "--seconds", "2", "--resume", saved, "--seed", "5").refuses(
        "the checkpoint has its own seed"
    )


def test_the_local_model_of_an_option(footway, scenario, tmp_path):
    saved, file = tmp_path / "a.npz", scenario(FOREVER)
    run = ("simulate", file, "--seconds", "1")
    assert footway(*run, "--model", "orca,time_horizon=3", "--checkpoint", saved).code == 0
    with np.load(saved, allow_pickle=False) as arrays:
        assert any(b"time_horizon" in np.asarray(arrays[name]).tobytes() for name in arrays)
    for model, message in {
        "orka": "--model: the model is 'orka': it must be one of social_force",
        "orca,horizon=3": "--model: the model orca has no parameter 'horizon': it has time_horizon",
        "orca,time_horizon=-1": "--model: the time_horizon is -1 s: it must be more than 0 s",
        "orca,time_horizon": "--model has 'time_horizon'; give KEY=NUMBER",
    }.items():
        footway(*run, "--model", model).refuses(message)
    result = footway("simulate", file, "--seconds", "2", "--resume", saved, "--model", "orca")
    assert "the checkpoint has its own model" in result.err


def test_checkpoints_while_it_runs(footway, scenario, tmp_path, monkeypatch):
    saved, file, times = tmp_path / "run.npz", tmp_path / "run.parquet", []
    save = Crowd.save

    def count(crowd, to):
        assert file.exists() == (crowd.steps == 30)
        assert Recording.load(file).steps[-1] == crowd.steps
        times.append(crowd.steps)
        save(crowd, to)

    monkeypatch.setattr(Crowd, "save", count)
    options = ("--seconds", "3", "--checkpoint", saved, "--checkpoint-every", "0.7")
    assert footway("simulate", scenario(FOREVER), "-o", file, *options).code == 0
    assert times == [7, 14, 21, 28, 30]
    times.clear()
    monkeypatch.setattr(Crowd, "save", lambda crowd, to: times.append(crowd.steps))
    assert footway("simulate", scenario(FOREVER), *options).code == 0
    assert times == [7, 14, 21, 28, 30]


def test_another_run_is_writing(footway, scenario, tmp_path):
    file = tmp_path / "run.parquet"
    recorder = ParquetRecorder(file, step=0.1, seed=0, map_name="", names=[])
    result = footway("simulate", scenario(FOREVER), "--seconds", "1", "-o", file)
    assert result.code == 2
    (line,) = result.err.splitlines()
    assert f"{file}: is being written by process" in line
    assert result.out == ""
    recorder.close()


def test_a_full_disk(footway, scenario, small_disk):
    file, saved = small_disk / "run.parquet", small_disk / "run.npz"
    small = ("--seconds", "2", "-o", file, "--checkpoint", saved)
    assert footway("simulate", scenario(FOREVER), *small).code == 0
    kept, before = file.read_bytes(), saved.read_bytes()
    many = FOREVER.replace("8", "300").replace("[[population]]", "[[population]]\nradius = 0.1")
    for options in (("-o", file), ("--checkpoint", saved, "--checkpoint-every", "0.1")):
        if options[0] == "--checkpoint":
            with suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
                filler.write(bytes(2**21))
        result = footway("simulate", scenario(many), "--seconds", "30", *options)
        assert result.code == 2
        (line,) = result.err.splitlines()
        assert "cannot be written: No space left on device" in line
        assert (file.read_bytes(), saved.read_bytes()) == (kept, before)


def test_check_runs_nothing(footway, scenario, monkeypatch):
    monkeypatch.setattr(Crowd, "step", None)
    out = footway("simulate", scenario(), "--check").printed
    assert "is fine: 8 characters" in out
    answer = footway("simulate", scenario(), "--check", "--json").json
    assert answer["valid"]


def test_check_says_what_is_wrong(footway, scenario):
    footway("simulate", scenario(EVACUATION.replace("0.2", "2")), "--check").refuses(
        "plaza.toml: line 10: population[0].area: the area is too small for 8"
    )


def test_schema_is_json(footway):
    assert json.loads(footway("simulate", "--schema").out)["title"] == "Footway scenario"


def test_list(footway):
    out = footway("simulate", "--list").out
    rows = footway("simulate", "--list", "--json").json["scenarios"]
    assert [row["name"] for row in rows] == [f"demo:{name}" for name in demo_names()]
    assert all(row["name"] in out and row["title"] in out for row in rows)


def test_a_demo(footway):
    answer = footway("simulate", "demo:bottleneck", "--seconds", "1", "--json").json
    assert answer["characters"] == 150


def test_groups_are_measured(footway, scenario):
    group = '[[group]]\nname = "class"\ncount = 4\nradius = 0.2\nstart = [2, 2]\ngoal = [8, 6]\n'
    file = scenario(f'map = "room.wkt"\n{group}')
    assert "class" in footway("simulate", file, "--seconds", "1").out
    (found,) = footway("simulate", file, "--seconds", "1", "--json").json["groups"]
    assert found["characters"] == 4
    assert 0 < found["lateral"] < 8


def test_the_stuck_are_named(footway, scenario, monkeypatch):
    lost = [Stuck(k, (1.0, 2.0), 3.0, "crowd" if k else "pinch") for k in range(7)]
    monkeypatch.setattr(Crowd, "stuck", lost)
    out = footway("simulate", scenario(), "--seconds", "1").out
    assert "7 (crowd 6, pinch 1)" in out
    assert "character 0 is stuck at (1.00, 2.00) since 3.0 s: pinch" in out
    assert "and 2 more" in out


def interrupted_after(number):
    """A stand-in for Ctrl-C after so many steps."""
    steps = []

    def press(crowd):
        steps.append(crowd)
        if len(steps) == number:
            raise KeyboardInterrupt

    return press


def test_ctrl_c_leaves_a_recording(footway, scenario, tmp_path, monkeypatch):
    file, saved = tmp_path / "run.parquet", tmp_path / "run.npz"
    press, after_step = interrupted_after(10), running.StopSignals.after_step
    monkeypatch.setattr(
        running.StopSignals, "after_step", lambda *given: after_step(*given) or press(given)
    )
    result = footway("simulate", scenario(FOREVER), "-o", file, "--checkpoint", saved, "--json")
    assert result.code == 130
    assert len(result.err.splitlines()) == 1
    assert result.err.startswith(
        f"footway: interrupted at 1.0 s of 60 s; {file} has the frames up to then; continue with: "
    )
    assert result.json["kind"] == "Interrupted"
    recording = Recording.load(file)
    assert recording.n_frames == 11
    assert len(recording.frame(-1).ids) == 8
    assert f"continue with: footway simulate {scenario(FOREVER)} --resume {saved} --seconds 60" in (
        result.err
    )
    assert footway("simulate", scenario(FOREVER), "--resume", saved, "--seconds", "2").code == 0


def test_the_command_to_continue_has_all_options(footway, scenario, tmp_path, monkeypatch):
    file, saved, film = (tmp_path / f"run.{kind}" for kind in ("parquet", "npz", "gif"))
    press_in_step(monkeypatch, step=10, times=1)
    options = ("-o", file, "--animate", film, "--checkpoint", saved)
    more = ("--animate-speed", "2.5", "--checkpoint-every", "0.7")
    result = footway("simulate", scenario(FOREVER), *options, *more, "--seconds", "5")
    words = ("footway", "simulate", scenario(FOREVER), "--resume", saved, "--seconds", "5")
    assert result.err.endswith(" ".join(map(str, (*words, *options, *more))) + "\n")


def test_outputs_that_a_stopped_run_omits_are_reported(footway, scenario, tmp_path, monkeypatch):
    press_in_step(monkeypatch, step=10, times=1)
    result = footway("simulate", scenario(FOREVER), "--plot", tmp_path / "a.png")
    assert result.code == 130
    assert "; there are no pictures" in result.err
    assert "continue with" not in result.err


def test_terminated_is_as_ctrl_c(footway, scenario, tmp_path, monkeypatch):
    saved, file = tmp_path / "run.npz", tmp_path / "run.parquet"
    before = signal.getsignal(signal.SIGTERM)
    press_in_step(monkeypatch, step=10, times=1, number=signal.SIGTERM)
    result = footway("simulate", scenario(FOREVER), "--checkpoint", saved, "-o", file, "--json")
    assert result.code == 143
    assert result.json["kind"] == "Terminated"
    assert Recording.load(file).n_frames == 11
    assert saved.exists()
    assert signal.getsignal(signal.SIGTERM) is before


def test_ctrl_c_waits_for_the_end_of_a_step(footway, scenario, tmp_path, monkeypatch):
    """Ctrl-C in the middle of a step does not change the saved frames."""
    saved, same = tmp_path / "run.npz", tmp_path / "same.npz"
    press_in_step(monkeypatch, step=10, times=1)
    result = footway("simulate", scenario(FOREVER), "--checkpoint", saved)
    monkeypatch.undo()
    assert result.code == 130
    assert "interrupted at 1.0 s of 60 s" in result.err
    footway("simulate", scenario(FOREVER), "--seconds", "1", "--checkpoint", same)
    with np.load(saved) as one, np.load(same) as other:
        assert one.files == other.files
        assert all((one[name] == other[name]).all() for name in one.files)


def test_a_second_ctrl_c_saves_no_torn_crowd(footway, scenario, tmp_path, monkeypatch):
    saved = tmp_path / "run.npz"
    press_in_step(monkeypatch, step=10, times=2)
    result = footway("simulate", scenario(FOREVER), "--checkpoint", saved)
    assert result.code == 130
    assert "no checkpoint was saved: the run stopped in the middle of a step" in result.err
    assert "Wrote" not in result.out
    assert list(tmp_path.glob("*.npz*")) == []


def press_in_step(monkeypatch, *, step, times, number=signal.SIGINT):
    """Send a signal, Ctrl-C by default, while characters are moved."""
    move = Simulation.move

    def pressed(simulation):
        if simulation.steps == step - 1:
            for _ in range(times):
                signal.raise_signal(number)
        return move(simulation)

    monkeypatch.setattr(Simulation, "move", pressed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no scenario is given"),
        (("missing.toml",), "missing.toml: does not exist"),
        (("demo:city2000",), "no built-in scenario 'city2000'"),
        (("dmeo:city",), "dmeo:city: does not exist; did you mean 'demo:city'?"),
        (("SCENARIO", "-o", "run.csv"), "must end in .parquet"),
        (("SCENARIO", "-o", "no/run.parquet"), "there is no folder no"),
        (("SCENARIO", "--checkpoint", "run.parquet"), "run.parquet: the name of a checkpoint"),
        (("SCENARIO", "--plot", "a.png", "--plot", "b.jpg"), "b.jpg"),
        (("SCENARIO", "--animate", "a.gif", "--animate-speed", "0"), "--animate-speed is 0"),
        (("SCENARIO", "--animate-speed", "fast"), "'fast' is not a number"),
        (("SCENARIO", "--plot", "a.jpg"), "a.jpg"),
        (("SCENARIO", "--animate", "a.avi"), "a.avi"),
        (("SCENARIO", "--seconds", "0"), "--seconds is 0; give more than 0"),
        (("SCENARIO", "--seconds", "nan"), "--seconds is nan"),
        (("SCENARIO", "--seconds", "long"), "'long' is not a number"),
        (("SCENARIO", "--seed", "-1"), "--seed"),
        (("SCENARIO", "--threads", "0"), "--threads"),
        (("SCENARIO", "--resume", "no.npz"), "no.npz"),
        (("SCENARIO", "--checkpoint-every", "5"), "--checkpoint-every needs --checkpoint FILE"),
        (("SCENARIO", "--checkpoint", "a.npz", "--checkpoint-every", "0"), "every is 0; give"),
        (("SCENARIO", "--checkpoint", "a.npz", "--checkpoint-every", "soon"), "not a number"),
    ],
)
def test_bad_requests_are_one_line(footway, scenario, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    file = scenario()
    footway("simulate", *(file if word == "SCENARIO" else word for word in arguments)).refuses(
        words
    )


def test_a_bad_scenario_as_json(footway, scenario):
    answer = footway("simulate", scenario("map = 3"), "--json").json
    assert answer["kind"] == "BadInput"
    assert "plaza.toml: line 1: map: is a number" in answer["error"]


def test_no_bar_in_a_pipe(footway, scenario):
    result = footway("simulate", scenario(), "--seconds", "1")
    assert all("compiling" in line for line in result.err.splitlines())
    with running.progress_bar("Walking") as progress:
        assert progress is None


def test_two_threads_are_the_same_run(footway, scenario, tmp_path):
    ends = []
    for threads in (1, 2):
        file = tmp_path / f"{threads}.parquet"
        options = ("--threads", threads, "--seconds", "2", "-o", file)
        assert footway("simulate", scenario(FOREVER), *options).code == 0
        ends.append(Recording.load(file).positions)
    assert (ends[0] == ends[1]).all()


def test_every_option_is_in_the_help(footway):
    out = footway("simulate", "--help").out
    for option in ("--check", "--schema", "--list", "--animate", "--resume", "--checkpoint"):
        assert option in out


@pytest.mark.parametrize(("number", "listed"), [(0, 0), (4, 4), (5, 5), (6, 5), (1200, 5)])
def test_five_stuck_characters_are_listed(number, listed):
    stuck = [Stuck(k, (1.0, 2.0), 3.0, "pinch") for k in range(number)]
    lines = list(_stuck_lines(stuck))
    assert lines[:listed] == [
        f"  character {k} is stuck at (1.00, 2.00) since 3.0 s: pinch" for k in range(listed)
    ]
    rest = [f"  and {number - 5:,} more: --json lists them all"] if number > 5 else []
    assert lines[listed:] == rest


def test_six_populations_are_listed():
    left = {f"p{k}": float(k) for k in range(8)}
    assert _last_exits(left) == (
        "p0 0.0 s, p1 1.0 s, p2 2.0 s, p3 3.0 s, p4 4.0 s, p5 5.0 s and 2 more"
    )


def test_says_how_many_fit_where_they_start(footway, tmp_path):
    """Wide characters start in one part of an office with doors of 1 m, and the command says so."""
    file = tmp_path / "carts.toml"
    file.write_text(
        'map = "gallery:office"\nduration = 0.2\n'
        '[[population]]\ncount = 20\nname = "carts"\nradius = 0.55\n'
    )
    result = footway("simulate", file, "--check")
    assert result.code == 0
    assert "carts: with a radius of 0.55 m the map falls into" in result.err
    assert re.search(
        r"space of carts +about [\d,]+ of radius 0.55 m fit, in 1 of \d+ parts", result.out
    )
    answer = json.loads(footway("simulate", file, "--json").out)
    (space,) = answer["start_spaces"]
    assert sum(part["starts"] for part in space["parts"]) == 20
    assert len(space["parts"]) > 10


def test_a_crowd_in_a_building_is_drawn_on_its_floors(footway, tmp_path, monkeypatch):
    hall = Environment.from_polygons(bounds=(0, 0, 10, 8))
    gallery = Environment.from_polygons(bounds=(0, 12, 10, 16))
    stairs = Stairs("A", ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12)))
    building = Building([Floor("0", hall), Floor("1", gallery, 2.5)], [stairs])
    save_geojson(building, tmp_path / "house.geojson")
    file = tmp_path / "house.toml"
    file.write_text(
        'map = "house.geojson"\nduration = 1\n[floor]\nup = "1"\n[area]\nup = [0, 12, 10, 16]\n'
        '[[population]]\ncount = 8\narea = "0"\ndestinations = ["up"]\n'
    )
    drawn = []
    monkeypatch.setattr(picture, "save_picture", lambda figure, _: drawn.append(figure))
    result = footway("simulate", file, "--plot", tmp_path / "house.png")
    assert result.code == 0, result.err
    assert [axes.get_title(loc="left") for axes in drawn[0].axes] == ["0  ·  0 m", "1  ·  2.5 m"]
    people = [[line for line in axes.lines if line.get_marker() == "o"] for axes in drawn[0].axes]
    assert [sum(len(line.get_xydata()) for line in lines) for lines in people] == [8, 0]
    assert "8 characters  ·  after 1.0 s" in drawn[0].get_suptitle()
    refused = footway("simulate", file, "--animate", tmp_path / "house.gif")
    assert "--plot draws all floors" in refused.err
