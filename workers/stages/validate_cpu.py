"""validate.cpu: a batch of kernels is run on this machine's CPU, each to cases and a verdict."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import Behaviour, Kernel, Run, Status, Suite, Toolchain, Verdict
from crawler.validate.assess import assessed
from crawler.validate.blobs import Blobs
from crawler.validate.bundle import contents, golden
from crawler.validate.trial import DEVICE, Tried, try_on_cpu
from storage.ledger import Claim, Outcome
from workers.stages.device_batches import device_batches
from workers.stages.known_runs import known_run, remember_run
from workers.stages.payloads import RunPayload, RunResult
from workers.stages.run_batches import stored_kernels
from workers.stages.tasks import keep
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Project:
    """The files of the commit, unpacked only when one is asked for."""

    storage: Storage
    workspace: Workspace
    snapshot: str

    def __call__(self, path: str) -> str | None:
        file = self.workspace.checkout(self.snapshot, self.storage.blobs) / path
        return file.read_text("utf-8", "surrogateescape") if file.is_file() else None


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run each kernel that was not run before with the same evidence, and keep what came of it at once.

    One that hangs, crashes, or breaks our own code is a verdict and never ends the batch.
    """
    payload = decode(claim.payload, RunPayload)
    project = _Project(storage=storage, workspace=workspace, snapshot=payload.snapshot)
    seconds = workspace.settings.strength_seconds
    statuses: Counter[str] = Counter()
    runs: list[Run] = []
    reused = 0
    for kernel in stored_kernels(storage.blobs, payload.kernels):
        known = known_run(storage, kernel, project, seconds)
        done = known or _kept(storage, kernel, _tried(kernel, project, seconds), project, seconds)
        if known:
            storage.index.put_runs([known], _suites(storage, known))
        reused += known is not None
        statuses[done.pass_exe.status.value] += 1
        runs.append(done)
    kept = keep(storage.blobs, tuple(runs))
    result = RunResult(device=DEVICE, kernels=payload.kernels, runs=kept, statuses=dict(statuses), reused=reused)
    following = device_batches(result, workspace.settings.devices, claim.subject)
    return Outcome(children=tuple(following), result=encode(result).decode())


def _tried(kernel: Kernel, project: Callable[[str], str | None], seconds: float) -> Tried:
    try:
        return assessed(kernel, try_on_cpu(kernel), strength=seconds > 0, seconds=seconds, file_of=project)
    except Misconfigured:
        raise
    except Exception:
        verdict = Verdict(status=Status.FAIL, code="internal", message=traceback.format_exc())
        return Tried(run=_nothing(kernel, verdict), blobs=Blobs())


def _nothing(kernel: Kernel, verdict: Verdict) -> Run:
    digest = kernel.unit.digest if kernel.unit else ""
    return Run(
        unit=digest,
        device=DEVICE,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=Behaviour.UNSUPPORTED,
    )


def _kept(storage: Storage, kernel: Kernel, tried: Tried, project: Callable[[str], str | None], seconds: float) -> Run:
    suites = [tried.suite] if tried.suite and tried.run.suite else []
    wanted = dict.fromkeys(digest for suite in suites for digest in (*contents(suite), *golden(suite)))
    storage.blobs.put_many(tried.blobs.get(digest) for digest in wanted)
    storage.index.put_runs([tried.run], suites)
    remember_run(storage, kernel, tried.run, project, seconds)
    return tried.run


def _suites(storage: Storage, run: Run) -> list[Suite]:
    return [decode(storage.blobs.get(run.suite), Suite)] if run.suite else []
