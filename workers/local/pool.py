"""Pool of local worker processes that claim from the ledger, supervised by their parent."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crawler import process
from crawler.errors import CrawlError, Misconfigured
from workers.config.configured_storage import open_configured_storage
from workers.config.settings import Settings, load_settings, settings_environment
from workers.execution import events, telemetry
from workers.execution.events import TaskEnded
from workers.execution.task_worker import (
    MISCONFIGURED_EXIT_CODE,
    TaskWorker,
    served_stages,
)
from workers.local.interruption import InterruptGuard
from workers.workspace import scratch
from workers.workspace.task_workspace import open_workspace

if TYPE_CHECKING:
    from storage.open import Storage

_TICK: Final = 0.25
_RECLAIM_EVERY: Final = 2.0
_DEATHS: Final = 10
"""Deaths in a row, with no task ended between them, after which it is no task's fault."""
_READ: Final = 64 << 10


@dataclass(slots=True, eq=False)
class _Child:
    process: subprocess.Popen[bytes]
    pending: bytes = b""

    @property
    def descriptor(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def events(self) -> list[TaskEnded]:
        """Return the events of the whole lines that have come; never waits."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.descriptor, _READ):
                self.pending += chunk
        *lines, self.pending = self.pending.split(b"\n")
        return [event for event in map(events.parse_event, lines) if event is not None]


@dataclass(slots=True)
class LocalPool:
    """The worker processes of one crawl; the parent only watches, and loses nothing when it is
    killed.
    """

    settings: Settings
    storage: Storage
    crawl: str
    on_event: Callable[[TaskEnded], None]
    on_tick: Callable[[], None]
    _children: list[_Child] = field(default_factory=list)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _deaths: int = 0
    _stopped: TaskEnded | None = None

    def run(self) -> None:
        """Work the crawl to its end; raises `Misconfigured` where the operator must act first.

        Whatever ends this, no child outlives it.
        """
        scratch.remove_dead_folders(self.settings.home)
        self.storage.ledger.reclaim()
        if not self.storage.ledger.count_unfinished(
            self.crawl, served_stages(self.settings)
        ):
            return
        try:
            with InterruptGuard() as interruption:
                for _ in range(self.settings.workers or len(os.sched_getaffinity(0))):
                    self._start()
                self._watch(interruption)
        finally:
            self._end_all()
            self._selector.close()
            scratch.remove_dead_folders(self.settings.home)
        if self._stopped:
            raise Misconfigured(self._stopped.message, code=self._stopped.code)

    def _start(self) -> None:
        # -P: a folder called `workers` where the user stands is not ours
        argv = (sys.executable, "-P", "-m", "workers.local.pool", self.crawl)
        environment = {**os.environ, **settings_environment(self.settings)}
        limits = process.Limits(seconds=0, file_bytes=0, open_files=4096)
        child = _Child(process.start(argv, env=environment, stderr=2, limits=limits))
        os.set_blocking(child.descriptor, False)
        self._children.append(child)
        self._selector.register(child.descriptor, selectors.EVENT_READ, child)

    def _watch(self, interruption: InterruptGuard) -> None:
        reclaimed = time.monotonic()
        while self._children:
            interruption.raise_if_interrupted()
            for key, _ in self._selector.select(_TICK):
                self._hear(key.data)
            dead = next(
                (child for child in self._children if child.process.poll() is not None),
                None,
            )
            if dead:
                self._bury(dead)
            if time.monotonic() - reclaimed > _RECLAIM_EVERY:
                self.storage.ledger.reclaim()
                reclaimed = time.monotonic()
            self.on_tick()

    def _hear(self, child: _Child) -> None:
        for event in child.events():
            self._deaths = 0
            if event.state == "stopped":
                self._stopped = event
            else:
                self.on_event(event)

    def _bury(self, child: _Child) -> None:
        self._hear(child)
        self._end(child)
        if self._stopped:
            self._end_all()
        elif child.process.returncode != 0:
            self._replace(child)

    def _replace(self, child: _Child) -> None:
        self._deaths += 1
        if self._deaths >= _DEATHS:
            raise CrawlError(
                f"workers die at once (exit code {child.process.returncode}): look at their output above, "
                "and run `kernelset doctor`",
                code="workers-die",
            )
        self.storage.ledger.reclaim()
        self._start()

    def _end_all(self) -> None:
        for child in list(self._children):
            self._end(child)

    def _end(self, child: _Child) -> None:
        process.kill_group(child.process)
        self._selector.unregister(child.descriptor)
        self._children.remove(child)
        if child.process.stdout:
            child.process.stdout.close()


def main() -> int:
    """Be one worker process of the crawl that is named on the command line."""
    from crawler import cache

    settings = load_settings()
    try:
        with (
            open_configured_storage(settings) as storage,
            open_workspace(settings) as workspace,
        ):
            # the cache outlives us; what a stage leaves in the folder for temporary files goes
            # with our scratch
            cache.ensure_cache_folder()
            os.environ["TMPDIR"] = tempfile.tempdir = str(workspace.scratch)
            code = TaskWorker(
                storage=storage, workspace=workspace, on_event=events.emit_event
            ).work_crawl(sys.argv[1])
            telemetry.flush_telemetry()
            return code
    except Misconfigured as error:
        events.emit_event(_stopped(error))
        return MISCONFIGURED_EXIT_CODE


def _stopped(error: Misconfigured) -> TaskEnded:
    return TaskEnded(
        stage="",
        subject="",
        state="stopped",
        seconds=0.0,
        code=error.code,
        message=str(error),
    )


if __name__ == "__main__":
    sys.exit(main())
