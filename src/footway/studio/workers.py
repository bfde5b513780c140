"""Worker threads: one per kind of request, so that slow requests do not delay fast ones."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Worker:
    """A daemon thread with a bounded queue of jobs; unfinished jobs are dropped at exit.

    Example:
        >>> worker = Worker("paths", capacity=8)
        >>> worker.do(lambda: 6 * 7).result()
        42

    """

    def __init__(self, name: str, *, capacity: int) -> None:
        self.name, self._capacity = name, capacity
        self._waiting: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]]
        self._waiting = queue.SimpleQueue()
        self._busy = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._work, name=f"studio-{name}", daemon=True).start()

    def do(self, work: Callable[[], Any]) -> Future[Any] | None:
        """Queue a job and return the future of its result; None if the queue is full."""
        with self._lock:
            if self._busy >= self._capacity:
                return None
            self._busy += 1
        future: Future[Any] = Future()
        self._waiting.put((future, work))
        return future

    def _work(self) -> None:
        while True:
            future, work = self._waiting.get()
            result, failure = None, None
            is_wanted = future.set_running_or_notify_cancel()
            try:
                result = work() if is_wanted else None
            except BaseException as error:  # noqa: BLE001 - passed on to the caller
                failure = error
            with self._lock:
                self._busy -= (
                    1  # before the result is set: the caller may queue the next job at once
                )
            if failure is not None:
                future.set_exception(failure)
            elif is_wanted:
                future.set_result(result)
