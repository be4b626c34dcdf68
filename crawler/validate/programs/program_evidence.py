"""Verdicts of kernels by what their projects' own programs showed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Behaviour, Kernel, KernelUnit, Oracle, Run, Status, Verdict
from crawler.validate.behaviour.golden_case import ORDER_DEPENDENT
from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.result import (
    CpuValidation,
    build_failed_validation,
    build_run,
    choose_fault_behaviour,
)
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.runs.kernel_launches import KernelLaunches
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.values.blobs import Blobs

OWN_PROGRAM: Final = "own-program"
"""Code of a kernel that is consistent in its project's own program, and for which no inputs of
ours do.
"""
OWN_LAUNCHER: Final = "own-launcher"
"""Likewise, in calls of its project's own launcher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEvidence:
    """What one program showed of a kernel."""

    file: str
    """The source that defines its `main` or its launcher, relative to the checkout."""
    launches: KernelLaunches
    launcher: str = ""
    """The function that was called; empty for a program with a `main` of its own."""

    @property
    def place(self) -> str:
        """Where the kernel was launched, for a message."""
        if self.launcher:
            return f"the project's own launcher in {self.file}"
        return f"the project's own program {self.file}"


def find_evidence(
    kernel: Kernel, reports: Iterable[tuple[str, ProgramReport]]
) -> tuple[ProgramEvidence, ...]:
    """Return what programs showed of `kernel`; each report stands beside its program's file."""
    return tuple(
        ProgramEvidence(file=file, launches=launches, launcher=report.launcher)
        for file, report in reports
        for launches in report.kernels
        if _is_definition(kernel, launches)
    )


def _is_definition(kernel: Kernel, launches: KernelLaunches) -> bool:
    span = kernel.span
    place = launches.place
    return place.path == span.path and span.line <= place.line <= span.end_line


def list_recordings(evidence: Iterable[ProgramEvidence]) -> tuple[RecordedLaunch, ...]:
    """Return the launches of a kernel that its project's programs recorded."""
    return tuple(
        launch for program in evidence for launch in program.launches.recordings
    )


def judge_by_programs(
    unit: KernelUnit, evidence: Iterable[ProgramEvidence]
) -> CpuValidation | None:
    """Return the validation of a kernel that goes wrong in a program of its own project, `None`
    where none does.
    """
    for program in evidence:
        fault = program.launches.fault
        if fault is None:
            continue

        message = f"in {program.place}: {fault.message}"
        behaviour = choose_fault_behaviour(fault.code)
        return build_failed_validation(unit, behaviour, fault.code, message)

    return None


def add_program_evidence(
    validation: CpuValidation, unit: KernelUnit, evidence: Sequence[ProgramEvidence]
) -> CpuValidation:
    """Return `validation` with what programs showed of its kernel, none of which goes wrong.

    A kernel for which no inputs were found is consistent in the launches of its own project's
    program, where these agree; it has no cases. Neither this nor a program's own check is claimed
    for a template with several instantiations: a verdict is never one of another.
    """
    notes = [
        f"{_name_caller(program)} launches it {program.launches.launches} times without a fault"
        for program in evidence
        if program.launches.fault is None
    ]
    if not notes:
        return validation

    verdict = validation.run.pass_exe
    # which instantiation of a template a program launched is not told
    speaks_for_unit = len(unit.instantiations) <= 1
    agreeing = next(
        (program for program in evidence if program.launches.is_consistent), None
    )
    if verdict.status is Status.UNSUPPORTED and speaks_for_unit and agreeing:
        code = OWN_LAUNCHER if agreeing.launcher else OWN_PROGRAM
        verdict = Verdict(
            status=Status.CONSISTENT,
            code=code,
            message=f"{explain_code(code)}; no cases: {verdict.code}",
        )
        validation = CpuValidation(
            run=build_run(unit, Behaviour.DETERMINISTIC, verdict), blobs=Blobs()
        )

    message = "; ".join(filter(None, [verdict.message, *notes]))
    run = replace(validation.run, pass_exe=replace(verdict, message=message))
    if speaks_for_unit:
        run = _prove_by_check(run, evidence)

    return replace(validation, run=run)


def _prove_by_check(run: Run, evidence: Sequence[ProgramEvidence]) -> Run:
    """Return a run that passes, where a program checks the kernel's results and accepts them.

    A kernel that does otherwise in another order of its threads is to be accepted in each.
    """
    is_varying = run.pass_exe.code == ORDER_DEPENDENT
    if not is_varying and run.pass_exe.status is not Status.CONSISTENT:
        return run

    checking = next(
        (
            program.file
            for program in evidence
            if program.launches.is_checked
            and (program.launches.may_vary or not is_varying)
        ),
        "",
    )
    if not checking:
        return run

    orders = " in each order of its threads" if is_varying else ""
    message = (
        f"{checking} checks its results: it accepts them{orders}, and refuses them where it"
        " does nothing or some are changed"
    )
    proven = Verdict(status=Status.PASS, message=message)
    behaviour = Behaviour.ATOMIC_NONDETERMINISTIC if is_varying else run.behaviour

    return replace(
        run, pass_exe=proven, oracle=Oracle.PROJECT_PROGRAM, behaviour=behaviour
    )


def _name_caller(evidence: ProgramEvidence) -> str:
    if evidence.launcher:
        return f"{evidence.launcher} in {evidence.file}, called with what suits it,"
    return evidence.file
