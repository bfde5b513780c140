"""List of the papers whose experiments can be reproduced, and how to run them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from footway.errors import BadInput
from footway.reproduce.report import Report
from footway.reproduce.timing import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    Step: TypeAlias = Callable[[str, str], AbstractContextManager[None]]
    """Called with the name and the description of a step that takes long, to show progress."""

MAPS: Final = (
    "The papers' environments are not public: ours are made after their figures and numbers, with "
    "the same size and kind of obstacles."
)
"""Remark of most reports."""


class Experiment(NamedTuple):
    """The experiments of one paper, in the package `footway.reproduce.NAME`.

    The package is imported when it is run. It defines TITLE and REMARKS of the report, the sizes
    FULL and QUICK of a run, and STEPS: name, description and function of each experiment, which is
    called with (effort, folder) and returns a Section. `prepare(effort, step)` is optional.
    """

    name: str
    title: str

    def run(self, folder: Path, *, quick: bool, step: Step) -> Report:
        """Run all experiments of the paper; pictures are written to the folder."""
        package = import_module(f"footway.reproduce.{self.name}")
        effort = package.QUICK if quick else package.FULL
        if hasattr(package, "prepare"):
            package.prepare(effort, step)
        sections = []
        for name, description, run in package.STEPS:
            with step(name, description):
                sections.append(run(effort, folder))
        return Report(self.name, package.TITLE, machine(), sections, package.REMARKS)


EXPERIMENTS: Final = {
    name: Experiment(name, title)
    for name, title in (
        ("cmm", "The Corridor Map Method (cmm-2007; cmm-crowds-2008, sections 2 and 3)"),
        (
            "crowds",
            "Crowds and groups (cmm-crowds-2008, sections 5, 6; voronoi-roadmaps-2004, section 3)",
        ),
        ("miran", "Routes and walks on terrain (miran-2013, table 1, figures 1, 7, 8)"),
        (
            "roadmaps",
            "Roadmaps in two and three dimensions (rrm-roadmaps-2006, tables II, III, figures 3-6)",
        ),
        (
            "voronoi",
            "Smooth roadmaps and cameras (voronoi-roadmaps-2004, figures 1, 3, 5, 7, 8, 9, 11)",
        ),
    )
}


def choose(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments with these names, each once; all of them without names.

    Raises:
        BadInput: there is no experiment of this name.
    """
    for name in names:
        if name not in EXPERIMENTS:
            known = ", ".join(EXPERIMENTS)
            raise BadInput(f"there is no table {name!r} to reproduce; there are {known}")
    return [EXPERIMENTS[name] for name in dict.fromkeys(names or EXPERIMENTS)]
