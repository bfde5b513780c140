"""Reports as one HTML page without external files: text, tables, charts and pictures."""

from __future__ import annotations

import base64
import html
import io
import re
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

INK, MUTED, GRID, BAND = "#272c35", "#737c8a", "#e7e9ee", "#c9d6e6"
COLOURS: Final = ("#2f7fc9", "#e2402a", "#3c9a5f", "#c58a1c", "#7d5bbe", "#1f9aa6", "#b4478b", INK)

_ENLARGED: Final = 1.6

_STYLE: Final = """
:root { color-scheme: light dark; }
body { margin: 0; background: #fff; color: #272c35; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; margin: 0 0 4px; } h2 { font-size: 21px; margin: 44px 0 6px; }
p { max-width: 76ch; margin: 6px 0; } .muted { color: #5b6472; }
table { border-collapse: collapse; margin: 14px 0; font-size: 14px; }
th, td { padding: 5px 12px 5px 0; text-align: left; border-bottom: 1px solid #e7e9ee; }
th { font-weight: 600; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: #17713a; } .bad { color: #b4231a; } svg, img { max-width: 100%; height: auto; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 16px; }
.halves { display: grid; gap: 24px; }
.halves { grid-template-columns: repeat(auto-fill, minmax(min(480px, 100%), 1fr)); }
figure { margin: 0; } figcaption { font-size: 15px; color: #5b6472; } ul { font-size: 14px; }
pre { background: #f5f6f8; padding: 12px; overflow-x: auto; font-size: 13px; }
.wide { overflow-x: auto; } .wide svg { min-width: 760px; }
.halves { overflow-x: auto; } .halves svg { min-width: 440px; }
@media (prefers-color-scheme: dark) {
  :root { color-scheme: dark; } body { background: #15181d; color: #dfe3ea; }
  .muted, figcaption { color: #9aa4b2; } th, td { border-color: #2c323b; }
  pre { background: #1e232a; }
  .good { color: #62c58a; } .bad { color: #ff8b7e; } a { color: #7fb4f5; }
  svg, img { background: #fff; border-radius: 6px; }
}
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page of these parts of HTML."""
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table; numbers are aligned on the right, texts are escaped."""
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    lines = (f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{cells}</tr>{"".join(lines)}</table></div>'


def _cell(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
        text = "&ndash;" if text == "nan" else text
        return f'<td class="n">{text}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def as_svg(figure: Figure) -> str:
    """Return a chart as SVG to be put into a page; the same chart gives the same text."""
    settings: Any = {"svg.fonttype": "none", "font.family": "sans-serif", "svg.hashsalt": "footway"}
    with mpl.rc_context(settings):
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawing = text.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)


def as_image(figure: Figure, *, alt: str, dpi: float = 110.0) -> str:
    """Return a picture as an image of a page."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=dpi, metadata={"Software": None})
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{data}">'


def figure(drawing: Figure, caption: str) -> str:
    """Return a picture with its caption; its text is enlarged to be read at half of the width."""
    for text in drawing.findobj(Text):
        text.set_fontsize(_ENLARGED * float(text.get_fontsize()))
    words = html.escape(caption)
    image = as_image(drawing, alt=caption, dpi=160.0)
    return f"<figure>{image}<figcaption>{words}</figcaption></figure>"


def chart(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty chart of this size, inches."""
    drawn = Figure(figsize=(width, height), layout="constrained")
    return drawn, drawn.subplots()


def finish(ax: Axes, x: str, y: str) -> None:
    """Label the axes of a chart, and draw it in the style of the page."""
    ax.set_xlabel(x, fontsize=10, color=MUTED)
    ax.set_ylabel(y, fontsize=10, color=MUTED)
    ax.grid(color=GRID, lw=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=9, colors=MUTED)
