"""Ctrl-C at any moment of a command: one line, exit code 130.

Python raises KeyboardInterrupt wherever the program happens to be. In a Python function that C code
calls, the exception is lost, together with the result that C waits for, and the program continues
or crashes. LLVM calls such functions to look up cached kernels, and compiled code to unpickle
constants. Therefore nothing is raised inside them. Instead the interrupt is repeated until the
command has handled it, except while a KeyboardInterrupt is already being handled, so that cleaning
up is not disturbed.

This is the first module that a command imports, so it imports only light modules.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

INTERRUPTED: Final = 130  # exit code: 128 + the number of the signal, as in shells

_PAUSE: Final = 0.05  # s after which an interrupt is raised again if not acknowledged
_CALLBACKS: Final = (
    "_raw_object_cache_getbuffer", "_raw_object_cache_notify",  # of llvmlite
    "_numba_unpickle",
)  # fmt: skip

_interrupted = threading.Event()
_acknowledged = threading.Event()
_acknowledging = threading.Lock()


class Stopped(Exception):
    """A signal stopped a command between two steps; the message says what was saved.

    Attributes:
        exit_code: 128 + the number of the signal.
    """

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"{self.words(number)} {message}")
        self.exit_code = 128 + number
        self.kind = self.words(number).capitalize()

    @staticmethod
    def words(number: int) -> str:
        """Return the word for a signal."""
        return "interrupted" if number == signal.SIGINT else "terminated"


@contextmanager
def repeated_until_acknowledged() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt in here until `acknowledge` is called.

    Does nothing outside the main thread, or if Ctrl-C has another handler already (some shells let
    background processes ignore it).
    """
    global _interrupted, _acknowledged
    # New events: a thread of an earlier command that still repeats finds its own acknowledged.
    _interrupted, _acknowledged = threading.Event(), threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, _handle)
    try:
        yield
    finally:
        acknowledge()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = hook


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed, even if the exception was lost."""
    return _interrupted.is_set()


def acknowledge() -> None:
    """Note that the command is ending: the interrupt is not raised again."""
    with _acknowledging:
        _acknowledged.set()
    # After a KeyboardInterrupt inside exec() of a string (which dataclasses use at import), Python
    # exits by a signal instead of with our exit code. Another exec() resets that.
    exec("")  # noqa: S102


def end_silently() -> None:
    """Let Ctrl-C end the process without a message."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


_is_repeated = False


def is_in_callback(frame: FrameType | None) -> bool:
    """Whether a frame runs inside a callback from C, which loses exceptions."""
    while frame is not None:
        if frame.f_code.co_name in _CALLBACKS:
            return True
        frame = frame.f_back
    return False


def _handle(_number: int, frame: FrameType | None) -> None:
    """Handle the signal, in the main thread, between two instructions of Python."""
    global _is_repeated
    is_repeated, _is_repeated = _is_repeated, False
    if _acknowledged.is_set():
        return
    if not _interrupted.is_set():
        _interrupted.set()
        sys.unraisablehook = lambda _: None  # print nothing if the exception is lost
        # Not threading.Thread: the main thread may hold the lock that its `start` takes.
        _thread.start_new_thread(_repeat, (_acknowledged,))
    is_on_its_way = is_repeated and isinstance(sys.exception(), KeyboardInterrupt)
    if not is_on_its_way and not is_in_callback(frame):
        raise KeyboardInterrupt


def _repeat(acknowledged: threading.Event) -> None:
    global _is_repeated  # noqa: PLW0603
    main = threading.main_thread().ident
    assert main is not None
    while not acknowledged.wait(_PAUSE):
        with _acknowledging:  # no signal may come after `acknowledge`: the handler is reset then
            if acknowledged.is_set():
                return
            _is_repeated = True
            if sys.platform == "win32":
                _thread.interrupt_main()
            else:
                signal.pthread_kill(main, signal.SIGINT)  # also wakes a main thread that waits
