"""Findings that disqualify a trial run."""

from __future__ import annotations

from typing import Final

from crawler.validate.emulator.execution import SHARED_MEMORY, Execution, Outcome

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
"""Findings that are no mere notes."""
_NOTES: Final = frozenset({"integer-overflow", "shift", "float-cast"})
OVERWRITE: Final = "overwrite"
"""Several threads write one place: harmless where whoever comes last writes the same."""


def find_problems(
    execution: Execution, *, ignore_out_of_bounds: bool = False
) -> tuple[str, ...]:
    """Return the kinds of what is wrong with a run; while sizes are sought, an access outside
    is none.
    """
    kinds = [each.kind for each in execution.findings if each.kind in PROBLEM_KINDS]
    if ignore_out_of_bounds and execution.outcome is Outcome.DONE:
        kinds = [kind for kind in kinds if kind != "out-of-bounds"]
        found = execution.find_finding("out-of-bounds")
        kinds += ["out-of-bounds"] if found and found.buffer == SHARED_MEMORY else []
    if execution.outcome is Outcome.KILLED:
        kinds.append("killed")
    return tuple(kinds)


def find_undefined_arithmetic(execution: Execution) -> frozenset[str]:
    """Return what a run does that C++ gives no meaning to, and that data of another kind may
    spare it.
    """
    return _NOTES.intersection(each.kind for each in execution.findings)
