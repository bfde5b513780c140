# ruff: noqa: INP001 - a script, not a package
"""Write the tables of docs/validation.md again, from the results of a run.

footway validate --json > validation.json
python docs/make_validation.py validation.json
"""

from __future__ import annotations

import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

DOCUMENT: Final = Path(__file__).resolve().parent / "validation.md"
BEGIN: Final = "<!-- results: written by docs/make_validation.py -->\n"
END: Final = "<!-- end of results -->\n"


def with_results(document: str, found: dict[str, Any]) -> str:
    """Return the document with its tables made from the results."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    parts = [_when(found), _distances(found), _points(found)]
    return f"{before}{BEGIN}\n" + "\n\n".join(parts) + f"\n\n{END}{after}"


def _when(found: dict[str, Any]) -> str:
    size = "a quick run" if found["quick"] else "three seeds"
    return f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {size}."


def _distances(found: dict[str, Any]) -> str:
    """Return distance and points in the spread by model, and the effect of the time step."""
    measured = [one for one in found["experiments"] if one["references"]]
    lines = [
        "| model | dt, s | " + " | ".join(one["name"] for one in measured) + " |",
        "|---|---|" + "---|" * len(measured),
    ]
    for k, curve in enumerate(measured[0]["curves"]):
        cells = [_score(one["curves"][k]) for one in measured]
        lines.append(f"| {curve['model']} | {curve['dt']:g} | " + " | ".join(cells) + " |")
    lines += ["", "Mean difference between the time steps:", ""]
    names = [one["name"] for one in found["experiments"]]
    lines += ["| model | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for model in found["experiments"][0]["step_difference"]:
        values = [one["step_difference"][model] for one in found["experiments"]]
        cells = ["-" if value is None else f"{100 * value:.1f} %" for value in values]
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _score(curve: dict[str, Any]) -> str:
    if curve["distance"] is None:
        return "failed" if curve["failures"] else "-"
    return f"{100 * curve['distance']:.0f} %, {curve['inside']} of {curve['measured']}"


def _points(found: dict[str, Any]) -> str:
    """Return all points of the first model, Footway's default."""
    model = found["experiments"][0]["curves"][0]["model"]
    lines = [
        f"All points of the default model, `{model}`:",
        "",
        "| scene | dt, s | x | result | measured, with spread | inside |",
        "|---|---|---|---|---|---|",
    ]
    for experiment in found["experiments"]:
        for curve in experiment["curves"]:
            if curve["model"] == model:
                lines += [_row(curve, point) for point in curve["points"]]
    return "\n".join(lines)


def _row(curve: dict[str, Any], point: dict[str, Any]) -> str:
    known = point["reference"]
    spread = "-" if known is None else f"{known[1]:.2f} ({known[0]:.2f} to {known[2]:.2f})"
    verdict = {True: "yes", False: "**no**", None: "-"}[point["inside"]]
    result = f"{point['y']:.2f} ± {point['deviation']:.2f}"
    cells = (point["scene"], f"{curve['dt']:g}", f"{point['x']:.2f}", result, spread, verdict)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    results = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    DOCUMENT.write_text(with_results(DOCUMENT.read_text(encoding="utf-8"), results), "utf-8")
