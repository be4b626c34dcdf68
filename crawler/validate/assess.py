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
    if cpu_files(kernel):
        found = agreement(kernel, used, suite, tried.blobs, file_of)
        run, suite = with_oracle(run, suite, tried.blobs, found) if found else (run, suite)
    if strength:
        run = replace(run, strength=measured(used, suite, tried.blobs, seconds=seconds))
    return replace(tried, run=run, suite=suite)


def cpu_files(kernel: Kernel) -> tuple[str, ...]:
    """Return the paths of the files with a CPU implementation that the kernel's operators name, sorted."""
    parts = (part for each in kernel.operators for part in each.parts)
    found = {part.span.path for part in parts if part.role is OperatorRole.CPU}
    return tuple(sorted(found | {code.span.path for code in kernel.host if code.role is OperatorRole.CPU}))
