"""What came of asking a model once: an attempt, and how it was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class AttemptVerdict(StrEnum):
    """How far an attempt came."""

    RIGHT = "right"
    """It compiles for every target that was asked for, every output of every case agrees, and
    where steps were counted, they are no more than those of what it was held against.
    """
    SLOW = "slow"
    """Every output of every case agrees, and it takes many more steps than it has to."""
    COMPILES = "compiles"
    """It compiles for every target; there are no cases to hold it against."""
    REFUSED = "refused"
    """Right for inputs that it could know alone, or it wrote other than its buffers."""
    WRONG = "wrong"
    """It compiles, and something that it writes is wrong; of a case, it tells nothing new."""
    BROKEN = "broken"
    """It does not compile; of a case, the kernel itself goes wrong in it."""
    VETTED = "vetted"
    """A text of the form that was asked for, to which a second model says yes."""
    WRITTEN = "written"
    """A text of the form that was asked for; nobody was asked whether it is true."""
    OBJECTED = "objected"
    """A text to which a second model says no."""
    MALFORMED = "malformed"
    """An answer that is not of the form that was asked for."""
    NONE = "none"
    """There is no answer: the row's code says why."""

    @property
    def is_accepted(self) -> bool:
        """Whether nothing that was looked at speaks against it."""
        return self in (
            AttemptVerdict.RIGHT,
            AttemptVerdict.COMPILES,
            AttemptVerdict.VETTED,
            AttemptVerdict.WRITTEN,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionAttempt:
    """One try of a model at one kernel."""

    series: str
    """Digest of what was asked of whom: attempts that share it are numbered together."""
    kernel: str
    """Id of the kernel's task, as the views of tasks have it."""
    unit: str
    """Digest of the unit that the model was shown."""
    purpose: str
    """`repair`, `describe` or `types`."""
    number: int
    """From 1; an attempt that failed at the endpoint is tried again under its number."""
    model: str
    parameters: str
    """What else was asked for, as JSON: temperature, tokens of an answer, targets."""
    prompt: str = ""
    """The whole conversation that was sent, as JSON."""
    reflection: str = ""
    """What the model thought of the attempt before this one, when it was asked."""
    answer: str = ""
    """All that it wrote."""
    source: str = ""
    """The source that this stands for, without the prelude of its dialect; empty for words. Of
    `types` the declarations alone.
    """
    tokens_in: int = 0
    """Of the prompts of the answer and of the reflection."""
    tokens_out: int = 0
    cost: float = 0.0
    """By the prices that were set, in their currency."""
    pass_call: Mapping[str, str] = field(default_factory=dict)
    """Target to status."""
    pass_exe: Mapping[str, str] = field(default_factory=dict)
    """Device to status; empty where nothing was run."""
    pass_perf: Mapping[str, str] = field(default_factory=dict)
    """Device to status: of `cpu` by steps, which no load changes; empty where nothing was run."""
    verdict: AttemptVerdict = AttemptVerdict.NONE
    messages: str = ""
    """The words of the compiler, the runner or the second model, as they are handed back to the
    model.
    """
    code: str = ""
    """Why there is no answer: `endpoint-busy`, `endpoint-silent`, …; empty where there is one."""
    problem: str = ""
    """The same in words."""
    seconds: float = 0.0
    """By the clock, from the first question to the verdict."""
    attempted_at: float = 0.0
    """Seconds since 1970."""
