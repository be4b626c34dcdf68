"""Time right candidates on a GPU beside their reference.

Their kernels alone are loaded, by our own runner: no line of a candidate's host code runs there,
and clocks, streams and memory are the runner's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.dataset.programs.harness_programs import JudgedUnit
from crawler.judging.candidate_unit import put_candidate_in_unit
from crawler.model import Case, KernelUnit, Status, Suite
from crawler.validate.bundle.manifest import BundledUnit, bundle_unit
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.judgement.execution_verdict import judge_pass_exe
from crawler.validate.devices.judgement.performance import (
    Baseline,
    judge_pass_perf,
    summarise_performance,
)
from crawler.validate.devices.loadable_objects import choose_target, compile_loadable
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions, run_units, with_health_check
from crawler.validate.values.blobs import Blobs

_MEASURED_CODES: Final = ("", "slower", "few-launches")
_IMPOSSIBLE_CODES: Final = ("impossible", "clock-mismatch")
_TIMING: Final = {"launches": 60, "warm_ups": 5, "seconds": 5.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTime:
    """What a source took, beside its reference."""

    passes: bool | None = None
    """Whether it is as fast as its reference; `None` where that cannot be told."""
    milliseconds: float = -1.0
    reference_milliseconds: float = -1.0
    message: str = ""


def time_sources(
    gpu: Gpu, judged: JudgedUnit, sources: Sequence[str]
) -> list[SourceTime]:
    """Return what each of some right sources takes on a GPU for one case, in their order."""
    reference_unit = judged.unit
    units = [put_candidate_in_unit(reference_unit, source) for source in sources]
    blobs = Blobs(judged.blobs.by_digest)
    bundles: dict[str, BundledUnit] = {}
    problems: dict[str, str] = {}
    for unit in (reference_unit, *units):
        bundle = _bundle(gpu, unit, judged.suite, blobs)
        if isinstance(bundle, str):
            problems[unit.digest] = bundle
        else:
            bundles[unit.digest] = bundle

    problem = problems.get(reference_unit.digest, "")
    if problem:
        return [SourceTime(message=f"the reference: {problem}") for _ in sources]

    case = choose_timed_case(judged.suite)
    options = RunOptions(timing=_TIMING, case=case.name)
    target = choose_target(reference_unit.dialect, gpu.arch)
    options = with_health_check(options, reference_unit.dialect, target, blobs)
    reports = run_units(gpu, list(bundles.values()), blobs.get, options)
    timed = _TimedCase(case, judged.suite, blobs, reports)
    return [
        SourceTime(message=problems[unit.digest])
        if unit.digest in problems
        else timed.compare(unit, reference_unit)
        for unit in units
    ]


def choose_timed_case(suite: Suite) -> Case:
    """Return the largest case that no export shows, or the largest of all where none is hidden:
    of a case that it knows a candidate could have the outputs by heart.
    """
    hidden_cases = [case for case in suite.cases if case.hidden]
    return max(hidden_cases or suite.cases, key=_measure)


def _measure(case: Case) -> int:
    return sum(buffer.size for buffer in case.buffers)


def _bundle(
    gpu: Gpu, unit: KernelUnit, suite: Suite, blobs: Blobs
) -> BundledUnit | str:
    """Return a unit as it is run, or why it is not."""
    built = compile_loadable(unit, choose_target(unit.dialect, gpu.arch))[0]
    if not built.object:
        verdict = built.build.pass_call
        return f"{verdict.code}: {verdict.message}"
    blobs.put(built.object)
    return bundle_unit(unit, built.build, suite)


@dataclass(frozen=True, slots=True)
class _TimedCase:
    case: Case
    suite: Suite
    blobs: Blobs
    reports: Mapping[str, RunnerReport]

    def compare(self, unit: KernelUnit, reference_unit: KernelUnit) -> SourceTime:
        reference = self._measure(reference_unit)
        if isinstance(reference, str):
            return SourceTime(message=f"the reference: {reference}")
        time = SourceTime(reference_milliseconds=reference)
        own = self._measure(unit)
        if isinstance(own, str):
            return replace(time, message=own)

        baseline = Baseline(milliseconds=reference, source="the reference")
        report = self.reports[unit.digest]
        verdict = judge_pass_perf(self.case, report, self.blobs, baseline)
        assert verdict is not None
        words = [verdict.code]
        if verdict.code in (*_MEASURED_CODES, *_IMPOSSIBLE_CODES):
            words.append(verdict.message)
        return replace(
            time,
            passes={Status.PASS: True, Status.FAIL: False}.get(verdict.status),
            # a time of outputs that are wrong, or one that cannot be, is none
            milliseconds=own if verdict.code in _MEASURED_CODES else -1.0,
            message=": ".join(word for word in words if word),
        )

    def _measure(self, unit: KernelUnit) -> float | str:
        """Return the median of a unit's launches, or why there is none."""
        report = self.reports[unit.digest]
        verdict = judge_pass_exe(self.suite, report, self.blobs)
        if verdict.status is not Status.PASS:
            # what it ought to have written may be a hidden case's
            return verdict.code
        measured = summarise_performance(self.case, report, self.blobs)
        return measured.median_ms if measured else "not-measured"
