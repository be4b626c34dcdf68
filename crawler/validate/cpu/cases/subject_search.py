"""Find the launch site of a kernel whose ordinary case runs best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Kernel, KernelUnit
from crawler.validate.behaviour.variants import build_variant_launch
from crawler.validate.emulator.cpu_budget import measure_used_seconds
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.inputs.ordinary.launch_site_ranking import rank_launch_sites
from crawler.validate.inputs.ordinary.ordinary_trial import find_ordinary_trial
from crawler.validate.inputs.ordinary.traced_grid_size import limit_traced_grid
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject, build_subject
from crawler.validate.inputs.trials.settled_trials import TrialResult

_MAX_SECONDS: Final = 60.0
"""Of the processor that runs take, after which no further launch site is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryCase:
    """A launch site, and the ordinary case of it."""

    subject: TrialSubject
    trial_result: TrialResult


def find_ordinary_case(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    program: Program,
    seed: int,
    *,
    size_multiple: int = 1,
) -> OrdinaryCase:
    """Return the launch site whose ordinary case runs best, its sizes multiples of
    `size_multiple`.
    """
    arguments = unit.instantiations[entry].arguments if unit.instantiations else ()
    best: OrdinaryCase | None = None
    max_used_seconds = measure_used_seconds() + _MAX_SECONDS

    for site in rank_launch_sites(kernel, arguments):
        subject = build_subject(kernel, unit, entry, program, site)
        subject = replace(subject, size_multiple=size_multiple)
        subject = limit_traced_grid(subject, seed)
        trial_result = find_ordinary_trial(subject, seed)
        ordinary_case = OrdinaryCase(subject=subject, trial_result=trial_result)
        # sites are ranked: the first that runs cleanly is the best there is
        if trial_result.is_clean:
            return ordinary_case

        if best is None or _is_more_usable(trial_result, best.trial_result):
            best = ordinary_case

        if measure_used_seconds() > max_used_seconds:
            break

    assert best is not None  # a kernel without launches has one site of its own

    return best


def _is_more_usable(trial_result: TrialResult, best: TrialResult) -> bool:
    return trial_result.is_usable and not best.is_usable


def has_untraced_fault(
    program: Program, subject: TrialSubject, trial_results: Sequence[TrialResult]
) -> bool:
    """Tell whether a run faults that is clean when it is traced: a wide access may not begin
    anywhere.
    """
    launches = [
        build_variant_launch(trial_result.trial, subject.layout, ())
        for trial_result in trial_results
    ]
    executions = run_launches(program, launches)

    return any(execution.find_finding("fault") is not None for execution in executions)
