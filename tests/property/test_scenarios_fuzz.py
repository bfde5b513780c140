"""Whatever is in a scenario file, it is a scenario or one line that names the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import footway as fw
from footway.scenario import parse_scenario
from footway.scenario.models import TABLES, Scenario
from tests.effort import examples

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = [file.read_text() for file in sorted(EXAMPLES.glob("*.toml"))]
PIECES = [
    *("[", "]", "[[", "]]", "{", "}", "=", '"', "'''", '"""', "\n", "#", ".", ",", "\\", "\t"),
    *("nan", "-inf", "1e999", "0x7fffffffffffffffffff", "true", "1979-05-27", "-1", "''", "é"),
    *("[[population]]\n", "[area]\n", "speed = {}\n", "count = 0\n", "destinations = []\n"),
]


def survives(text: str) -> None:
    """Read a file; the test fails on anything but a BadInput of one line."""
    try:
        scenario = parse_scenario(text, name="a.toml")
    except fw.BadInput as error:
        assert str(error).startswith("a.toml: ")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert isinstance(scenario, Scenario)
    again = Scenario.model_validate(scenario.model_dump(exclude_unset=True))
    assert again.model_dump() == scenario.model_dump()


@st.composite
def mutated(draw: Any) -> str:
    """Cut, double and insert pieces of a valid file."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 12))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)))
        text = text[:at] + piece + text[at + cut :]
    return text


@examples(300)
@given(mutated())
@example("map = 'a'\n[[population]]\ncount = 0x" + "f" * 6000)
@example("map = 'a'\narea = {'' = 3}")
@example("map = 'a'\n[population.0]\ncount = 3")
def test_damaged_files(text):
    survives(text)


NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from([0, 1, 10**400, -0.0, 1e-320]),
)
VALUES = st.recursive(
    st.one_of(NUMBERS, st.booleans(), st.text(max_size=4), st.sampled_from(["hall", "exit"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("header", [header for header in TABLES if header])
@examples(120)
@given(data=st.data())
def test_any_value_for_any_key(header, data):
    """As if parsed: the values themselves, in the table where they belong."""
    from footway.scenario.problems import Origin
    from footway.scenario.reading import validated

    model = TABLES[header]
    keys = st.sampled_from(sorted(model.model_fields))
    table = data.draw(st.dictionaries(keys, VALUES, max_size=5))
    name = header.strip("[]").split(".")[0]
    values = {"map": "a", "population": [{"count": 1}]}
    values[name] = (
        [table] if header.startswith("[[") else {"NAME": table} if "." in header else table
    )
    try:
        validated(values, Origin("a.toml"))
    except fw.BadInput as error:
        assert str(error).startswith("a.toml: ")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017


COORDINATES = st.sampled_from([0.0, 0.4, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0, 6.5, 7.0, 7.5, 12.0])
POINTS = st.tuples(COORDINATES, COORDINATES).map(list)
SHAPES = st.one_of(
    st.sampled_from(["hall", "east", "hall", "east", "block"]),
    st.sampled_from([[0, 0, 3, 3], [0, 5, 10, 8], [7, 0, 9, 8], [3, 2, 7, 6]]),
    st.lists(POINTS, min_size=3, max_size=4),
)
SPREADS = st.one_of(
    st.sampled_from([0.1, 0.2, 0.3, 0.6, 2.0]),
    st.fixed_dictionaries({"mean": st.just(0.4), "deviation": st.sampled_from([0.0, 0.1, 0.19])}),
)
WALKERS = {
    "radius": SPREADS,
    "speed": SPREADS,
    "then": st.sampled_from(["repeat", "stay", "exit"]),
}
GOALS = WALKERS | {
    "destinations": st.lists(st.one_of(SHAPES, POINTS), max_size=3),
    "premovement": SPREADS,
    "within": st.sampled_from([0.1, 3.0]),
}
COUNTS = st.sampled_from([0, 1, 2, 12, 4000])
WANDERS = {
    "count": COUNTS,
    "behaviour": st.just("wander"),
    "preference": st.dictionaries(st.sampled_from(["hall", "east"]), st.sampled_from([0.0, 2.0])),
}
RHYTHMS = st.one_of(
    st.fixed_dictionaries({"rate": st.sampled_from([0.5, 100.0])}),
    st.fixed_dictionaries({"schedule": st.just([[0.0, 2], [0.2, 30]])}),
)
SCENARIOS = st.fixed_dictionaries(
    {},
    optional={
        "population": st.lists(
            st.one_of(
                st.fixed_dictionaries({"count": COUNTS}, optional=GOALS | {"area": SHAPES}),
                st.fixed_dictionaries(WANDERS, optional={"area": SHAPES, "speed": SPREADS}),
            ),
            max_size=2,
        ),
        "source": st.lists(
            st.builds(
                lambda a, b: {**a, **b},
                st.fixed_dictionaries({"area": SHAPES}, optional=GOALS),
                RHYTHMS,
            ),
            max_size=1,
        ),
        "group": st.lists(
            st.fixed_dictionaries(
                {"count": COUNTS, "start": st.one_of(POINTS, SHAPES)},
                optional=WALKERS
                | {
                    "goal": st.one_of(POINTS, SHAPES),
                    "width": st.sampled_from([0.3, 1.0, 9.0]),
                    "group_area": st.sampled_from([0.5, 10.0]),
                    "longitudinal": st.sampled_from([0.1, 4.0]),
                },
            ),
            max_size=1,
        ),
        "obstacle": st.lists(
            st.fixed_dictionaries(
                {"at": POINTS, "radius": st.sampled_from([0.01, 0.5, 50.0])},
                optional={"velocity": POINTS, "vanishes": st.sampled_from([0.1, 0.3])},
            ),
            max_size=2,
        ),
    },
)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A room of 10 x 8 m with a block in it, and a closet without a door."""
    file = tmp_path_factory.mktemp("maps") / "room.wkt"
    file.write_text(
        "MULTIPOLYGON (((0 0, 10 0, 10 8, 0 8, 0 0), (4 3, 6 3, 6 5, 4 5, 4 3)), "
        "((11 0, 12 0, 12 1, 11 1, 11 0)))"
    )
    return file


@examples(60)
@given(values=SCENARIOS)
def test_any_crowd_on_a_map_walks_or_is_refused_in_one_line(room, values):
    from footway.scenario.problems import Origin
    from footway.scenario.reading import validated

    areas = {"hall": [0, 0, 4, 8], "block": [4.5, 3.5, 5.5, 4.5], "east": [7, 1, 11.5, 7]}
    try:
        areas = areas if "block" in str(values) else {"hall": areas["hall"], "east": areas["east"]}
        scenario = validated({"map": str(room), "area": areas, **values}, Origin("a.toml"))
        crowd = scenario.prepare(threads=1).crowd
    except (fw.BadInput, fw.NoPath) as error:
        assert str(error).startswith("a.toml: ")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        return
    crowd.step(5)
    assert (crowd.map.clearance(crowd.positions) >= crowd.radii - 1e-6).all()
