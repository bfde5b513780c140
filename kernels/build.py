"""Build the wheel `footway-kernels`: all kernels, compiled ahead of time.

    python kernels/build.py [FOLDER]        # or: make kernels

Footway does not need it. Where it is installed, the first command starts as fast as later ones. It
holds machine code for x86-64-v3 (any x86 CPU with AVX2) and fits the version of Python, Numba and
Footway that it was built with; with others, kernels are compiled at first use as usual.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pickle
import platform
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from footway._numba import files
from footway._numba.keys import PORTABLE

METADATA = """\
Metadata-Version: 2.1
Name: footway-kernels
Version: {footway}
Summary: Compiled kernels of Footway, for a faster first start.
License: MIT
Requires-Dist: footway =={footway}
Requires-Dist: numba =={numba}
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: footway
Root-Is-Purelib: false
Tag: {tag}
"""


def main(folder: Path) -> None:
    """Compile all kernels and write the wheel to a folder."""
    if platform.machine() not in ("x86_64", "AMD64"):
        sys.exit("kernels/build.py: compiled kernels are for x86-64 only")
    with tempfile.TemporaryDirectory() as cache:
        _compile(cache)
        compiled = sorted(Path(cache, "kernels").glob("*" + files.SUFFIX))
        path = _write_wheel(folder, [file for file in compiled if _is_kernel(file)])
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def _compile(cache: str) -> None:
    """Compile every kernel into a new cache, with Numba's default settings but for the CPU."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    cpu, features = PORTABLE
    settings = {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features, "FOOTWAY_JIT_CACHE": cache}
    subprocess.run(
        [sys.executable, "-m", "footway", "warmup"],
        check=True,
        env=kept | settings,
    )


def _is_kernel(file: Path) -> bool:
    """Whether a file has machine code; inner functions are needed only to compile others."""
    data = files.load(file.parent, file.stem)
    assert data is not None
    _, (_, kind, _), *_ = pickle.loads(data)  # noqa: S301 - just written
    return bool(kind == "object")


def _write_wheel(folder: Path, kernels: list[Path]) -> Path:
    footway = version("footway")
    python = "cp{}{}".format(*sys.version_info)
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{system}"
    info = f"footway_kernels-{footway}.dist-info"
    contents = {
        "footway_kernels/__init__.py": b'"""Compiled kernels of Footway."""\n',
        **{f"footway_kernels/{file.name}": file.read_bytes() for file in kernels},
        f"{info}/METADATA": METADATA.format(footway=footway, numba=version("numba")).encode(),
        f"{info}/WHEEL": WHEEL.format(tag=tag).encode(),
    }
    record = [f"{name},{_hash(data)},{len(data)}" for name, data in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"footway_kernels-{footway}-{tag}.whl"
    with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
        for name, data in contents.items():
            wheel.writestr(ZipInfo(name), data, ZIP_DEFLATED)
    return path


def _hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.rstrip(b"=").decode()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
