"""A worker: claim a task, run its stage, record the outcome, until a crawl is finished."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from storage.ledger import lease_owner
from storage.ledger.interface import Claim, Stage
from workers.config.settings import Settings
from workers.execution import pipeline
from workers.execution.error_policy import Decision, decide_outcome, disk_full_error
from workers.execution.events import TaskEnded
from workers.execution.lease_keeper import LeaseKeeper
from workers.execution.retry_store import retry_while_unavailable
from workers.execution.telemetry import trace_task
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

MISCONFIGURED_EXIT_CODE: Final = 2
_LOST: Final = Decision(
    code="lease-lost",
    message="another worker has taken it over meanwhile",
    retry_in=0.0,
)
_SHORTEST_REST: Final = 0.05
_LONGEST_REST: Final = 1.0


def served_stages(settings: Settings) -> tuple[Stage, ...]:
    """Return the stages that a machine with these settings serves: those that run kernels only
    where it was asked.

    A GPU is given the cases that a run on the CPU found.
    """
    on_cpu, on_device = (
        bool(settings.devices),
        any(device != "cpu" for device in settings.devices),
    )
    wanted = {Stage.VALIDATE_CPU: on_cpu, Stage.VALIDATE_DEVICE: on_device}
    return tuple(stage for stage in Stage if wanted.get(stage, True))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWorker:
    """One worker process's view: its storage, its workspace, and whom it tells."""

    storage: Storage
    workspace: Workspace
    on_event: Callable[[TaskEnded], None]
    owner: str = field(default_factory=lease_owner.current_process_owner)
    task_bytes: int = 0
    """How much this process and all that came of it may hold; zero means no bound."""
    keeper: LeaseKeeper = field(init=False)

    def __post_init__(self) -> None:
        settings = self.workspace.settings
        limits = {
            "lease_seconds": settings.lease_seconds,
            "task_seconds": settings.task_seconds,
        }
        keeper = LeaseKeeper(self.storage.ledger, **limits, task_bytes=self.task_bytes)
        object.__setattr__(self, "keeper", keeper)

    def work_crawl(self, crawl: str) -> int:
        """Work until the crawl has no unfinished task that is served here.

        Returns 0, or 2 where the operator must act first.
        """
        rest, stages = _SHORTEST_REST, served_stages(self.workspace.settings)
        while True:
            claim = self._claim(crawl, stages)
            if claim is not None:
                rest = _SHORTEST_REST
                if self.run_task(claim):
                    return MISCONFIGURED_EXIT_CODE
            elif not self.storage.ledger.count_unfinished(crawl, stages):
                return 0
            else:
                time.sleep(rest)
                rest = min(rest * 2, _LONGEST_REST)

    def run_task(self, claim: Claim) -> bool:
        """Run one claimed task to its end in the ledger; true when the worker must stop."""
        with trace_task(claim) as told:
            event, stop = self._performed(claim)
            told(event)
        self.on_event(event)
        return stop

    def _performed(self, claim: Claim) -> tuple[TaskEnded, bool]:
        settings, started = self.workspace.settings, time.monotonic()
        decision: Decision | None = None
        with self.keeper.keep_lease(claim):
            try:
                outcome = pipeline.run_stage(claim, self.storage, self.workspace)
                if not retry_while_unavailable(
                    lambda: self.storage.ledger.finish(claim, outcome)
                ):
                    decision = _LOST
            except Exception as error:
                decision = decide_outcome(
                    error, attempt=claim.attempt, attempts=settings.attempts
                )
                self._record(claim, decision)
        return _ended(
            claim, decision, time.monotonic() - started
        ), decision is not None and decision.stop

    def _claim(self, crawl: str, stages: tuple[Stage, ...]) -> Claim | None:
        # a compiler that meets a full disk would give a wrong verdict
        if (
            shutil.disk_usage(self.workspace.scratch).free
            < self.workspace.settings.free_bytes
        ):
            raise disk_full_error()
        return self.storage.ledger.claim(
            self.owner, stages, self.workspace.settings.lease_seconds, crawl
        )

    def _record(self, claim: Claim, decision: Decision) -> None:
        retry_while_unavailable(
            lambda: self.storage.ledger.fail(
                claim,
                decision.code,
                decision.message,
                rejected=decision.rejected,
                retry_in=decision.retry_in,
            )
        )


def _ended(claim: Claim, decision: Decision | None, seconds: float) -> TaskEnded:
    return TaskEnded(
        stage=claim.stage.value,
        subject=claim.subject,
        state=_state(decision),
        seconds=round(seconds, 3),
        code=decision.code if decision else "",
        message=decision.message if decision else "",
    )


def _state(decision: Decision | None) -> str:
    if decision is None:
        return "done"
    if decision.stop:
        return "stopped"
    if decision.retry_in is not None:
        return "again"
    return "rejected" if decision.rejected else "failed"
