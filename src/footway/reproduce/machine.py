"""Facts about the machine, without names of hosts, users or folders."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path


def machine() -> dict[str, str]:
    """Return date (UTC), processor, cores, system and versions."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: metadata.version(name) for name in ("footway", "numpy", "numba")},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()
