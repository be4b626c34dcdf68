"""Find the expression that each name in host code is first defined as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.arguments import find_top_level, split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, tokenize

_HEADS: Final = frozenset({"if", "while", "switch"})
_NOISE: Final = frozenset(
    {
        "else",
        "do",
        "const",
        "constexpr",
        "static",
        "inline",
        "return",
        "case",
        "default",
    }
)
_MOST: Final = 4000
"""Definitions of one text: a bound, since its author is a stranger."""
_DEEPEST: Final = 32
"""Blocks within each other."""


def find_definitions(text: str) -> dict[str, str]:
    """Return the expression that each name of `text` is first given, but for a zero that is
    only a beginning.
    """
    found: dict[str, str] = {}
    for statement, _ in _statements(text):
        for name, value in _defined(statement):
            _give(found, name, value)
        if len(found) > _MOST:
            break
    return found


def find_visible_definitions(text: str) -> dict[str, str]:
    """Return what each name is first given that is seen at the end of `text`, which begins a
    function.

    What was declared in a block that has ended is not.
    """
    blocks: list[dict[str, str]] = [{}]
    for statement, step in _statements(text):
        declares = _declares(statement)
        for name, value in _defined(statement):
            owner = (
                blocks[-1]
                if declares
                else next((each for each in blocks[::-1] if name in each), blocks[0])
            )
            _give(owner, name, value)
        if step > 0:
            blocks.append({})
        elif step < 0:
            blocks.pop()
        if len(blocks) > _DEEPEST or sum(map(len, blocks)) > _MOST:
            return {}
    return {name: value for block in blocks for name, value in block.items()}


def _give(found: dict[str, str], name: str, value: str) -> None:
    if name not in found or found[name] in ("0", "1", "nullptr"):
        found[name] = value


def _statements(text: str) -> Iterator[tuple[list[Token], int]]:
    """Yield statements with whether a block begins (1) or ends (-1) behind them.

    Braces begin anew, whatever brackets are open round them.
    """
    words: list[Token] = []
    depths = [0]
    for piece in tokenize(text):
        if piece.kind in (TokenKind.SPACE, TokenKind.COMMENT):
            continue
        sign = piece.text
        if sign == "{" and not _opens_list(words):
            yield words, 1
            words = []
            depths.append(0)
        elif sign == "}" and len(depths) > 1 and depths[-1] == 0:
            yield words, -1
            words = []
            depths.pop()
        elif sign == ";" and depths[-1] == 0:
            yield words, 0
            words = []
        else:
            depths[-1] += (sign in "({[") - (sign in ")}]")
            words.append(piece)
    yield words, 0


def _declares(words: list[Token]) -> bool:
    """Tell whether a statement declares what it defines: a type stands in front of the name."""
    words = _without_head(words)
    at = next((at for at, word in enumerate(words) if word.text in "=({"), len(words))
    return at > 1 and (
        words[at - 2].kind is TokenKind.NAME or words[at - 2].text in (">", "*", "&")
    )


def _opens_list(words: list[Token]) -> bool:
    """Tell whether a brace after `words` begins a list of values: `dim3 g{`, `= {`, `zeros({`."""
    if not words:
        return False
    last = words[-1]
    if last.text in ("=", ",", "(", "{"):
        return True
    is_name = last.kind is TokenKind.NAME and last.text not in ("else", "do", "try")
    return is_name and len(words) > 1 and words[-2].kind is TokenKind.NAME


def _defined(words: list[Token]) -> Iterator[tuple[str, str]]:
    words = _without_head(words)
    if len(words) < 3:
        return
    for declarator in split_tokens(words):
        equals = find_top_level(declarator, "=")
        if (
            equals > 0
            and equals + 1 < len(declarator)
            and declarator[equals + 1].text != "="
        ):
            name = _name_before(declarator[:equals])
            if name:
                yield name, _text(declarator[equals + 1 :])
        else:
            yield from _constructed(declarator)
    if find_top_level(words, "=") < 0:
        yield from _constructed(words)


def _constructed(words: list[Token]) -> Iterator[tuple[str, str]]:
    """Yield what `dim3 grid(a, b)` or `int n(5)` defines."""
    if len(words) < 4 or words[-1].text not in (")", "}"):
        return
    at = next((at for at, word in enumerate(words) if word.text in ("(", "{")), 0)
    if (
        at < 2
        or words[at - 1].kind is not TokenKind.NAME
        or words[at - 2].kind is not TokenKind.NAME
    ):
        return
    of = words[at - 2].text
    inside = _text(words[at + 1 : -1])
    yield words[at - 1].text, f"dim3({inside})" if of == "dim3" else inside


def _without_head(words: list[Token]) -> list[Token]:
    while words:
        if words[0].text in _NOISE:
            words = words[1:]
        elif words[0].text in _HEADS and len(words) > 1 and words[1].text == "(":
            closing = closing_token(words, 1)
            words = words[closing + 1 :] if closing >= 0 else []
        else:
            return words
    return words


def _name_before(words: list[Token]) -> str:
    """Return what stands before an equals sign: the last name, with its member (`grid.x`);
    empty for a comparison.
    """
    if not words or words[-1].kind is not TokenKind.NAME:
        return ""
    if len(words) >= 3 and words[-2].text in (".", "->"):
        return f"{words[-3].text}.{words[-1].text}"
    return words[-1].text


def _text(words: list[Token]) -> str:
    return " ".join(word.text for word in words)
