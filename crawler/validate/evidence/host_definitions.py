"""Find the expression that each name in host code is first defined as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.arguments import find_top_level, split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, tokenize
from crawler.validate.evidence.pitched_memory import iter_pitched_memory

_HEADS: Final = frozenset({"if", "while", "switch"})
_IGNORED_WORDS: Final = frozenset(
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
_PROVISIONAL_VALUES: Final = ("0", "1", "nullptr")
"""What a variable is given before it gets its value, e.g. `int blocks = 0;`."""
_MAX_DEFINITIONS: Final = 4000
"""Definitions of one text: a bound, since its author is a stranger."""
_MAX_BLOCKS: Final = 32
"""Blocks within each other."""


def find_definitions(text: str) -> dict[str, str]:
    """Return the expression that each name of `text` is first given, but for a zero that is
    only a beginning.
    """
    definitions: dict[str, str] = {}

    for statement, _ in _iter_statements(text):
        for name, value in _iter_definitions(statement):
            _add_definition(definitions, name, value)

        if len(definitions) > _MAX_DEFINITIONS:
            break

    return definitions


def find_visible_definitions(text: str) -> dict[str, str]:
    """Return what each name is first given that is seen at the end of `text`, which begins a
    function.

    What was declared in a block that has ended is not.
    """
    blocks: list[dict[str, str]] = [{}]

    for statement, block_step in _iter_statements(text):
        is_declaration = _is_declaration(statement)
        for name, value in _iter_definitions(statement):
            block = blocks[-1] if is_declaration else _find_owner(blocks, name)
            _add_definition(block, name, value)

        if block_step > 0:
            blocks.append({})
        elif block_step < 0:
            blocks.pop()

        # rather nothing than what holds somewhere else
        if len(blocks) > _MAX_BLOCKS or sum(map(len, blocks)) > _MAX_DEFINITIONS:
            return {}

    definitions: dict[str, str] = {}

    for block in blocks:
        definitions.update(block)

    return definitions


def _find_owner(blocks: list[dict[str, str]], name: str) -> dict[str, str]:
    """Return the innermost block that knows a name; the outermost for one that none does."""
    for block in reversed(blocks):
        if name in block:
            return block
    return blocks[0]


def _add_definition(definitions: dict[str, str], name: str, value: str) -> None:
    if name not in definitions or definitions[name] in _PROVISIONAL_VALUES:
        definitions[name] = value


def _iter_statements(text: str) -> Iterator[tuple[list[Token], int]]:
    """Yield statements with whether a block begins (1) or ends (-1) behind them.

    Braces begin anew, whatever brackets are open round them.
    """
    words: list[Token] = []
    depths = [0]

    for token in tokenize(text):
        if token.kind in (TokenKind.SPACE, TokenKind.COMMENT):
            continue

        sign = token.text

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
            words.append(token)

    yield words, 0


def _is_declaration(statement: list[Token]) -> bool:
    """Tell whether a statement declares what it defines: a type stands in front of the name."""
    words = _strip_head(statement)
    value_begin = len(words)

    for position, word in enumerate(words):
        if word.text in "=({":
            value_begin = position
            break

    if value_begin < 2:
        return False

    before_name = words[value_begin - 2]

    return before_name.kind is TokenKind.NAME or before_name.text in (">", "*", "&")


def _opens_list(words: list[Token]) -> bool:
    """Tell whether a brace after `words` begins a list of values: `dim3 g{`, `= {`, `zeros({`."""
    if not words:
        return False

    last = words[-1]
    if last.text in ("=", ",", "(", "{"):
        return True
    if last.kind is not TokenKind.NAME or last.text in ("else", "do", "try"):
        return False

    return len(words) > 1 and words[-2].kind is TokenKind.NAME


def _iter_definitions(statement: list[Token]) -> Iterator[tuple[str, str]]:
    for memory in iter_pitched_memory(statement):
        if memory.pitch:
            yield memory.pitch, memory.pitch_value

    words = _strip_head(statement)
    if len(words) < 3:
        return

    for declarator in _iter_declarators(words):
        equals = find_top_level(declarator, "=")
        has_value = 0 < equals < len(declarator) - 1
        if not has_value or declarator[equals + 1].text == "=":
            yield from _iter_constructed(declarator)
            continue

        # `grid.x = n;` defines a member
        name = _assigned_name(declarator[:equals])
        if name:
            yield name, _join_words(declarator[equals + 1 :])


def _iter_declarators(words: list[Token]) -> Iterator[list[Token]]:
    """Yield each part of a list of declarators, those behind the first with its type, too."""
    first, *other_declarators = split_tokens(words)
    yield first

    is_typed = len(first) > 1 and first[0].kind is TokenKind.NAME
    for declarator in other_declarators:
        has_own_type = len(declarator) > 1 and declarator[1].kind is TokenKind.NAME
        yield [first[0], *declarator] if is_typed and not has_own_type else declarator


def _iter_constructed(words: list[Token]) -> Iterator[tuple[str, str]]:
    """Yield what `dim3 grid(a, b)` or `int n(5)` defines."""
    if len(words) < 4 or words[-1].text not in (")", "}"):
        return

    opening = 0

    for position, word in enumerate(words):
        if word.text in ("(", "{"):
            opening = position
            break

    if opening < 2:
        return

    type_word = words[opening - 2]
    name = words[opening - 1]
    if name.kind is not TokenKind.NAME or type_word.kind is not TokenKind.NAME:
        return

    value = _join_words(words[opening + 1 : -1])
    yield name.text, f"dim3({value})" if type_word.text == "dim3" else value


def _strip_head(words: list[Token]) -> list[Token]:
    """Return a statement without keywords and conditions in front, e.g. `else if (n > 0)`."""
    while words:
        if words[0].text in _IGNORED_WORDS:
            words = words[1:]
        elif words[0].text in _HEADS and len(words) > 1 and words[1].text == "(":
            closing = closing_token(words, 1)
            words = words[closing + 1 :] if closing >= 0 else []
        else:
            return words

    return words


def _assigned_name(words: list[Token]) -> str:
    """Return what stands before an equals sign: the last name, with its member (`grid.x`);
    empty for a comparison.
    """
    if not words or words[-1].kind is not TokenKind.NAME:
        return ""
    if len(words) >= 3 and words[-2].text in (".", "->"):
        return f"{words[-3].text}.{words[-1].text}"

    return words[-1].text


def _join_words(words: list[Token]) -> str:
    return " ".join(word.text for word in words)
