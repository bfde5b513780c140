"""The process that loads one file for the studio: `python -m footway.studio.files.loading_process`.

    start --> warm up --> "ready" --> read one order --> load, rehearse, write --> "done", exit

Orders and messages are lines of JSON on standard input and output; the document itself goes into a
folder (`handover`). A file can exploit any library that reads it. So this process has limits of
memory and processor time, runs the server's first operations on the document itself, and loads one
file only. `loading` is the other side: it kills this process when its time is up.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

if TYPE_CHECKING:
    from footway.studio.documents import Document

_MAX_COMPILING: Final = 600  # s of additional processor time for compiling
_CHUNK: Final = 1_000_000  # rows of a recording that are read at once
_LONGEST: Final = 2000  # characters of a message


def main() -> NoReturn:
    """Load the file that an order on standard input names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and ends this process
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of libraries must not mix with messages

    from footway._numba.jit import announce_compilation

    def compiling() -> bool:
        _allow_processor_time(_MAX_COMPILING, reduce=False)
        _tell(out, {"compiling": True})
        return False  # announce the next compilation, too

    with announce_compilation(compiling):
        _warm_up()
        _tell(out, {"ready": True})
        line = sys.stdin.readline()
        if line:
            order = json.loads(line)
            threading.Thread(target=_end_with_server, daemon=True).start()
            _limit(order["seconds"], order["megabytes"])
            _tell(out, _execute(order))
    os._exit(0)  # without cleanup, which takes time


def _tell(out: TextIO, message: dict[str, Any]) -> None:
    with suppress(OSError):  # the server is gone, and this process ends soon
        out.write(json.dumps(message) + "\n")
        out.flush()


def _end_with_server() -> None:
    """Exit when standard input is closed: the server is gone."""
    with suppress(OSError, ValueError):
        while sys.stdin.read(4096):
            pass
    os._exit(1)


def _execute(order: dict[str, Any]) -> dict[str, Any]:
    """Load the file of an order and write the document; return the last message."""
    from footway.errors import FootwayError, NoPath

    try:
        load(order)
    except NoPath as error:
        return {"error": str(error)[:_LONGEST], "reason": error.reason}
    except FootwayError as error:
        return {"error": str(error)[:_LONGEST]}
    except MemoryError:
        return {"memory": True}
    except Exception as error:  # noqa: BLE001 - the server reports it
        return {"fault": f"{type(error).__name__}: {error}"[:_LONGEST]}
    return {"done": True}


def load(order: dict[str, Any]) -> None:
    """Open the file of an order, rehearse its use, and write the document into the folder."""
    from footway.studio.documents import SCENARIO, open_document
    from footway.studio.files import handover

    file, between = order["file"], order["between"]
    if order["uploaded"] and Path(file).suffix.lower() == SCENARIO:
        _check_self_contained(file)
    document = open_document(
        file,
        map_name=order["map_name"],
        scale=order["scale"],
        between=None if between is None else (between[0], between[1]),
        up=order["up"],
        display_name=order["display_name"],
    )
    _check_rows(document, uploaded=order["uploaded"])
    rehearse(document)
    handover.pack(document, Path(order["folder"]), file=file)


def rehearse(document: Document) -> None:
    """Run the server's first operations on a document, so that failures happen in this process.

    The plots of a recording are left out: they take seconds and are simple arithmetic.
    """
    from footway.studio import paths
    from footway.studio.layers import ground
    from footway.studio.session import build_crowd

    build_crowd(document)
    document.facts()
    ground(document)
    paths.warm_up(document)


def _check_self_contained(file: str) -> None:
    """Refuse TOML that names other files: uploads must not read files of this machine."""
    from footway.errors import BadInput
    from footway.scenario import load_scenario
    from footway.studio.documents import is_toml_building

    if is_toml_building(file):
        raise BadInput(
            f"{file}: a building in TOML joins several files; start `footway studio {file}` "
            "beside them"
        )
    scenario = load_scenario(file)
    if not scenario.map.startswith("gallery:"):
        raise BadInput(
            f"{file}: its map is a file; start `footway studio {file}` beside it, or use a "
            "map of the gallery"
        )


def _check_rows(document: Document, *, uploaded: bool) -> None:
    """Check that a recording too long for `handover` is readable; refuse it if uploaded."""
    from footway.errors import BadInput
    from footway.studio.files.handover import MAX_ROWS

    recording = document.recording
    rows = 0 if recording is None else int(recording.offsets[-1])
    if recording is None or rows <= MAX_ROWS:
        return
    if uploaded:
        raise BadInput(
            f"{document.name}: has {rows:,} rows, more than the {MAX_ROWS:,} that can be sent; "
            "start `footway studio RECORDING` on the file"
        )
    for first in range(0, rows, _CHUNK):
        recording.source.read(first, min(rows, first + _CHUNK))


def _warm_up() -> None:
    """Import modules and compile kernels before the time limit applies."""
    import pyarrow.parquet  # noqa: F401 - slow to import

    from footway.scenario import load_scenario  # noqa: F401 - likewise
    from footway.studio.documents import open_built_in

    rehearse(open_built_in("gallery:field"))


# -- limits ------------------------------------------------------------------------------------


def _limit(seconds: float, megabytes: float) -> None:
    """Limit memory, file size and processor time of this process, if the system can.

    The memory limit is in addition to what is mapped already. The server limits the wall-clock
    time; the limit of processor time applies if the server is gone.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    bytes_more = int(megabytes * 1e6)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, bytes_more)
    mapped = _mapped()
    if mapped:
        _set(resource.RLIMIT_AS, mapped + bytes_more)
    _allow_processor_time(seconds * (os.cpu_count() or 1) + 10.0)


def _set(which: int, value: int) -> None:
    import resource

    with suppress(OSError, ValueError):  # a lower limit is set already, or macOS
        resource.setrlimit(which, (value, resource.getrlimit(which)[1]))


def _allow_processor_time(seconds: float, *, reduce: bool = True) -> None:
    """Limit the processor time from now on; `reduce=False` keeps a higher limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = int(time.process_time() + seconds) + 1
    present = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if reduce or present == resource.RLIM_INFINITY or present < limit:
        _set(resource.RLIMIT_CPU, limit)


def _mapped() -> int:
    """Return the bytes of address space in use; 0 if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


if __name__ == "__main__":
    main()
