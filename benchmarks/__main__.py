"""Run the benchmarks, print their tables, and write them to RESULTS.md and results/."""

from __future__ import annotations

import argparse
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import (
    alternatives,
    blends,
    build,
    commands,
    crowd_terrain,
    crowds,
    follow,
    grids,
    levels,
    points,
    queries,
    scaling,
    studies,
    studio,
    terrain,
)
from benchmarks.checks import WrongAnswer
from benchmarks.effort import FULL, QUICK
from benchmarks.machine import facts, revision
from benchmarks.report import Section, section_markdown
from benchmarks.results import write

if TYPE_CHECKING:
    from types import ModuleType

    from benchmarks.effort import Effort

# Commands first: other sections leave the caches of the machine cold for them.
SECTIONS = {
    "commands": commands, "build": build, "scaling": scaling, "queries": queries,
    "alternatives": alternatives, "grids": grids, "blends": blends, "levels": levels,
    "follow": follow, "terrain": terrain, "crowds": crowds, "crowd-terrain": crowd_terrain,
    "points": points, "studies": studies, "studio": studio,
}  # fmt: skip


def main() -> int:
    """Run the sections; return 0, or 1 if one gave a wrong answer."""
    options = _options()
    effort = QUICK if options.quick else FULL
    machine = facts()
    sections = []
    for name in [name for name in SECTIONS if name in (options.only or SECTIONS)]:
        print(f"benchmark {name} ...", file=sys.stderr, flush=True)
        sections.append(_measure(name, SECTIONS[name], effort))
        print(section_markdown(sections[-1]), flush=True)
    folder = options.output or (None if options.quick else Path(__file__).parent)
    if folder is None:
        print("Nothing written: --quick writes only with --output.", file=sys.stderr)
    else:
        write(folder, machine, sections, order=list(SECTIONS), mark="-quick" * options.quick)
    return int(any(section.wrong for section in sections))


def _measure(name: str, module: ModuleType, effort: Effort) -> Section:
    story, commit = inspect.cleandoc(module.__doc__ or ""), revision()
    try:
        return Section(name, story, revision=commit, outcome=module.run(effort))
    except WrongAnswer as error:
        return Section(name, story, revision=commit, wrong=str(error))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small and noisy, to see that it runs")
    parser.add_argument(
        "--only", action="append", choices=list(SECTIONS), help="this section; repeat for more"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="where to write; the benchmarks folder if absent"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
