"""Rename template parameters shadowed by a function parameter or variable.

nvcc accepts `template <class T> void f(int T)`, clang does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from crawler.cpp.brackets import closing_word
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

_MAX_HEAD_TOKENS: Final = 512
"""Tokens within which a head ends, or a list of parameters."""
_MAX_BODY_TOKENS: Final = 1 << 15
"""Tokens of a body that are looked at."""
_NEW_NAME_SUFFIX: Final = "_of_template"
_ANGLES: Final = frozenset("<>")
_WORDS_BEHIND_PARAMETERS: Final = ("{", "const", "noexcept")
# raw text: two quick searches sort out most templates before any text is tokenized
_TEMPLATE_HEAD: Final = re.compile(r"\btemplate\s*<([^;{}]{0,2000}?)>\s*(?=[\w:\[])")
_LAST_NAME: Final = re.compile(r"([A-Za-z_]\w*)\s*(?=[,=]|$)")


def rename_shadowed_parameters(source: str) -> str:
    """Return `source` with shadowed template parameters renamed.

    They are renamed from the template head up to where a name of the function's own hides them.
    """
    if "template" not in source or not _may_shadow(source):
        return source
    return _rename_in_templates(source)


def _may_shadow(source: str) -> bool:
    """Tell whether a name of a template head may be declared again behind it."""
    for head in _TEMPLATE_HEAD.finditer(source):
        names = frozenset(_LAST_NAME.findall(head[1]))
        if not names:
            continue

        declaration = _declaration_pattern(names)
        if declaration.search(source, head.end()):
            return True

    return False


@lru_cache(maxsize=4096)
def _declaration_pattern(names: frozenset[str]) -> re.Pattern[str]:
    alternatives = "|".join(sorted(names))
    return re.compile(
        rf"(?<!\breturn)(?:\w\s|[*&>])\s*(?:{alternatives})\s*(?:[,)=;\[]|/[*/])"
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """The tokens of a text without blanks and comments."""

    texts: Sequence[str]
    is_name: Sequence[bool]


def _rename_in_templates(source: str) -> str:
    tokens = list(tokenize(source))
    # blanks and comments between them say nothing
    significant_indices = [
        index
        for index, token in enumerate(tokens)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]

    significant = [tokens[index] for index in significant_indices]
    texts = [token.text for token in significant]
    is_name = [token.kind is TokenKind.NAME for token in significant]
    words = _Words(texts, is_name)

    for head_start, (text, following) in enumerate(pairwise(texts)):
        # `template struct S<int>;` has no parameters
        if text != "template" or following != "<":
            continue

        for word_index in _iter_shadowed(words, head_start):
            index = significant_indices[word_index]
            token = tokens[index]
            new_name = token.text + _NEW_NAME_SUFFIX
            tokens[index] = Token(TokenKind.NAME, new_name, token.line)

    return join_tokens(tokens)


def _iter_shadowed(words: _Words, head_start: int) -> Iterator[int]:
    """Yield where a template parameter stands before a name of the function's own hides it."""
    texts = words.texts
    # only functions with a body are looked at: a declaration's names hide nothing
    head_opening = head_start + 1
    head_end = _find_head_end(texts, head_opening)
    if not head_end:
        return

    opening = _find_parameter_list(texts, head_end)
    if not opening:
        return

    declared = _iter_declared(words, head_opening, head_end)
    template_parameters = {texts[index] for index in declared}
    closing = _find_closing(texts, opening)
    body_start = _find_body(texts, closing)
    own_indices = [
        *_iter_declared(words, opening, closing),
        *_iter_variables(words, body_start, template_parameters),
    ]

    # behind its first place a name means what the function declares
    first_index_by_name: dict[str, int] = {}
    for index in own_indices:
        first_index_by_name.setdefault(texts[index], index)

    for name, hidden_from in first_index_by_name.items():
        if name not in template_parameters:
            continue

        for index in range(head_start, hidden_from):
            if texts[index] == name and words.is_name[index]:
                yield index


def _find_body(texts: Sequence[str], parameters_end: int) -> int:
    """Return where a function's body opens, or its declaration ends; 0 where neither is near."""
    last = min(parameters_end + _MAX_HEAD_TOKENS, len(texts))
    for index in range(parameters_end, last):
        if texts[index] in "{;":
            return index

    return 0


def _iter_variables(
    words: _Words, body_start: int, names: Collection[str]
) -> Iterator[int]:
    """Yield where variables of some names are declared in the outermost block of a body."""
    texts = words.texts
    last = min(body_start + _MAX_BODY_TOKENS, len(texts) - 1)
    depth = 0

    for index in range(body_start, last):
        text = texts[index]
        depth += (text == "{") - (text == "}")
        if not depth:
            return
        if depth != 1 or text not in names:
            continue

        # `return n;` declares nothing
        before = index - 1
        follows_type = words.is_name[before] and texts[before] != "return"
        following = texts[index + 1]
        if follows_type and following in "=;":
            yield index


def _find_parameter_list(texts: Sequence[str], begin: int) -> int:
    """Return where the parameters of a function open whose head ends at `begin`.

    What its attributes hold is skipped. 0 for what is no function, or has no body.
    """
    last = min(begin + _MAX_HEAD_TOKENS, len(texts) - 1)
    index = begin

    while index < last:
        text = texts[index]
        if text in ";{=":
            return 0

        if text != "(":
            index += 1
            continue

        # the parameters are the round brackets in front of the body
        closing = _find_closing(texts, index)
        behind = closing + 1
        has_word_behind = behind < len(texts)
        if (
            closing > index
            and has_word_behind
            and texts[behind] in _WORDS_BEHIND_PARAMETERS
        ):
            return index

        index = behind

    return 0


def _find_head_end(texts: Sequence[str], begin: int) -> int:
    """Return where the angles that open at `begin` are closed; 0 where they are not."""
    last = min(begin + _MAX_HEAD_TOKENS, len(texts))
    depth = 0

    for index in range(begin, last):
        text = texts[index]
        # `<<<` and `>>>` are one token; other words, such as `<=`, are no brackets
        if _ANGLES.issuperset(text):
            depth += text.count("<") - text.count(">")

        if depth <= 0:
            return index

    return 0


def _find_closing(texts: Sequence[str], opening: int) -> int:
    """Return where the bracket at `opening` is closed; `opening` where it is not."""
    closing = closing_word(texts, opening, opening + _MAX_HEAD_TOKENS)
    return closing if closing >= 0 else opening


def _iter_declared(words: _Words, opening: int, closing: int) -> Iterator[int]:
    """Yield where names are declared in a list between two brackets.

    Each is the last word before a comma, a default, an extent or the end.
    """
    texts = words.texts
    name_ends = (",", "=", "[", texts[closing])
    depth = 0

    for index in range(opening, closing):
        text = texts[index]
        depth += (text in "([{<") - (text in ")]}>")
        if depth != 1 or not words.is_name[index]:
            continue

        # `int T`, `T *p` or `A<int> b`; in `(T)` nothing is declared
        before = index - 1
        follows_type = words.is_name[before] or texts[before] in "*&>"
        following = texts[index + 1]
        if follows_type and following in name_ends:
            yield index
