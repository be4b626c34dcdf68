"""Rename template parameters shadowed by a function parameter or variable: nvcc accepts them,
clang does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from crawler.cpp.brackets import closing_word
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

_FURTHEST: Final = 512
"""Tokens within which a head ends, or a list of parameters."""
_LONGEST: Final = 1 << 15
"""Tokens of a body that are looked at."""
_RENAMED: Final = "_of_template"
_HEAD: Final = re.compile(r"\btemplate\s*<([^;{}]{0,2000}?)>\s*(?=[\w:\[])")
_LAST: Final = re.compile(r"([A-Za-z_]\w*)\s*(?=[,=]|$)")


def rename_shadowed_parameters(source: str) -> str:
    """Return `source` with template parameters renamed up to where a name of the function's own
    hides them.
    """
    return _renamed(source) if "template" in source and _may_hide(source) else source


def _may_hide(source: str) -> bool:
    """Tell whether what is called like a parameter of a head may be declared behind it; few
    templates are looked at.
    """
    for head in _HEAD.finditer(source):
        names = frozenset(_LAST.findall(head[1]))
        if names and _declaring(names).search(source, head.end()):
            return True
    return False


@lru_cache(maxsize=4096)
def _declaring(names: frozenset[str]) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\breturn)(?:\w\s|[*&>])\s*(?:{'|'.join(sorted(names))})\s*(?:[,)=;\[]|/[*/])"
    )


def _renamed(source: str) -> str:
    pieces = list(tokenize(source))
    # blanks and comments between them say nothing
    told = [
        at
        for at, piece in enumerate(pieces)
        if piece.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]
    words = [pieces[at].text for at in told]
    for begin, word in enumerate(words):
        if word == "template" and words[begin + 1 : begin + 2] == ["<"]:
            for number in _hidden(
                words, [pieces[at].kind is TokenKind.NAME for at in told], begin
            ):
                at = told[number]
                pieces[at] = Token(
                    TokenKind.NAME, pieces[at].text + _RENAMED, pieces[at].line
                )
    return join_tokens(pieces)


def _hidden(words: Sequence[str], is_name: Sequence[bool], begin: int) -> Iterator[int]:
    """Yield where a name of the head at `begin` stands before a parameter, or a variable, of
    that name hides it.
    """
    end = _head_end(words, begin + 1)
    opened = _list(words, end) if end else 0
    if not opened:
        return
    heads = {words[at] for at in _declared(words, is_name, begin + 1, end)}
    closed = _closed(words, opened, _FURTHEST)
    body = next(
        (
            at
            for at in range(closed, min(closed + _FURTHEST, len(words)))
            if words[at] in "{;"
        ),
        0,
    )
    own = [
        *_declared(words, is_name, opened, closed),
        *_variables(words, is_name, body, heads),
    ]
    for name in heads & {words[at] for at in own}:
        first = min(at for at in own if words[at] == name)
        yield from (
            at for at in range(begin, first) if words[at] == name and is_name[at]
        )


def _variables(
    words: Sequence[str], is_name: Sequence[bool], body: int, heads: set[str]
) -> Iterator[int]:
    """Yield where variables are declared that go by one of `heads`, in the outermost block of a
    body.
    """
    depth = 0
    for at in range(body, min(body + _LONGEST, len(words) - 1)):
        depth += (words[at] == "{") - (words[at] == "}")
        if not depth:
            return
        if (
            depth == 1
            and words[at] in heads
            and is_name[at - 1]
            and words[at + 1] in "=;"
            and words[at - 1] != "return"
        ):
            yield at


def _list(words: Sequence[str], begin: int) -> int:
    """Return where the parameters of a function open whose head ends at `begin`, past what its
    attributes hold.

    0 for what is no function, or has no body.
    """
    at, most = begin, min(begin + _FURTHEST, len(words) - 1)
    while at < most and words[at] not in ";{=":
        closed = _closed(words, at, _FURTHEST) if words[at] == "(" else at
        if closed > at and words[closed + 1 : closed + 2] in (
            ["{"],
            ["const"],
            ["noexcept"],
        ):
            return at
        at = closed + 1
    return 0


def _head_end(words: Sequence[str], begin: int) -> int:
    """Return where the brackets that open at `begin` are closed; 0 where they are not."""
    depth = 0
    for at in range(begin, min(begin + _FURTHEST, len(words))):
        depth += (
            words[at].count("<") - words[at].count(">")
            if set(words[at]) <= {"<", ">"}
            else 0
        )
        if depth <= 0:
            return at
    return 0


def _closed(words: Sequence[str], begin: int, most: int) -> int:
    """Return where the bracket at `begin` is closed; `begin` where it is not."""
    closing = closing_word(words, begin, begin + most)
    return closing if closing >= 0 else begin


def _declared(
    words: Sequence[str], is_name: Sequence[bool], begin: int, end: int
) -> Iterator[int]:
    """Yield where names are declared between two brackets: each is the last before a comma, a
    default or the end.
    """
    depth = 0
    for at in range(begin, end):
        depth += (words[at] in "([{<") - (words[at] in ")]}>")
        typed = is_name[at - 1] or words[at - 1] in "*&>"
        if (
            depth == 1
            and is_name[at]
            and typed
            and words[at + 1] in (",", "=", "[", words[end])
        ):
            yield at
