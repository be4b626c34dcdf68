"""Work judgings on this machine, one after the other, by worker processes of their own."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from crawler.errors import CrawlError
from workers.config.settings import Settings
from workers.execution.events import TaskEnded
from workers.execution.logs import get_logger
from workers.judging.judging_request import LOCATOR_PREFIX
from workers.local.pool import LocalPool

if TYPE_CHECKING:
    from storage.open import Storage

_END: Final = ""
"""Stands in the queue for the end."""
_JOIN_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 2.0
"""Between two looks whether somebody has paused a judging."""


class _Closing(Exception):
    """Whoever asked for judgings ends."""


class _Paused(Exception):
    """A judging waits until somebody lets it go on."""


class JudgingPool:
    """What a server without a broker has its judgings done by: it compiles nothing itself."""

    def __init__(self, settings: Settings, storage: Storage) -> None:
        self._settings = settings
        self._storage = storage
        self._waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._looked_at = 0.0
        self.problem = ""
        """Why the last judging could not go on; empty where it could."""

    def start(self) -> None:
        """Begin with what an earlier server left, then with what is added."""
        self._thread.start()

    def add(self, judging: str) -> None:
        """Work a judging after those that were added before."""
        self._waiting.put(judging)

    def close(self) -> None:
        """End all worker processes; what they had begun is begun again by the next server."""
        self._is_closing.set()
        self._waiting.put(_END)
        self._thread.join(_JOIN_SECONDS)

    def _work(self) -> None:
        with contextlib.suppress(_Closing):
            self._try(self._work_left)
            while judging := self._waiting.get():
                self._try(partial(self._work_judging, judging))

    def _try(self, work: Callable[[], None]) -> None:
        """Do some work; what goes wrong is said, and the next may find a machine mended."""
        try:
            work()
            self.problem = ""
        except (_Closing, _Paused) as end:
            if isinstance(end, _Closing):
                raise
        except CrawlError as error:
            self.problem = str(error)
            get_logger().error("judging-waits", code=error.code, message=str(error))
        except Exception:
            self.problem = (
                "judging met an error of Kernelset's own: see the server's log"
            )
            get_logger().error(
                "judging-waits", code="internal", message=traceback.format_exc()
            )

    def _work_left(self) -> None:
        for crawl in self._storage.ledger.crawls():
            is_judging = any(
                locator.startswith(LOCATOR_PREFIX) for locator in crawl.locators
            )
            if is_judging and crawl.state == "active":
                self.add(crawl.id)

    def _work_judging(self, judging: str) -> None:
        pool = LocalPool(
            settings=self._settings,
            storage=self._storage,
            crawl=judging,
            on_event=_ignore_event,
            on_tick=partial(self._raise_if_ended, judging),
        )
        pool.run()

    def _raise_if_ended(self, judging: str) -> None:
        if self._is_closing.is_set():
            raise _Closing
        # the pool ticks some times a second, and this asks the database
        if time.monotonic() - self._looked_at > _LOOK_SECONDS:
            self._looked_at = time.monotonic()
            if self._storage.ledger.crawl_state(judging) != "active":
                raise _Paused


def _ignore_event(_: TaskEnded) -> None:
    """The ledger has what ended."""
