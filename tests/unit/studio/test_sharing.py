"""A recording inside a page can be decoded."""

import base64
import gzip
import re

import numpy as np
import pytest

import footway as fw
from footway.errors import BadFile
from footway.recording.recording import Recorder
from footway.studio import sharing
from footway.studio.documents import Document
from footway.studio.wire import unpacked

DATA = re.compile(r'<script id="footway-recording" type="application/octet-stream">([^<]+)<')


@pytest.fixture(scope="module")
def cmap():
    return fw.CorridorMap.build(fw.load("gallery:field"))


@pytest.fixture(scope="module")
def recording(cmap):
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(40, radius=(0.25, 0.03), speed=(1.3, 0.2))
    return crowd.run(seconds=20, every=5)


def placed(header, arrays):
    """Positions by frame and id, decoded as in the page."""
    found, at = {}, 0
    for row, first, count in arrays["runs"].tolist():
        steps = arrays["steps"][at : at + count].astype(np.int64)
        places = np.cumsum(steps, axis=0) % 65_536 * header["scale"] + header["origin"]
        for k, place in enumerate(places):
            found[first + k, int(arrays["people_id"][row])] = place
        at += count
    return found


def assert_same(recording, header, arrays):
    found = placed(header, arrays)
    assert len(found) == recording.offsets[-1]
    for k in range(recording.n_frames):
        frame = recording.frame(k)
        for number, place in zip(frame.ids.tolist(), frame.positions, strict=True):
            assert np.abs(found[k, number] - place).max() <= 0.51 * header["scale"]


class TestEnvelope:
    def test_places_come_back(self, recording, cmap):
        document = Document("field", "recording", None, cmap, recording=recording)
        header, arrays = unpacked(sharing.envelope(document))
        assert_same(recording, header, arrays)
        assert np.allclose(arrays["times"], recording.times)
        assert np.allclose(arrays["people_radius"] / 1000, recording.characters.radius, atol=6e-4)

    def test_someone_who_leaves_and_comes_back(self, cmap):
        recorder = Recorder(step=0.1, seed=0, map_name="", names=["all"])
        recorder.add_characters([0, 1], [0.2, 0.3], [0, 0])
        for k, there in enumerate([[0, 1], [1], [0, 1], [0]]):
            at = np.array([[2.0 + k, 30.0 - i] for i in there])
            recorder.add_frame(k, 0.1 * k, there, at, np.zeros_like(at))
        recording = recorder.close()
        document = Document("field", "recording", None, cmap, recording=recording)
        header, arrays = unpacked(sharing.envelope(document))
        assert_same(recording, header, arrays)
        assert arrays["runs"].tolist() == [[0, 0, 1], [0, 2, 2], [1, 0, 3]]


class TestPage:
    @pytest.fixture
    def built(self, tmp_path, monkeypatch):
        """A minimal player; the real one is tested in a browser."""
        (tmp_path / "player.html").write_text(f"<html><body>{sharing.PLACEHOLDER}</body></html>")
        monkeypatch.setattr(sharing, "STATIC", tmp_path)

    @pytest.mark.usefixtures("built")
    def test_holds_the_recording(self, recording, cmap, tmp_path):
        file = tmp_path / "run.html"
        sharing.write_page(recording, file, cmap=cmap)
        data = base64.b64decode(DATA.search(file.read_text()).group(1))
        assert_same(recording, *unpacked(gzip.decompress(data)))

    @pytest.mark.usefixtures("built")
    def test_is_the_same_every_time(self, recording, cmap, tmp_path):
        for name in ("a.html", "b.html"):
            sharing.write_page(recording, tmp_path / name, cmap=cmap)
        assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()

    @pytest.mark.usefixtures("built")
    def test_where_it_cannot_be_written(self, recording, cmap, tmp_path):
        with pytest.raises(BadFile, match="cannot be written"):
            sharing.write_page(recording, tmp_path / "no" / "run.html", cmap=cmap)

    def test_without_a_player(self, recording, cmap, tmp_path, monkeypatch):
        monkeypatch.setattr(sharing, "STATIC", tmp_path)
        with pytest.raises(BadFile, match="not been built"):
            sharing.write_page(recording, tmp_path / "run.html", cmap=cmap)
