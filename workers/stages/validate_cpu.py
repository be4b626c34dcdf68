"""Stage `validate.cpu`: run a batch of kernels on the CPU, each to cases and a verdict."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import (
    Behaviour,
    Kernel,
    KernelUnit,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.validate.bundle.manifest import golden_digests, input_digests
from crawler.validate.cpu.oracle_and_strength import assess_suite
from crawler.validate.cpu.result import CPU_DEVICE, CpuValidation
from crawler.validate.cpu.validation import (
    InstantiationBudget,
    iter_further_entries,
    validate_further,
    validate_on_cpu,
)
from crawler.validate.programs.program_evidence import (
    ProgramEvidence,
    add_program_evidence,
    judge_by_programs,
    list_recordings,
)
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.strength.strength_class import (
    StrengthThresholds,
    classify_strength,
)
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_evidence import (
    add_suite_evidence,
    judge_by_suite,
    list_suite_recordings,
)
from crawler.validate.values.blobs import Blobs
from storage.ledger.interface import Claim, Outcome
from workers.reuse.cpu_runs import RunConditions, find_known_runs, remember_runs
from workers.reuse.program_reports import ProgramReports
from workers.reuse.suite_reports import SuiteReports
from workers.tasks.cpu_batches import load_kernels_with_versions
from workers.tasks.device_batches import make_device_batches
from workers.tasks.payloads import RunPayload, RunResult
from workers.tasks.queues import iter_gpus
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
class _AuthorEvidence:
    """What the author's own code says of a kernel: programs, tests, other versions."""

    programs: tuple[ProgramEvidence, ...] = ()
    tests: tuple[InstanceTests, ...] = ()
    versions: tuple[Kernel, ...] = ()
    """Other kernels of the commit that take the same and are written otherwise."""

    @property
    def recordings(self) -> tuple[RecordedLaunch, ...]:
        """Launches of the kernel that these made, as they were."""
        return (
            *list_recordings(self.programs),
            *list_suite_recordings(self.tests),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _CpuRunner:
    """Runs the kernels of one task and keeps each result at once."""

    storage: Storage
    conditions: RunConditions
    thresholds: StrengthThresholds

    def find_earlier_run(self, kernel: Kernel, evidence: _AuthorEvidence) -> Run | None:
        """Return what an earlier commit had of this kernel with the same evidence."""
        known_runs = find_known_runs(self.storage, kernel, self.conditions, evidence)
        if not known_runs:
            return None

        # what is strong may have been set otherwise since
        runs: list[Run] = []
        for run in known_runs:
            strength = classify_strength(run.strength, self.thresholds)
            runs.append(replace(run, strength=strength))

        self.storage.index.put_runs(runs, _load_suites(self.storage, runs))
        return runs[0]

    def run_kernel(self, kernel: Kernel, evidence: _AuthorEvidence) -> Run:
        """Run a kernel, and further instantiations of it; store the runs with their cases, and
        return the one that speaks for the kernel.
        """
        runs: list[Run] = []
        suites: list[Suite] = []

        for validation in self._list_validations(kernel, evidence):
            runs.append(validation.run)
            if validation.suite and validation.run.suite:
                suites.append(validation.suite)
                self._store_contents(validation.suite, validation.blobs)

        self.storage.index.put_runs(runs, suites)
        remember_runs(self.storage, kernel, runs, self.conditions, evidence)
        return runs[0]

    def _list_validations(
        self, kernel: Kernel, evidence: _AuthorEvidence
    ) -> list[CpuValidation]:
        unit = kernel.unit
        if unit is None:
            return [self._validate(kernel, "", lambda: validate_on_cpu(kernel), ())]

        fault = judge_by_programs(unit, evidence.programs) or judge_by_suite(
            unit, evidence.tests
        )
        if fault is not None:
            return [fault]

        validations = list(self._iter_validations(kernel, unit, evidence))
        return add_suite_evidence(validations, unit, evidence.tests)

    def _iter_validations(
        self, kernel: Kernel, unit: KernelUnit, evidence: _AuthorEvidence
    ) -> Iterator[CpuValidation]:
        recordings = evidence.recordings
        first = self._validate(
            kernel,
            "",
            lambda: validate_on_cpu(kernel, recordings=recordings),
            evidence.versions,
        )
        yield add_program_evidence(first, unit, evidence.programs)
        yield from first.tried

        budget = self.conditions.budget
        for entry in iter_further_entries(unit, first, budget, recordings):
            label = unit.instantiations[entry].label
            validate = partial(
                validate_further, kernel, unit, entry, recordings=recordings
            )
            further = self._validate(kernel, label, validate, evidence.versions)
            yield replace(further, run=replace(further.run, is_further=True))

    def _validate(
        self,
        kernel: Kernel,
        label: str,
        validate: Callable[[], CpuValidation],
        versions: Sequence[Kernel],
    ) -> CpuValidation:
        """Return what `validate` makes, with what its cases can tell; where it breaks our own
        code, a verdict that says so of the instantiation called `label`.
        """
        strength_seconds = self.conditions.strength_seconds
        try:
            return assess_suite(
                kernel,
                validate(),
                measures_strength=strength_seconds > 0,
                mutant_seconds=strength_seconds,
                thresholds=self.thresholds,
                read_file=self.conditions.read_file,
                versions=versions,
            )
        except Misconfigured:
            raise
        except Exception:
            message = traceback.format_exc()
            verdict = Verdict(status=Status.FAIL, code="internal", message=message)
            empty_run = _make_empty_run(kernel, verdict, label)
            return CpuValidation(run=empty_run, blobs=Blobs())

    def _store_contents(self, suite: Suite, blobs: Blobs) -> None:
        """Store the inputs and golden outputs of a suite."""
        # each once, in their order: cases share inputs
        digests = dict.fromkeys(input_digests(suite))
        digests |= dict.fromkeys(golden_digests(suite))
        self.storage.blobs.put_many(blobs.get(digest) for digest in digests)


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
    suites = SuiteReports(
        storage=storage,
        programs=programs,
        python=workspace.settings.project_tests,
    )
    conditions = RunConditions(
        read_file=_ProjectFiles(programs=programs),
        strength_seconds=workspace.settings.strength_seconds,
        budget=InstantiationBudget(
            instantiations=workspace.settings.instantiations,
            seconds=workspace.settings.instantiation_seconds,
        ),
    )
    runner = _CpuRunner(
        storage=storage,
        conditions=conditions,
        thresholds=workspace.settings.strength_thresholds(),
    )
    runs: list[Run] = []
    reused_count = 0
    for kernel, load_versions in load_kernels_with_versions(
        storage.blobs, payload.kernels
    ):
        evidence = _AuthorEvidence(
            programs=programs.find_evidence(kernel),
            tests=suites.find_evidence(kernel),
            versions=load_versions(),
        )
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
    # what this machine's settings name, and what the crawls ask for that it is run for
    crawl_gpus = iter_gpus(storage.ledger.run_queues(claim.crawls))
    devices = (*workspace.settings.devices, *crawl_gpus)
    device_tasks = make_device_batches(result, devices, claim.subject)
    return Outcome(children=tuple(device_tasks), result=encode(result).decode())


def _make_empty_run(kernel: Kernel, verdict: Verdict, label: str) -> Run:
    return Run(
        unit=kernel.unit.digest if kernel.unit else "",
        device=CPU_DEVICE,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=Behaviour.UNSUPPORTED,
        instantiation=label,
    )


def _load_suites(storage: Storage, runs: Iterable[Run]) -> list[Suite]:
    digests = [run.suite for run in runs if run.suite]
    return [decode(encoded, Suite) for encoded in storage.blobs.get_many(digests)]
