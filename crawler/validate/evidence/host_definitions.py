"""Find the expression that each name in host code is first defined as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.lexer import TokenKind, tokenize

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
_Word = tuple[TokenKind, str]


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


def _statements(text: str) -> Iterator[tuple[list[_Word], int]]:
    """Yield statements with whether a block begins (1) or ends (-1) behind them.

    Braces begin anew, whatever brackets are open round them.
    """
    words: list[_Word] = []
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
            words.append((piece.kind, sign))
    yield words, 0


def _declares(words: list[_Word]) -> bool:
    """Tell whether a statement declares what it defines: a type stands in front of the name."""
    words = _without_head(words)
    at = next((at for at, (_, text) in enumerate(words) if text in "=({"), len(words))
    of_type = words[at - 2] if at > 1 else (TokenKind.PUNCTUATION, "")
    return of_type[0] is TokenKind.NAME or of_type[1] in (">", "*", "&")


def _opens_list(words: list[_Word]) -> bool:
    """Tell whether a brace after `words` begins a list of values: `dim3 g{`, `= {`, `zeros({`."""
    if not words:
        return False
    kind, last = words[-1]
    if last in ("=", ",", "(", "{"):
        return True
    return (
        kind is TokenKind.NAME
        and last not in ("else", "do", "try")
        and len(words) > 1
        and words[-2][0] is TokenKind.NAME
    )


def _defined(words: list[_Word]) -> Iterator[tuple[str, str]]:
    words = _without_head(words)
    if len(words) < 3:
        return
    for declarator in _parts(words, ","):
        equals = _top_level(declarator, "=")
        if (
            equals > 0
            and equals + 1 < len(declarator)
            and declarator[equals + 1][1] != "="
        ):
            name = _name_before(declarator[:equals])
            if name:
                yield name, _text(declarator[equals + 1 :])
        elif declarator is not words or _top_level(words, ",") < 0:
            yield from _constructed(declarator)
    if _top_level(words, "=") < 0:
        yield from _constructed(words)


def _constructed(words: list[_Word]) -> Iterator[tuple[str, str]]:
    """Yield what `dim3 grid(a, b)` or `int n(5)` defines."""
    if len(words) < 4 or words[-1][1] not in (")", "}"):
        return
    at = next((at for at, word in enumerate(words) if word[1] in ("(", "{")), 0)
    if (
        at < 2
        or words[at - 1][0] is not TokenKind.NAME
        or words[at - 2][0] is not TokenKind.NAME
    ):
        return
    of = words[at - 2][1]
    inside = _text(words[at + 1 : -1])
    yield words[at - 1][1], f"dim3({inside})" if of == "dim3" else inside


def _without_head(words: list[_Word]) -> list[_Word]:
    while words:
        if words[0][1] in _NOISE:
            words = words[1:]
        elif words[0][1] in _HEADS and len(words) > 1 and words[1][1] == "(":
            words = words[_closing(words, 1) + 1 :]
        else:
            return words
    return words


def _closing(words: list[_Word], begin: int) -> int:
    depth = 0
    for at in range(begin, len(words)):
        depth += (words[at][1] in "({[") - (words[at][1] in ")}]")
        if depth == 0:
            return at
    return len(words)


def _parts(words: list[_Word], sign: str) -> Iterator[list[_Word]]:
    rest = words
    while (at := _top_level(rest, sign)) >= 0:
        yield rest[:at]
        rest = rest[at + 1 :]
    yield rest


def _top_level(words: list[_Word], sign: str) -> int:
    depth = 0
    for at, (_, text) in enumerate(words):
        if depth == 0 and text == sign:
            return at
        depth += (text in "({[") - (text in ")}]")
    return -1


def _name_before(words: list[_Word]) -> str:
    """Return what stands before an equals sign: the last name, with its member (`grid.x`);
    empty for a comparison.
    """
    if not words or words[-1][0] is not TokenKind.NAME:
        return ""
    if len(words) >= 3 and words[-2][1] in (".", "->"):
        return f"{words[-3][1]}.{words[-1][1]}"
    return words[-1][1]


def _text(words: list[_Word]) -> str:
    return " ".join(text for _, text in words)
