"""Ctrl-C that is never lost, even when Python drops a `KeyboardInterrupt`."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class InterruptGuard:
    """Notes an interrupt for as long as it is entered, besides raising `KeyboardInterrupt`.

    Python drops an exception that is raised where none can be, e.g. in `__del__` or in a
    callback of a C library; the note remains.
    """

    def __init__(self) -> None:
        self._was_interrupted = False
        self._previous_handler: Any = None

    def __enter__(self) -> InterruptGuard:
        # Python lets only the main thread set a handler
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(
                signal.SIGINT, self._handle_interrupt
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGINT, self._previous_handler)

        # an exception that is under way already says more than a late interrupt would
        if kind is None:
            self.raise_if_interrupted()

    def raise_if_interrupted(self) -> None:
        """Raise `KeyboardInterrupt` where one came and was dropped."""
        if self._was_interrupted:
            raise KeyboardInterrupt

    def _handle_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        self._was_interrupted = True
        raise KeyboardInterrupt
