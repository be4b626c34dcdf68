"""Values derived for the index, the same in SQL and in memory: labels, wave sizes, reason codes."""

from __future__ import annotations

from collections.abc import Iterable

from crawler.model import Kernel, KernelUnit, Repo, Status

PASSING_STATUSES = (Status.PASS.value, Status.CONSISTENT.value)
"""Statuses of a build or a run that give no reason to complain."""


def repo_label(repo: Repo) -> str:
    """Return `name`, or `owner/name`."""
    return f"{repo.owner}/{repo.name}" if repo.owner else repo.name


def is_template(kernel: Kernel) -> bool:
    """Tell a template from a plain kernel and from a full specialisation."""
    return "".join(kernel.template_head.split()) not in {"", "template<>"}


def unit_problem_code(kernel: Kernel) -> str:
    """Return why there is no unit, without the detail."""
    return kernel.unit_problem.partition(":")[0].strip()


def instantiation_labels(kernel: Kernel) -> tuple[str, ...]:
    """Return the labels of the instantiations; a plain kernel has none."""
    return tuple(each.label for each in kernel.instantiations if each.label)


def port_blocker_codes(unit: KernelUnit) -> tuple[str, ...]:
    """Return what stands in the way of the port that `unit` is."""
    return (
        tuple(sorted({code for code, _ in unit.port_report.blockers}))
        if unit.port_report
        else ()
    )


def port_wave(unit: KernelUnit) -> str:
    """Return on which widths of a wave the port that `unit` is means the same."""
    return unit.port_report.wave.value if unit.port_report else ""


def reason_codes(
    problem: str, verdicts: Iterable[tuple[str, str]], blockers: Iterable[str]
) -> tuple[str, ...]:
    """Return the stable codes of why a kernel is not all that it could be; `verdicts` are
    (status, code).
    """
    failed = (code for status, code in verdicts if status not in PASSING_STATUSES)
    return tuple(sorted({code for code in (problem, *failed, *blockers) if code}))
