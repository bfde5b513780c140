"""`footway studio`: see a map, a scenario or a recording in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from footway.cli.interrupts import hear
from footway.cli.maps import BetweenOption, ScaleOption  # noqa: TC001 - Typer reads them
from footway.cli.numbers import parse_number, parse_point
from footway.cli.output import Steps, announced_compilation, print_lines, say

if TYPE_CHECKING:
    from footway.studio.documents import Document
    from footway.studio.gate import Gate

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway studio\n\n"
    "  footway studio plan.geojson\n\n"
    "  footway studio demo:evacuation\n\n"
    "  footway studio run.parquet --map plan.geojson\n\n"
    "Only this machine can reach it, unless --host says otherwise; then a token is needed, which "
    "is part of the address that is printed. Ctrl-C ends it."
)

PORT: Final = 8000


def studio(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A map, a scenario (.toml), a recording (.parquet), gallery:NAME or demo:NAME.",
        ),
    ] = "gallery:office",
    *,
    map_name: Annotated[
        str | None,
        typer.Option("--map", metavar="MAP", help="Map of a recording.", show_default=False),
    ] = None,
    scale: ScaleOption = None,
    between: BetweenOption = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; others need a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=65535,
            help="Port; by default 8000 or the next free one.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")
    ] = True,
) -> None:
    """See a map, ask for paths, run a crowd and walk through it, in the browser."""
    from footway.studio.server import Studio, bind, serve

    heights = None if between is None else parse_point(between, "--between")
    metres = parse_number(scale, "--scale")
    document = _open(file, map_name, metres, heights)
    with bind(host, PORT if port is None else port, exact=port is not None) as listening:
        gate = _gate(host, listening.getsockname()[1])
        made = Studio(document, gate)
        address = _address(gate)
        print_lines([f"Footway studio shows {document.name} at {address}", "Ctrl-C ends it."])
        _flush()
        if browser:
            _show(address)
        serve(made, listening)
        hear()  # Ctrl-C is how a studio ends
    say("studio ended")


def _open(
    file: str, map_name: str | None, scale: float | None, between: tuple[float, float] | None
) -> Document:
    from footway.studio.documents import open_document

    steps = Steps()
    with announced_compilation(), steps.step("open", f"Opening {file}"):
        return open_document(file, map_name=map_name, scale=scale, between=between)


def _gate(host: str, port: int) -> Gate:
    """Who may come in: others than this machine need a token."""
    import secrets

    from footway.studio.gate import Gate, is_loopback

    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    return Gate(host, port, token)


def _address(gate: Gate) -> str:
    import socket

    name = gate.host
    if name in ("0.0.0.0", "::", ""):  # noqa: S104 - a browser needs a name
        name = socket.gethostname()
    name = f"[{name}]" if ":" in name else name
    query = "" if gate.token is None else f"?token={gate.token}"
    return f"http://{name}:{gate.port}/{query}"


def _flush() -> None:
    """Let whoever waits in a pipe read the address now."""
    import sys

    sys.stdout.flush()


def _show(address: str) -> None:
    """Open the browser, in a thread: some of them take their time."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
