"""Requests are validated before they are processed."""

import pytest

import footway as fw
from footway.studio.requests import parse, request_number
from footway.studio.session import WORKERS, worker_of

GOOD = [
    '{"n":0,"ask":"hello"}',
    '{"n":1,"ask":"open","name":"gallery:city:2x2"}',
    '{"n":2,"ask":"layer","name":"roadmap","method":"prm"}',
    '{"n":3,"ask":"path","start":[1,2],"goal":[3,4.5],"preferences":{"mud":4}}',
    '{"n":4,"ask":"crowd","do":"start","speed":4}',
    '{"n":5,"ask":"population","do":"add","count":10,"goal":[1,2]}',
    '{"n":6,"ask":"population","do":"remove","index":0}',
    '{"n":7,"ask":"obstacle","do":"move","id":1,"at":[1,2]}',
    '{"n":8,"ask":"walk","start":[0,0],"stops":[[1,1]]}',
    '{"n":9,"ask":"edit","do":"add","polygon":[[0,0],[1,0],[1,1]]}',
    '{"n":10,"ask":"replay","frame":3}',
    '{"n":11,"ask":"trails","first":0,"last":9}',
    '{"n":12,"ask":"character","id":3}',
    '{"n":13,"ask":"ground"}',
    '{"n":14,"ask":"population","do":"change","index":0,"radius":0.3,"count":12,"follow":"miran"}',
    '{"n":15,"ask":"crowd","do":"record"}',
]

BAD = {
    "": "not a request",
    "null": "not a request",
    "[]": "not a request",
    '{"n":1}': "ask",
    '{"n":1,"ask":"fly"}': "ask",
    '{"ask":"hello"}': "n",
    '{"n":-1,"ask":"hello"}': "n",
    '{"n":true,"ask":"hello"}': "n",
    '{"n":1.5,"ask":"hello"}': "n",
    '{"n":1,"ask":"hello","more":1}': "more",
    '{"n":1,"ask":"open","name":"/etc/passwd"}': "name",
    '{"n":1,"ask":"open","name":"gallery:../x"}': "name",
    '{"n":1,"ask":"path","start":[1,2,3],"goal":[3,4]}': "start",
    '{"n":1,"ask":"path","start":["1",2],"goal":[3,4]}': "start",
    '{"n":1,"ask":"path","start":[NaN,2],"goal":[3,4]}': "start",
    '{"n":1,"ask":"path","start":[1e999,2],"goal":[3,4]}': "start",
    '{"n":1,"ask":"path","start":[1,2],"goal":[3,4],"radius":0}': "radius",
    '{"n":1,"ask":"path","start":[1,2],"goal":[3,4],"radius":true}': "radius",
    '{"n":1,"ask":"crowd","do":"start","speed":1000}': "speed",
    '{"n":1,"ask":"population","do":"add","count":100001}': "count",
    '{"n":1,"ask":"population","do":"remove"}': "index",
    '{"n":1,"ask":"obstacle","do":"add"}': "at",
    '{"n":1,"ask":"obstacle","do":"remove"}': "id",
    '{"n":1,"ask":"edit","do":"add"}': "polygon",
    '{"n":1,"ask":"edit","do":"add","what":"terrain","polygon":[[0,0],[1,0],[1,1]]}': "kind",
    '{"n":1,"ask":"edit","do":"delete"}': "at",
    '{"n":1,"ask":"walk","start":[0,0],"stops":[]}': "stops",
    "[" * 100_000: "not a request",
}  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_valid_requests(text):
    request = parse(text)
    assert request_number(text) == request.n
    assert worker_of(request)


def test_every_request_has_a_worker():
    assert {parse(text).ask for text in GOOD} == set(WORKERS)


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
    [('{"n":7,"ask":3}', 7), ('{"n":"7"}', None), ("{", None), ("[7]", None), ('{"n":true}', None),
     ('{"n":-1}', None), ('{"n":99999999999999999999}', None)],
)  # fmt: skip
def test_the_number_of_an_invalid_request(text, n):
    assert request_number(text) == n
