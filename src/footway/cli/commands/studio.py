"""`footway studio`: show a map, a scenario or a recording in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from footway.cli.interrupts import acknowledge
from footway.cli.options import BetweenOption, ScaleOption, UpOption, option
from footway.cli.progress import say_compiling, timed_steps
from footway.cli.reports import print_lines, say

if TYPE_CHECKING:
    from footway.studio.documents import Document
    from footway.studio.files.loading import Loader, Order

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway studio\n\n"
    "  footway studio plan.geojson\n\n"
    "  footway studio demo:evacuation\n\n"
    "  footway studio run.parquet --map plan.geojson\n\n"
    "Only this machine can connect by default. With another --host, a token is required; it is "
    "part of the printed address. Ctrl-C stops the studio."
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
    map_name: Annotated[str | None, option("Map of a recording.", "--map", unit="MAP")] = None,
    scale: ScaleOption = None,
    between: BetweenOption = None,
    up: UpOption = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; other machines need a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        option("Port; by default 8000 or the next free one.", unit="N", min=0, max=65535),
    ] = None,
    load_seconds: Annotated[
        float, typer.Option(metavar="N", min=1.0, help="Longest time for loading a file, seconds.")
    ] = 60.0,
    load_megabytes: Annotated[
        float,
        typer.Option(metavar="N", min=100.0, help="Most memory for loading a file, on Linux."),
    ] = 4000.0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Show a map in the browser, query paths, run a crowd and walk through it."""
    from footway.studio.files.loading import Limits, Loader, Order

    order = Order(file, map_name=map_name, scale=scale, between=between, up=up)  # type: ignore[arg-type]
    loader = Loader(Limits(load_seconds, load_megabytes))
    try:
        _serve(_open(order, loader), loader, host, port, browser=browser)
    finally:
        loader.close()
    say("studio ended")


def _serve(
    document: Document, loader: Loader, host: str, port: int | None, *, browser: bool
) -> None:
    import secrets
    import socket
    import sys
    import threading
    import webbrowser

    from footway.studio.files.recent import autosave_folder
    from footway.studio.web.access import Access, is_loopback
    from footway.studio.web.server import Studio, bind, serve

    with bind(host, PORT if port is None else port, exact=port is not None) as listening:
        token = None if is_loopback(host) else secrets.token_urlsafe(24)
        access = Access(host, listening.getsockname()[1], token)
        made = Studio(document, access, loader, autosave=autosave_folder())
        name = access.host
        if name in ("0.0.0.0", "::", ""):  # noqa: S104 - a browser needs a name
            name = socket.gethostname()
        name = f"[{name}]" if ":" in name else name
        query = "" if access.token is None else f"?token={access.token}"
        address = f"http://{name}:{access.port}/{query}"
        print_lines([f"Footway studio shows {document.name} at {address}", "Ctrl-C ends it."])
        sys.stdout.flush()  # a program that reads from a pipe gets the address now
        if browser:  # in a thread, because some browsers block
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        serve(made, listening)
        acknowledge()  # Ctrl-C is the normal end


def _open(order: Order, loader: Loader) -> Document:
    """Open a built-in document in this process, and a file in a separate process."""
    from footway.studio.documents import open_document

    said = False

    def compiling() -> None:
        nonlocal said
        if not said:
            said = True
            say_compiling()

    with timed_steps() as steps, steps.step("open", f"Opening {order.file}"):
        if not order.is_built_in:
            return loader.load(order, compiling=compiling)
        return open_document(
            order.file,
            map_name=order.map_name,
            scale=order.scale,
            between=order.between,
            up=order.up,
        )
