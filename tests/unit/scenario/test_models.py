"""JSON Schema and documentation tables agree with the models."""

import json
import re
import runpy
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from footway.crowd.models import MODELS, Orca, SocialForce
from footway.errors import BadInput
from footway.scenario import json_schema, parse_scenario
from footway.scenario.models import TABLES, Scenario
from tests.unit.scenario.schema_check import problems

ROOT = Path(__file__).parents[3]
FILES = [
    *sorted((ROOT / "examples").glob("*.toml")),
    *sorted((ROOT / "src/footway/scenario/gallery").glob("*.toml")),
]
DOCUMENT = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_editors_find_nothing_wrong_in_our_files(file):
    schema = json_schema()
    assert problems(tomllib.loads(file.read_text()), schema, schema) == []


@pytest.mark.parametrize(
    "mistake",
    [
        "seconds = 3",
        "[[population]]\ncuont = 3",
        "[[population]]\ncount = -3",
        "[[population]]\ncount = 3\nspeed = 120",
        "[[population]]\ncount = 3\nspeed = '1.2'",
        "[[population]]\ncount = 3\nspeed = {mean = 1}",
        "[[population]]\ncount = 3\nbehaviour = 'walk'",
        "[[population]]\ncount = 3\nstarts = [[1, 2, 3]]",
        "[[source]]\nrate = 3",
        "[area]\nhall = [1, 2, 3]",
        "[population]\ncount = 3",
    ],
)
def test_editors_mark_mistakes(mistake):
    schema = json_schema()
    assert problems(tomllib.loads(f"map = 'a'\n{mistake}"), schema, schema)


def test_it_is_json_and_every_key_is_explained():
    schema = json_schema()
    json.dumps(schema, allow_nan=False)
    for model in TABLES.values():
        table = schema if model.__name__ == "Scenario" else schema["$defs"][model.__name__]
        assert table["additionalProperties"] is False
        for name, item in table["properties"].items():
            assert item["title"] == name
            assert item["description"].endswith("."), name
    assert "Unit: m/s." in schema["$defs"]["Population"]["properties"]["speed"]["description"]
    assert "null" not in json.dumps(schema)


def test_the_tables_of_the_documentation_are_those_of_the_models():
    script = runpy.run_path(str(ROOT / "docs" / "make_keys.py"))
    assert script["with_keys"](DOCUMENT) == DOCUMENT, "run python docs/make_keys.py"


def test_the_scenarios_of_the_documentation_are_valid():
    blocks = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
    whole = [block for block in blocks if block.startswith("map")]
    assert len(whole) == 3
    for block in whole:
        parse_scenario(block)
    guide = DOCUMENT.split("## From a map to people")[1].split("\n## ")[0]
    scenario = parse_scenario("".join(re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)))
    assert scenario.obstacle
    assert scenario.output.every == 5


def with_model(model):
    return f"map = 'gallery:field'\n{model}\n[[population]]\ncount = 3"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("", SocialForce()),
        ("model = 'orca'", Orca()),
        ("model = 'helbing_molnar'", MODELS["helbing_molnar"]),
        ("model = {name = 'orca', time_horizon = 3}", Orca(time_horizon=3.0)),
        ("[model]\nname = 'helbing_molnar'\nv0 = 3.5", replace(MODELS["helbing_molnar"], v0=3.5)),
    ],
)
def test_the_local_model(model, expected):
    scenario, schema = parse_scenario(with_model(model)), json_schema()
    assert scenario.model == expected
    assert scenario.prepare().crowd.model == expected
    assert problems(tomllib.loads(with_model(model)), schema, schema) == []
    assert Scenario(**scenario.model_dump()).model == expected


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("model = 'orka'", "line 2: model: there is no model 'orka'; did you mean 'orca'?"),
        ("model = 3", "line 2: model: is a number; give a name"),
        ("[model]\ntime_horizon = 3", "model.name: is missing"),
        ("[model]\nname = 3", "line 3: model.name: is a number"),
        ("[model]\nname = 'orca'\nhorizon = 3", "line 4: model.horizon: is not a parameter of"),
        ("[model]\nname = 'orca'\ntime_horizon = 0", "line 4: model.time_horizon: is 0 s; it must"),
        ("[model]\nname = 'orca'\ntime_horizon = '3 s'", "line 4: model.time_horizon: is the text"),
    ],
)
def test_mistakes_in_the_local_model(model, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        parse_scenario(with_model(model))
    schema = json_schema()
    assert problems(tomllib.loads(with_model(model)), schema, schema)
