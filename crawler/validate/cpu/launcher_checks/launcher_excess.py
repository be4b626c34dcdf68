"""Where a kernel leaves memory whose size its launcher tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.cases.traced_probes import trace_within_budget
from crawler.validate.cpu.launcher_checks.launcher_buffers import compute_buffer_bytes
from crawler.validate.cpu.launcher_checks.launcher_violation import (
    LauncherViolation,
    describe_launch,
)
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.fill_patterns import ZERO_PATTERN, Filling
from crawler.validate.inputs.trials.trial import Trial


def find_excess(
    subject: TrialSubject, probe: Trial, executions: Sequence[Execution]
) -> LauncherViolation | None:
    """Return where every run leaves memory whose size the launcher tells."""
    for index, slot in enumerate(subject.layout.buffer_slots):
        size = compute_buffer_bytes(subject, probe, index)
        if size is None:
            continue

        excesses = [_measure_excess(run, index, probe, size) for run in executions]
        if all(excesses) and not _may_be_of_links(subject, probe, index, size):
            code = "out-of-bounds"
            return LauncherViolation(
                code=code,
                message=f"{explain_code(code)}: {slot.name} has {size} bytes, as its launcher"
                f" allocates it, and {excesses[0]} {describe_launch(probe)}",
            )

    return None


def _measure_excess(execution: Execution, index: int, probe: Trial, size: int) -> str:
    """Return in words what a run touches outside a buffer; empty where it touches nothing."""
    if index >= len(execution.accesses):
        return ""

    access = execution.accesses[index]
    leading_bytes = probe.memory.leading_bytes[index]
    for verb, touched in (
        ("read", access.read_range),
        ("written", access.written_range),
    ):
        begin, end = (place - leading_bytes for place in touched)
        if begin == end:
            continue
        if begin < 0:
            return f"is {verb} {-begin} bytes in front of it"
        if end > size:
            return f"is {verb} up to byte {end}"

    return ""


def _may_be_of_links(
    subject: TrialSubject, probe: Trial, index: int, size: int
) -> bool:
    """Tell whether a run leaves its memory for links of our making alone: each leads further on,
    to an end that only the search for inputs knows.
    """
    links = [
        number
        for number, pattern in enumerate(probe.memory.patterns)
        if pattern.filling is Filling.FORWARD_LINKS
    ]
    if not links:
        return False

    emptied = probe.memory.with_patterns(links, ZERO_PATTERN)
    (execution,) = trace_within_budget(subject, [replace(probe, memory=emptied)])
    # links to the front may go round in circles, which tells nothing of those that do not
    if execution.outcome is not Outcome.DONE:
        return True

    return not _measure_excess(execution, index, probe, size)
