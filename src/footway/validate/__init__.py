"""Compare simulated crowds with experiments: fundamental diagram, bottleneck, two-way flow, corner.

The measured data are small tables in `data/`, derived from published trajectories.
"""

from __future__ import annotations

from footway.validate.experiments import EXPERIMENTS, Curve, Experiment, Point
from footway.validate.validation import Validation, validate

__all__ = ["EXPERIMENTS", "Curve", "Experiment", "Point", "Validation", "validate"]
