"""What came of a candidate: a row of the results, in the words of kernel benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

SCHEMA_NAME: Final = "kernelset.judgement/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseJudgement:
    """What came of one case."""

    name: str
    passes: bool
    message: str = ""
    """What was wrong; plain characters, and bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came of one candidate; a row without a verdict has a `code`, and says why."""

    schema: str = SCHEMA_NAME
    task_id: str
    number: int
    """From 0, among the candidates of the task."""
    completion: str
    """Sha256 of what was answered."""
    source: str = ""
    """Sha256 of the source that was judged; candidates that share it were judged once."""
    task: str = ""
    """Digest of the kernel, its cases and the judge."""
    language: str = ""
    groups: tuple[str, ...] = ()
    """What its task is counted by: `class:reduction`, `licence:permissive`."""
    device: str = ""
    """What it ran on: `cpu`, `cuda:sm_90`, `rocm:gfx942`."""
    code: str = ""
    """Why it was not judged: `unknown-task`, `no-test`, `completion-too-long`, `not-judged`."""
    pass_call: bool | None = None
    """It compiles, and its program can be started; for all targets that were asked for, too."""
    by_target: dict[str, bool] = field(default_factory=dict)
    """Target to whether it compiles for that, of those that were asked for."""
    call_err_msg: str = ""
    """The compiler's words, fit to be handed back to whoever wrote the candidate."""
    pass_exe: bool | None = None
    """Every output of every case is right, for inputs that are drawn afresh, too."""
    exe_err_msg: str = ""
    """What was wrong in the first case that failed."""
    pass_perf: bool | None = None
    """It takes at most 1.25 times the steps of the reference on a CPU, and on a GPU at most 1.05
    times its time; `None` where nobody counted or measured.
    """
    steps: int = -1
    """That its warps take on the CPU's model in all cases: pieces of code that are entered, reads
    and writes of memory; -1 where nobody counted.
    """
    reference_steps: int = -1
    """The same of what it was held against."""
    milliseconds: float = -1.0
    """Median of its launches on a GPU, of one case; negative where nobody measured."""
    reference_milliseconds: float = -1.0
    """The same of what it was held against."""
    perf_msg: str = ""
    """What was measured, or why nothing holds of it: `impossible: 0.001 ms, under the 0.1 that
    its writes take at least`.
    """
    refusal: str = ""
    """`only-known-inputs`: right for the cases of the task, wrong for inputs that it could not
    know; `outside-protocol`: it wrote more or less than its buffers.
    """
    cases: tuple[CaseJudgement, ...] = ()
    fresh_inputs: int = 0
    """How many drawn inputs were compared."""
    seed: int = 0
    """What they were drawn from."""
    compile_seconds: float = 0.0
    """By the clock, in compilers; the first candidate of a batch bears the reference's."""
    run_seconds: float = 0.0
    """By the clock, in programs of the candidate and of the reference."""

    @property
    def measurement(self) -> str:
        """What was measured, for people; empty where nothing was."""
        if self.perf_msg or self.steps < 0:
            return self.perf_msg
        return f"{self.steps} steps for {self.reference_steps}"

    @property
    def costs(self) -> tuple[float, float] | None:
        """What it and its reference take, in milliseconds or in steps; `None` where neither is
        known.
        """
        if self.milliseconds >= 0:
            return self.milliseconds, self.reference_milliseconds
        if self.steps >= 0:
            return self.steps, self.reference_steps
        return None
