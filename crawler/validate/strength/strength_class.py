"""Say in a word whether what a suite's cases can tell is enough."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crawler.model import Strength, StrengthClass


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthThresholds:
    """The shares, from 0 to 1, from which on a suite is strong: both are needed."""

    branches: float = 0.9
    """Of the kernel's branches, those that some case takes."""
    mutants: float = 0.8
    """Of the mutants, those that some case tells from the kernel."""


def classify_strength(strength: Strength, thresholds: StrengthThresholds) -> Strength:
    """Return a strength with its class by `thresholds`.

    A kernel without branches has all of them taken. One without mutants is unmeasured: that no
    case tells any says nothing.
    """
    return replace(strength, strength_class=_choose_class(strength, thresholds))


def _choose_class(strength: Strength, thresholds: StrengthThresholds) -> StrengthClass:
    killed_share = strength.killed_share
    if strength.branches < 0 or killed_share is None:
        return StrengthClass.UNMEASURED

    # compared as products, so that no rounding of a share decides
    has_branches = strength.branches_reached >= thresholds.branches * strength.branches
    has_mutants = strength.killed >= thresholds.mutants * strength.mutants

    return StrengthClass.STRONG if has_branches and has_mutants else StrengthClass.WEAK
