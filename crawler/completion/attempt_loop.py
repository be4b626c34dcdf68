"""Ask, judge the answer, and ask again with the messages: so often, and no oftener."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic

from crawler.codec import encode
from crawler.completion.attempt_book import AttemptBook
from crawler.completion.chat import ChatMessage, ChatParameters, ChatRequest, KeptAnswer
from crawler.completion.endpoint import EndpointError
from crawler.completion.purpose import Check, CheckTools, Purpose, SubjectT
from crawler.completion.turns import clean_text, make_turn
from crawler.model import CompletionAttempt


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOptions:
    """Who is asked, and how often."""

    model: str
    parameters: ChatParameters
    attempts: int
    """At one kernel, at most."""


class AttemptLoop(Generic[SubjectT]):
    """Asks about one subject at a time; what earlier runs tried of it counts."""

    def __init__(
        self,
        purpose: Purpose[SubjectT],
        tools: CheckTools,
        book: AttemptBook,
        options: LoopOptions,
    ) -> None:
        self._purpose = purpose
        self._tools = tools
        self._check = purpose.make_checker(tools)
        self._book = book
        self._options = options

    def list_attempts(self, subject: SubjectT) -> list[CompletionAttempt]:
        """Return the attempts that were made at a subject in this way, those apart that failed
        at the endpoint.
        """
        attempts = self._book.list_attempts(self._digest_series(subject))
        return [attempt for attempt in attempts if not attempt.code]

    def is_done(self, subject: SubjectT) -> bool:
        """Tell whether nothing more is asked about a subject."""
        attempts = self.list_attempts(subject)
        is_used_up = len(attempts) >= self._options.attempts
        return is_used_up or bool(attempts and attempts[-1].verdict.is_accepted)

    def run(self, subject: SubjectT) -> Iterator[CompletionAttempt]:
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
        self, subject: SubjectT, previous: CompletionAttempt | None
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
            kept_answer = self._ask(messages, subject)
            attempt = _add_answer(attempt, kept_answer)
            check = self._check(subject, kept_answer.answer.text)
        except EndpointError as problem:
            attempt = replace(attempt, code=problem.code, problem=str(problem))
        else:
            attempt = _add_check(attempt, kept_answer.answer.text, check)

        seconds = round(time.monotonic() - started_at, 3)
        return replace(attempt, seconds=seconds)

    def _begin_attempt(
        self, subject: SubjectT, previous: CompletionAttempt | None
    ) -> CompletionAttempt:
        return CompletionAttempt(
            series=self._digest_series(subject),
            kernel=subject.kernel,
            unit=subject.unit.digest,
            purpose=self._purpose.name,
            number=previous.number + 1 if previous else 1,
            model=self._options.model,
            parameters=self._describe_parameters(subject),
            attempted_at=time.time(),
        )

    def _describe_parameters(self, subject: SubjectT) -> str:
        parameters = {
            "chat": self._options.parameters,
            **self._purpose.list_conditions(subject, self._tools),
            "prompts": self._tools.prompts.digest,
        }
        return encode(parameters).decode()

    def _digest_series(self, subject: SubjectT) -> str:
        words = (
            self._purpose.name,
            subject.kernel,
            subject.unit.digest,
            self._options.model,
            self._describe_parameters(subject),
            subject.problem,
        )
        return hashlib.sha256(clean_text("\0".join(words)).encode()).hexdigest()

    def _open_conversation(self, subject: SubjectT) -> tuple[ChatMessage, ...]:
        system = self._tools.prompts.render(self._purpose.system_prompt)
        question = self._purpose.open_question(subject, self._tools.prompts)
        return (
            make_turn("system", system),
            make_turn("user", question),
        )

    def _reflect(
        self,
        subject: SubjectT,
        messages: tuple[ChatMessage, ...],
        previous: CompletionAttempt,
    ) -> KeptAnswer:
        words = self._describe_failure(previous)
        question = self._tools.prompts.render(self._purpose.reflect_prompt, **words)
        return self._ask((*messages, *_go_on(previous, question)), subject)

    def _reopen(
        self,
        messages: tuple[ChatMessage, ...],
        previous: CompletionAttempt,
        reflection: str,
    ) -> tuple[ChatMessage, ...]:
        """Return the conversation with the last attempt alone: earlier ones led to it."""
        words = self._describe_failure(previous)
        retry = self._tools.prompts.render(
            self._purpose.retry_prompt, reflection=reflection, **words
        )
        return (*messages, *_go_on(previous, retry))

    def _describe_failure(self, attempt: CompletionAttempt) -> dict[str, str]:
        verdict = attempt.verdict
        # the number keeps a model that writes the same again from being asked the same again
        return {
            "number": str(attempt.number),
            "verdict": self._purpose.verdict_words.get(verdict, verdict.value),
            "messages": attempt.messages,
        }

    def _ask(self, messages: tuple[ChatMessage, ...], subject: SubjectT) -> KeptAnswer:
        request = ChatRequest(
            model=self._options.model,
            messages=messages,
            parameters=self._options.parameters,
        )
        return self._tools.chat.ask(request, subject.unit.digest)


def _go_on(
    previous: CompletionAttempt, question: str
) -> tuple[ChatMessage, ChatMessage]:
    """Return the turns that follow the opening: what was answered, and what is asked now."""
    # servers refuse an empty turn
    answer = previous.answer or "(no answer)"
    return (
        make_turn("assistant", answer),
        make_turn("user", question),
    )


def _add_answer(
    attempt: CompletionAttempt, kept_answer: KeptAnswer
) -> CompletionAttempt:
    return replace(
        attempt,
        tokens_in=attempt.tokens_in + kept_answer.answer.tokens_in,
        tokens_out=attempt.tokens_out + kept_answer.answer.tokens_out,
        cost=attempt.cost + kept_answer.cost,
    )


def _add_check(
    attempt: CompletionAttempt, answer: str, check: Check
) -> CompletionAttempt:
    return replace(
        attempt,
        tokens_in=attempt.tokens_in + check.tokens_in,
        tokens_out=attempt.tokens_out + check.tokens_out,
        cost=attempt.cost + check.cost,
        answer=answer,
        source=check.source,
        pass_call=check.pass_call,
        pass_exe=check.pass_exe,
        pass_perf=check.pass_perf,
        verdict=check.verdict,
        messages=check.messages,
    )
