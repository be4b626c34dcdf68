"""Values derived for the index, the same in SQL and in memory: labels, waves, reason codes."""

from __future__ import annotations

from collections.abc import Iterable

from crawler.model import Kernel, KernelUnit, Repo, Status

PASSING_STATUSES = (Status.PASS.value, Status.CONSISTENT.value)
"""Statuses of a build or a run that are no reason to complain."""


def repo_label(repo: Repo) -> str:
    """Return `name`, or `owner/name`."""
    return f"{repo.owner}/{repo.name}" if repo.owner else repo.name


def is_template(kernel: Kernel) -> bool:
    """Return whether it is a template, not a plain kernel or a full specialisation."""
    head = "".join(kernel.template_head.split())
    return head not in {"", "template<>"}


def unit_problem_code(kernel: Kernel) -> str:
    """Return why there is no unit, without the detail after the colon."""
    return kernel.unit_problem.partition(":")[0].strip()


def instantiation_labels(kernel: Kernel) -> tuple[str, ...]:
    """Return the labels of the instantiations; a plain kernel has none."""
    labels = (instantiation.label for instantiation in kernel.instantiations)
    return tuple(label for label in labels if label)


def port_blocker_codes(unit: KernelUnit) -> tuple[str, ...]:
    """Return the codes of what blocks the port `unit`."""
    if not unit.port_report:
        return ()
    codes = {code for code, _ in unit.port_report.blockers}
    return tuple(sorted(codes))


def port_wave(unit: KernelUnit) -> str:
    """Return the wave widths on which the port `unit` behaves the same; empty if unknown."""
    return unit.port_report.wave.value if unit.port_report else ""


def reason_codes(
    problem: str, verdicts: Iterable[tuple[str, str]], blockers: Iterable[str]
) -> tuple[str, ...]:
    """Return the stable codes of what is wrong with a kernel, sorted.

    `problem` is why it has no unit, `verdicts` are (status, code), `blockers` those of its ports.
    """
    codes = {problem, *blockers}
    for status, code in verdicts:
        if status not in PASSING_STATUSES:
            codes.add(code)

    codes.discard("")
    return tuple(sorted(codes))
