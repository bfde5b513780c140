# ruff: noqa: INP001 - a script, not a package
"""Write the tables of local models into docs/crowds.md again: `python docs/make_models.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from footway.crowd.models import MODELS

DOCUMENT: Final = Path(__file__).resolve().parent / "crowds.md"
BEGIN: Final = "<!-- models: written by docs/make_models.py -->\n"
END: Final = "<!-- end of models -->\n"


def with_models(document: str) -> str:
    """Return the document with its tables made from the registry."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{ideas()}\n\n{parameters()}\n\n{END}{after}"


def ideas() -> str:
    """Return the models with idea, use and source as a Markdown table."""
    lines = ["| model | idea | when to use it | source |", "|---|---|---|---|"]
    for name, model in MODELS.items():
        if model.name == name:
            lines.append(f"| `{name}` | {model.idea} | {model.use} | {model.source} |")
        else:
            usual = MODELS[model.name].to_dict()
            changed = ", ".join(
                f"{key} = {value:g}"
                for key, value in model.to_dict().items()
                if value != usual[key]
            )
            lines.append(
                f"| `{name}` | `{model.name}` with {changed}. | Compare with the paper. | |"
            )
    return "\n".join(lines)


def parameters() -> str:
    """Return the parameters of all models as a Markdown table."""
    lines = ["| model | parameter | unit | default | limits | meaning | source |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, model in MODELS.items():
        if model.name != name:
            continue
        for key, declared in model.declarations().items():
            low = f"more than {declared.above:g}" if declared.above > declared.low else declared.low
            limits = (
                f"{low} to {declared.high:g}"
                if isinstance(low, str)
                else (f"{low:g} to {declared.high:g}")
            )
            lines.append(
                f"| `{name}` | `{key}` | {declared.unit} | {declared.default:g} | {limits} "
                f"| {declared.help} | {declared.source} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    DOCUMENT.write_text(with_models(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
