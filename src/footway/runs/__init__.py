"""Runs of scenarios, without a terminal: scenario -> crowd -> recording -> summary.

from footway.scenario import load_scenario
from footway.runs import run

summary = run(load_scenario("plaza.toml"), "plaza.parquet")
summary.arrivals, summary.evacuation_time, summary.to_dict()
"""

from __future__ import annotations

from footway.runs.run import prepare, run
from footway.runs.summary import Summary

__all__ = ["Summary", "prepare", "run"]
