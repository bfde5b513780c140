"""Roadmaps are edited in the studio as by `footway edit`."""

import json

import numpy as np
import pytest

import footway as fw
from footway.studio.documents import open_built_in
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import unpacked
from footway.studio.session import Session

FIELDS = {"method": "rrm", "resolution": 1.0}
BOX = [(20, 18), (26, 18), (26, 22), (20, 22)]


@pytest.fixture
def session():
    events = []
    made = Session(open_built_in("gallery:field"), send_event=events.append)
    made.events = events
    yield made
    made.end()


def ask(session, kind, /, **facts):
    return unpacked(session.answer(parse(json.dumps({"n": 1, "type": kind, **FIELDS, **facts}))))


def send(session, kind, /, **facts):
    header, _ = unpacked(session.answer(parse(json.dumps({"n": 1, "type": kind, **facts}))))
    return header["ok"]


def edited(session, do, state, /, **facts):
    header, arrays = ask(session, "roadmap", do=do, state=state, **facts)
    assert "ok" in header, header
    return header["ok"], arrays


def test_nodes_edges_weights_and_closed_regions(session, tmp_path):
    header, _ = ask(session, "layer", name="roadmap")
    n, m = header["ok"]["nodes"], header["ok"]["edges"]
    facts, arrays = edited(session, "add-node", 0, at=(23.5, 20.0))
    assert (facts["nodes"], facts["state"], facts["undo"], facts["redo"]) == (n + 1, 1, True, False)
    np.testing.assert_allclose(arrays["vertices"][n], (23.5, 20.0))
    facts, arrays = edited(session, "move-node", 1, node=n, at=(23.0, 21.0))
    facts, arrays = edited(session, "add-node", 2, at=(23.0, 20.0), node=n)
    assert arrays["edges"][-1].tolist() in ([n, n + 1], [n + 1, n])
    facts, arrays = edited(session, "set-weight", 3, edge=m, weight=3.0)
    assert arrays["weights"][m] == 3.0
    # What is closed stays, so that all numbers stay valid.
    facts, arrays = edited(session, "close", 4, polygon=BOX)
    assert facts["closed"] == [[list(map(float, corner)) for corner in BOX]]
    assert (len(arrays["vertices"]), facts["edges"]) == (n + 2, m + 1)
    assert arrays["open"].tolist()[-1] == 0
    assert arrays["open"].any()
    kept = arrays["edges"].tolist()
    facts, arrays = edited(session, "remove-edge", 5, edge=0)
    assert arrays["edges"].tolist() == kept[1:]
    facts, _ = edited(session, "undo", 6)
    facts, _ = edited(session, "open", 5, at=(23.0, 20.0))
    assert facts["closed"] == []
    facts, _ = edited(session, "remove-node", 6, node=n + 1)
    assert facts["nodes"] == n + 1
    saved = session.save("roadmap")
    assert saved.name == "field-rrm.fwmap"
    (tmp_path / saved.name).write_bytes(saved.content)
    roadmap = fw.roadmap.Roadmap.load(tmp_path / saved.name)
    assert roadmap.n_nodes == n + 1
    # The layer is the edited roadmap now, also for other pages, which get an event.
    header, arrays = ask(session, "layer", name="roadmap")
    assert (header["ok"]["nodes"], header["ok"]["state"]) == (n + 1, 7)
    (kept,) = send(session, "open", name="gallery:office")["recent"]
    send(session, "open", name=kept["key"])
    assert ask(session, "layer", name="roadmap")[0]["ok"]["state"] == 7
    events = [unpacked(event)[0] for event in session.events]
    assert [one["facts"]["state"] for one in events if one["event"] == "roadmap"][-1] == 7


def test_edits_that_are_refused(session):
    assert "turn its layer on" in ask(session, "roadmap", do="undo", state=0)[0]["error"]
    ask(session, "layer", name="roadmap")
    assert "nothing to undo" in ask(session, "roadmap", do="undo", state=0)[0]["error"]
    assert "edited meanwhile" in ask(session, "roadmap", do="undo", state=3)[0]["error"]
    wall = ask(session, "roadmap", do="add-node", state=0, at=(36.7, 26.2))[0]["error"]
    assert "inside an obstacle" in wall
    assert (
        "no edge 9999" in ask(session, "roadmap", do="remove-edge", state=0, edge=9999)[0]["error"]
    )
    assert "no closed region" in ask(session, "roadmap", do="open", state=0, at=(1, 1))[0]["error"]
    with pytest.raises(fw.BadInput, match="move-node needs node"):
        ask(session, "roadmap", do="move-node", state=0, at=(1, 1))


def test_nothing_to_save(session):
    with pytest.raises(fw.BadInput, match="no roadmap is shown"):
        session.save("roadmap")
