"""Scenarios: who walks where, in a TOML file.

    scenario = load_scenario("plaza.toml")      # checked; a frozen value
    staged = scenario.stage()                   # its map, and a Crowd that is ready to run
    recording = staged.crowd.run(seconds=scenario.duration)

`json_schema()` is for editors; `docs/scenarios.md` is for people.
"""

from __future__ import annotations

from footway.scenario.models import Scenario
from footway.scenario.reading import load_scenario, parse_scenario
from footway.scenario.schema import json_schema

__all__ = ["Scenario", "json_schema", "load_scenario", "parse_scenario"]
