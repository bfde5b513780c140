"""Threads that answer asks, each kind in its own, so that slow ones never hold up quick ones."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Worker:
    """One thread that does one thing after the other.

    It is a daemon: what it is doing when the program ends is dropped.

    Example:
        >>> lane = Worker("paths", most=8)
        >>> lane.do(lambda: 6 * 7).result()
        42

    """

    def __init__(self, name: str, *, most: int) -> None:
        self.name, self._most = name, most
        self._waiting: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]]
        self._waiting = queue.SimpleQueue()
        self._busy = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._work, name=f"studio-{name}", daemon=True).start()

    def do(self, work: Callable[[], Any]) -> Future[Any] | None:
        """Return what will have the result; None where too much is waiting already."""
        with self._lock:
            if self._busy >= self._most:
                return None
            self._busy += 1
        future: Future[Any] = Future()
        self._waiting.put((future, work))
        return future

    def _work(self) -> None:
        while True:
            future, work = self._waiting.get()
            made, trouble = None, None
            is_wanted = future.set_running_or_notify_cancel()
            try:
                made = work() if is_wanted else None
            except BaseException as error:  # noqa: BLE001 - it belongs to who asked
                trouble = error
            with self._lock:
                self._busy -= 1  # before the answer: who has it may ask again at once
            if trouble is not None:
                future.set_exception(trouble)
            elif is_wanted:
                future.set_result(made)
