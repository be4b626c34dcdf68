"""Hold runs of a kernel against what its launcher gives it: memory of a size, and what it holds.

The trials of the search have as much memory as a run touches, so that no run leaves it. Here the
launcher's own statements say how much there is, for its own sizes and others that it lets through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Extents
from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.cases.traced_probes import trace_within_budget
from crawler.validate.cpu.launcher_checks.kept_orders import (
    Order,
    keeps_orders,
)
from crawler.validate.cpu.launcher_checks.launcher_buffers import (
    classify_extents,
    find_buffer_allocation,
)
from crawler.validate.cpu.launcher_checks.launcher_excess import find_excess
from crawler.validate.cpu.launcher_checks.launcher_probes import (
    fill_with_zeros,
    iter_probes,
)
from crawler.validate.cpu.launcher_checks.launcher_violation import (
    LauncherViolation,
    describe_launch,
)
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import ThreadOrder
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.evidence.allocations.allocation import UNINITIALISED
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.stride_choices import is_stride_name
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import Trial

_DIVISION: Final = "divide-by-zero"
_SHIFT: Final = "shift"
_INACTIVE_LANE: Final = "inactive-lane"
_FAULTS: Final = frozenset(
    {
        "race",
        "uninitialised-read",
        "divergent-barrier",
        "divergent-warp",
        _INACTIVE_LANE,
        "excluded-caller",
        _DIVISION,
        "array-bounds",
        _SHIFT,
        "misaligned",
    }
)
"""Problems that are a kernel's own where a launch shows them whatever its memory holds."""
_STRENGTHS: Final = (Extents.UNPROVEN, Extents.INFERRED, Extents.LAUNCHER)
_OVERLAPS: Final = frozenset({"race"})
"""Problems of rows that overlap, too: where the distance of rows is free, it may be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherCheck:
    """What holding a kernel against its launcher came to."""

    violation: LauncherViolation | None = None
    extents: Extents = Extents.UNPROVEN


def check_against_launcher(
    subject: TrialSubject,
    base: TrialResult,
    seed: int,
    orders: frozenset[Order] = frozenset(),
) -> LauncherCheck:
    """Return what a kernel does wrong in launches as its launcher makes them, and how many of its
    buffers that could be told of.

    Only what shows both with the contents of `base` and with zeros counts: an index that is too
    large may be the fault of who filled the memory. Threads that meet in one place count only where
    numbers are in these `orders` of the kernel's own launches. There is no violation, and nothing
    is proven of any extent, where the launcher does not tell how large the grid is, or runs come to
    no end.
    """
    if not subject.launch_site.has_computed_grid:
        return LauncherCheck()

    probes = list(iter_probes(subject, base, seed))
    emptied_probes = [fill_with_zeros(probe) for probe in probes]
    executions = trace_within_budget(subject, [*probes, *emptied_probes])
    count = len(probes)
    extents = [Extents.UNPROVEN]

    for probe, filled, emptied in zip(
        probes, executions[:count], executions[count:], strict=True
    ):
        both = (filled, emptied)
        extents.append(classify_extents(subject, probe, filled))
        violation = find_excess(subject, probe, both) or _find_fault(
            subject, base.trial, probe, both
        )
        violation = violation or _find_unwritten_input(subject, probe, both)
        if keeps_orders(orders, probe.configuration.scalars):
            violation = violation or _find_overwriting(subject, probe, both)
        if violation is not None:
            return LauncherCheck(violation=violation, extents=extents[-1])

    return LauncherCheck(extents=max(extents, key=_STRENGTHS.index))


def _is_known_launch(subject: TrialSubject, probe: Trial) -> bool:
    """Tell whether the launcher says how large blocks are, and how the grid goes with what the
    kernel is passed.

    With other blocks than the launcher's no block may be whole; with another grid some work may
    be nobody's, or that of two.
    """
    if subject.launch_site.has_guessed_block:
        return False

    configuration = probe.configuration
    return configuration.passed_variables >= set(configuration.grid_variables)


def _may_rows_overlap(subject: TrialSubject, probe: Trial) -> bool:
    """Tell whether the launcher leaves open how far apart rows lie, or how many there are."""
    if any(slot.role in ("stride", "apart") for slot in subject.layout.scalar_slots):
        return True

    return any(is_stride_name(name) for name in probe.configuration.free_variables)


def _find_fault(
    subject: TrialSubject, base: Trial, probe: Trial, executions: Sequence[Execution]
) -> LauncherViolation | None:
    """Return a fault that every run shows."""
    common = _FAULTS.intersection(
        *({finding.kind for finding in run.findings} for run in executions)
    )
    if not _is_known_launch(subject, probe):
        return None
    if _may_rows_overlap(subject, probe):
        common -= _OVERLAPS
    # a number of bits is no size: grown, it may be more than there are
    if probe.configuration.free_variables != base.configuration.free_variables:
        common -= {_SHIFT}
    # the numbers of a structure go together as whoever makes it has them, which nobody says here
    if _changes_members(base, probe):
        common -= {_DIVISION}

    for code in sorted(common):
        finding = executions[0].find_finding(code)
        if code == _INACTIVE_LANE and not _depends_on_absent_lanes(subject, probe):
            continue
        if finding is not None:
            return LauncherViolation(
                code=code,
                message=f"{explain_code(code)}: block {finding.block}, thread"
                f" {finding.thread} {describe_launch(probe)}",
            )

    return None


def _changes_members(base: Trial, probe: Trial) -> bool:
    """Tell whether a probe has other numbers within structures than a launch that went well."""
    numbers = base.configuration.scalars
    return any(
        "." in name and number != numbers.get(name)
        for name, number in probe.configuration.scalars.items()
    )


def _depends_on_absent_lanes(subject: TrialSubject, probe: Trial) -> bool:
    """Tell whether a run uses what lanes give that take no part: a shuffle of the last lanes of a
    warp asks some that have ended, and may drop the answer.
    """
    launch = probe.build_launch(subject.layout)
    launches = [replace(launch, shared_fill=fill) for fill in (0, 0xFF)]
    ones, others = run_launches(subject.program, launches)
    return ones.outcome is not others.outcome or ones.buffers != others.buffers


def _find_unwritten_input(
    subject: TrialSubject, probe: Trial, executions: Sequence[Execution]
) -> LauncherViolation | None:
    """Return what every run reads though the launcher has written nothing there."""
    for index, slot in enumerate(subject.layout.buffer_slots):
        allocation = find_buffer_allocation(subject, index)
        if allocation is None or allocation.fill_byte != UNINITIALISED:
            continue

        is_read = all(
            execution.outcome is Outcome.DONE and execution.accesses[index].is_input
            for execution in executions
        )
        if is_read:
            code = "uninitialised-read"
            return LauncherViolation(
                code=code,
                message=f"it reads {slot.name}, into which its launcher has written nothing"
                f" {describe_launch(probe)}",
            )

    return None


def _find_overwriting(
    subject: TrialSubject, probe: Trial, executions: Sequence[Execution]
) -> LauncherViolation | None:
    """Return that threads write different values to one place, so that the last one decides."""
    kind = "overwrite"
    if not _is_known_launch(subject, probe) or _may_rows_overlap(subject, probe):
        return None
    if not all(execution.find_finding(kind) for execution in executions):
        return None

    forward = executions[0]
    if any(access.is_atomic for access in forward.accesses):
        return None

    launch = probe.build_launch(subject.layout, order=ThreadOrder.REVERSE)
    (reverse,) = run_launches(subject.program, [launch])
    if reverse.outcome is not forward.outcome or reverse.buffers == forward.buffers:
        return None

    return LauncherViolation(
        code="race", message=f"{explain_code(kind)} {describe_launch(probe)}"
    )
