"""The process that loads one file for the studio: `python -m footway.studio.loading_process`.

    start --> warm up --> "ready" --> read one order --> load, try, hand over --> "done", end

Orders and messages are lines of JSON on standard input and output; the document itself goes into a
folder (`handover`). A file can be hostile to any library that reads it, so this process has limits
of memory and processor time, does with the document what the server will do with it first, and is
used once. `loading` is the other side: it has the clock, and kills this process when it is up.
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

_MOST_COMPILING: Final = 600  # s of processor time that compiling may take on top
_CHUNK: Final = 1_000_000  # rows of a recording that are read at a time
_LONGEST: Final = 2000  # characters of a message


def main() -> NoReturn:
    """Load one file, as ordered on standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print is no message

    from footway._numba.jit import announce_compilation

    def compiling() -> bool:
        _allow_processor_time(_MOST_COMPILING, reduce=False)
        _tell(out, {"compiling": True})
        return False  # tell the next one, too

    with announce_compilation(compiling):
        _warm_up()
        _tell(out, {"ready": True})
        line = sys.stdin.readline()
        if line:
            order = json.loads(line)
            threading.Thread(target=_end_with_server, daemon=True).start()
            _limit(order["seconds"], order["megabytes"])
            _tell(out, _carry_out(order))
    os._exit(0)  # nothing here is worth the time of an orderly end


def _tell(out: TextIO, message: dict[str, Any]) -> None:
    with suppress(OSError):  # the server is gone, and this process will be
        out.write(json.dumps(message) + "\n")
        out.flush()


def _end_with_server() -> None:
    """End when standard input does: the server is gone."""
    with suppress(OSError, ValueError):
        while sys.stdin.read(4096):
            pass
    os._exit(1)


def _carry_out(order: dict[str, Any]) -> dict[str, Any]:
    """Load the file of an order and hand it over; return the last message."""
    from footway.errors import FootwayError, NoPath

    try:
        load(order)
    except NoPath as error:
        return {"error": str(error)[:_LONGEST], "reason": error.reason}
    except FootwayError as error:
        return {"error": str(error)[:_LONGEST]}
    except MemoryError:
        return {"memory": True}
    except Exception as error:  # noqa: BLE001 - the server tells it, and goes on
        return {"fault": f"{type(error).__name__}: {error}"[:_LONGEST]}
    return {"done": True}


def load(order: dict[str, Any]) -> None:
    """Open the file of an order, try the document, and write it into the folder."""
    from footway.studio import handover
    from footway.studio.documents import SCENARIO, open_document

    file, between = order["file"], order["between"]
    if order["sent"] and Path(file).suffix.lower() == SCENARIO:
        _check_scenario(file)
    document = open_document(
        file,
        map_name=order["map"],
        scale=order["scale"],
        between=None if between is None else (between[0], between[1]),
        called=order["called"],
    )
    _check_rows(document, sent=order["sent"])
    rehearse(document)
    handover.pack(document, Path(order["folder"]), file=file)


def rehearse(document: Document) -> None:
    """Do what the server does first with a document: what ends here ends there as well.

    The plots of a recording are left out: they take seconds, and are plain arithmetic.
    """
    from footway.studio import paths
    from footway.studio.free_space import ground
    from footway.studio.session import crowd_of

    crowd_of(document)
    document.facts()
    ground(document)
    paths.warm(document)


def _check_scenario(file: str) -> None:
    """Refuse a scenario that names a file: the sender must not choose what this machine reads."""
    from footway.errors import BadInput
    from footway.scenario import load_scenario

    scenario = load_scenario(file)
    if not scenario.map.startswith("gallery:"):
        raise BadInput(
            f"{file}: its map is a file; start `footway studio SCENARIO` beside it, or take a "
            "map of the gallery"
        )


def _check_rows(document: Document, *, sent: bool) -> None:
    """Read all of a recording that is too long to be handed over; one that was sent is refused."""
    from footway.errors import BadInput
    from footway.studio.handover import MOST_ROWS

    recording = document.recording
    rows = 0 if recording is None else int(recording.offsets[-1])
    if recording is None or rows <= MOST_ROWS:
        return
    if sent:
        raise BadInput(
            f"{document.name}: has {rows:,} rows, more than the {MOST_ROWS:,} that can be sent; "
            "start `footway studio RECORDING` on the file"
        )
    for first in range(0, rows, _CHUNK):
        recording.source.read(first, min(rows, first + _CHUNK))


def _warm_up() -> None:
    """Import and compile what a file may need, while no clock runs."""
    import pyarrow.parquet  # noqa: F401 - slow to import

    from footway.scenario import load_scenario  # noqa: F401 - likewise
    from footway.studio.documents import open_built_in

    rehearse(open_built_in("gallery:field"))


# -- limits ------------------------------------------------------------------------------------


def _limit(seconds: float, megabytes: float) -> None:
    """Limit memory, files and processor time of this process, where the system can.

    Memory is on top of what is mapped already. The server has the clock; processor time is limited
    for the case that the server is gone.
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

    with suppress(OSError, ValueError):  # less is allowed already, or macOS
        resource.setrlimit(which, (value, resource.getrlimit(which)[1]))


def _allow_processor_time(seconds: float, *, reduce: bool = True) -> None:
    """Set the limit of processor time, from now on; `reduce=False` keeps a limit that is higher."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = int(time.process_time() + seconds) + 1
    present = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if reduce or present == resource.RLIM_INFINITY or present < limit:
        _set(resource.RLIMIT_CPU, limit)


def _mapped() -> int:
    """Bytes of address space in use; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


if __name__ == "__main__":
    main()
