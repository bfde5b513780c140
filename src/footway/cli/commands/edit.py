"""`footway edit`: change a saved roadmap by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli.progress import timed_steps
from footway.cli.reports import count, draw, place, print_json, print_lines
from footway.errors import BadInput
from footway.formats.registry import SAVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.roadmap import Roadmap

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    '  footway edit field.fwmap "add-node 30,8 to 3,7" "set-weight 3-7 2" -o edited.fwmap\n\n'
    '  footway edit field.fwmap "close disc 24,26 2" --edits field.edits -o edited.fwmap\n\n'
    "  footway edit field.fwmap undo --edits field.edits -o edited.fwmap --plot edited.png\n\n"
    "[bold]Edits[/bold]\n\n"
    "  add-node X,Y (to N,N)   move-node N to X,Y   remove-node N\n\n"
    "  add-edge N-N (weight W)   remove-edge N-N   set-weight N-N W\n\n"
    "  close disc X,Y R   close box X,Y X,Y   close polygon X,Y X,Y X,Y ...   open N\n\n"
    "  undo"
)

UNDO: Final = "undo"
_NEAREST: Final = 5  # nodes that --near prints
_MOST_BYTES: Final = 1 << 20  # of a file of edits


def edit(
    file: Annotated[str, opt.argument("FILE", "A roadmap that was saved (.fwmap).")],
    new: Annotated[list[str] | None, opt.argument("[EDIT]...", "Edits, in this order.")] = None,
    *,
    edits: Annotated[
        str | None,
        opt.option(
            "A file of edits, one per line: they come first, and new ones are added to it.",
            unit="FILE",
        ),
    ] = None,
    output: Annotated[
        str | None, opt.option("Save the edited roadmap.", "-o", "--output", unit="FILE")
    ] = None,
    near: Annotated[
        opt.Numbers | None,
        opt.option(
            "Print the numbers of the nodes near a point, and of their neighbours.",
            unit="X,Y[,Z]",
            parser=opt.position,
        ),
    ] = None,
    json: opt.JsonOption = False,
    plot: opt.PlotOption = None,
) -> None:
    """Edit a saved roadmap: nodes, edges, weights, and regions that paths avoid.

    Edits are checked: an edge through a wall is refused, with the position. With --edits the
    history is kept in a file beside the roadmap, which itself does not change: run the command
    again with more edits, or with undo, which removes the last line of the file. --near prints the
    numbers of nodes; an edge is given by its number or by its nodes, as 3-7.
    """
    from footway.roadmap import Editor, Roadmap

    opt.check_output(output, SAVED.suffixes, "a saved map")
    opt.check_plot(plot)
    if output == file:
        raise BadInput(f"{file}: -o would replace the roadmap that is edited; give another name")
    history = _read(edits)
    with timed_steps() as steps:
        with steps.step("load", f"Loading {file}"):
            editor = Editor(Roadmap.load(file))
        for each in new or []:
            if each.strip() != UNDO:
                history.append(each.strip())
            elif history:
                history.pop()
            else:
                raise BadInput("there is no edit to undo")
        done = [editor.apply(each) for each in history]
        if edits is not None:
            opt.check_writable(edits)
            Path(edits).write_text("".join(f"{each}\n" for each in history), encoding="utf-8")
        if output is not None:
            with steps.step("save", f"Writing {output}"):
                editor.roadmap.save(output)
        draw(lambda: pictures.draw_roadmap(editor.roadmap), plot, steps)
    made = editor.roadmap
    found = [] if near is None else _nodes_near(near, made)
    if json:
        print_json(
            {
                "map": file,
                "edits": [{"edit": a, "done": b} for a, b in zip(history, done, strict=True)],
                "nodes": made.n_nodes,
                "edges": made.n_edges,
                "components": made.in_effect.n_components,
                "near": [row._asdict() for row in found],
                "output": output,
                "plot": plot,
            }
        )
        return
    print_lines([f"{count(len(done), 'edit')} of {file}", *(f"  {each}" for each in done)])
    sizes = f"{made.n_nodes:,} nodes, {made.n_edges:,} edges"
    print_lines([f"  now {sizes}, {count(made.in_effect.n_components, 'component')}"])
    print_lines(
        f"  node {row.node} at {place(row.at)}, {row.away:.2f} m away, joined to "
        f"{', '.join(map(str, row.joined)) or 'none'}"
        for row in found
    )
    print_lines([f"  wrote {each}" for each in (edits, output, plot) if each is not None])


class _Near(NamedTuple):
    """A node near a point."""

    node: int
    at: list[float]  # m
    away: float  # m
    joined: list[int]


def _nodes_near(point: Sequence[float], roadmap: Roadmap) -> list[_Near]:
    import numpy as np

    if len(point) != roadmap.dimension:
        raise BadInput(f"--near needs {roadmap.dimension} numbers, as the roadmap has dimensions")
    away = np.linalg.norm(roadmap.nodes - np.array(point), axis=1)
    found = []
    for node in np.argsort(away, kind="stable")[:_NEAREST].tolist():
        own = roadmap.edges[(roadmap.edges == node).any(axis=1)]
        joined = sorted(set(own.ravel().tolist()) - {node})
        found.append(_Near(node, roadmap.nodes[node].tolist(), float(away[node]), joined))
    return found


def _read(file: str | None) -> list[str]:
    """Return the lines of a file of edits without comments; none if it does not exist yet."""
    if file is None or not Path(file).exists():
        return []
    try:
        if Path(file).stat().st_size > _MOST_BYTES:
            raise BadInput(f"{file}: is larger than a megabyte: not a file of edits")
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: cannot be read as a file of edits: {error}") from None
    return [line.partition("#")[0].strip() for line in lines if line.partition("#")[0].strip()]
