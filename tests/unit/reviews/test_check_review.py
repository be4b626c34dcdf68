"""What contradicts itself, or says nothing, is not kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.errors import Misconfigured
from crawler.model import (
    ChecklistItem,
    Review,
    ReviewComment,
    ReviewedPart,
    ReviewVerdict,
)
from crawler.reviews.check_review import MAX_TEXT_CHARACTERS, check_review

GOOD = Review(unit="ab" * 32, reviewer="Ada", verdict=ReviewVerdict.ACCEPTED)
STYLE = (ChecklistItem.STYLE,)
COMMENT = ReviewComment(part=ReviewedPart.PORT, line=3, text="why volatile?")
REJECTED = ReviewVerdict.REJECTED


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"met": tuple(ChecklistItem)},
        {"verdict": REJECTED, "unmet": STYLE},
        {"verdict": REJECTED, "note": "a race"},
        {"verdict": REJECTED, "comments": (COMMENT,)},
        {"reviewer": "Зоя 李"},
        {"reviewed_at": 253402300799.0},
    ],
)
def test_what_makes_sense_is_kept(changes: dict[str, Any]) -> None:
    check_review(replace(GOOD, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "ab"}, "64 digits"),
        ({"reviewer": ""}, "name of its reviewer"),
        ({"reviewer": " ada"}, "name of its reviewer"),
        ({"reviewer": "a\x1b[31mda"}, "printable"),
        ({"reviewer": "a" * 101}, "1 to 100"),
        ({"unmet": STYLE}, "`style` does not hold"),
        ({"met": STYLE, "unmet": STYLE, "verdict": REJECTED}, "say one of the two"),
        ({"verdict": REJECTED}, "say why"),
        ({"verdict": ReviewVerdict.NEEDS_WORK, "note": "  "}, "say why"),
        ({"note": "x" * (MAX_TEXT_CHARACTERS + 1)}, "shorten it"),
        ({"note": "\ud800"}, "no valid Unicode"),
        ({"note": "a\0b"}, "NUL"),
        # milliseconds
        ({"reviewed_at": 1_767_225_600_000.0}, "seconds since 1970"),
        ({"reviewed_at": -1.0}, "seconds since 1970"),
        ({"reviewed_at": float("nan")}, "seconds since 1970"),
        ({"reviewed_at": float("inf")}, "seconds since 1970"),
        ({"comments": (replace(COMMENT, text=" "),)}, "a comment has a text"),
        ({"comments": (replace(COMMENT, line=-1),)}, "a line from 1"),
        ({"comments": (COMMENT,) * 201}, "more than 200"),
    ],
)
def test_what_does_not_is_refused_with_what_to_do(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(Misconfigured, match=message) as raised:
        check_review(replace(GOOD, **changes))
    assert raised.value.code == "bad-review"
