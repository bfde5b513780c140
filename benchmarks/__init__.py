"""Footway side by side with its peers from PyPI, in one run, answers checked before times.

    python -m benchmarks                     # everything, about half an hour
    python -m benchmarks --quick             # small, prints only
    python -m benchmarks --only queries      # one section; repeat for more

A module that has `run(effort)` is a section of benchmarks/RESULTS.md: its docstring says what is
measured and why that is fair, and stands above its tables.
"""
