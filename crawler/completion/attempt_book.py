"""What completing asks of the place where answers and attempts are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from crawler.completion.chat import ChatRequest, KeptAnswer
from crawler.model import CompletionAttempt


class AttemptBook(Protocol):
    """Keeps answers by their questions, and attempts by their series."""

    def find_answer(self, request: ChatRequest) -> KeptAnswer | None:
        """Return what was answered to a question; `None` where it was never answered."""
        ...

    def add_answer(
        self, request: ChatRequest, kept_answer: KeptAnswer, *, unit: str
    ) -> None:
        """Keep the answer to a question about a unit; it is safe when this returns."""
        ...

    def list_attempts(self, series: str) -> list[CompletionAttempt]:
        """Return the attempts of a series, in the order in which they were made."""
        ...

    def add_attempt(self, attempt: CompletionAttempt) -> None:
        """Keep an attempt; it is safe when this returns."""
        ...

    def iter_attempts(self, kernel: str) -> Iterator[CompletionAttempt]:
        """Yield the attempts at a kernel, by the id of its task, in the order in which they were
        made.
        """
        ...
