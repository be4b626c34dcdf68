"""What Celery calls: ids in, nothing out; all else is in the ledger."""

from __future__ import annotations

import ctypes
import os
import signal
import tempfile
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from storage import owner
from storage.ledger import Stage
from workers import telemetry
from workers.app import TASK
from workers.events import TaskEnded
from workers.logs import log
from workers.patience import patiently
from workers.serve import Worker
from workers.settings import Settings
from workers.stages.tasks import revision
from workers.wiring import storage_of
from workers.workspace import open_workspace

if TYPE_CHECKING:
    from storage.ledger import Claim

_PR_SET_PDEATHSIG: Final = 1


class Desk:
    """What one process of a worker has open from its first task on."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open = ExitStack()
        self._worker: Worker | None = None
        self._claim: Claim | None = None
        self._revisions = {stage: revision(stage) for stage in Stage}

    def perform(self, task: object, generation: object) -> None:
        """Claim and do what a message is about; one that is stale, or no message of ours, does nothing."""
        if type(task) is not int or type(generation) is not int:
            log().warning("message-refused")
            return
        worker = self._opened()
        seconds = self.settings.lease_seconds
        ledger, mine = worker.storage.ledger, self._revisions
        self._claim = patiently(lambda: ledger.claim_sent(worker.owner, task, generation, seconds, mine))
        if self._claim is None:
            return
        if worker.perform(self._claim):
            # the operator must act first: this worker takes no more
            os.kill(os.getppid(), signal.SIGTERM)

    def close(self) -> None:
        """Let go of storage and scratch."""
        self._worker = None
        telemetry.flush()
        self._open.close()

    def _opened(self) -> Worker:
        if self._worker is None:
            storage = self._open.enter_context(storage_of(self.settings))
            workspace = self._open.enter_context(open_workspace(self.settings))
            os.environ["TMPDIR"] = tempfile.tempdir = str(workspace.scratch)
            mine = owner.of_worker(os.getppid())
            self._worker = Worker(
                storage=storage,
                workspace=workspace,
                tell=self._tell,
                owner=mine,
                task_bytes=self.settings.task_bytes,
            )
        return self._worker

    def _tell(self, event: TaskEnded) -> None:
        claim = self._claim
        log().info(
            "task-ended",
            stage=event.stage,
            subject=event.subject,
            state=event.state,
            code=event.code,
            message=event.message[:500],
            seconds=event.seconds,
            task=claim.id if claim else 0,
            attempt=claim.attempt if claim else 0,
            crawls=claim.crawls if claim else (),
        )


def register(app: Celery, settings: Settings) -> None:
    """Let `app` perform tasks in processes that die with their worker, and leave nothing behind when they end."""
    desk = Desk(settings)

    @app.task(name=TASK, ignore_result=True)  # type: ignore[untyped-decorator]
    def run(task: object, generation: object) -> None:
        desk.perform(task, generation)

    def begun(**_: object) -> None:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def ended(**_: object) -> None:
        desk.close()

    worker_process_init.connect(begun, weak=False)
    worker_process_shutdown.connect(ended, weak=False)
