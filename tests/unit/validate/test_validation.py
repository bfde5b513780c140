"""Runs of experiments: measured values of a run are those of its recording, errors are counted."""

import math
import re

import numpy as np
import pytest

from footway import measure
from footway.errors import BadInput
from footway.validate import EXPERIMENTS, Curve, Point, Validation, validate
from footway.validate.engines import PEERS, Footway, JuPedSim, engines
from footway.validate.experiments import BOTTLENECK, CORNER, SINGLE_FILE
from footway.validate.page import to_html
from footway.validate.scenes import bottleneck, corner, single_file
from footway.validate.tables import Interval, weidmann


def point(y, reference, scene="a"):
    return Point(scene, 1.0, y, 0.1, reference, 0)


def test_inside_and_error_of_points():
    known = Interval(0.8, 1.0, 1.2)
    assert [point(y, known).inside for y in (0.79, 0.8, 1.2, 1.21)] == [False, True, True, False]
    assert point(1.1, known).error == pytest.approx(0.1)
    assert point(1.1, None).inside is None


def test_distance_is_the_root_mean_square_of_relative_errors():
    known = Interval(0.8, 1.0, 1.2)
    curve = Curve("m", 0.1, [point(1.3, known), point(0.9, known), point(7.0, None)], [])
    assert curve.distance == pytest.approx(math.sqrt((0.09 + 0.01) / 2))
    assert curve.inside == (1, 2)
    assert Curve("m", 0.1, [point(7.0, None)], []).distance is None


def test_difference_between_time_steps():
    curves = [Curve("m", dt, [point(y, None, "s"), point(2.0, None, "t")], []) for dt, y in
              ((0.05, 1.0), (0.1, 1.1))]  # fmt: skip
    found = Validation([CORNER], {"corner": curves}, quick=True)
    assert found.step_pairs() == {"m": (0.05, 0.1)}
    assert found.step_difference("corner", "m") == pytest.approx(0.5 * 0.1 / 1.05)
    assert found.step_difference("corner", "other") is None


def test_flow_through_a_bottleneck_is_that_of_the_line():
    scene = bottleneck(1.2, 0, persons=60)
    recording = Footway("social_force", 0.1).run(scene, 0)
    assert len(recording.characters.ids) == 60
    assert not len(recording.frame(-1).ids)  # everybody has left
    samples = BOTTLENECK.samples(scene, recording)
    assert (samples[:, 0] == 1.2).all()
    whole = measure.flow(recording, ((-4, -0.25), (4, -0.25)))
    assert samples[:, 1].mean() == pytest.approx(whole, rel=0.25)


def test_distance_to_the_corner():
    scene = corner(5, 0)
    recording = Footway("social_force", 0.1).run(scene, 0)
    found = CORNER.samples(scene, recording)
    assert found.shape == (5, 2)
    for character, (_, least) in zip(recording.characters.ids, found, strict=True):
        _, at = recording.trajectory(character)
        assert least == pytest.approx(np.linalg.norm(at - (8, 2), axis=1).min())


def test_density_in_a_single_file():
    """The mean size of all 1D cells is the length of the oval by the number of people."""
    scene = single_file(20)
    recording = Footway("social_force", 0.1).run(scene, 0)
    found = SINGLE_FILE.samples(scene, recording)
    assert (1.0 / found[:, 0]).mean() == pytest.approx(25.7 / 20, rel=0.35)
    assert (found[:, 1] < 2.2).all()


def test_the_step_does_not_change_the_frames():
    scene = corner(3, 0)
    runs = [Footway("social_force", dt).run(scene, 0) for dt in (0.05, 0.1)]
    for run in runs:
        assert np.diff(run.times) == pytest.approx(0.1)


@pytest.mark.parametrize("name", list(PEERS)[:2])
def test_a_peer_runs_the_same_scenes(name):
    pytest.importorskip("jupedsim")
    for scene in (corner(4, 0), single_file(8)):
        recording = JuPedSim(name).run(scene, 0)
        assert len(recording.characters.ids) == sum(
            len(stream.starts if stream.starts is not None else stream.times)
            for stream in scene.streams
        )
        assert np.nanmax(measure.speeds(recording)) > 0.5
        assert recording.environment is scene.environment


def test_engines():
    names = {(engine.name, engine.dt) for engine in engines(("social_force",), (0.05, 0.1))}
    assert names == {("social_force", 0.05), ("social_force", 0.1)}
    with pytest.raises(BadInput, match="there is no experiment 'door': choose among fundamental"):
        validate(["door"])
    with pytest.raises(BadInput, match="there is no model 'telepathy'"):
        validate(["corner"], models=["telepathy"])


def test_a_page_without_external_files():
    shown = []
    found = validate(
        ["corner"], models=["social_force"], steps=(0.1,), quick=True,
        progress=lambda *done: shown.append(done),
    )  # fmt: skip
    assert shown == [(1, 1)]
    page = to_html(found)
    assert page.count("<svg") == 1
    assert "data:image/png;base64," in page
    assert set(re.findall(r"https?://[^\"'<> ]+", page)) <= {
        "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink",
    }  # fmt: skip
    assert "<link" not in page
    assert "<script" not in page


def test_every_experiment_has_what_the_report_needs():
    for experiment in EXPERIMENTS.values():
        quick = {make(0).name for make in experiment.scenes(True)}
        full = {make(0).name for make in experiment.scenes(False)}
        assert quick <= full
        assert set(experiment.drawn) <= full
        for reference in experiment.references():
            assert reference.role in ("fit", "check")
            assert reference.source


def test_the_spread_of_the_fundamental_diagram_covers_all_densities():
    for density in (0.1, 0.3, 1.0, 2.5, 3.2, 4.0):
        known = EXPERIMENTS["fundamental"].reference("", density)
        assert known.low < known.mean < known.high
        assert known.low <= weidmann(density) <= known.high
    beyond = EXPERIMENTS["fundamental"].reference("", 4.0)
    assert beyond.mean == weidmann(4.0)
