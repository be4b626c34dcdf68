"""Ctrl-C that is never lost, even when Python drops a `KeyboardInterrupt`."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class InterruptGuard:
    """Notes an interrupt for as long as it is entered, besides raising `KeyboardInterrupt` as
    usual.
    """

    def __init__(self) -> None:
        self._came = False
        self._before: Any = None

    def __enter__(self) -> InterruptGuard:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if kind is None:
            self.raise_if_interrupted()

    def raise_if_interrupted(self) -> None:
        """Raise `KeyboardInterrupt` where one came and was dropped."""
        if self._came:
            raise KeyboardInterrupt

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self._came = True
        raise KeyboardInterrupt
