"""The Celery task: claim and perform what a message names; all else is in the ledger."""

from __future__ import annotations

import ctypes
import os
import signal
import tempfile
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from storage.ledger import lease_owner
from storage.ledger.interface import Stage
from workers.cluster.celery_app import TASK_NAME
from workers.config.configured_storage import open_configured_storage
from workers.config.settings import Settings
from workers.execution import telemetry
from workers.execution.events import TaskEnded
from workers.execution.logs import get_logger
from workers.execution.retry_store import retry_while_unavailable
from workers.execution.task_worker import TaskWorker
from workers.tasks.task_specs import stage_revision
from workers.workspace.task_workspace import open_workspace

if TYPE_CHECKING:
    from storage.ledger.interface import Claim

_PR_SET_PDEATHSIG: Final = 1


class TaskRunner:
    """What one process of a worker has open from its first task on."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open = ExitStack()
        self._worker: TaskWorker | None = None
        self._claim: Claim | None = None
        self._revisions = {stage: stage_revision(stage) for stage in Stage}

    def run_message(self, task: object, generation: object) -> None:
        """Claim and do what a message is about; one that is stale, or no message of ours, does
        nothing.
        """
        if type(task) is not int or type(generation) is not int:
            get_logger().warning("message-refused")
            return
        worker = self._opened()
        seconds = self.settings.lease_seconds
        ledger, mine = worker.storage.ledger, self._revisions
        self._claim = retry_while_unavailable(
            lambda: ledger.claim_dispatched(
                worker.owner, task, generation, seconds, mine
            )
        )
        if self._claim is None:
            return
        if worker.run_task(self._claim):
            # the operator must act first: this worker takes no more
            os.kill(os.getppid(), signal.SIGTERM)

    def close(self) -> None:
        """Let go of storage and scratch."""
        self._worker = None
        telemetry.flush_telemetry()
        self._open.close()

    def _opened(self) -> TaskWorker:
        if self._worker is None:
            storage = self._open.enter_context(open_configured_storage(self.settings))
            workspace = self._open.enter_context(open_workspace(self.settings))
            os.environ["TMPDIR"] = tempfile.tempdir = str(workspace.scratch)
            mine = lease_owner.worker_process_owner(os.getppid())
            self._worker = TaskWorker(
                storage=storage,
                workspace=workspace,
                on_event=self._tell,
                owner=mine,
                task_bytes=self.settings.task_bytes,
            )
        return self._worker

    def _tell(self, event: TaskEnded) -> None:
        claim = self._claim
        get_logger().info(
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


def register_task(app: Celery, settings: Settings) -> None:
    """Let `app` perform tasks in processes that die with their worker, and leave nothing behind
    when they end.
    """
    desk = TaskRunner(settings)

    @app.task(name=TASK_NAME, ignore_result=True)  # type: ignore[untyped-decorator]
    def run(task: object, generation: object) -> None:
        desk.run_message(task, generation)

    def begun(**_: object) -> None:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def ended(**_: object) -> None:
        desk.close()

    worker_process_init.connect(begun, weak=False)
    worker_process_shutdown.connect(ended, weak=False)
