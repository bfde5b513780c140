"""The command tree and the main help text."""

from __future__ import annotations

from typing import Annotated

import typer

from footway import __version__
from footway.cli import (
    build,
    camera,
    check,
    demo,
    diff,
    export,
    gallery,
    path,
    replay_hash,
    reproduce,
    route,
    simulate,
    studio,
    warmup,
)
from footway.cli.output import print_lines

app = typer.Typer(
    name="footway",
    help="From a map to natural motion: exact corridor maps and certified paths.",
    epilog=(
        "[bold]Examples[/bold]\n\n"
        "  footway demo\n\n"
        "  footway build plan.geojson -o plan.fwmap --plot plan.png\n\n"
        "  footway path plan.fwmap --start 2,3 --goal 40,12 --radius 0.25\n\n"
        "  footway check plan.geojson\n\n"
        '  footway camera plan.geojson --stops "2,3; 9,4; 20,12" -o tour.glb\n\n'
        "  footway simulate demo:evacuation --plot evacuation.png\n\n"
        "  footway studio plan.geojson\n\n"
        "Exit codes: 0 done, 2 bad input, 3 no path exists."
    ),
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        print_lines([f"footway {__version__}"])
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """From a map to natural motion: exact corridor maps and certified paths."""
    del version  # handled by its callback
    if context.invoked_subcommand is None:
        print_lines([context.get_help()])


app.command(epilog=build.EXAMPLES)(build.build)
app.command(epilog=path.EXAMPLES)(path.path)
app.command(epilog=route.EXAMPLES)(route.route)
app.command(epilog=check.EXAMPLES)(check.check)
app.command(epilog=camera.EXAMPLES)(camera.camera)
app.command(epilog=simulate.EXAMPLES)(simulate.simulate)
app.command(epilog=export.EXAMPLES)(export.export)
app.command(epilog=replay_hash.EXAMPLES)(replay_hash.replay_hash)
app.command(epilog=diff.EXAMPLES)(diff.diff)
app.command(epilog=studio.EXAMPLES)(studio.studio)
app.command(epilog=demo.EXAMPLES)(demo.demo)
app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)
app.command()(gallery.gallery)
app.command()(warmup.warmup)
