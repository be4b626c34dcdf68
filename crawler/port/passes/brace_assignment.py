"""Rewrite `x = {}` for half2 types, ambiguous in HIP.

HIP's pairs of halves have two assignment operators that take `{}`. What is assigned to is read
backwards from the `=` in masked code: the fragment may stand in a macro or in a branch, where no
parser sees a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from crawler.cpp.identifiers import is_word_character
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.hip_mentions import mentions_hip
from crawler.port.interface import PortRule, RuleEdit

_PAIR_TYPES: Final = frozenset(
    {"half2", "__half2", "nv_bfloat162", "__nv_bfloat162", "__hip_bfloat162"}
)
# masked code; what stands in front of it is then read by tokens
_EMPTY_ASSIGNMENT: Final = re.compile(r"=\s*(\{\s*\})\s*;")
_STATEMENT_ENDS: Final = frozenset({"", ";", "{", "}", ")", ":", "else", "do"})
_MEMBER_JOINTS: Final = (".", "->", "::")
_OPENING_BRACKETS: Final = {")": "(", "]": "["}
_OPENING_BRACKETS_AND_ANGLES: Final = {**_OPENING_BRACKETS, ">": "<"}
_MAX_TARGET_LENGTH: Final = 400
"""Characters of what is assigned to, at most."""


class _BraceAssignment:
    name = "brace_assignment"
    order = 30
    keeps_lines = False

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        if is_whole_file and mentions_hip(source):
            return
        if _PAIR_TYPES.isdisjoint(source.words):
            return

        for assignment in _EMPTY_ASSIGNMENT.finditer(source.code):
            target_start = _find_target_start(source, assignment.start())
            if target_start is None:
                continue

            target = source.text[target_start : assignment.start()].strip()
            replacement = f"std::remove_reference_t<decltype({target})>{{}}"
            yield RuleEdit(
                start=assignment.start(1),
                end=assignment.end(1),
                replacement=replacement,
                rule="empty",
                before="{}",
                after=replacement,
            )


def _find_target_start(source: MaskedSource, end: int) -> int | None:
    """Return where the expression that ends at `end` begins, `None` where it is not the left
    side of a statement.
    """
    start = _find_postfix_start(source, end)
    if start is None:
        return None

    previous_start, previous = source.token_before(start)
    # `*p = {};` assigns, `T* p = {};` declares: before its star stands a name
    if previous == "*":
        start = previous_start
        _, previous = source.token_before(start)

    if previous in _STATEMENT_ENDS or _follows_directive(source, start):
        return start

    return None


def _follows_directive(source: MaskedSource, offset: int) -> bool:
    """Tell whether a place is the first on its line, and the line above, blank ones apart, is a
    directive.
    """
    nearby = source.code[max(0, offset - _MAX_TARGET_LENGTH) : offset]
    above, line_end, indentation = nearby.rpartition("\n")
    if not line_end or indentation.strip():
        return False

    last_line = above.rstrip().rpartition("\n")[2]
    return last_line.lstrip().startswith("#")


def _find_postfix_start(source: MaskedSource, end: int) -> int | None:
    """Return where `name`, `a.b`, `p->b`, `a[i]` or `(…)[i]` that ends at `end` begins.

    For anything else the answer is `None`.
    """
    limit = end - _MAX_TARGET_LENGTH
    start, symbol = source.token_before(end)
    is_last = True
    while start > limit:
        if symbol in _OPENING_BRACKETS:
            opening = _find_opening(source, start, limit, _OPENING_BRACKETS)
            if opening is None:
                return None

            previous_start, previous = source.token_before(opening)
            if previous == ">":
                return _find_cast_start(source, previous_start, limit)

            is_name_before = is_word_character(previous[-1:])
            if symbol == ")" and (previous in _STATEMENT_ENDS or not is_name_before):
                return opening
            if symbol == ")" and is_last:
                return None  # a call, or a macro that declares

            start, symbol = previous_start, previous
        elif is_word_character(symbol[-1:]) and not symbol[0].isdigit():
            joint_start, joint = source.token_before(start)
            if joint not in _MEMBER_JOINTS:
                return start

            start, symbol = source.token_before(joint_start)
        else:
            return None

        is_last = False

    return None


def _find_cast_start(source: MaskedSource, closing: int, limit: int) -> int | None:
    """Return where `static_cast<…>` begins whose `>` stands at `closing`."""
    opening = _find_opening(source, closing, limit, _OPENING_BRACKETS_AND_ANGLES)
    if opening is None:
        return None

    start, keyword = source.token_before(opening)
    return start if keyword.endswith("_cast") else None


def _find_opening(
    source: MaskedSource, closing: int, limit: int, pairs: Mapping[str, str]
) -> int | None:
    """Return the place of the bracket that the one at `closing` closes, not before `limit`.

    This goes backwards, which `crawler.cpp.brackets` does not: it would have to read the whole
    text for each assignment.
    """
    awaited = [pairs[source.code[closing]]]
    offset = closing
    while awaited:
        offset, symbol = source.token_before(offset)
        if not symbol or offset < limit:
            return None

        if symbol == awaited[-1]:
            awaited.pop()
        elif symbol in pairs:
            awaited.append(pairs[symbol])

    return offset


PLUGIN: Final[PortRule] = _BraceAssignment()
