"""What judging asks of the place where judgements are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from crawler.judging.candidate import Candidate
from crawler.judging.judgement import Judgement


class JudgementStore(Protocol):
    """Keeps judgements: what it has is not judged again."""

    def find(self, candidate: Candidate) -> Judgement | None:
        """Return what came of a candidate; `None` where it was not judged."""
        ...

    def find_source(self, task: str, source: str, device: str) -> Judgement | None:
        """Return what came of a source, by its digest, in a task; `None` where none was judged."""
        ...

    def add(self, judgements: Iterable[Judgement]) -> None:
        """Keep judgements; they are safe when this returns."""
        ...
