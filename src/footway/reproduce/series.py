"""Run the experiments of one paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import ModuleType

    from footway.reproduce.registry import Step
    from footway.reproduce.report import Section

MAPS: Final = (
    "The papers' environments are not public: ours are made after their figures and numbers, with "
    "the same size and kind of obstacles."
)


def run_all(
    series: Iterable[tuple[str, str, ModuleType]], effort: Any, folder: Path, step: Step
) -> list[Section]:
    """Run experiments (name, description, module) in order; pictures go to the folder."""
    sections = []
    for name, doing, module in series:
        with step(name, doing):
            sections.append(module.run(effort, folder))
    return sections
