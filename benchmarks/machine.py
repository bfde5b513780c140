"""Facts about the machine, without names of hosts, users or folders."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from footway.reproduce.timing import processor

LIBRARIES = (
    "footway", "numpy", "numba", "shapely", "pyvoronoi", "scipy", "jupedsim", "pyrvo",
    "pathfinding",
)  # fmt: skip


def facts() -> dict[str, object]:
    """Return date (UTC), CPU, cores, system, Python, versions, and the load before the run."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in LIBRARIES},
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def version(name: str) -> str | None:
    """Return the version of a library; None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def revision() -> str:
    """Return the measured commit, with "+" for changed sources; empty outside a repository."""
    commit = _git("rev-parse", "--short", "HEAD")
    return commit + "+" * bool(commit and _git("status", "--porcelain", "--", "src"))


def _git(*arguments: str) -> str:
    """Return the output of git; empty without git or a repository."""
    git = shutil.which("git")
    if git is None:
        return ""
    command = [git, *arguments]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - no input of others
    return done.stdout.strip() if done.returncode == 0 else ""
