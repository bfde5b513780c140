"""Reproduce the experiments of the papers, with published and measured numbers.

    footway reproduce                 # all of them
    footway reproduce cmm             # one
    footway reproduce --list

An experiment is a module with `run(folder, *, quick, step) -> Report`; `registry` lists them by
name and imports a module when it is run. Published numbers are named constants of the module that
measures them again.
"""

from __future__ import annotations

from footway.reproduce.registry import EXPERIMENTS, Experiment, choose

__all__ = ["EXPERIMENTS", "Experiment", "choose"]
