"""Recordings of random walks, for tests."""

import numpy as np

from footway.recording.recording import Recorder

MEMORY = {"step": 0.1, "seed": 7, "map_name": "square", "names": ("left", "right")}


def walk_at_random(recorder, *, characters=12, frames=20, seed=3, every=2, size=10.0):
    """Record characters that appear late or leave early; the last frame is empty."""
    rng = np.random.default_rng(seed)
    ids = np.arange(characters)
    at = rng.uniform(1.0, size - 1.0, (characters, 2))
    recorder.add_characters(ids[:-1], rng.uniform(0.2, 0.3, characters - 1), ids[:-1] % 2)
    for k in range(frames):
        velocity = rng.normal(0.0, 1.0, (characters, 2))
        at = np.clip(at + 0.1 * every * velocity, 0.5, size - 0.5)
        if k == frames // 2:
            recorder.add_characters(ids[-1:], [0.5], [1])
        here = ids[int(k > frames // 2) : characters - int(k < frames // 2)]
        here = here[:0] if k == frames - 1 else here
        recorder.add_frame(k * every, k * every * 0.1, here, at[here], velocity[here])
    return recorder


def random_recording(**options):
    """Return a recording in memory."""
    return walk_at_random(Recorder(**MEMORY), **options).close()


def assert_same(a, b, *, frames=None):
    """Compare two recordings to the last bit; only the first frames where that is given."""
    frames = b.n_frames if frames is None else frames
    rows = int(b.offsets[frames])
    assert a.n_frames == frames
    assert (a.step, a.names, a.map_name, a.seed) == (b.step, b.names, b.map_name, b.seed)
    for name, last in (
        ("times", frames),
        ("steps", frames),
        ("offsets", frames + 1),
        ("ids", rows),
        ("positions", rows),
        ("velocities", rows),
    ):
        assert_bits(getattr(a, name), getattr(b, name)[:last])
    seen = np.isin(b.characters.ids, b.ids[:rows])
    for found, expected in zip(a.characters, b.characters, strict=True):
        assert_bits(found, expected[seen])


def assert_bits(a, b):
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes()
