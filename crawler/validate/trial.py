"""Runs a kernel on the CPU with no person: from its unit and launches to cases and a verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from crawler import codec, headers, toolchain
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
from crawler.validate.alternatives import alternatives, of_other_types
from crawler.validate.behaviour.judge import Judged, judged, quiet
from crawler.validate.behaviour.reasons import message_of
from crawler.validate.behaviour.variants import launch, variants
from crawler.validate.blobs import Blobs
from crawler.validate.inputs.cases import REACH, Draft, drafts
from crawler.validate.inputs.further import further
from crawler.validate.inputs.pace import paced
from crawler.validate.inputs.plan import Subject, launches, ordinary, subject
from crawler.validate.inputs.search import Found
from crawler.validate.inputs.strides import ALIGNED
from crawler.validate.simt.allowance import AllowanceSpent, allowed
from crawler.validate.simt.execution import Outcome
from crawler.validate.simt.makers import with_makers
from crawler.validate.simt.program import Mode, Program, build_cpu
from crawler.validate.simt.questions import asked_of
from crawler.validate.simt.run import execute
from crawler.validate.simt.signature import given, names_of

DEVICE: Final = "cpu"
WANTED: Final = 6
"""Cases that a suite ought to have."""
ALLOWANCE: Final = 60.0
"""Seconds of the processor that runs of a kernel may take which come to no end."""
_MOST_SECONDS: Final = 60.0
"""After which no further launch site is looked at."""
_GRAVEST: Final = ("race", "divide-by-zero", "array-bounds", "out-of-bounds", "uninitialised-read")
_OF_ONE: Final = ("assertion", "trap", "unsupported", "trivial-output", "host-compile-error", "array-bounds")
"""Why one instantiation may not run though another does: it may be meant for a newer device, or for none."""
_UNMADE: Final = ("no-signature", "host-compile-error", "host-compile-timeout", "missing-header")
"""Why no structure was made by its constructor."""
_REFUSED: Final = ("assertion", "trap")
"""Why one may not run though another of other types does: it says itself that it is not meant."""
_GOOD: Final = (Behaviour.DETERMINISTIC, Behaviour.ATOMIC_NONDETERMINISTIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of trying a unit: its run, and its cases where there are any."""

    run: Run
    suite: Suite | None = None
    blobs: Blobs


def try_on_cpu(kernel: Kernel, unit: KernelUnit | None = None, *, seed: int = 0) -> Tried:
    """Find inputs for `unit`, or the kernel's own, run it in every way that may tell something, and judge it.

    What goes wrong is in the verdict; raises `MissingTool` where the sandbox does not work.
    """
    began = time.monotonic()
    used = unit or kernel.unit
    if used is None:
        raise ValueError("a kernel without a unit cannot be run: see its `unit_problem`")
    try:
        with allowed(ALLOWANCE):
            tried = _tried(kernel, used, seed)
    except AllowanceSpent as spent:
        behaviour = Behaviour.TIMEOUT if spent.outcome is Outcome.TIMEOUT else Behaviour.UNSUPPORTED
        tried = _ended(used, behaviour, str(spent.outcome))
    return replace(tried, run=replace(tried.run, seconds=round(time.monotonic() - began, 3)))


def _tried(kernel: Kernel, unit: KernelUnit, seed: int) -> Tried:
    """Return what comes of the first instantiation that runs, or of the one that stands for all."""
    made: list[Tried] = []
    entries = list(alternatives(unit.instantiations))
    for entry in entries:
        one = _tried_entry(kernel, unit, entry, seed)
        label = unit.instantiations[entry].label if unit.instantiations else ""
        made.append(replace(one, run=replace(one.run, instantiation=label)))
        if one.suite is not None:
            return made[-1]
        if one.run.pass_exe.code not in _OF_ONE:
            break
        if one.run.pass_exe.code in _REFUSED and len(made) == 1:
            entries += of_other_types(unit.instantiations)
    return made[0]


