"""Reproduce the experiments of the papers, with published and measured numbers.

    footway reproduce                 # all of them
    footway reproduce cmm             # one
    footway reproduce --list

One package per paper, one module per experiment in it; `registry` lists the packages and runs them.
Published numbers are named constants of the module that measures them again.
"""

from __future__ import annotations

from footway.reproduce.registry import EXPERIMENTS, Experiment, choose

__all__ = ["EXPERIMENTS", "Experiment", "choose"]
