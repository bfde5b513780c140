"""A camera behind a character: smooth, behind the character, and in no wall."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footway as fw
from footway.recording.recording import Recorder
from tests.unit.crowd.maps import cmap as map_of

MEMORY = {"step": 0.1, "seed": 7, "map_name": "made", "names": ("all",)}


def recording_of(track, *, step=0.2, first=0.0):
    """Recording of one character, id 4, along a track (n, 2)."""
    recorder = Recorder(**MEMORY)
    recorder.add_characters([4], [0.25], [0])
    for k, place in enumerate(track):
        recorder.add_frame(k, first + k * step, [4], [place], [(0.0, 0.0)])
    return recorder.close()


def line(count=100, pace=0.24):
    return np.column_stack([5.0 + pace * np.arange(count), np.full(count, 7.0)])


def there_and_back(count=60):
    out = line(count)
    return np.vstack([out, out[::-1]])


def fine(shot, per_frame=8):
    return shot.source.at(np.linspace(0, shot.duration, per_frame * len(shot.times)))


def headings(directions):
    return np.unwrap(np.arctan2(directions[:, 1], directions[:, 0]))


class TestOnAPlain:
    def test_is_behind_and_above(self):
        shot = fw.camera.follow(recording_of(line()), 4)
        place = shot.at(10.0).position
        assert place == pytest.approx([5.0 + 12.0 - 4.0, 7.0, 2.5], abs=1e-6)
        assert shot.at(10.0).speed == pytest.approx(1.2)
        x, y, z = shot.at(10.0).direction
        assert (y, z) == pytest.approx((0.0, -1.0 / math.hypot(6.0, 1.0)))
        assert x > 0.9

    def test_lasts_as_long_as_he_is_there(self):
        shot = fw.camera.follow(recording_of(line(51), first=30.0), 4)
        assert shot.duration == pytest.approx(10.0)
        assert shot.times[0] == 0.0
        assert shot.curve is None
        assert shot.diagram is None
        assert math.isnan(shot.clearance)

    def test_hides_steps_to_the_side(self):
        track = line()
        track[:, 1] += 0.1 * (-1.0) ** np.arange(len(track))
        shot = fw.camera.follow(recording_of(track), 4)
        inner = shot.positions[150:-150]
        assert np.ptp(inner[:, 1]) < 0.05

    def test_turns_gently_where_he_turns_on_his_heel(self):
        shot = fw.camera.follow(recording_of(there_and_back()), 4, turn_rate=0.8)
        moments = fine(shot)
        step = np.diff(moments.times)
        rate = np.diff(headings(moments.directions)) / step
        assert np.abs(rate).max() <= 0.8 + 1e-9
        assert np.abs(np.diff(rate) / step[1:]).max() < 8.0  # no jump of the rate
        turned = headings(moments.directions)
        assert abs(turned[-1] - turned[0]) == pytest.approx(math.pi, abs=0.05)

    def test_is_smooth(self):
        shot = fw.camera.follow(recording_of(there_and_back()), 4)
        moments = fine(shot)
        step = np.diff(moments.times)[:, None]
        velocity = np.diff(moments.positions, axis=0) / step
        assert np.linalg.norm(np.diff(velocity, axis=0) / step[1:], axis=1).max() < 12.0
        assert np.linalg.norm(velocity, axis=1) == pytest.approx(moments.speeds[1:], abs=0.02)
        assert np.linalg.norm(moments.directions, axis=1) == pytest.approx(1.0)

    def test_stands_where_he_stands(self):
        shot = fw.camera.follow(recording_of(np.full((30, 2), 5.0)), 4)
        assert np.ptp(shot.positions, axis=0).max() == 0.0
        assert shot.directions[0] == pytest.approx(shot.directions[-1])

    def test_two_frames_are_enough(self):
        shot = fw.camera.follow(recording_of(line(2)), 4)
        assert np.isfinite(shot.table).all()


class TestAmongWalls:
    @pytest.mark.parametrize("name", ["bend", "cells", "hall"])
    def test_is_in_no_wall_and_near_him(self, name):
        cmap = map_of(name)
        crowd = fw.Crowd(cmap, seed=3)
        ids = crowd.add(6, radius=0.25)
        recording = crowd.run(seconds=25)
        for who in ids:
            shot = fw.camera.follow(recording, who, cmap=cmap)
            moments = fine(shot)
            assert cmap.clearance(moments.positions[:, :2]).min() >= shot.radius - 1e-6
            assert shot.clearance >= shot.radius > 0.24  # between frames he may cut a corner
            times, track = recording.trajectory(who)
            for k in range(0, len(shot.times), 30):
                walker = [np.interp(shot.times[k], times - times[0], track[:, c]) for c in (0, 1)]
                away = np.linalg.norm(shot.positions[k, :2] - walker)
                assert away < 4.0 + 0.8

    def test_comes_nearer_where_a_wall_is_behind(self):
        """The character starts 1 m from the wall."""
        cmap = map_of("corridor")
        track = np.column_stack([1.0 + 0.24 * np.arange(100), np.full(100, 2.0)])
        shot = fw.camera.follow(recording_of(track), 4, cmap=cmap)
        distance = 1.0 + 0.24 * 5 * shot.times - shot.positions[:, 0]
        assert distance[0] < 0.9
        assert distance[-1] == pytest.approx(4.0, abs=1e-3)
        assert shot.clearance >= 0.25

    @pytest.mark.parametrize("rate", [1, 5, 30, 240])
    @pytest.mark.parametrize("radius", [0.1, 0.24])
    def test_keeps_its_bounds_at_any_rate(self, rate, radius):
        """Frames only sample the motion, which does not depend on their rate."""
        cmap = map_of("bend")
        crowd = fw.Crowd(cmap, seed=3)
        who = crowd.add(2, radius=0.25)[0]
        recording = crowd.run(seconds=25)
        shot = fw.camera.follow(recording, who, cmap=cmap, radius=radius, rate=rate)
        usual = fw.camera.follow(recording, who, cmap=cmap, radius=radius)
        t = np.linspace(0, shot.duration, 20001)
        moments = shot.source.at(t)
        assert moments.positions.tobytes() == usual.source.at(t).positions.tobytes()
        clear = cmap.clearance(moments.positions[:, :2]).min()
        assert radius <= shot.clearance <= clear
        assert clear - shot.clearance < 2e-4
        assert np.abs(np.diff(headings(moments.directions))).max() / t[1] <= 0.8 + 1e-9
        assert len(shot.times) == pytest.approx(25 * rate, abs=2)

    def test_the_default_radius_is_at_most_the_clearance_of_the_character(self):
        cmap = map_of("corridor")
        track = np.column_stack([1.0 + 0.24 * np.arange(100), np.full(100, 0.15)])
        shot = fw.camera.follow(recording_of(track), 4, cmap=cmap)
        assert 0.149 < shot.radius <= shot.clearance <= 0.15 + 1e-9

    def test_a_radius_above_the_clearance_of_the_character_is_refused(self):
        cmap = map_of("corridor")
        track = np.column_stack([1.0 + 0.24 * np.arange(100), np.full(100, 0.5)])
        track[50, 1] = 0.4
        assert fw.camera.follow(recording_of(track), 4, cmap=cmap, radius=0.3).radius == 0.3
        with pytest.raises(fw.BadQuery, match=r"13\.0.*character 4 is 0\.4000 m from a wall"):
            fw.camera.follow(recording_of(track), 4, cmap=cmap, radius=1.0)

    def test_a_track_through_a_wall_is_refused(self):
        track = np.column_stack([np.full(30, 15.0), np.linspace(2, 18, 30)])
        with pytest.raises(fw.BadQuery, match="character 4 meets a wall at"):
            fw.camera.follow(recording_of(track), 4, cmap=map_of("hall"))


class TestBadInput:
    @pytest.mark.parametrize("name", ["distance", "height", "radius", "turn_rate", "smoothing"])
    @pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "far", None])
    def test_options_are_numbers(self, name, bad):
        if (name, bad) == ("radius", None):
            pytest.skip("None is the default radius")
        with pytest.raises(fw.BadQuery, match=name.replace("_", " ")):
            fw.camera.follow(recording_of(line(5)), 4, **{name: bad})

    @pytest.mark.parametrize("bad", [0, -30, math.nan])
    def test_a_rate_is_positive(self, bad):
        with pytest.raises(fw.BadQuery, match="rate"):
            fw.camera.follow(recording_of(line(5)), 4, rate=bad)

    def test_nobody_with_this_id(self):
        with pytest.raises(fw.BadQuery, match="id 99 is not in the recording"):
            fw.camera.follow(recording_of(line(5)), 99)

    def test_one_frame_only(self):
        with pytest.raises(fw.BadQuery, match="character 4 is in one frame only"):
            fw.camera.follow(recording_of(line(1)), 4)
