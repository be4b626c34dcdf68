"""Ask for a repair, judge it, and ask again with the messages: so often, and no oftener."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.codec import encode
from crawler.completion.attempt_book import AttemptBook
from crawler.completion.chat import ChatMessage, ChatParameters, ChatRequest, KeptAnswer
from crawler.completion.endpoint import EndpointError
from crawler.completion.kept_chat import KeptChat
from crawler.completion.prompt_files import Prompts
from crawler.completion.repair_subject import RepairSubject, name_language
from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.model import AttemptVerdict, CompletionAttempt

PURPOSE: Final = "repair"
_VERDICT_WORDS: Final = {
    AttemptVerdict.BROKEN: "it does not compile",
    AttemptVerdict.WRONG: "what it writes is wrong",
    AttemptVerdict.REFUSED: "it is right for inputs that it could know alone, "
    "or writes outside its buffers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How a repair was judged."""

    verdict: AttemptVerdict
    source: str
    messages: str = ""
    pass_call: Mapping[str, str] = field(default_factory=dict)
    """Target to status."""
    pass_exe: Mapping[str, str] = field(default_factory=dict)
    """Device to status."""


Checker = Callable[[RepairSubject, str], Check]
"""Judges an answer to what was asked of a subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOptions:
    """Who is asked, and how often."""

    model: str
    parameters: ChatParameters
    attempts: int
    """At one kernel, at most."""
    device: str = "cpu"
    """What repaired kernels are run on."""


class RepairLoop:
    """Repairs one subject at a time; what earlier runs tried of it counts."""

    def __init__(
        self,
        chat: KeptChat,
        check: Checker,
        book: AttemptBook,
        prompts: Prompts,
        options: LoopOptions,
    ) -> None:
        self._chat = chat
        self._check = check
        self._book = book
        self._prompts = prompts
        self._options = options

    def list_attempts(self, subject: RepairSubject) -> list[CompletionAttempt]:
        """Return the attempts that were made at a subject in this way, those apart that failed
        at the endpoint.
        """
        attempts = self._book.list_attempts(self._digest_series(subject))
        return [attempt for attempt in attempts if not attempt.code]

    def is_done(self, subject: RepairSubject) -> bool:
        """Tell whether nothing more is asked about a subject."""
        attempts = self.list_attempts(subject)
        is_used_up = len(attempts) >= self._options.attempts
        return is_used_up or bool(attempts and attempts[-1].verdict.is_accepted)

    def repair(self, subject: RepairSubject) -> Iterator[CompletionAttempt]:
        """Yield attempts as they are kept, until one is accepted, all are used up, or the
        endpoint fails, which the last one says then.

        Raises `BudgetSpent` before a question that might cost too much.
        """
        while not self.is_done(subject):
            attempts = self.list_attempts(subject)
            attempt = self._try_once(subject, attempts[-1] if attempts else None)
            self._book.add_attempt(attempt)
            yield attempt
            if attempt.code:
                return

    def _try_once(
        self, subject: RepairSubject, previous: CompletionAttempt | None
    ) -> CompletionAttempt:
        started_at = time.monotonic()
        attempt = self._begin_attempt(subject, previous)
        messages = self._open_conversation(subject)
        try:
            if previous is not None:
                reflection = self._reflect(subject, messages, previous)
                attempt = _add_answer(attempt, reflection)
                attempt = replace(attempt, reflection=reflection.answer.text)
                messages = self._reopen(messages, previous, reflection.answer.text)

            attempt = replace(attempt, prompt=encode(messages).decode())
            kept = self._ask(messages, subject)
        except EndpointError as problem:
            seconds = round(time.monotonic() - started_at, 3)
            return replace(
                attempt, code=problem.code, problem=str(problem), seconds=seconds
            )

        check = self._check(subject, kept.answer.text)
        return replace(
            _add_answer(attempt, kept),
            answer=kept.answer.text,
            source=check.source,
            pass_call=check.pass_call,
            pass_exe=check.pass_exe,
            verdict=check.verdict,
            messages=check.messages,
            seconds=round(time.monotonic() - started_at, 3),
        )

    def _begin_attempt(
        self, subject: RepairSubject, previous: CompletionAttempt | None
    ) -> CompletionAttempt:
        return CompletionAttempt(
            series=self._digest_series(subject),
            kernel=subject.kernel,
            unit=subject.unit.digest,
            purpose=PURPOSE,
            number=previous.number + 1 if previous else 1,
            model=self._options.model,
            parameters=self._describe_parameters(subject),
            attempted_at=time.time(),
        )

    def _describe_parameters(self, subject: RepairSubject) -> str:
        parameters = {
            "chat": self._options.parameters,
            "targets": subject.targets,
            "device": self._options.device if subject.has_cases else "",
            "prompts": self._prompts.digest,
        }
        return encode(parameters).decode()

    def _digest_series(self, subject: RepairSubject) -> str:
        words = (
            PURPOSE,
            subject.kernel,
            subject.unit.digest,
            self._options.model,
            self._describe_parameters(subject),
            subject.problem,
        )
        return hashlib.sha256(_clean("\0".join(words)).encode()).hexdigest()

    def _open_conversation(self, subject: RepairSubject) -> tuple[ChatMessage, ...]:
        original = ""
        if subject.original is not None:
            original = self._prompts.render(
                "original",
                original_language=name_language(subject.original.dialect),
                original_source=subject.original.source,
            )
        repair = self._prompts.render(
            "repair",
            kernel=subject.unit.kernel_name,
            language=name_language(subject.unit.dialect),
            targets=", ".join(subject.targets),
            source=subject.unit.source,
            problem=subject.problem,
            original=original,
        )
        return (
            ChatMessage(role="system", content=_clean(self._prompts.render("system"))),
            ChatMessage(role="user", content=_clean(repair)),
        )

    def _reflect(
        self,
        subject: RepairSubject,
        messages: tuple[ChatMessage, ...],
        previous: CompletionAttempt,
    ) -> KeptAnswer:
        question = self._prompts.render("reflect", **_describe_failure(previous))
        return self._ask((*messages, *_go_on(previous, question)), subject)

    def _reopen(
        self,
        messages: tuple[ChatMessage, ...],
        previous: CompletionAttempt,
        reflection: str,
    ) -> tuple[ChatMessage, ...]:
        """Return the conversation with the last attempt alone: earlier ones led to it."""
        words = _describe_failure(previous)
        retry = self._prompts.render("retry", reflection=reflection, **words)
        return (*messages, *_go_on(previous, retry))

    def _ask(
        self, messages: tuple[ChatMessage, ...], subject: RepairSubject
    ) -> KeptAnswer:
        request = ChatRequest(
            model=self._options.model,
            messages=messages,
            parameters=self._options.parameters,
        )
        return self._chat.ask(request, subject.unit.digest)


def _go_on(
    previous: CompletionAttempt, question: str
) -> tuple[ChatMessage, ChatMessage]:
    """Return the turns that follow the opening: what was answered, and what is asked now."""
    # servers refuse an empty turn
    answer = _clean(previous.answer) or "(no answer)"
    return (
        ChatMessage(role="assistant", content=answer),
        ChatMessage(role="user", content=_clean(question)),
    )


def _describe_failure(attempt: CompletionAttempt) -> dict[str, str]:
    words = _VERDICT_WORDS.get(attempt.verdict, attempt.verdict.value)
    # the number keeps a model that writes the same again from being asked the same again
    return {
        "number": str(attempt.number),
        "verdict": words,
        "messages": attempt.messages,
    }


def _add_answer(attempt: CompletionAttempt, kept: KeptAnswer) -> CompletionAttempt:
    return replace(
        attempt,
        tokens_in=attempt.tokens_in + kept.answer.tokens_in,
        tokens_out=attempt.tokens_out + kept.answer.tokens_out,
        cost=attempt.cost + kept.cost,
    )


def _clean(text: str) -> str:
    """Return a text that a stranger's server may read: in Unicode, and without secrets."""
    readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return redact_text(readable, Counter())
