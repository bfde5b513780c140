"""Shared by all exports: the check that a map belongs to the recording."""

import numpy as np
import pytest

import footway as fw
from footway.recording.recording import Recorder
from footway.recording.trajectories import check_clear, check_inside
from tests.unit.recording.recordings import MEMORY

ROOM = fw.Environment.from_polygons(bounds=(0, 0, 10, 10))


def recorded(frames, *, out):
    """Two characters, of which number 7 is outside of the room in one frame; -1: in none."""
    recorder = Recorder(**MEMORY)
    recorder.add_characters([3, 7], 0.25, 0)
    for k in range(frames):
        at = [(5.0, 5.0), (12.5, 4.0) if k == out % frames and out >= 0 else (4.0, 4.0)]
        recorder.add_frame(k, 0.1 * k, [3, 7], at, np.zeros((2, 2)))
    return recorder.close()


@pytest.mark.parametrize("frames", [1, 2, 25, 40])
def test_the_first_and_the_last_frame_are_checked(frames):
    cmap = fw.CorridorMap.build(ROOM)
    for check, ground in ((check_inside, ROOM), (check_clear, cmap)):
        check(recorded(frames, out=-1), ground, "room")
        for out in (0, frames - 1):
            words = rf"room: is not .* after {0.1 * out:g} s character 7 is at \(12.50, 4.00\)"
            with pytest.raises(fw.BadInput, match=words):
                check(recorded(frames, out=out), ground, "room")


def test_frames_in_between_are_checked():
    """All of 25 frames are checked, and some of more."""
    found = []
    for out in range(25):
        with pytest.raises(fw.BadInput):
            check_inside(recorded(25, out=out), ROOM, "room")
    for out in range(100):
        try:
            check_inside(recorded(100, out=out), ROOM, "room")
        except fw.BadInput:
            found.append(out)
    assert len(found) == 25
    assert np.diff(found).max() <= 5
