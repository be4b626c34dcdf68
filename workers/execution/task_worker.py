"""A worker: claim a task, run its stage, record the outcome, until a crawl is finished."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crawler.codec import decode
from storage.ledger.interface import Claim, Stage
from storage.ledger.leases import lease_owner
from storage.ledger.quotas.quota import NO_USE, Use
from workers.config.quota_rules import make_quota_rules
from workers.config.settings import Settings
from workers.execution import pipeline
from workers.execution.error_policy import Decision, decide_outcome, disk_full_error
from workers.execution.events import TaskEnded
from workers.execution.lease_keeper import LeaseKeeper
from workers.execution.retry_store import retry_while_unavailable
from workers.execution.telemetry import trace_task
from workers.execution.use_meter import UseMeter
from workers.tasks.payloads import JudgePayload
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

MISCONFIGURED_EXIT_CODE: Final = 2
_LEASE_LOST: Final = Decision(
    code="lease-lost",
    message="another worker has taken it over meanwhile",
    retry_in=0.0,
)
_SHORTEST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0


def served_stages(settings: Settings) -> tuple[Stage, ...]:
    """Return the stages that a machine with these settings serves.

    Kernels are run only where a device is named. A GPU is given the cases that a run on the CPU
    found, so any device brings that stage along.
    """
    stages: list[Stage] = [
        stage
        for stage in Stage
        if stage not in (Stage.VALIDATE_CPU, Stage.VALIDATE_DEVICE)
    ]
    if settings.devices:
        stages.append(Stage.VALIDATE_CPU)
    if any(device != "cpu" for device in settings.devices):
        stages.append(Stage.VALIDATE_DEVICE)
    return tuple(stages)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWorker:
    """One worker process's view: its storage, its workspace, and whom it tells."""

    storage: Storage
    workspace: Workspace
    on_event: Callable[[TaskEnded], None]
    owner: str = field(default_factory=lease_owner.current_process_owner)
    task_bytes: int = 0
    """Bytes of memory that this process and its descendants may hold; zero for no bound."""
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

        Returns 0, also where a quota holds the crawl, or 2 where the operator must act first.
        """
        stages = served_stages(self.workspace.settings)
        rules = make_quota_rules(self.workspace.settings)
        pause = _SHORTEST_PAUSE
        while True:
            if rules.is_set:
                self.storage.quotas.enforce(rules)
            claim = self._claim(crawl, stages)
            if claim is not None:
                pause = _SHORTEST_PAUSE
                if self.run_task(claim):
                    return MISCONFIGURED_EXIT_CODE
            elif self._is_over(crawl, stages):
                return 0
            else:
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _is_over(self, crawl: str, stages: tuple[Stage, ...]) -> bool:
        """Tell whether nothing of a crawl is left to do here, or a quota holds it."""
        is_done = not self.storage.ledger.count_unfinished(crawl, stages)
        return is_done or bool(self.storage.quotas.hold_reason(crawl))

    def require_free_disk(self) -> None:
        """Raise `DiskFull` where a task has not the room that the settings ask for.

        A compiler that meets a full disk would give a wrong verdict.
        """
        free_bytes = shutil.disk_usage(self.workspace.scratch).free
        if free_bytes < self.workspace.settings.free_bytes:
            raise disk_full_error()

    def run_task(self, claim: Claim) -> bool:
        """Run one claimed task to its end in the ledger; true when the worker must stop."""
        started = time.monotonic()
        with trace_task(claim) as report_end:
            decision = self._perform(claim)
            event = _describe_end(claim, decision, time.monotonic() - started)
            report_end(event)
            # within the trace, whose id the log's line has
            self.on_event(event)
        return decision is not None and decision.stop

    def _perform(self, claim: Claim) -> Decision | None:
        """Run a task and record its end; returns what was decided where it did not succeed."""
        meter = UseMeter(self.storage.blobs, holds_gpu=_holds_gpu(claim))
        with self.keeper.keep_lease(claim):
            try:
                outcome = pipeline.run_stage(claim, self.storage, self.workspace)
                use = meter.read()
                is_recorded = retry_while_unavailable(
                    lambda: self.storage.ledger.finish(claim, outcome, use)
                )
                return None if is_recorded else _LEASE_LOST
            except Exception as error:
                decision = decide_outcome(
                    error,
                    attempt=claim.attempt,
                    attempts=self.workspace.settings.attempts,
                )
                # what stops a worker, a full disk above all, is not its crawl's to pay for
                use = NO_USE if decision.stop else meter.read()
                self._record_failure(claim, decision, use)
                return decision

    def _claim(self, crawl: str, stages: tuple[Stage, ...]) -> Claim | None:
        self.require_free_disk()
        return self.storage.ledger.claim(
            self.owner, stages, self.workspace.settings.lease_seconds, crawl
        )

    def _record_failure(self, claim: Claim, decision: Decision, use: Use) -> None:
        retry_while_unavailable(
            lambda: self.storage.ledger.fail(
                claim,
                decision.code,
                decision.message,
                rejected=decision.rejected,
                retry_in=decision.retry_in,
                use=use,
            )
        )


def _holds_gpu(claim: Claim) -> bool:
    if claim.stage is Stage.JUDGE:
        return bool(decode(claim.payload, JudgePayload).device)
    return claim.stage is Stage.VALIDATE_DEVICE


def _describe_end(claim: Claim, decision: Decision | None, seconds: float) -> TaskEnded:
    return TaskEnded(
        stage=claim.stage.value,
        subject=claim.subject,
        state=_event_state(decision),
        seconds=round(seconds, 3),
        code=decision.code if decision else "",
        message=decision.message if decision else "",
    )


def _event_state(decision: Decision | None) -> str:
    if decision is None:
        return "done"
    if decision.stop:
        return "stopped"
    if decision.retry_in is not None:
        return "again"
    return "rejected" if decision.rejected else "failed"
