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

from crawler.errors import DiskFull
from storage.blobs.durable_files import translate_disk_full
from storage.ledger.interface import Stage
from storage.ledger.leases import lease_owner
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
"""Of `prctl(2)`: the signal that a process gets when its parent dies."""
_LOGGED_MESSAGE_LENGTH: Final = 500


class TaskRunner:
    """What one process of a worker has open from its first task on."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._resources = ExitStack()
        self._worker: TaskWorker | None = None
        self._claim: Claim | None = None
        self._revisions = {stage: stage_revision(stage) for stage in Stage}

    def run_message(self, task: object, generation: object) -> None:
        """Claim and perform the task of a message.

        A message that is stale, or not of the two numbers that the dispatcher sends, does
        nothing.
        """
        # `type`, not `isinstance`: JSON's `true` is an `int` to Python, but no task's number
        if type(task) is not int or type(generation) is not int:
            get_logger().warning("message-refused")
            return

        try:
            with translate_disk_full():
                worker = self._open_worker()
            worker.require_free_disk()
        except DiskFull as error:
            # unclaimed: the message is sent again, to whom has room
            get_logger().error("worker-stops", code=error.code, message=str(error))
            self._stop_worker()
            return

        ledger = worker.storage.ledger
        self._claim = retry_while_unavailable(
            lambda: ledger.claim_dispatched(
                worker.owner,
                task,
                generation,
                self.settings.lease_seconds,
                self._revisions,
            )
        )
        if self._claim is None:
            return

        must_stop = worker.run_task(self._claim)
        if must_stop:
            self._stop_worker()

    def close(self) -> None:
        """Let go of storage and scratch."""
        self._worker = None
        telemetry.flush_telemetry()
        self._resources.close()

    def _stop_worker(self) -> None:
        # the operator must act first: this worker takes no more
        os.kill(os.getppid(), signal.SIGTERM)

    def _open_worker(self) -> TaskWorker:
        # opened by the first task rather than before the fork: connections are not inherited
        if self._worker is None:
            storage = self._resources.enter_context(
                open_configured_storage(self.settings)
            )
            workspace = self._resources.enter_context(open_workspace(self.settings))

            # both are needed: the variable for child processes, the attribute because Python
            # may have looked at the variable before
            scratch_folder = str(workspace.scratch)
            os.environ["TMPDIR"] = scratch_folder
            tempfile.tempdir = scratch_folder

            self._worker = TaskWorker(
                storage=storage,
                workspace=workspace,
                on_event=self._log_ended_task,
                owner=lease_owner.worker_process_owner(os.getppid()),
                task_bytes=self.settings.task_bytes,
            )
        return self._worker

    def _log_ended_task(self, event: TaskEnded) -> None:
        claim = self._claim
        get_logger().info(
            "task-ended",
            stage=event.stage,
            subject=event.subject,
            state=event.state,
            code=event.code,
            message=event.message[:_LOGGED_MESSAGE_LENGTH],
            seconds=event.seconds,
            task=claim.id if claim else 0,
            attempt=claim.attempt if claim else 0,
            crawls=claim.crawls if claim else (),
        )


def register_task(app: Celery, settings: Settings) -> None:
    """Let `app` perform tasks in processes that die with their worker, and leave nothing behind
    when they end.
    """
    runner = TaskRunner(settings)

    @app.task(name=TASK_NAME, ignore_result=True)  # type: ignore[untyped-decorator]
    def run(task: object, generation: object) -> None:
        runner.run_message(task, generation)

    def die_with_parent(**_: object) -> None:
        # a worker that is killed outright has no chance to end its processes
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def close_runner(**_: object) -> None:
        runner.close()

    # Celery holds handlers weakly by default, and these have no other owner
    worker_process_init.connect(die_with_parent, weak=False)
    worker_process_shutdown.connect(close_runner, weak=False)
