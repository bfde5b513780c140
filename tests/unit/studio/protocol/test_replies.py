"""The types of the page are those of the server."""

import runpy
from pathlib import Path
from typing import get_args

import pytest

from footway.studio.protocol import requests
from footway.studio.protocol.replies import EVENTS, REPLIES

WEB = Path(__file__).parents[4] / "web"


def test_the_types_of_the_page_are_up_to_date():
    made = runpy.run_path(str(WEB / "make_protocol.py"))
    assert made["FILE"].read_text() == made["source"](), "run python web/make_protocol.py"


def test_every_request_has_a_reply():
    kinds = [get_args(model.model_fields["type"].annotation)[0] for model in requests.ALL]
    assert list(REPLIES) == kinds


@pytest.mark.parametrize(
    "model", [*sum(REPLIES.values(), ()), *EVENTS.values()], ids=lambda model: model.__name__
)
def test_arrays_of_positions_declare_their_coordinates(model):
    """Names that usually hold positions; an array without the declaration cannot be sent."""
    for name, array in model.arrays.items():
        if name.endswith(("points", "vertices", "discs", "at", "path", "route", "left", "right")):
            assert array.places[:2] == (0, 1), name
