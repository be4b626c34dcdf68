"""What is made out of a suite of cases: how much it can tell, and whether something independent agrees with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.model import Kernel, KernelUnit, OperatorRole
from crawler.validate.oracle.project import agreement, with_oracle
from crawler.validate.strength.bench import strength as measured
from crawler.validate.trial import Tried


def assessed(
    kernel: Kernel,
    tried: Tried,
    unit: KernelUnit | None = None,
    *,
    strength: bool = True,
    seconds: float = 30.0,
    file_of: Callable[[str], str | None] = lambda _: None,
) -> Tried:
    """Return `tried` with an independent oracle where the project has one, and with the strength of its cases.

    Mutants run for about `seconds`; `file_of` gives a file of the project by its path. What could not be run stays as
    it is.
    """
    used = unit or kernel.unit
    if tried.suite is None or used is None:
        return tried
    run, suite = tried.run, tried.suite
    if _has_cpu_code(kernel):
        found = agreement(kernel, used, suite, tried.blobs, file_of)
        run, suite = with_oracle(run, suite, tried.blobs, found) if found else (run, suite)
    if strength:
        run = replace(run, strength=measured(used, suite, tried.blobs, seconds=seconds))
    return replace(tried, run=run, suite=suite)


def _has_cpu_code(kernel: Kernel) -> bool:
    parts = (part.role for each in kernel.operators for part in each.parts)
    return OperatorRole.CPU in (*parts, *(code.role for code in kernel.host))
