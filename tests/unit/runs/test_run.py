"""Runs of scenarios without a terminal."""

import pickle

import pytest

from footway.crowd import Recording
from footway.runs import prepare, run
from footway.scenario import load_scenario, parse_scenario


@pytest.fixture
def scenario():
    return load_scenario("demo:bottleneck").model_copy(update={"duration": 0.5})


def stopping(after):
    """A progress function that presses Ctrl-C after some steps."""

    def progress(done, _total):
        if done == after:
            raise KeyboardInterrupt

    return progress


def test_from_scenario_to_recording_and_summary(scenario, tmp_path):
    file = tmp_path / "run.parquet"
    summary = run(scenario, file)
    assert (summary.steps, summary.characters, summary.is_complete) == (5, 150, True)
    assert Recording.load(file).steps.tolist() == [0, 1, 2, 3, 4, 5]
    assert summary.recording.n_frames == 6


def test_without_a_recording_it_is_the_same_run(scenario):
    kept, plain = run(scenario, keep=True), run(scenario)
    assert plain.recording is None
    assert kept.recording.n_frames == 6
    names = ("time", "steps", "present", "arrivals", "exited", "last_exits")
    assert [getattr(kept, name) for name in names] == [getattr(plain, name) for name in names]


def test_a_summary_can_be_sent_to_another_process(scenario):
    summary = run(scenario)
    assert pickle.loads(pickle.dumps(summary)).to_dict() == summary.to_dict()


def test_stopped_between_steps_it_is_continued_from_the_checkpoint(scenario, tmp_path):
    saved, file, whole = (tmp_path / name for name in ("a.npz", "a.parquet", "b.parquet"))
    part = run(scenario, file, checkpoint=saved, progress=stopping(after=2))
    assert (part.steps, part.is_complete) == (2, False)
    assert Recording.load(file).n_frames == 3
    rest = run(scenario, file, prepared=prepare(scenario, resume=saved))
    run(scenario, whole)
    assert rest.is_complete
    one, other = Recording.load(file), Recording.load(whole)
    assert (one.positions == other.positions).all()


def test_stopped_within_a_step_nothing_is_saved(scenario, tmp_path):
    prepared, saved = prepare(scenario), tmp_path / "a.npz"
    prepared.crowd.each_step(lambda crowd: stopping(after=2)(crowd.steps, 0))
    with pytest.raises(KeyboardInterrupt):
        run(scenario, prepared=prepared, checkpoint=saved)
    assert not saved.exists()


def test_nothing_is_left_to_run(scenario, tmp_path):
    saved = tmp_path / "a.npz"
    run(scenario, checkpoint=saved)
    assert run(scenario, prepared=prepare(scenario, resume=saved)).steps == 5


def test_a_recording_has_the_areas_of_the_scenario(tmp_path):
    """Also after a resumed run."""
    text = 'map = "gallery:field"\nduration = 1\n[area]\ncorner = [2, 2, 8, 8]\n'
    scenario = parse_scenario(text + '[[population]]\ncount = 3\narea = "corner"\n')
    file, checkpoint = tmp_path / "run.parquet", tmp_path / "run.npz"
    run(scenario, file, checkpoint=checkpoint)
    longer = scenario.model_copy(update={"duration": 2.0})
    for found in (scenario, longer):
        if found is longer:
            run(longer, file, prepared=prepare(longer, resume=checkpoint))
        recording = Recording.load(file)
        assert recording.environment.areas[-1].name == "corner"
        assert recording.environment.areas[-1].polygon.area == 36.0
