"""Validate a kernel on the CPU: find inputs, run every variant, and give a verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from crawler import codec, headers
from crawler.model import (
    Behaviour,
    Kernel,
    KernelUnit,
    Parameter,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.toolchains import discovery
from crawler.validate.behaviour.case_judgement import (
    CaseJudgement,
    judge_case,
    list_output_buffers,
)
from crawler.validate.behaviour.variants import build_variant_launch, run_variants
from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.instantiation_choice import (
    choose_instantiations,
    choose_other_types,
)
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded, limit_endless_runs
from crawler.validate.emulator.execution import Outcome
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.emulator.source.constant_queries import collect_constant_queries
from crawler.validate.emulator.source.constructor_factories import (
    add_constructor_factories,
)
from crawler.validate.inputs.cases.case_drafts import (
    BRANCH_CASE_PREFIX,
    CaseDraft,
    draft_cases,
)
from crawler.validate.inputs.cases.further_cases import draw_further_cases
from crawler.validate.inputs.ordinary.launch_site_ranking import rank_launch_sites
from crawler.validate.inputs.ordinary.ordinary_trial import find_ordinary_trial
from crawler.validate.inputs.ordinary.traced_grid_size import limit_traced_grid
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject, build_subject
from crawler.validate.inputs.sizes.stride_choices import ALIGNMENT_ELEMENTS
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import (
    list_argument_names,
    list_argument_positions,
)

CPU_DEVICE: Final = "cpu"
WANTED_CASES: Final = 6
"""Cases that a suite ought to have."""
MAX_ENDLESS_SECONDS: Final = 60.0
"""Seconds of the processor that runs of a kernel may take which come to no end."""
_MOST_SECONDS: Final = 60.0
"""After which no further launch site is looked at."""
_GRAVEST: Final = (
    "race",
    "divide-by-zero",
    "array-bounds",
    "out-of-bounds",
    "uninitialised-read",
)
_OF_ONE: Final = (
    "assertion",
    "trap",
    "unsupported",
    "trivial-output",
    "host-compile-error",
    "array-bounds",
)
"""Why one instantiation may not run though another does: it may be meant for a newer device, or
for none.
"""
_UNMADE: Final = (
    "no-signature",
    "host-compile-error",
    "host-compile-timeout",
    "missing-header",
)
"""Why no structure was made by its constructor."""
_REFUSED: Final = ("assertion", "trap")
"""Why one may not run though another of other types does: it says itself that it is not meant."""
_GOOD: Final = (Behaviour.DETERMINISTIC, Behaviour.ATOMIC_NONDETERMINISTIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuValidation:
    """What came of trying a unit: its run, and its cases where there are any."""

    run: Run
    suite: Suite | None = None
    blobs: Blobs


def validate_on_cpu(
    kernel: Kernel, unit: KernelUnit | None = None, *, seed: int = 0
) -> CpuValidation:
    """Find inputs for `unit`, or the kernel's own, run it in every way that may tell something,
    and judge it.

    What goes wrong is in the verdict; raises `MissingTool` where the sandbox does not work.
    """
    began = time.monotonic()
    used = unit or kernel.unit
    if used is None:
        raise ValueError(
            "a kernel without a unit cannot be run: see its `unit_problem`"
        )
    try:
        with limit_endless_runs(MAX_ENDLESS_SECONDS):
            tried = _tried(kernel, used, seed)
    except CpuBudgetExceeded as spent:
        behaviour = (
            Behaviour.TIMEOUT
            if spent.outcome is Outcome.TIMEOUT
            else Behaviour.UNSUPPORTED
        )
        tried = _ended(used, behaviour, str(spent.outcome))
    return replace(
        tried, run=replace(tried.run, seconds=round(time.monotonic() - began, 3))
    )


def _tried(kernel: Kernel, unit: KernelUnit, seed: int) -> CpuValidation:
    """Return what comes of the first instantiation that runs, or of the one that stands for all."""
    made: list[CpuValidation] = []
    entries = list(choose_instantiations(unit.instantiations))
    for entry in entries:
        one = _tried_entry(kernel, unit, entry, seed)
        label = unit.instantiations[entry].label if unit.instantiations else ""
        made.append(replace(one, run=replace(one.run, instantiation=label)))
        if one.suite is not None:
            return made[-1]
        if one.run.pass_exe.code not in _OF_ONE:
            break
        if one.run.pass_exe.code in _REFUSED and len(made) == 1:
            entries += choose_other_types(unit.instantiations)
    return made[0]


def _tried_entry(
    kernel: Kernel, unit: KernelUnit, entry: int, seed: int
) -> CpuValidation:
    """Return what comes of an instantiation whose structures their constructors make; else of
    one that has them filled.

    A constructor that cannot be called, or whose structures do not run, is no verdict on the
    kernel.
    """
    making = add_constructor_factories(kernel, unit, entry)
    if making is None:
        return _tried_one(kernel, unit, entry, seed)
    made = _tried_one(kernel, making, entry, seed, makes=True)
    if made.suite is not None:
        return _noted(made, "its structures are what their constructors make")
    why = f"its structures are filled member by member, with those of constructors: {made.run.pass_exe.code}"
    try:
        return _noted(_tried_one(kernel, unit, entry, seed), why)
    except CpuBudgetExceeded:
        if made.run.pass_exe.code in _UNMADE:
            raise
        return _noted(
            made,
            "its structures are what their constructors make; filled member by member it takes too long",
        )


def _noted(tried: CpuValidation, note: str) -> CpuValidation:
    said = replace(tried.run.pass_exe, message=f"{tried.run.pass_exe.message}; {note}")
    return replace(tried, run=replace(tried.run, pass_exe=said))


def _tried_one(
    kernel: Kernel, unit: KernelUnit, entry: int, seed: int, *, makes: bool = False
) -> CpuValidation:
    traced = BuildOptions(
        trace=True, sanitise=True, count_branches=True, fast_build=True
    )
    program = build_cpu_program(
        unit, traced, entry=entry, queries=collect_constant_queries(kernel, unit, entry)
    )
    if not program.executable:
        return _unbuilt(unit, program)
    if entry >= len(program.signatures) or not accepts_argument_count(
        kernel.parameters, len(list_argument_positions(program.signatures[entry]))
    ):
        return _ended(unit, Behaviour.UNSUPPORTED, "no-signature")
    if makes and all(
        each.constructed_parameter < 0 for each in program.signatures[entry]
    ):
        return _ended(
            unit,
            Behaviour.UNSUPPORTED,
            "no-signature",
            "no constructor takes plain data alone",
        )
    on, base = _base(kernel, unit, entry, program, seed)
    if not base.is_usable:
        return _refused(unit, base)
    plain = build_cpu_program(
        unit, BuildOptions(fast_build=True), entry=entry, describe=False
    )
    if not plain.executable:
        return _unbuilt(unit, plain)
    if _faults(plain, on, [base]):
        aligned = _base(kernel, unit, entry, program, seed, grain=ALIGNMENT_ELEMENTS)
        on, base = aligned if aligned[1].is_usable else (on, base)
    overflow = base.execution.find_finding("integer-overflow")
    if overflow is not None:
        return _ended(
            unit, Behaviour.UNDEFINED, overflow.kind, _where(base, overflow.kind)
        )
    made = draft_cases(on, base, seed)
    if on.size_multiple == 1 and _faults(plain, on, [each.result for each in made]):
        on = replace(on, size_multiple=ALIGNMENT_ELEMENTS)
        made = draft_cases(on, base, seed)
    blobs = Blobs()
    cases = _judged(on, plain, made, blobs)
    lacking = WANTED_CASES - _shown(cases)
    if lacking > 0 and cases[0].behaviour in _GOOD:
        known = [draft for draft, each in zip(made, cases, strict=True) if _tells(each)]
        more = draw_further_cases(on, known, base, lacking, seed)
        # what is known of the kernel stays so, whatever its further cases take
        with suppress(CpuBudgetExceeded):
            cases += _judged(on, plain, more, blobs) if more else []
    return _concluded(unit, seed, cases, blobs)


def _judged(
    on: TrialSubject, plain: Program, made: Sequence[CaseDraft], blobs: Blobs
) -> list[CaseJudgement]:
    """Run cases in each way that may tell something, and judge them."""
    names = list_argument_names(
        on.program.signatures[on.entry], [each.name for each in on.kernel.parameters]
    )
    ran = run_variants(
        on.unit,
        plain,
        on.layout,
        made,
        on.entry,
        [list_output_buffers(each) for each in made],
        names,
    )
    return [
        judge_case(on, draft, each, blobs)
        for draft, each in zip(made, ran, strict=True)
    ]


def _tells(judged: CaseJudgement) -> bool:
    return judged.behaviour in _GOOD and not judged.is_trivial


def _shown(cases: Sequence[CaseJudgement]) -> int:
    """Return how many cases tell something and are shown."""
    return sum(_tells(each) and not each.case.hidden for each in cases)


def _unbuilt(unit: KernelUnit, program: Program) -> CpuValidation:
    verdict = program.verdict
    return _ended(
        unit,
        Behaviour.UNSUPPORTED,
        _code(unit, program),
        verdict.message,
        verdict.status,
    )


def _code(unit: KernelUnit, program: Program) -> str:
    """Return why there is no program: not in the words of a device's compiler, which may well
    have made an object.
    """
    code = program.verdict.code
    if not code.startswith("compile-"):
        return code
    return (
        "missing-header"
        if unit.missing_headers and code == "compile-error"
        else f"host-{code}"
    )


def accepts_argument_count(
    parameters: Sequence[Parameter], argument_count: int
) -> bool:
    """Tell whether an instantiation with so many parameters is of a kernel with these; a pack
    may be any number.
    """
    if parameters and "..." in parameters[-1].type:
        return argument_count >= len(parameters) - 1
    return not parameters or argument_count == len(parameters)


def _faults(plain: Program, on: TrialSubject, found: Sequence[TrialResult]) -> bool:
    """Tell whether a run faults that is clean when it is traced: a wide access may not begin
    anywhere.
    """
    done = run_launches(
        plain, [build_variant_launch(each.trial, on.layout, ()) for each in found]
    )
    return any(each.find_finding("fault") is not None for each in done)


def _base(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    program: Program,
    seed: int,
    *,
    grain: int = 1,
) -> tuple[TrialSubject, TrialResult]:
    """Return the launch site whose ordinary case runs best."""
    arguments = unit.instantiations[entry].arguments if unit.instantiations else ()
    best: tuple[TrialSubject, TrialResult] | None = None
    until = time.monotonic() + _MOST_SECONDS
    for site in rank_launch_sites(kernel, arguments):
        on = limit_traced_grid(
            replace(
                build_subject(kernel, unit, entry, program, site), size_multiple=grain
            ),
            seed,
        )
        found = find_ordinary_trial(on, seed)
        if found.is_clean:
            return on, found
        if best is None or (found.is_usable and not best[1].is_usable):
            best = on, found
        if time.monotonic() > until:
            break
    assert best is not None
    return best


def _refused(unit: KernelUnit, base: TrialResult) -> CpuValidation:
    alarm = min(base.problems, key=_gravity, default="") or (
        "not-converged" if not base.is_converged else str(base.execution.outcome)
    )
    if alarm == "timeout":
        return _ended(unit, Behaviour.TIMEOUT, alarm)
    if alarm == "race":
        return _ended(unit, Behaviour.RACY, alarm, _where(base, alarm))
    if alarm in ("extent", "not-converged", "killed", "unsupported"):
        return _ended(unit, Behaviour.UNSUPPORTED, alarm)
    return _ended(unit, Behaviour.UNDEFINED, alarm, _where(base, alarm))


def _gravity(alarm: str) -> int:
    """Return how much an alarm explains: a race is why something is read that nobody wrote yet."""
    return _GRAVEST.index(alarm) if alarm in _GRAVEST else len(_GRAVEST)


def _where(base: TrialResult, kind: str) -> str:
    found = base.execution.find_finding(kind)
    if found is None:
        return ""
    line = f" at line {found.line} of the unit" if found.line else ""
    return f"{explain_code(kind)}: block {found.block}, thread {found.thread}{line}, {found.count} times"


def _concluded(
    unit: KernelUnit, seed: int, cases: Sequence[CaseJudgement], blobs: Blobs
) -> CpuValidation:
    first = cases[0]
    if first.behaviour not in _GOOD:
        return _ended(unit, first.behaviour, first.code)
    kept = [each for each in cases if each.behaviour in _GOOD]
    telling = [each for each in kept if _tells(each)]
    # what reaches a branch of its own stays, though its outputs are no case that counts
    shown_too = [
        each
        for each in kept
        if not each.is_trivial or each.case.name.startswith(BRANCH_CASE_PREFIX)
    ]
    suite = Suite(
        unit=unit.digest, seed=seed, cases=tuple(each.case for each in shown_too)
    )
    if not telling:
        return _ended(unit, Behaviour.TRIVIAL, "trivial-output")
    loose = any(each.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC for each in telling)
    shown = _shown(cases)
    code = (
        "few-cases"
        if shown < WANTED_CASES
        else "lanes"
        if any(each.depends_on_warp_size for each in telling)
        else "self-consistent"
    )
    run = _run(
        unit,
        Behaviour.ATOMIC_NONDETERMINISTIC if loose else Behaviour.DETERMINISTIC,
        Verdict(status=Status.CONSISTENT, code=code, message=explain_code(code)),
    )
    encoded = blobs.put(codec.encode(suite))
    return CpuValidation(
        run=replace(run, suite=encoded, cases=shown), suite=suite, blobs=blobs
    )


def _ended(
    unit: KernelUnit,
    behaviour: Behaviour,
    code: str,
    message: str = "",
    status: Status | None = None,
) -> CpuValidation:
    fails = behaviour in (Behaviour.RACY, Behaviour.UNDEFINED, Behaviour.TIMEOUT)
    if status is not Status.SKIPPED:
        status = Status.FAIL if fails else Status.UNSUPPORTED
    verdict = Verdict(status=status, code=code, message=message or explain_code(code))
    return CpuValidation(run=_run(unit, behaviour, verdict), blobs=Blobs())


def _run(unit: KernelUnit, behaviour: Behaviour, verdict: Verdict) -> Run:
    clang = discovery.find_clang()
    made = Toolchain(
        compiler=f"clang {clang.version}" if clang else "",
        headers=f"kernelset {headers.headers_digest()[:12]}",
        digest=discovery.toolchain_digest(),
    )
    return Run(
        unit=unit.digest,
        device=CPU_DEVICE,
        toolchain=made,
        pass_exe=verdict,
        behaviour=behaviour,
    )
