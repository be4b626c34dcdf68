"""Findings that disqualify a trial run."""

from __future__ import annotations

from typing import Final

from crawler.validate.emulator.execution_report import SHARED_MEMORY, Execution, Outcome

PROBLEM_KINDS: Final = frozenset(
    {
        "divergent-barrier",
        "divergent-warp",
        "inactive-lane",
        "excluded-caller",
        "deadlock",
        "out-of-bounds",
        "uninitialised-read",
        "race",
        "overwrite",
        "divide-by-zero",
        "assertion",
        "trap",
        "fault",
        "stack-overflow",
        "array-bounds",
        "unsupported",
        "timeout",
    }
)
"""Findings that disqualify a run; all others are notes."""
_UNDEFINED_ARITHMETIC_KINDS: Final = frozenset(
    {"integer-overflow", "shift", "float-cast"}
)
OVERWRITE: Final = "overwrite"
"""Several threads write one place: harmless where whoever comes last writes the same."""


def find_problems(
    execution: Execution, *, ignore_out_of_bounds: bool = False
) -> tuple[str, ...]:
    """Return the kinds of problems of a run.

    While buffer sizes are sought, an access outside of them is none: `ignore_out_of_bounds`. In
    shared memory it still is, since that has the size of the launch.
    """
    kinds = [
        finding.kind for finding in execution.findings if finding.kind in PROBLEM_KINDS
    ]

    if ignore_out_of_bounds and execution.outcome is Outcome.DONE:
        kinds = [kind for kind in kinds if kind != "out-of-bounds"]
        finding = execution.find_finding("out-of-bounds")
        if finding and finding.buffer == SHARED_MEMORY:
            kinds.append("out-of-bounds")

    # A killed process has no finding that says so.
    if execution.outcome is Outcome.KILLED:
        kinds.append("killed")

    return tuple(kinds)


def find_undefined_arithmetic(execution: Execution) -> frozenset[str]:
    """Return the kinds of arithmetic of a run that C++ leaves undefined.

    Such a run is still usable; data of another kind may avoid it.
    """
    kinds = {finding.kind for finding in execution.findings}
    return _UNDEFINED_ARITHMETIC_KINDS.intersection(kinds)
