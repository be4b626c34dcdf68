"""What all pages share: the stores, the settings and what is remembered between requests."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Final

from fastapi import Request

from storage.open import Storage
from workers.config.settings import Settings
from workers.local.judging_pool import JudgingPool
from workers.status.crawl_status import CrawlStatus, StatusWatcher
from workers.web.slow_values import SlowValues

_MAX_WATCHERS: Final = 64
"""Crawls that are watched."""


@dataclass(slots=True)
class WebContext:
    """The stores and settings of one server."""

    storage: Storage
    settings: Settings
    slow_values: SlowValues = field(default_factory=SlowValues)
    judging_pool: JudgingPool | None = None
    """What judges candidates on this machine; none where a broker brings them to workers."""
    _watchers: dict[str, StatusWatcher] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read_status(self, crawl: str) -> CrawlStatus:
        """Return how a crawl stands, or all; rates are told from the second look on."""
        with self._lock:
            watcher = self._watchers.pop(crawl, None)
            if watcher is None:
                watcher = StatusWatcher(self.storage, self.settings, crawl)
            # the one that was looked at last stays longest
            self._watchers[crawl] = watcher
            if len(self._watchers) > _MAX_WATCHERS:
                del self._watchers[next(iter(self._watchers))]
            return watcher.read_status()


def get_context(request: Request) -> WebContext:
    """Return the context of the server that answers a request."""
    context = request.app.state.context
    assert isinstance(context, WebContext), "`create_app` puts it there"
    return context
