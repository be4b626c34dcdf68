"""Stage `validate.cpu`: run a batch of kernels on the CPU, each to cases and a verdict."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import Behaviour, Kernel, Run, Status, Suite, Toolchain, Verdict
from crawler.validate.bundle.manifest import golden_digests, input_digests
from crawler.validate.cpu.oracle_and_strength import assess_suite
from crawler.validate.cpu.result import CPU_DEVICE, CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.values.blobs import Blobs
from storage.ledger.interface import Claim, Outcome
from workers.reuse.cpu_runs import find_known_run, remember_run
from workers.tasks.cpu_batches import load_stored_kernels
from workers.tasks.device_batches import make_device_batches
from workers.tasks.payloads import RunPayload, RunResult
from workers.tasks.task_specs import store_json
from workers.workspace.task_workspace import Workspace

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
    """Run each kernel that was not run before with the same evidence, and keep what came of it
    at once.

    One that hangs, crashes, or breaks our own code is a verdict and never ends the batch.
    """
    payload = decode(claim.payload, RunPayload)
    project = _Project(storage=storage, workspace=workspace, snapshot=payload.snapshot)
    seconds = workspace.settings.strength_seconds
    statuses: Counter[str] = Counter()
    runs: list[Run] = []
    reused = 0
    for kernel in load_stored_kernels(storage.blobs, payload.kernels):
        known = find_known_run(storage, kernel, project, seconds)
        done = known or _kept(
            storage, kernel, _tried(kernel, project, seconds), project, seconds
        )
        if known:
            storage.index.put_runs([known], _suites(storage, known))
        reused += known is not None
        statuses[done.pass_exe.status.value] += 1
        runs.append(done)
    kept = store_json(storage.blobs, tuple(runs))
    result = RunResult(
        device=CPU_DEVICE,
        kernels=payload.kernels,
        runs=kept,
        statuses=dict(statuses),
        reused=reused,
    )
    following = make_device_batches(result, workspace.settings.devices, claim.subject)
    return Outcome(children=tuple(following), result=encode(result).decode())


def _tried(
    kernel: Kernel, project: Callable[[str], str | None], seconds: float
) -> CpuValidation:
    try:
        return assess_suite(
            kernel,
            validate_on_cpu(kernel),
            measures_strength=seconds > 0,
            mutant_seconds=seconds,
            read_file=project,
        )
    except Misconfigured:
        raise
    except Exception:
        verdict = Verdict(
            status=Status.FAIL, code="internal", message=traceback.format_exc()
        )
        return CpuValidation(run=_nothing(kernel, verdict), blobs=Blobs())


def _nothing(kernel: Kernel, verdict: Verdict) -> Run:
    digest = kernel.unit.digest if kernel.unit else ""
    return Run(
        unit=digest,
        device=CPU_DEVICE,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=Behaviour.UNSUPPORTED,
    )


def _kept(
    storage: Storage,
    kernel: Kernel,
    tried: CpuValidation,
    project: Callable[[str], str | None],
    seconds: float,
) -> Run:
    suites = [tried.suite] if tried.suite and tried.run.suite else []
    wanted = dict.fromkeys(
        digest
        for suite in suites
        for digest in (*input_digests(suite), *golden_digests(suite))
    )
    storage.blobs.put_many(tried.blobs.get(digest) for digest in wanted)
    storage.index.put_runs([tried.run], suites)
    remember_run(storage, kernel, tried.run, project, seconds)
    return tried.run


def _suites(storage: Storage, run: Run) -> list[Suite]:
    return [decode(storage.blobs.get(run.suite), Suite)] if run.suite else []
