"""Check in a new environment that commands compile nothing where `footway-kernels` is installed.

    python kernels/check.py dist/footway_kernels-*.whl        # or: make kernels-check

Footway is installed from this checkout, first without extras, then with the studio. Every command
starts with an empty cache; a kernel that is compiled leaves a file there, which is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATH = ("path", "gallery:city", "--start", "2,3", "--goal", "480,451")
COMMANDS = (PATH, ("check", "gallery:office"), ("simulate", "demo:evacuation", "--seconds", "5"))
READY = "http://"  # the studio prints its address when it has started
PREPARED = 20.0  # s in which the studio loads its kernels in the background


def main(wheel: Path) -> int:
    """Return the number of commands that compiled something."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder, "bin", "python"))
        _install(python, str(ROOT), str(wheel.resolve()))
        failures = sum(_compiles(python, folder, command) for command in COMMANDS)
        _install(python, f"{ROOT}[all]")
        failures += sum(_compiles(python, folder, command) for command in (PATH, ("studio",)))
    return failures


def _install(python: str, *packages: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)


def _compiles(python: str, folder: str, command: tuple[str, ...]) -> bool:
    """Run a command with an empty cache; return whether it compiled a kernel, or failed."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        environment = {**os.environ, "FOOTWAY_JIT_CACHE": cache}
        environment.pop("PYTHONPATH", None)
        begin = time.perf_counter()
        call = [python, "-m", "footway", *command]
        if command[0] == "studio":
            _serve_for_a_while([*call, "--no-browser", "--port", "0"], environment)
        else:
            subprocess.run(call, check=True, env=environment, cwd=cache, capture_output=True)
        seconds = time.perf_counter() - begin
        compiled = sorted(file.name for file in Path(cache).rglob("*.kernel"))
    verdict = f"compiled {len(compiled)}: {compiled[:3]}" if compiled else "compiled nothing"
    print(f"footway {command[0]}: {seconds:.2f} s, {verdict}", flush=True)
    return bool(compiled)


def _serve_for_a_while(call: list[str], environment: dict[str, str]) -> None:
    with subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert READY in server.stdout.readline()
        time.sleep(PREPARED)
        server.terminate()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
