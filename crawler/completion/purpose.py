"""What a model may be asked for, and what of it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from crawler.completion.chat import ChatParameters
from crawler.completion.kept_chat import KeptChat
from crawler.completion.prompt_files import Placeholders, Prompts
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.judging.judge_program import JudgeOptions
from crawler.model import AttemptVerdict, KernelRecord, KernelUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a model is asked about."""

    kernel: str
    """Id of the kernel's task."""
    unit: KernelUnit
    """The one that the model is shown."""
    problem: str
    """What is wrong with it, or missing."""
    targets: tuple[str, ...] = ()
    """What an answer is to compile for."""

    @property
    def has_cases(self) -> bool:
        """Whether there are cases that an answer is run on."""
        return False


SubjectT = TypeVar("SubjectT", bound=Subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How an answer was judged."""

    verdict: AttemptVerdict
    source: str
    """What of the answer counts."""
    messages: str = ""
    pass_call: Mapping[str, str] = field(default_factory=dict)
    """Target to status."""
    pass_exe: Mapping[str, str] = field(default_factory=dict)
    """Device to status."""
    pass_perf: Mapping[str, str] = field(default_factory=dict)
    """The same, of what is right."""
    tokens_in: int = 0
    """Of a model that judged it, as the next two."""
    tokens_out: int = 0
    cost: float = 0.0


Checker = Callable[[SubjectT, str], Check]
"""Judges an answer to what was asked of a subject; raises `EndpointError` and `BudgetSpent` where
it asks a model itself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTools:
    """What answers are judged with."""

    chat: KeptChat
    prompts: Prompts
    parameters: ChatParameters
    judge: JudgeOptions
    vetting_model: str = ""
    """Who is asked whether an answer is good; empty for nobody."""


class Purpose(Protocol[SubjectT]):
    """Something that a model is asked for; one file each, which ends with `PLUGIN`."""

    name: str
    """What `kernelset complete` takes: `repair`."""
    summary: str
    """What is asked for, in one line for a person."""
    nothing_found: str
    """What a person is told where no kernel needs it."""
    needs_targets: bool
    """Whether answers are compiled."""
    placeholders: Placeholders
    """Its prompts, and what may stand in each."""
    system_prompt: str
    """Which of them comes first."""
    reflect_prompt: str
    """Which one asks what was wrong with an answer."""
    retry_prompt: str
    """Which one asks again."""
    verdict_words: Mapping[AttemptVerdict, str]
    """What the model is told of an answer that is not accepted."""

    def find_subjects(
        self,
        record: KernelRecord,
        targets: Collection[str],
        read_content: ContentReader,
    ) -> Iterator[SubjectT]:
        """Yield what a model can be asked about a kernel."""
        ...

    def open_question(self, subject: SubjectT, prompts: Prompts) -> str:
        """Return the first thing that the model is asked."""
        ...

    def list_conditions(self, subject: SubjectT, tools: CheckTools) -> dict[str, Any]:
        """Return what decides on a verdict besides the answer; under others it is asked anew."""
        ...

    def make_checker(self, tools: CheckTools) -> Checker[SubjectT]:
        """Return what judges answers."""
        ...
