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
from storage.ledger.interface import State
from workers.config.configured_storage import open_configured_storage
from workers.config.setting_sources import load_settings
from workers.config.setting_variables import settings_environment
from workers.config.settings import Settings
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

_TICK_SECONDS: Final = 0.25
_RECLAIM_SECONDS: Final = 2.0
_COUNT_SECONDS: Final = 0.5
"""Between two looks at how many tasks there are, which asks the database."""
_MAX_DEATHS: Final = 10
"""Deaths in a row, with no task ended between them, after which it is no task's fault."""
_CHUNK_BYTES: Final = 64 << 10


@dataclass(slots=True, eq=False)
class _Child:
    process: subprocess.Popen[bytes]
    pending: bytes = b""
    """The begin of a line that has not come to its end."""

    @property
    def descriptor(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def read_events(self) -> list[TaskEnded]:
        """Return the events of the whole lines that have come; never waits."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.descriptor, _CHUNK_BYTES):
                self.pending += chunk
        *lines, self.pending = self.pending.split(b"\n")

        parsed_events = map(events.parse_event, lines)
        return [event for event in parsed_events if event is not None]


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
    _counted_at: float = 0.0
    _stop_event: TaskEnded | None = None

    def run(self) -> None:
        """Work the crawl to its end; raises `Misconfigured` where the operator must act first.

        Whatever ends this, no child outlives it.
        """
        scratch.remove_dead_folders(self.settings.home)
        self.storage.ledger.reclaim()
        stages = served_stages(self.settings)
        if not self.storage.ledger.count_unfinished(self.crawl, stages):
            return

        try:
            with InterruptGuard() as interruption:
                self._start_child()
                self._watch_children(interruption)
        finally:
            self._end_all()
            self._selector.close()
            scratch.remove_dead_folders(self.settings.home)

        if self._stop_event:
            raise Misconfigured(self._stop_event.message, code=self._stop_event.code)

    def _start_missing_children(self) -> None:
        """Start a child for each task that none of them works on yet, up to the greatest number.

        Each takes seconds of a core before its first task, and a small crawl is a chain.
        """
        missing = self._process_count() - len(self._children)
        now = time.monotonic()
        if missing <= 0 or now - self._counted_at < _COUNT_SECONDS:
            return

        self._counted_at = now
        idle = self._count_active_tasks() - len(self._children)
        for _ in range(min(missing, idle)):
            self._start_child()

    def _process_count(self) -> int:
        # the cores that we may use: a container or `taskset` may grant fewer than there are
        return self.settings.workers or len(os.sched_getaffinity(0))

    def _count_active_tasks(self) -> int:
        stages = served_stages(self.settings)
        counts = self.storage.ledger.task_counts(self.crawl)
        return sum(
            number
            for stage, state, _, number in counts
            if stage in stages and state in (State.READY, State.RUNNING)
        )

    def _start_child(self) -> None:
        # -P: a folder called `workers` where the user stands is not ours
        argv = (sys.executable, "-P", "-m", "workers.local.pool", self.crawl)
        environment = {**os.environ, **settings_environment(self.settings)}
        limits = process.Limits(seconds=0, file_bytes=0, open_files=4096)
        child = _Child(process.start(argv, env=environment, stderr=2, limits=limits))

        os.set_blocking(child.descriptor, False)
        self._children.append(child)
        self._selector.register(child.descriptor, selectors.EVENT_READ, child)

    def _watch_children(self, interruption: InterruptGuard) -> None:
        reclaimed_at = time.monotonic()
        while self._children:
            interruption.raise_if_interrupted()
            for key, _ in self._selector.select(_TICK_SECONDS):
                self._handle_events(key.data)

            # one a round: what follows may end or replace children
            dead_child = self._find_dead_child()
            if dead_child:
                self._handle_death(dead_child)

            if time.monotonic() - reclaimed_at > _RECLAIM_SECONDS:
                self.storage.ledger.reclaim()
                reclaimed_at = time.monotonic()
            # none is left once the work is done, or the operator must act
            if self._children:
                self._start_missing_children()
            self.on_tick()

    def _find_dead_child(self) -> _Child | None:
        for child in self._children:
            if child.process.poll() is not None:
                return child
        return None

    def _handle_events(self, child: _Child) -> None:
        for event in child.read_events():
            self._deaths = 0
            if event.state == "stopped":
                self._stop_event = event
            else:
                self.on_event(event)

    def _handle_death(self, child: _Child) -> None:
        # it may have written more between the last look and its death
        self._handle_events(child)
        self._end(child)
        if self._stop_event:
            self._end_all()
        elif child.process.returncode != 0:
            self._replace(child)

    def _replace(self, child: _Child) -> None:
        self._deaths += 1
        if self._deaths >= _MAX_DEATHS:
            raise CrawlError(
                f"workers die at once (exit code {child.process.returncode}): "
                "look at their output above, and run `kernelset doctor`",
                code="workers-die",
            )

        # the task of the dead child is given back at once, rather than when its lease ends
        self.storage.ledger.reclaim()
        self._start_child()

    def _end_all(self) -> None:
        for child in list(self._children):
            self._end(child)

    def _end(self, child: _Child) -> None:
        # the whole group: a compiler that the child started must not outlive it
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
            scratch_folder = str(workspace.scratch)
            os.environ["TMPDIR"] = scratch_folder
            tempfile.tempdir = scratch_folder

            worker = TaskWorker(
                storage=storage,
                workspace=workspace,
                on_event=events.emit_event,
            )
            code = worker.work_crawl(sys.argv[1])
            telemetry.flush_telemetry()
            return code
    except Misconfigured as error:
        events.emit_event(_make_stop_event(error))
        return MISCONFIGURED_EXIT_CODE


def _make_stop_event(error: Misconfigured) -> TaskEnded:
    """Return the event by which a worker tells its parent that the operator must act first."""
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
