"""Values derived for the index, the same in SQL and in memory: labels, waves, reason codes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from crawler.model import Status
from storage.database.indexed_text import shorten_for_index

if TYPE_CHECKING:
    from crawler.model import Kernel, KernelUnit

CLASS_TAG_PREFIX = "class:"
"""Begins the tag that says of which class a kernel's computation is."""
PASSING_STATUSES = (Status.PASS.value, Status.CONSISTENT.value)
"""Statuses of a build or a run that are no reason to complain."""


def is_template(kernel: Kernel) -> bool:
    """Return whether it is a template, not a plain kernel or a full specialisation."""
    words = kernel.template_head.split()
    head = "".join(words)
    # `template <>` is the head of a full specialisation
    return head not in {"", "template<>"}


def unit_problem_code(kernel: Kernel) -> str:
    """Return why there is no unit, without the detail after the colon."""
    code, _, _ = kernel.unit_problem.partition(":")
    return code.strip()


def instantiation_labels(kernel: Kernel) -> tuple[str, ...]:
    """Return the labels of the instantiations; a plain kernel has none."""
    labels: list[str] = []
    for instantiation in kernel.instantiations:
        if instantiation.label:
            labels.append(instantiation.label)

    return tuple(labels)


def operator_names(kernel: Kernel) -> tuple[str, ...]:
    """Return the names of the operators that reach a kernel, sorted, each once."""
    names = {shorten_for_index(operator.name) for operator in kernel.operators}
    return tuple(sorted(names - {""}))


def port_blocker_codes(unit: KernelUnit) -> tuple[str, ...]:
    """Return the codes of what blocks the port `unit`."""
    report = unit.port_report
    if not report:
        return ()

    codes = {code for code, _ in report.blockers}
    return tuple(sorted(codes))


def port_wave(unit: KernelUnit) -> str:
    """Return the wave widths on which the port `unit` behaves the same; empty if unknown."""
    report = unit.port_report
    if not report:
        return ""

    return report.wave.value


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


def find_tenth(values: Sequence[float]) -> float:
    """Return the p10 of values: the least that at least a tenth of them do not exceed."""
    return sorted(values)[math.ceil(len(values) / 10) - 1]


def summarise_shares(
    shares: Iterable[tuple[str, str, float]],
) -> dict[str, dict[str, float]]:
    """Return device to `median` and `p10` of the shares in (unit, device, share)."""
    # it takes decimal numbers and fractions along, which a look at kernels does not need
    from statistics import median

    shares_per_device: dict[str, list[float]] = defaultdict(list)
    for _, device, share in shares:
        shares_per_device[device].append(share)

    return {
        device: {
            "median": median(own_shares),
            "p10": find_tenth(own_shares),
        }
        for device, own_shares in sorted(shares_per_device.items())
    }
