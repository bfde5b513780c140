"""What was open before is kept: documents with their crowd, and edited maps on disk."""

import json
import time
from pathlib import Path

import pytest

import footway as fw
from footway.studio.documents import open_built_in
from footway.studio.files import recent
from footway.studio.files.recent import RecentDocuments, autosave_folder
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import unpacked
from footway.studio.session import Session
from tests.unit.studio.serving import wait_until

BOX = [(20, 20), (24, 20), (24, 24), (20, 24)]


def send(session, kind, /, **facts):
    header, _ = unpacked(session.answer(parse(json.dumps({"n": 1, "type": kind, **facts}))))
    assert "ok" in header, header
    return header["ok"]


@pytest.fixture
def session(tmp_path):
    def load(file):
        return open_built_in("gallery:field") if file.exists() else None

    made = Session(
        open_built_in("gallery:field"), recent=RecentDocuments(tmp_path / "saved"), load=load
    )
    yield made
    made.end()


def test_another_map_keeps_edits_undo_and_crowd_of_the_one_before(session):
    send(session, "population", do="add", count=40)
    send(session, "crowd", do="step")
    holes = send(session, "edit", do="add", polygon=BOX)["holes"]
    opened = send(session, "open", name="gallery:office")
    (kept,) = opened["recent"]
    assert (kept["name"], kept["about"]) == ("gallery:field", "1 edit, 40 people")
    assert send(session, "hello")["crowd"]["characters"] == 0
    back = send(session, "open", name=kept["key"])
    assert (back["holes"], back["undo"], back["recent"]) == (holes, 1, [])
    status = send(session, "hello")["crowd"]
    assert (status["characters"], status["time"], status["running"]) == (40, 0.1, False)
    assert send(session, "edit", do="undo")["holes"] == holes - 1
    assert send(session, "crowd", do="reset")["characters"] == 40


def test_an_untouched_built_in_map_is_not_kept(session):
    assert send(session, "open", name="gallery:office")["recent"] == []


def test_a_crowd_that_clients_changed_is_kept(session):
    """Also one without people that they added; the crowd of a scenario is not, as it was opened."""
    assert send(session, "open", name="demo:evacuation")["recent"] == []
    assert not send(session, "crowd", do="status")["touched"]
    opened = send(session, "open", name="gallery:field")
    assert opened["recent"] == []
    send(session, "obstacle", do="add", at=(23.0, 20.0))
    assert send(session, "crowd", do="status")["touched"]
    (kept,) = send(session, "open", name="gallery:office")["recent"]
    assert kept["about"] == "1 obstacle"
    assert not send(session, "crowd", do="status")["touched"]
    send(session, "open", name=kept["key"])
    assert send(session, "crowd", do="status")["touched"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("crowd", {"do": "step"}),
        ("crowd", {"do": "model", "model": "orca"}),
        ("population", {"do": "add", "count": 3}),
        ("population", {"do": "change", "index": 0, "speed": 1.0}),
        ("obstacle", {"do": "add", "at": (5.0, 5.0)}),
    ],
)
def test_what_touches_a_crowd(session, kind, fields):
    send(session, "open", name="demo:corridor")
    assert not send(session, "crowd", do="status")["touched"]
    send(session, kind, **fields)
    assert send(session, "crowd", do="status")["touched"]
    assert send(session, "open", name="gallery:field")["recent"]


def test_few_documents_are_kept(session):
    for k in range(recent._MAX_KEPT + 2):
        send(session, "population", do="add", count=k + 1)
        opened = send(session, "open", name="gallery:field")
    assert [one["about"] for one in opened["recent"]][:2] == ["7 people", "6 people"]
    assert len(opened["recent"]) == recent._MAX_KEPT


def test_an_edited_map_is_written_and_found_by_the_next_server(session, tmp_path):
    send(session, "edit", do="add", polygon=BOX)
    send(session, "edit", do="add", what="area", name="door", polygon=BOX)
    files = lambda: list((tmp_path / "saved").glob("*.geojson"))  # noqa: E731
    wait_until(lambda: files() and fw.load(files()[0]).areas[-1:] and True)
    wait_until(lambda: fw.load(files()[0]).areas[-1].name == "door")
    assert fw.load(files()[0]).holes == session.document.environment.holes
    next_one = Session(
        open_built_in("gallery:office"),
        recent=RecentDocuments(tmp_path / "saved"),
        load=lambda _: open_built_in("gallery:field"),
    )
    (found,) = send(next_one, "hello")["document"]["recent"]
    assert found["name"] == "field.geojson"
    assert found["about"].startswith("saved ")
    opened = send(next_one, "open", name=found["key"])
    assert (opened["name"], opened["recent"]) == ("gallery:field", [])
    send(next_one, "edit", do="add", what="area", name="gate", polygon=BOX)  # into the same file
    wait_until(lambda: fw.load(files()[0]).areas[-1].name == "gate")
    assert len(files()) == 1
    send(next_one, "open", name="gallery:office")
    assert len(send(next_one, "hello")["document"]["recent"]) == 1
    next_one.end()
    # The map that is open is not listed beside itself.
    assert send(session, "hello")["document"]["recent"] == []


def test_old_files_are_removed_and_others_left_alone(tmp_path, monkeypatch):
    for k in range(15):
        (tmp_path / f"plan@20200101-0000{k:02d}.geojson").write_text("{}")
    (tmp_path / "mine@home.geojson").write_text("{}")
    documents = RecentDocuments(tmp_path)
    document = open_built_in("gallery:field")
    documents.save(document, documents.new_file(document))
    wait_until(lambda: len(list(tmp_path.glob("*.geojson"))) == recent._MAX_FILES + 1)
    assert (tmp_path / "mine@home.geojson").exists()
    assert not (tmp_path / "plan@20200101-000000.geojson").exists()


def test_a_full_disk_stops_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    documents = RecentDocuments(tmp_path / "file" / "below")
    document = open_built_in("gallery:field")
    documents.save(document, documents.new_file(document))
    time.sleep(0.05)
    assert documents.facts() == []
    with pytest.raises(fw.BadInput, match="no longer kept"):
        documents.take("recent:7")


def test_the_folder(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert autosave_folder() == Path("/state/footway/studio")
