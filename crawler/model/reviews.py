"""Reviews: what people say of a kernel's unit, its port, its prompt and its tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class ReviewVerdict(StrEnum):
    """What a reviewer decides."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEEDS_WORK = "needs-work"


class ReviewState(StrEnum):
    """What the reviewers of a unit come to together."""

    UNREVIEWED = "unreviewed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEEDS_WORK = "needs-work"
    DISPUTED = "disputed"
    """No verdict has more than half of the reviewers behind it."""


class ChecklistItem(StrEnum):
    """What a reviewer looks at."""

    INSTRUCTION_CLEAR = "instruction-clear"
    CODE_AND_DESCRIPTION_AGREE = "code-and-description-agree"
    TESTS_COVER = "tests-cover"
    STYLE = "style"

    @property
    def question(self) -> str:
        """What it asks, for a person."""
        return _QUESTIONS[self]


_QUESTIONS = {
    ChecklistItem.INSTRUCTION_CLEAR: "Does the prompt alone say what to write?",
    ChecklistItem.CODE_AND_DESCRIPTION_AGREE: "Does the code do what the prompt says?",
    ChecklistItem.TESTS_COVER: "Would the tests notice a wrong kernel?",
    ChecklistItem.STYLE: "Is the code fit to be learned from?",
}


class ReviewedPart(StrEnum):
    """A text of a kernel that a comment is about."""

    SOURCE = "source"
    PORT = "port"
    PROMPT = "prompt"
    TESTS = "tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewComment:
    """A remark on one text of a kernel."""

    part: ReviewedPart
    """`source`, `port`, `prompt` or `tests`."""
    line: int
    """Of that text, from 1; 0 where the whole is meant."""
    text: str
    """What the reviewer says, in their words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What one reviewer said of a unit at one time; a later one of theirs replaces it."""

    unit: str
    """Digest of the unit that was reviewed, in the source's dialect."""
    reviewer: str
    """The name under which they review."""
    verdict: ReviewVerdict
    """`accepted`, `rejected` or `needs-work`."""
    met: tuple[ChecklistItem, ...] = ()
    """What of the checklist the reviewer found to hold."""
    unmet: tuple[ChecklistItem, ...] = ()
    """What of it does not hold; what is in neither was not looked at."""
    note: str = ""
    """What the reviewer says of the whole."""
    comments: tuple[ReviewComment, ...] = ()
    """Remarks at lines of its texts."""
    reviewed_at: float = 0.0
    """Seconds since 1970."""
    origin: str = "command-line"
    """Where it was given: `web`, `command-line`, or the form that it was imported from."""


def select_newest_reviews(history: Iterable[Review]) -> tuple[Review, ...]:
    """Return the last review of each reviewer, in the order in which these were given."""
    newest: dict[str, Review] = {}
    for review in history:
        # removed first, so that it goes behind all others
        newest.pop(review.reviewer, None)
        newest[review.reviewer] = review

    return tuple(newest.values())


def decide_review_state(history: Iterable[Review]) -> ReviewState:
    """Return what more than half of the reviewers say last; `disputed` where no verdict has so
    many. `history` has all reviews of one unit, the oldest first.
    """
    newest = select_newest_reviews(history)
    if not newest:
        return ReviewState.UNREVIEWED

    counts = Counter(review.verdict for review in newest)
    ((verdict, count),) = counts.most_common(1)
    if 2 * count <= len(newest):
        return ReviewState.DISPUTED
    return ReviewState(verdict.value)
