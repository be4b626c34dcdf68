"""Judge a case that a model wrote: the kernel must come through it, and it must tell more."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from crawler.completion.purpose import Check
from crawler.completion.weak_suite import WeakSuite
from crawler.completion.written_case import BadCase, read_case
from crawler.judging.completion_source import find_longest_block
from crawler.model import AttemptVerdict, BufferRole, Case, CaseBuffer, Status
from crawler.validate.cpu.result import CPU_DEVICE
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import ThreadOrder
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.inputs.trials.problems import PROBLEM_KINDS
from crawler.validate.strength.suite_strength import StrengthMeter
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import find_mismatches

_NAME: Final = "written"
_MAX_MESSAGES: Final = 2000
_MAX_SOURCE: Final = 1 << 20
_STRENGTH_SECONDS: Final = 60.0


class FaultyCase(ValueError):
    """Says what the kernel itself does wrong in a case."""


class WrittenCaseCheck:
    """Judges cases on this machine's CPU; the kernel and its mutants run in the sandbox."""

    def __call__(self, subject: WeakSuite, answer: str) -> Check:
        """Return what a case tells that those of the suite do not.

        Raises `MissingTool` where nothing can be run on this machine.
        """
        text = find_longest_block(answer).strip()
        if len(text) > _MAX_SOURCE:
            return _make_check(AttemptVerdict.MALFORMED, "", "the case is too long")

        blobs = Blobs(subject.blobs.by_digest)
        try:
            case = read_case(text, subject.base, subject.scalars, blobs, _NAME)
            golden_case = run_written_case(subject, case, blobs)
        except BadCase as problem:
            return _make_check(AttemptVerdict.MALFORMED, text, str(problem))
        except FaultyCase as problem:
            return _make_check(AttemptVerdict.BROKEN, text, str(problem))

        told_count = _count_told(subject, golden_case, blobs)
        if not told_count:
            message = "every change gives the same result in it, and no branch is new"
            return _make_check(AttemptVerdict.WRONG, text, message)
        message = f"it tells {told_count} changes or branches that no other case does"
        return _make_check(AttemptVerdict.RIGHT, text, message)


def _count_told(subject: WeakSuite, case: Case, blobs: Blobs) -> int:
    """Return how many changes and branches a case tells that none of the suite's does."""
    meter = StrengthMeter(subject.unit, blobs, entry=case.entry)
    cases = [each for each in subject.suite.cases if each.entry == case.entry]
    meter.add_cases(cases, _STRENGTH_SECONDS)
    return meter.add_cases((case,), _STRENGTH_SECONDS)


def run_written_case(subject: WeakSuite, case: Case, blobs: Blobs) -> Case:
    """Return the case with what the kernel makes of it; raises `FaultyCase`."""
    program = build_cpu_program(
        subject.unit, BuildOptions(trace=True), entry=case.entry, describe=False
    )
    if not program.executable:
        raise FaultyCase(f"it cannot be run: {program.verdict.message}")

    forward, backward = run_launches(
        program,
        [
            build_case_launch(case, blobs, order=order)
            for order in (ThreadOrder.FORWARD, ThreadOrder.REVERSE)
        ],
    )
    _require_clean(case, forward)
    buffers = tuple(
        _add_gold(buffer, forward, number, blobs)
        for number, buffer in enumerate(case.buffers)
    )
    golden_case = replace(case, buffers=buffers)
    _require_clean(case, backward)
    mismatch = next(find_mismatches(golden_case, backward.buffers, blobs), None)
    if mismatch is not None:
        raise FaultyCase(f"it depends on the order of threads: {mismatch}")
    return golden_case


def _require_clean(case: Case, execution: Execution) -> None:
    problems = [
        finding for finding in execution.findings if finding.kind in PROBLEM_KINDS
    ]
    if problems:
        finding = problems[0]
        message = f"the kernel itself goes wrong: {finding.kind}"
        if 0 <= finding.buffer < len(case.buffers):
            message += (
                f" at byte {finding.offset} of {case.buffers[finding.buffer].name}"
            )
        if finding.line:
            message += f" in line {finding.line}"
        raise FaultyCase(message)
    if execution.outcome is not Outcome.DONE:
        raise FaultyCase(f"the kernel itself does not end well: {execution.outcome}")


def _add_gold(
    buffer: CaseBuffer, execution: Execution, number: int, blobs: Blobs
) -> CaseBuffer:
    access = execution.accesses[number]
    role = BufferRole(access.role)
    if not role.is_written:
        return replace(buffer, role=role)
    gold = blobs.put(execution.buffers[number])
    return replace(buffer, role=role, gold=gold, written=access.written_range)


def _make_check(verdict: AttemptVerdict, source: str, messages: str) -> Check:
    status = Status.PASS if verdict is AttemptVerdict.RIGHT else Status.FAIL
    is_run = verdict in (AttemptVerdict.RIGHT, AttemptVerdict.WRONG)
    return Check(
        verdict=verdict,
        source=source,
        messages=messages[:_MAX_MESSAGES],
        pass_exe={CPU_DEVICE: status.value} if is_run else {},
    )
