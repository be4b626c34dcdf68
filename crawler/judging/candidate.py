"""A candidate: an answer to a task, as somebody else's program wrote it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One answer to one task."""

    task_id: str
    """Of the task, as the views of prompts and `computeeval` have it; in a folder of tests, the
    test's name.
    """
    number: int
    """From 0, among the answers to the same task in the order of their file."""
    completion: str
    """What was answered: a source, Markdown with one in it, or what follows the prompt of the
    view `complete`.
    """
    language: str = ""
    """`hip` or `cuda`, where the answer says so."""

    @property
    def digest(self) -> str:
        """Sha256 of the completion."""
        text = self.completion.encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()