def _tried_entry(kernel: Kernel, unit: KernelUnit, entry: int, seed: int) -> Tried:
    """Return what comes of an instantiation whose structures their constructors make; else of one that has them filled.

    A constructor that cannot be called, or whose structures do not run, is no verdict on the kernel.
    """
    making = with_makers(kernel, unit, entry)
    if making is None:
        return _tried_one(kernel, unit, entry, seed)
    made = _tried_one(kernel, making, entry, seed, makes=True)
    if made.suite is not None:
        return _noted(made, "its structures are what their constructors make")
    why = f"its structures are filled member by member, with those of constructors: {made.run.pass_exe.code}"
    try:
        return _noted(_tried_one(kernel, unit, entry, seed), why)
    except AllowanceSpent:
        if made.run.pass_exe.code in _UNMADE:
            raise
        return _noted(
            made, "its structures are what their constructors make; filled member by member it takes too long"
        )


def _noted(tried: Tried, note: str) -> Tried:
    said = replace(tried.run.pass_exe, message=f"{tried.run.pass_exe.message}; {note}")
    return replace(tried, run=replace(tried.run, pass_exe=said))


def _tried_one(kernel: Kernel, unit: KernelUnit, entry: int, seed: int, *, makes: bool = False) -> Tried:
    traced = Mode(trace=True, sanitise=True, cover=True, quick=True)
    program = build_cpu(unit, traced, only=entry, asked=asked_of(kernel, unit, entry))
    if not program.executable:
        return _unbuilt(unit, program)
    if entry >= len(program.signatures) or not fits(kernel.parameters, len(given(program.signatures[entry]))):
        return _ended(unit, Behaviour.UNSUPPORTED, "no-signature")
    if makes and all(each.into < 0 for each in program.signatures[entry]):
        return _ended(unit, Behaviour.UNSUPPORTED, "no-signature", "no constructor takes plain data alone")
    on, base = _base(kernel, unit, entry, program, seed)
    if not base.is_usable:
        return _refused(unit, base)
    plain = build_cpu(unit, Mode(quick=True), only=entry, described=False)
    if not plain.executable:
        return _unbuilt(unit, plain)
    if _faults(plain, on, [base]):
        aligned = _base(kernel, unit, entry, program, seed, grain=ALIGNED)
        on, base = aligned if aligned[1].is_usable else (on, base)
    overflow = base.execution.finding("integer-overflow")
    if overflow is not None:
        return _ended(unit, Behaviour.UNDEFINED, overflow.kind, _where(base, overflow.kind))
    made = drafts(on, base, seed)
    if on.grain == 1 and _faults(plain, on, [each.found for each in made]):
        on = replace(on, grain=ALIGNED)
        made = drafts(on, base, seed)
    blobs = Blobs()
    cases = _judged(on, plain, made, blobs)
    lacking = WANTED - _shown(cases)
    if lacking > 0 and cases[0].behaviour in _GOOD:
        known = [draft for draft, each in zip(made, cases, strict=True) if _tells(each)]
        more = further(on, known, base, lacking, seed)
        # what is known of the kernel stays so, whatever its further cases take
        with suppress(AllowanceSpent):
            cases += _judged(on, plain, more, blobs) if more else []
    return _concluded(unit, seed, cases, blobs)


def _judged(on: Subject, plain: Program, made: Sequence[Draft], blobs: Blobs) -> list[Judged]:
    """Run cases in each way that may tell something, and judge them."""
    names = names_of(on.program.signatures[on.entry], [each.name for each in on.kernel.parameters])
    ran = variants(on.unit, plain, on.layout, made, on.entry, [quiet(each) for each in made], names)
    return [judged(on, draft, each, blobs) for draft, each in zip(made, ran, strict=True)]


def _tells(judged: Judged) -> bool:
    return judged.behaviour in _GOOD and not judged.is_trivial


def _shown(cases: Sequence[Judged]) -> int:
    """Return how many cases tell something and are shown."""
    return sum(_tells(each) and not each.case.hidden for each in cases)


def _unbuilt(unit: KernelUnit, program: Program) -> Tried:
    verdict = program.verdict
    return _ended(unit, Behaviour.UNSUPPORTED, _code(unit, program), verdict.message, verdict.status)


def _code(unit: KernelUnit, program: Program) -> str:
    """Return why there is no program: not in the words of a device's compiler, which may well have made an object."""
    code = program.verdict.code
    if not code.startswith("compile-"):
        return code
    return "missing-header" if unit.missing_headers and code == "compile-error" else f"host-{code}"


