"""Published form of runs and their test suites."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.model import Case, Performance, Run, Strength, Suite, Toolchain, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """What a unit, or its port, did on a device."""

    unit: str
    """Digest of the unit, or port, that was run."""
    device: str
    """`cpu`, `rocm:gfx942`, `cuda:sm_90`."""
    details: str
    """Which device of its kind: model and partition; empty for a CPU."""
    status: str
    """`pass`: an independent oracle agrees; `consistent`: the kernel agrees with itself;
    `conditional`, `fail`, `unsupported`.
    """
    code: str
    """Stable slug of why it is no `pass`: `self-consistent`, `race`, `timeout`, …; empty for
    one.
    """
    message: str
    """Why, for a person."""
    behaviour: str
    """`deterministic`, `atomic_nondeterministic`, `racy`, `undefined`, `trivial`, `timeout` or
    `unsupported`.
    """
    instantiation: str
    """Label of the one that was run; empty for a plain kernel, and where none was."""
    is_further: bool
    """Whether another run speaks for the unit on the device, and this one for its instantiation
    alone.
    """
    oracle: str
    """`project_cpu`, `library` or `cpu_simt`: where the golden outputs come from."""
    suite: str
    """Digest of its cases, which are among `suites`; empty without any."""
    cases: int
    """How many cases of the suite tell anything."""
    extents: str
    """Where the sizes of its memory come from: `launcher`, its launcher's allocations for every
    buffer that it touches; `inferred`, for some; `unproven`, for none, memory is as large as
    what it touches. Empty where no launch ran cleanly.
    """
    strength: Strength
    """How much its cases can tell."""
    perf: Verdict | None
    """Verdict on its time against a baseline, the `pass_perf` of this run; null where nobody
    timed it.
    """
    performance: Performance | None
    """The times themselves, and what follows from them; null where nobody timed it."""
    disagreement: str
    """`compilers-disagree` where one compiler of its machine takes the unit and another does
    not.
    """
    sanitized: tuple[str, ...]
    """Tools of NVIDIA's compute-sanitizer that looked at its cases to their end."""
    toolchain: Toolchain
    """What compiled what was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRow:
    """The cases that a unit was run with; the one that is held back is not among them."""

    digest: str
    """sha256 of the encoded suite, in hexadecimal; `runs` name it by this."""
    unit: str
    """Digest of the unit that its cases are for."""
    seed: int
    """The number that its drawn sizes and contents begin with: the same one gives the same
    cases.
    """
    oracle: str
    """`project_cpu`, `library` or `cpu_simt`: where the golden outputs come from."""
    cases: tuple[Case, ...]
    """Its launches, but for the hidden one."""


def to_run_row(run: Run) -> RunRow:
    """Return a run as it is published."""
    return RunRow(
        unit=run.unit,
        device=run.device,
        details=run.details,
        status=run.pass_exe.status.value,
        code=run.pass_exe.code,
        message=run.pass_exe.message,
        behaviour=run.behaviour.value,
        instantiation=run.instantiation,
        is_further=run.is_further,
        oracle=run.oracle.value,
        suite=run.suite,
        cases=run.cases,
        extents=run.extents.value if run.extents else "",
        strength=run.strength,
        perf=run.pass_perf,
        performance=run.performance,
        disagreement=run.disagreement,
        sanitized=run.sanitized,
        toolchain=run.toolchain,
    )


def to_suite_row(digest: str, suite: Suite) -> SuiteRow:
    """Return a suite as it is published, without the cases that are held back."""
    cases = tuple(case for case in suite.cases if not case.hidden)
    return SuiteRow(
        digest=digest,
        unit=suite.unit,
        seed=suite.seed,
        oracle=suite.oracle.value,
        cases=cases,
    )
