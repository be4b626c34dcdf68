"""Check what a reviewer says before it is kept."""

from __future__ import annotations

import re
from typing import Final

from crawler.errors import Misconfigured
from crawler.model import Review, ReviewVerdict

MAX_TEXT_CHARACTERS: Final = 10_000
"""Of a note, and of one comment."""
_MAX_NAME_CHARACTERS: Final = 100
_MAX_COMMENTS: Final = 200
_END_OF_CALENDAR: Final = 253402300800
"""The year 10,000, in seconds since 1970."""
# what a review names its unit by
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def check_review(review: Review) -> None:
    """Raise `Misconfigured` (`bad-review`) for what cannot be kept, or contradicts itself."""
    for problem in (
        _check_names(review),
        _check_checklist(review),
        _check_texts(review),
        _check_moment(review),
    ):
        if problem:
            raise Misconfigured(problem, code="bad-review")


def _check_names(review: Review) -> str:
    if not _DIGEST.fullmatch(review.unit):
        return "a review is of a unit: give the 64 digits of its digest"
    name = review.reviewer
    is_plain = name == name.strip() and name.isprintable()
    if not name or not is_plain or len(name) > _MAX_NAME_CHARACTERS:
        return (
            "a review has the name of its reviewer:"
            f" give one of 1 to {_MAX_NAME_CHARACTERS} printable characters"
        )
    return ""


def _check_checklist(review: Review) -> str:
    both = set(review.met) & set(review.unmet)
    if both:
        return f"`{min(both)}` cannot hold and not hold: say one of the two"

    if review.verdict is ReviewVerdict.ACCEPTED:
        if review.unmet:
            return (
                f"what is accepted has nothing against it, and `{review.unmet[0]}` does"
                " not hold: reject it, or say that it needs work"
            )
        return ""

    if not review.unmet and not review.note.strip() and not review.comments:
        return (
            "say why: name what of the checklist does not hold, or write a note"
            " or a comment"
        )
    return ""


def _check_texts(review: Review) -> str:
    if len(review.comments) > _MAX_COMMENTS:
        return f"more than {_MAX_COMMENTS} comments: leave the most important ones"

    for text in (review.note, *(comment.text for comment in review.comments)):
        if len(text) > MAX_TEXT_CHARACTERS:
            return f"a text of more than {MAX_TEXT_CHARACTERS} characters: shorten it"
        if any(
            character == "\0" or "\ud800" <= character <= "\udfff" for character in text
        ):
            return "a text with NUL or no valid Unicode: leave the broken character out"

    if any(not comment.text.strip() or comment.line < 0 for comment in review.comments):
        return "a comment has a text, and a line from 1, or 0 for the whole: mend it"
    return ""


def _check_moment(review: Review) -> str:
    # false for what is no number, too
    if not 0 <= review.reviewed_at < _END_OF_CALENDAR:
        return "the moment of a review is in seconds since 1970: mend `reviewed_at`"
    return ""
