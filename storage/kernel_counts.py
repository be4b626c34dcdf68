"""Counts that a kernel index answers with: totals, and how many kernels have a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueCount:
    """How many kernels have a value of a field."""

    value: str
    target: str
    """Target or device of a verdict; empty for other fields."""
    kernels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTotals:
    """How many came through to which step; of `Totals` what is counted soonest."""

    files: int
    """Files with a kernel; those of each commit count separately."""
    kernels: int
    units: int
    """Distinct units, in their source's dialect."""
    ported: int
    """Distinct units that have a port."""
    compiled: dict[str, dict[str, int]]
    """Target to status to distinct units, by the newest build of the unit or of its port."""
    ran: dict[str, dict[str, int]]
    """Device to status to distinct units, as rows show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Numbers of kernels, units and verdicts."""

    files: int
    """Files with a kernel; those of each commit count separately."""
    by_layer: dict[str, int]
    """`found_by` to kernels."""
    units: int
    """Distinct units, in their source's dialect."""
    ported: int
    """Distinct units that have a port."""
    classified: int
    """Those of `ported` whose port has a known blocker; a yield says little without them."""
    compiled: dict[str, dict[str, int]]
    """Target to status to distinct units, by the newest build of the unit or of its port."""
    fidelity: dict[str, dict[str, int]]
    """Target to how the code agrees with that of the translation unit, to distinct units."""
    ran: dict[str, dict[str, int]]
    """Device to status to distinct units, as rows show it."""
    instantiations: dict[str, dict[str, int]]
    """Device to status to distinct instantiations of units, `not-run` among them."""
    extents: dict[str, dict[str, int]]
    """Device to where the sizes of memory come from, to distinct units."""
    strength: dict[str, dict[str, int]]
    """Device to `strong`, `weak` or `unmeasured`, to distinct units."""
    mutants_killed: dict[str, dict[str, float]]
    """Device to `median` and `p10` of the share of mutants that cases tell, over distinct units."""
    reasons: dict[str, int]
    """Each code of a row's `reasons` to kernels."""
