"""Scenarios: maps, populations and run settings in a TOML file.

    scenario = load_scenario("plaza.toml")      # a validated, frozen value
    prepared = scenario.prepare()               # the map, and a Crowd that is ready to run
    recording = prepared.crowd.run(seconds=scenario.duration)

`json_schema()` is for editors; `docs/scenarios.md` documents every key.
"""

from __future__ import annotations

from footway.scenario.models import Scenario, json_schema
from footway.scenario.reading import load_scenario, parse_scenario

__all__ = ["Scenario", "json_schema", "load_scenario", "parse_scenario"]
