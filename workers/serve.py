"""A worker: claims a task, runs its stage, tells the ledger, until nothing is left of a crawl."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from storage import owner
from storage.ledger import Claim, Stage
from workers import pipeline
from workers.events import TaskEnded
from workers.lease import Keeper
from workers.patience import patiently
from workers.policy import Decision, decide, no_room
from workers.settings import Settings
from workers.telemetry import traced
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

MISCONFIGURED: Final = 2
_LOST: Final = Decision(code="lease-lost", message="another worker has taken it over meanwhile", retry_in=0.0)
_SHORTEST_REST: Final = 0.05
_LONGEST_REST: Final = 1.0


def served(settings: Settings) -> tuple[Stage, ...]:
    """Return the stages that a machine with these settings serves: those that run kernels only where it was asked.

    A GPU is given the cases that a run on the CPU found.
    """
    on_cpu, on_device = bool(settings.devices), any(device != "cpu" for device in settings.devices)
    wanted = {Stage.VALIDATE_CPU: on_cpu, Stage.VALIDATE_DEVICE: on_device}
    return tuple(stage for stage in Stage if wanted.get(stage, True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One worker process's view: its storage, its workspace, and whom it tells."""

    storage: Storage
    workspace: Workspace
    tell: Callable[[TaskEnded], None]
    owner: str = field(default_factory=owner.this_process)
    task_bytes: int = 0
    """How much this process and all that came of it may hold; zero means no bound."""
    keeper: Keeper = field(init=False)

    def __post_init__(self) -> None:
        settings = self.workspace.settings
        limits = {"lease_seconds": settings.lease_seconds, "task_seconds": settings.task_seconds}
        keeper = Keeper(self.storage.ledger, **limits, task_bytes=self.task_bytes)
        object.__setattr__(self, "keeper", keeper)

    def serve(self, crawl: str) -> int:
        """Work until the crawl has no unfinished task that is served here.

        Returns 0, or 2 where the operator must act first.
        """
        rest, stages = _SHORTEST_REST, served(self.workspace.settings)
        while True:
            claim = self._claim(crawl, stages)
            if claim is not None:
                rest = _SHORTEST_REST
                if self.perform(claim):
                    return MISCONFIGURED
            elif not self.storage.ledger.unfinished(crawl, stages):
                return 0
            else:
                time.sleep(rest)
                rest = min(rest * 2, _LONGEST_REST)

    def perform(self, claim: Claim) -> bool:
        """Run one claimed task to its end in the ledger; true when the worker must stop."""
        with traced(claim) as told:
            event, stop = self._performed(claim)
            told(event)
        self.tell(event)
        return stop

    def _performed(self, claim: Claim) -> tuple[TaskEnded, bool]:
        settings, started = self.workspace.settings, time.monotonic()
        decision: Decision | None = None
        with self.keeper.over(claim):
            try:
                outcome = pipeline.run(claim, self.storage, self.workspace)
                if not patiently(lambda: self.storage.ledger.finish(claim, outcome)):
                    decision = _LOST
            except Exception as error:
                decision = decide(error, attempt=claim.attempt, attempts=settings.attempts)
                self._record(claim, decision)
        return _ended(claim, decision, time.monotonic() - started), decision is not None and decision.stop

    def _claim(self, crawl: str, stages: tuple[Stage, ...]) -> Claim | None:
        # a compiler that meets a full disk would give a wrong verdict
        if shutil.disk_usage(self.workspace.scratch).free < self.workspace.settings.free_bytes:
            raise no_room()
        return self.storage.ledger.claim(self.owner, stages, self.workspace.settings.lease_seconds, crawl)

    def _record(self, claim: Claim, decision: Decision) -> None:
        patiently(
            lambda: self.storage.ledger.fail(
                claim, decision.code, decision.message, rejected=decision.rejected, retry_in=decision.retry_in
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
