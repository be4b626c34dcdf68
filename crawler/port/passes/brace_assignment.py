"""Rewrite `x = {}` for half2 types, ambiguous in HIP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from crawler.cpp.edits import Edit
from crawler.cpp.identifiers import is_word_character
from crawler.cpp.masked_source import MaskedSource
from crawler.model import Change

_PAIRS: Final = frozenset(
    {"half2", "__half2", "nv_bfloat162", "__nv_bfloat162", "__hip_bfloat162"}
)
_EMPTY: Final = re.compile(r"=\s*(\{\s*\})\s*;")
_ENDS_STATEMENT: Final = frozenset({"", ";", "{", "}", ")", ":", "else", "do"})
_OPENED_BY: Final = {")": "(", "]": "["}
_FURTHEST: Final = 400
"""Characters of what is assigned to, at most."""


def find_brace_assignments(source: MaskedSource) -> Iterator[tuple[Edit, Change]]:
    """Yield what every `{}` that is assigned becomes: a value of the type of what it is
    assigned to.
    """
    if _PAIRS.isdisjoint(source.words):
        return
    for found in _EMPTY.finditer(source.code):
        start = _assigned(source, found.start())
        if start is not None:
            target = source.text[start : found.start()].strip()
            text = f"std::remove_reference_t<decltype({target})>{{}}"
            change = Change(
                rule="empty",
                line=source.line_number(found.start(1)),
                before="{}",
                after=text,
            )
            yield (found.start(1), found.end(1), text), change


def _assigned(seen: MaskedSource, end: int) -> int | None:
    """Return where the expression before a place begins, none where it is no statement's left
    side.
    """
    at = _postfix(seen, end)
    if at is None:
        return None
    star, sign = seen.token_before(at)
    if sign == "*":
        at, sign = star, seen.token_before(star)[1]
    return at if sign in _ENDS_STATEMENT or _ends_directive(seen, at) else None


def _ends_directive(seen: MaskedSource, at: int) -> bool:
    """Tell whether a place is the first on its line, and the line before, if not blank, is a
    directive.
    """
    above, ends, before = seen.code[max(0, at - _FURTHEST) : at].rpartition("\n")
    return (
        bool(ends)
        and not before.strip()
        and above.rstrip().rpartition("\n")[2].lstrip().startswith("#")
    )


def _postfix(seen: MaskedSource, end: int) -> int | None:
    """Return where `name`, `a.b`, `p->b`, `a[i]` or `(…)[i]` that ends at a place begins, none
    for another thing.
    """
    at, sign = seen.token_before(end)
    is_last = True
    while end - at < _FURTHEST:
        if sign in _OPENED_BY:
            opened = _opening(seen, at, end - _FURTHEST)
            if opened is None:
                return None
            before, word = seen.token_before(opened)
            if word == ">":
                return _cast(seen, before, end - _FURTHEST)
            if sign == ")" and (
                word in _ENDS_STATEMENT or not is_word_character(word[-1:])
            ):
                return opened
            if sign == ")" and is_last:
                return None  # a call, or a macro that declares
            at, sign = before, word
        elif is_word_character(sign[-1:]) and not sign[0].isdigit():
            before, joint = seen.token_before(at)
            if joint not in (".", "->", "::"):
                return at
            at, sign = seen.token_before(before)
        else:
            return None
        is_last = False
    return None


def _cast(seen: MaskedSource, closing: int, limit: int) -> int | None:
    """Return where a cast begins whose type ends at a place."""
    opened = _opening(seen, closing, limit, _OPENED_BY | {">": "<"})
    at, word = seen.token_before(opened) if opened is not None else (0, "")
    return at if word.endswith("_cast") else None


def _opening(
    seen: MaskedSource, closing: int, limit: int, pairs: Mapping[str, str] = _OPENED_BY
) -> int | None:
    """Return the place of the bracket that the one at a place closes."""
    awaited = [pairs[seen.code[closing]]]
    at = closing
    while awaited:
        at, sign = seen.token_before(at)
        if not sign or at < limit:
            return None
        if sign == awaited[-1]:
            awaited.pop()
        elif sign in pairs:
            awaited.append(pairs[sign])
    return at
