"""Requests are validated before they are processed."""

import pytest

import footway as fw
from footway.studio.protocol.requests import parse, request_number
from footway.studio.web.server import QUEUES, queue_of

GOOD = [
    '{"n":0,"type":"hello"}',
    '{"n":1,"type":"open","name":"gallery:city:2x2"}',
    '{"n":2,"type":"layer","name":"roadmap","method":"voronoi_prm"}',
    '{"n":3,"type":"path","start":[1,2],"goal":[3,4.5],"preferences":{"mud":4}}',
    '{"n":4,"type":"crowd","do":"start","speed":4}',
    '{"n":5,"type":"population","do":"add","count":10,"goal":[1,2]}',
    '{"n":6,"type":"population","do":"remove","index":0}',
    '{"n":7,"type":"obstacle","do":"move","id":1,"at":[1,2]}',
    '{"n":8,"type":"walk","start":[0,0],"stops":[[1,1]]}',
    '{"n":9,"type":"edit","do":"add","polygon":[[0,0],[1,0],[1,1]]}',
    '{"n":10,"type":"replay","frame":3}',
    '{"n":11,"type":"trails","first":0,"last":9}',
    '{"n":12,"type":"character","id":3}',
    '{"n":13,"type":"ground"}',
    '{"n":14,"type":"population","do":"change","index":0,"radius":0.3,"count":12,"follow":"miran"}',
    '{"n":15,"type":"crowd","do":"record"}',
    '{"n":16,"type":"cancel","of":2}',
    '{"n":17,"type":"item","at":[1,2]}',
    '{"n":17,"type":"roadmap","do":"add-node","method":"rrm","state":0,"at":[1,2]}',
    '{"n":18,"type":"edit","do":"move","at":[1,2],"to":[3,4]}',
    '{"n":19,"type":"open","name":"recent:plan@20260101-120000"}',
]

BAD = {
    "": "not a request",
    "null": "not a request",
    "[]": "not a request",
    '{"n":1}': "type",
    '{"n":1,"type":"fly"}': "type",
    '{"type":"hello"}': "n",
    '{"n":-1,"type":"hello"}': "n",
    '{"n":true,"type":"hello"}': "n",
    '{"n":1.5,"type":"hello"}': "n",
    '{"n":1,"type":"hello","more":1}': "more",
    '{"n":1,"type":"open","name":"/etc/passwd"}': "name",
    '{"n":1,"type":"open","name":"gallery:../x"}': "name",
    '{"n":1,"type":"path","start":[1,2,3],"goal":[3,4]}': "start",
    '{"n":1,"type":"path","start":["1",2],"goal":[3,4]}': "start",
    '{"n":1,"type":"path","start":[NaN,2],"goal":[3,4]}': "start",
    '{"n":1,"type":"path","start":[1e999,2],"goal":[3,4]}': "start",
    '{"n":1,"type":"path","start":[1,2],"goal":[3,4],"radius":0}': "radius",
    '{"n":1,"type":"path","start":[1,2],"goal":[3,4],"radius":true}': "radius",
    '{"n":1,"type":"crowd","do":"start","speed":1000}': "speed",
    '{"n":1,"type":"population","do":"add","count":100001}': "count",
    '{"n":1,"type":"population","do":"remove"}': "index",
    '{"n":1,"type":"obstacle","do":"add"}': "at",
    '{"n":1,"type":"obstacle","do":"remove"}': "id",
    '{"n":1,"type":"edit","do":"add"}': "polygon",
    '{"n":1,"type":"edit","do":"add","what":"terrain","polygon":[[0,0],[1,0],[1,1]]}': "kind",
    '{"n":1,"type":"edit","do":"delete"}': "at",
    '{"n":1,"type":"edit","do":"move","at":[1,2]}': "to",
    '{"n":1,"type":"edit","do":"add","polygon":[[0,0],[1,0]]}': "polygon",
    '{"n":1,"type":"open","name":"recent:../x"}': "name",
    '{"n":1,"type":"walk","start":[0,0],"stops":[]}': "stops",
    "[" * 100_000: "not a request",
}  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_valid_requests(text):
    request = parse(text)
    assert request_number(text) == request.n
    assert queue_of(request)


def test_every_request_has_a_queue():
    assert {parse(text).type for text in GOOD} == set(QUEUES)


@pytest.mark.parametrize(("text", "word"), BAD.items(), ids=[text[:60] for text in BAD])
def test_invalid_requests_are_refused_in_one_line(text, word):
    with pytest.raises(fw.BadInput) as caught:
        parse(text)
    line = str(caught.value)
    assert word in line
    assert "\n" not in line
    assert len(line) <= 300


@pytest.mark.parametrize(
    ("text", "n"),
    [('{"n":7,"type":3}', 7), ('{"n":"7"}', None), ("{", None), ("[7]", None), ('{"n":true}', None),
     ('{"n":-1}', None), ('{"n":99999999999999999999}', None)],
)  # fmt: skip
def test_the_number_of_an_invalid_request(text, n):
    assert request_number(text) == n
