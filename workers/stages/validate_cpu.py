"""Stage `validate.cpu`: run a batch of kernels on the CPU, each to cases and a verdict."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import Behaviour, Kernel, Run, Status, Suite, Toolchain, Verdict
from crawler.validate.bundle.manifest import golden_digests, input_digests
from crawler.validate.cpu.oracle_and_strength import assess_suite
from crawler.validate.cpu.result import CPU_DEVICE, CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.programs.program_evidence import (
    ProgramEvidence,
    add_program_evidence,
    judge_by_programs,
)
from crawler.validate.values.blobs import Blobs
from storage.ledger.interface import Claim, Outcome
from workers.reuse.cpu_runs import find_known_run, remember_run
from workers.reuse.program_reports import ProgramReports
from workers.tasks.cpu_batches import load_stored_kernels
from workers.tasks.device_batches import make_device_batches
from workers.tasks.payloads import RunPayload, RunResult
from workers.tasks.task_specs import store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProjectFiles:
    """The files of the commit, unpacked only when one is asked for."""

    programs: ProgramReports

    def __call__(self, path: str) -> str | None:
        file = self.programs.root / path
        if not file.is_file():
            return None
        return file.read_text("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True, kw_only=True)
class _CpuRunner:
    """Runs the kernels of one task and keeps each result at once."""

    storage: Storage
    read_file: _ProjectFiles
    strength_seconds: float

    def find_earlier_run(
        self, kernel: Kernel, evidence: tuple[ProgramEvidence, ...]
    ) -> Run | None:
        """Return what an earlier commit had of this kernel with the same evidence."""
        run = find_known_run(
            self.storage,
            kernel,
            self.read_file,
            self.strength_seconds,
            evidence=evidence,
        )
        if run:
            self.storage.index.put_runs([run], _load_suites(self.storage, run))
        return run

    def run_kernel(self, kernel: Kernel, evidence: tuple[ProgramEvidence, ...]) -> Run:
        """Run a kernel and store its run with its cases."""
        validation = self._validate(kernel, evidence)
        run = validation.run
        suites = [validation.suite] if validation.suite and run.suite else []

        # each once, in their order: cases of a suite share inputs
        digests: dict[str, None] = {}
        for suite in suites:
            digests |= dict.fromkeys(input_digests(suite))
            digests |= dict.fromkeys(golden_digests(suite))

        self.storage.blobs.put_many(validation.blobs.get(digest) for digest in digests)
        self.storage.index.put_runs([run], suites)
        remember_run(
            self.storage,
            kernel,
            run,
            self.read_file,
            self.strength_seconds,
            evidence=evidence,
        )
        return run

    def _validate(
        self, kernel: Kernel, evidence: tuple[ProgramEvidence, ...]
    ) -> CpuValidation:
        assert kernel.unit is not None
        try:
            fault = judge_by_programs(kernel.unit, evidence)
            if fault is not None:
                return fault

            validation = assess_suite(
                kernel,
                validate_on_cpu(kernel),
                measures_strength=self.strength_seconds > 0,
                mutant_seconds=self.strength_seconds,
                read_file=self.read_file,
            )
            return add_program_evidence(validation, kernel.unit, evidence)
        except Misconfigured:
            raise
        except Exception:
            message = traceback.format_exc()
            verdict = Verdict(status=Status.FAIL, code="internal", message=message)
            return CpuValidation(run=_make_empty_run(kernel, verdict), blobs=Blobs())


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run each kernel that was not run before with the same evidence.

    Each result is kept at once. A kernel that hangs, crashes, or breaks our own code is a
    verdict and never ends the batch.
    """
    payload = decode(claim.payload, RunPayload)
    programs = ProgramReports(
        storage=storage,
        workspace=workspace,
        snapshot=payload.snapshot,
        database=payload.database,
    )
    runner = _CpuRunner(
        storage=storage,
        read_file=_ProjectFiles(programs=programs),
        strength_seconds=workspace.settings.strength_seconds,
    )
    runs: list[Run] = []
    reused_count = 0
    for kernel in load_stored_kernels(storage.blobs, payload.kernels):
        evidence = programs.find_evidence(kernel)
        earlier_run = runner.find_earlier_run(kernel, evidence)
        if earlier_run:
            reused_count += 1
        runs.append(earlier_run or runner.run_kernel(kernel, evidence))

    statuses = Counter(run.pass_exe.status.value for run in runs)
    result = RunResult(
        device=CPU_DEVICE,
        kernels=payload.kernels,
        runs=store_json(storage.blobs, tuple(runs)),
        statuses=dict(statuses),
        reused=reused_count,
    )
    device_tasks = make_device_batches(
        result, workspace.settings.devices, claim.subject
    )
    return Outcome(children=tuple(device_tasks), result=encode(result).decode())


def _make_empty_run(kernel: Kernel, verdict: Verdict) -> Run:
    return Run(
        unit=kernel.unit.digest if kernel.unit else "",
        device=CPU_DEVICE,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=Behaviour.UNSUPPORTED,
    )


def _load_suites(storage: Storage, run: Run) -> list[Suite]:
    if not run.suite:
        return []

    encoded_suite = storage.blobs.get(run.suite)
    return [decode(encoded_suite, Suite)]
