"""Ctrl-C at any moment of a command: one line, exit code 130.

Python raises KeyboardInterrupt wherever the program happens to be. Where C has called back, nobody
takes it: LLVM asks so for the code of kernels in the cache, and compiled code for its constants.
An interrupt in there was lost, and with it what was asked for: the program went on, or crashed. So
nothing is raised in there; and it is raised again and again until the command has heard it, unless
it is on its way already: who cleans up is not disturbed.

Only light modules are imported here: this is the first thing that a command does.
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

INTERRUPTED: Final = 130
"""Exit code: 128 + the number of the signal, as shells count."""

_PAUSE: Final = 0.05  # s, after which an interrupt that is not heard is raised again
_CALLBACKS: Final = (
    "_raw_object_cache_getbuffer", "_raw_object_cache_notify",  # of llvmlite
    "_numba_unpickle",
)  # fmt: skip

_asked = threading.Event()
_heard = threading.Event()
_hearing = threading.Lock()


class Stopped(Exception):
    """A command was stopped by a signal, at a moment of its own choice; says what there is.

    Attributes:
        exit_code: 128 + the number of the signal.

    """

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"{self.words(number)} {message}")
        self.exit_code = 128 + number
        self.kind = self.words(number).capitalize()

    @staticmethod
    def words(number: int) -> str:
        """Return what a signal does."""
        return "interrupted" if number == signal.SIGINT else "terminated"


@contextmanager
def raised_until_heard() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt in here until `hear` is called.

    Where Ctrl-C does something else already (it is ignored in the background of some shells), or in
    another thread than the main one, nothing changes.
    """
    _asked.clear()
    _heard.clear()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, _handle)
    try:
        yield
    finally:
        hear()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = hook


def was_asked() -> bool:
    """Whether Ctrl-C was pressed, whatever became of it."""
    return _asked.is_set()


def hear() -> None:
    """Note that the command ends because of Ctrl-C, or in spite of it: it is not raised again."""
    with _hearing:
        _heard.set()
    # Where it went through exec() of a string (dataclasses do that when they are imported), Python
    # ends with a signal instead of our exit code, until the next exec().
    exec("")  # noqa: S102


def end_silently() -> None:
    """Let Ctrl-C end a process that has nothing more to say."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


_is_repeated = False


def is_in_callback(frame: FrameType | None) -> bool:
    """Whether C has called a frame, and takes no exception from it."""
    while frame is not None:
        if frame.f_code.co_name in _CALLBACKS:
            return True
        frame = frame.f_back
    return False


def _handle(_number: int, frame: FrameType | None) -> None:
    """Handle the signal, in the main thread, between two instructions of Python."""
    global _is_repeated
    is_repeated, _is_repeated = _is_repeated, False
    if _heard.is_set():
        return
    if not _asked.is_set():
        _asked.set()
        sys.unraisablehook = lambda _: None  # where it is lost, it is not to be told either
        threading.Thread(target=_repeat, daemon=True).start()
    is_on_its_way = is_repeated and isinstance(sys.exception(), KeyboardInterrupt)
    if not is_on_its_way and not is_in_callback(frame):
        raise KeyboardInterrupt


def _repeat() -> None:
    global _is_repeated  # noqa: PLW0603
    main = threading.main_thread().ident
    assert main is not None
    while not _heard.wait(_PAUSE):
        with _hearing:  # who hears restores what Ctrl-C does, and must not get one after that
            if _heard.is_set():
                return
            _is_repeated = True
            if sys.platform == "win32":
                _thread.interrupt_main()
            else:
                signal.pthread_kill(main, signal.SIGINT)  # wakes it, too, where it waits
