"""Compare Footway with libraries from PyPI in one run; answers are checked before times.

    python -m benchmarks                     # everything, about half an hour
    python -m benchmarks --quick             # small, prints only
    python -m benchmarks --only queries      # one section; repeat for more

A module with `run(effort)` is a section of benchmarks/RESULTS.md: its docstring describes what is
measured and why that is fair, and is printed above its tables.
"""
