"""What comes of validating a unit on the CPU, and the runs that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crawler import headers
from crawler.model import Behaviour, KernelUnit, Run, Status, Suite, Toolchain, Verdict
from crawler.toolchains import discovery
from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.emulator.execution_report import SHARED_MEMORY
from crawler.validate.emulator.program import Program
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.values.blobs import Blobs

CPU_DEVICE: Final = "cpu"
_FAILURES: Final = (Behaviour.RACY, Behaviour.UNDEFINED, Behaviour.TIMEOUT)
_GRAVEST: Final = (
    "race",
    "divide-by-zero",
    "array-bounds",
    "out-of-bounds",
    "uninitialised-read",
    # whom a mask leaves out takes no part for the others
    "excluded-caller",
)
_OWN_CHECK: Final = "own-check"
"""Code of a kernel whose results its own program refuses, the same ones in every order."""
_UNSUPPORTED: Final = ("extent", "not-converged", "killed", "unsupported")


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuValidation:
    """What came of trying a unit: its run, and its cases where there are any."""

    run: Run
    suite: Suite | None = None
    blobs: Blobs
    tried: tuple[CpuValidation, ...] = ()
    """Of other instantiations that were run before this one, or besides it in vain."""


def build_run(unit: KernelUnit, behaviour: Behaviour, verdict: Verdict) -> Run:
    """Return a unit's run on this machine."""
    clang = discovery.find_clang()
    toolchain = Toolchain(
        compiler=f"clang {clang.version}" if clang else "",
        headers=f"kernelset {headers.headers_digest()[:12]}",
        digest=discovery.toolchain_digest(),
    )

    return Run(
        unit=unit.digest,
        device=CPU_DEVICE,
        toolchain=toolchain,
        pass_exe=verdict,
        behaviour=behaviour,
    )


def build_failed_validation(
    unit: KernelUnit,
    behaviour: Behaviour,
    code: str,
    message: str = "",
    status: Status | None = None,
) -> CpuValidation:
    """Return the validation of a unit that has no cases, with the verdict's code and message.

    Its status follows from the behaviour and the code, unless it is `SKIPPED`.
    """
    if status is not Status.SKIPPED:
        is_failure = behaviour in _FAILURES or code == _OWN_CHECK
        status = Status.FAIL if is_failure else Status.UNSUPPORTED

    verdict = Verdict(status=status, code=code, message=message or explain_code(code))

    return CpuValidation(run=build_run(unit, behaviour, verdict), blobs=Blobs())


def build_uncompiled_validation(unit: KernelUnit, program: Program) -> CpuValidation:
    """Return the validation of a unit that does not compile as a program of the CPU."""
    verdict = program.verdict
    return build_failed_validation(
        unit,
        Behaviour.UNSUPPORTED,
        _choose_compile_code(unit, verdict.code),
        verdict.message,
        verdict.status,
    )


def _choose_compile_code(unit: KernelUnit, code: str) -> str:
    """Return why there is no program: not in the words of a device's compiler, which may well
    have made an object.
    """
    if not code.startswith("compile-"):
        return code
    if unit.missing_headers and code == "compile-error":
        return "missing-header"

    return f"host-{code}"


def build_unusable_validation(
    unit: KernelUnit, trial_result: TrialResult
) -> CpuValidation:
    """Return the validation of a unit whose best run is of no use for results."""
    code = _choose_trial_code(trial_result)
    # memory is as large as what is touched: an index that led out of it may be of our making
    if code == "out-of-bounds" and not _leaves_shared_memory(trial_result):
        code = "extent"
    if code == "timeout":
        return build_failed_validation(unit, Behaviour.TIMEOUT, code)
    if code in _UNSUPPORTED:
        return build_failed_validation(unit, Behaviour.UNSUPPORTED, code)

    message = describe_finding(trial_result, code)

    return build_failed_validation(unit, choose_fault_behaviour(code), code, message)


def _leaves_shared_memory(trial_result: TrialResult) -> bool:
    finding = trial_result.execution.find_finding("out-of-bounds")
    return finding is not None and finding.buffer == SHARED_MEMORY


def choose_fault_behaviour(code: str) -> Behaviour:
    """Return how a kernel behaves whose runs show a fault of its own."""
    if code == _OWN_CHECK:
        return Behaviour.DETERMINISTIC
    return Behaviour.RACY if code == "race" else Behaviour.UNDEFINED


def _choose_trial_code(trial_result: TrialResult) -> str:
    gravest = min(trial_result.problems, key=_rank_problem, default="")
    if gravest:
        return gravest
    if not trial_result.is_converged:
        return "not-converged"

    return str(trial_result.execution.outcome)


def _rank_problem(problem: str) -> int:
    """Return how much a problem explains: a race is why something is read that nobody wrote yet."""
    return _GRAVEST.index(problem) if problem in _GRAVEST else len(_GRAVEST)


def describe_finding(trial_result: TrialResult, kind: str) -> str:
    """Return where a run did something wrong; empty where it did nothing of that kind."""
    finding = trial_result.execution.find_finding(kind)
    if finding is None:
        return ""

    line = f" at line {finding.line} of the unit" if finding.line else ""

    return (
        f"{explain_code(kind)}: block {finding.block}, thread {finding.thread}{line},"
        f" {finding.count} times"
    )