def fits(parameters: Sequence[Parameter], count: int) -> bool:
    """Tell whether an instantiation with so many parameters is of a kernel with these; a pack may be any number."""
    if parameters and "..." in parameters[-1].type:
        return count >= len(parameters) - 1
    return not parameters or count == len(parameters)


def _faults(plain: Program, on: Subject, found: Sequence[Found]) -> bool:
    """Tell whether a run faults that is clean when it is traced: a wide access may not begin anywhere."""
    done = execute(plain, [launch(each.trial, on.layout, ()) for each in found])
    return any(each.finding("fault") is not None for each in done)


def _base(
    kernel: Kernel, unit: KernelUnit, entry: int, program: Program, seed: int, *, grain: int = 1
) -> tuple[Subject, Found]:
    """Return the launch site whose ordinary case runs best."""
    arguments = unit.instantiations[entry].arguments if unit.instantiations else ()
    best: tuple[Subject, Found] | None = None
    until = time.monotonic() + _MOST_SECONDS
    for site in launches(kernel, arguments):
        on = paced(replace(subject(kernel, unit, entry, program, site), grain=grain), seed)
        found = ordinary(on, seed)
        if found.is_clean:
            return on, found
        if best is None or (found.is_usable and not best[1].is_usable):
            best = on, found
        if time.monotonic() > until:
            break
    assert best is not None
    return best


def _refused(unit: KernelUnit, base: Found) -> Tried:
    alarm = min(base.alarms, key=_gravity, default="") or (
        "not-converged" if not base.converged else str(base.execution.outcome)
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


def _where(base: Found, kind: str) -> str:
    found = base.execution.finding(kind)
    if found is None:
        return ""
    line = f" at line {found.line} of the unit" if found.line else ""
    return f"{message_of(kind)}: block {found.block}, thread {found.thread}{line}, {found.times} times"


def _concluded(unit: KernelUnit, seed: int, cases: Sequence[Judged], blobs: Blobs) -> Tried:
    first = cases[0]
    if first.behaviour not in _GOOD:
        return _ended(unit, first.behaviour, first.code)
    kept = [each for each in cases if each.behaviour in _GOOD]
    telling = [each for each in kept if _tells(each)]
    # what reaches a branch of its own stays, though its outputs are no case that counts
    shown_too = [each for each in kept if not each.is_trivial or each.case.name.startswith(REACH)]
    suite = Suite(unit=unit.digest, seed=seed, cases=tuple(each.case for each in shown_too))
    if not telling:
        return _ended(unit, Behaviour.TRIVIAL, "trivial-output")
    loose = any(each.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC for each in telling)
    shown = _shown(cases)
    code = "few-cases" if shown < WANTED else "lanes" if any(each.by_lanes for each in telling) else "self-consistent"
    run = _run(
        unit,
        Behaviour.ATOMIC_NONDETERMINISTIC if loose else Behaviour.DETERMINISTIC,
        Verdict(status=Status.CONSISTENT, code=code, message=message_of(code)),
    )
    encoded = blobs.put(codec.encode(suite))
    return Tried(run=replace(run, suite=encoded, cases=shown), suite=suite, blobs=blobs)


def _ended(unit: KernelUnit, behaviour: Behaviour, code: str, message: str = "", status: Status | None = None) -> Tried:
    fails = behaviour in (Behaviour.RACY, Behaviour.UNDEFINED, Behaviour.TIMEOUT)
    if status is not Status.SKIPPED:
        status = Status.FAIL if fails else Status.UNSUPPORTED
    verdict = Verdict(status=status, code=code, message=message or message_of(code))
    return Tried(run=_run(unit, behaviour, verdict), blobs=Blobs())


def _run(unit: KernelUnit, behaviour: Behaviour, verdict: Verdict) -> Run:
    clang = toolchain.clang()
    made = Toolchain(
        compiler=f"clang {clang.version}" if clang else "",
        headers=f"kernelset {headers.digest()[:12]}",
        digest=toolchain.digest(),
    )
    return Run(
        unit=unit.digest,
        device=DEVICE,
        toolchain=made,
        pass_exe=verdict,
        behaviour=behaviour,
    )
