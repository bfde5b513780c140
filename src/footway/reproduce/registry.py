"""List of the experiments."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from footway.reproduce.report import Report

    Step: TypeAlias = Callable[[str, str], AbstractContextManager[None]]
    """A step that takes long: its name and what is done, for whoever shows progress."""


class Experiment(NamedTuple):
    """An experiment; its module is imported when it is run."""

    name: str
    title: str
    module: str

    def run(self, folder: Path, *, quick: bool, step: Step) -> Report:
        """Run the experiment; pictures are written to the folder."""
        report: Report = import_module(self.module).run(folder, quick=quick, step=step)
        return report


EXPERIMENTS: Final = {
    entry.name: entry
    for entry in (
        Experiment(
            "cmm",
            "The Corridor Map Method (cmm-2007; cmm-crowds-2008, sections 2.2, 2.3 and 3)",
            "footway.reproduce.cmm",
        ),
        Experiment(
            "crowds",
            "Crowds and groups (cmm-crowds-2008, sections 5, 6; voronoi-roadmaps-2004, section 3)",
            "footway.reproduce.crowds",
        ),
        Experiment(
            "miran",
            "Routes and walks on terrain (miran-2013, table 1, figures 1, 7, 8)",
            "footway.reproduce.miran",
        ),
        Experiment(
            "roadmaps",
            "Roadmaps in two and three dimensions (rrm-roadmaps-2006, tables II, III, figures 3-6)",
            "footway.reproduce.roadmaps",
        ),
        Experiment(
            "voronoi",
            "Smooth roadmaps and cameras (voronoi-roadmaps-2004, figures 1, 3, 5, 7, 8, 9, 11)",
            "footway.reproduce.voronoi",
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
            raise BadInput(f"there is no table {name!r} to reproduce; there is: {known}")
    return [EXPERIMENTS[name] for name in dict.fromkeys(names or EXPERIMENTS)]
