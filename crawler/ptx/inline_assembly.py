"""Find and parse inline assembly statements in C++.

They are looked for in masked code, not in a tree: most stand in macros and in branches of the
preprocessor, which a parser leaves as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

from crawler.cpp.brackets import (
    ROUND,
    bracket_pairs,
    bracket_pairs_in_code,
    closing_in_code,
    depth_changes,
)
from crawler.cpp.lexer import (
    Token,
    TokenKind,
    drop_blanks_and_comments,
    join_tokens,
    tokenize,
)
from crawler.cpp.masked.masked_source import WHITESPACE_PATTERN, MaskedSource
from crawler.ptx.macro_texts import STRING_CONTENT, find_macro_texts

_KEYWORDS: Final = frozenset({"asm", "__asm__", "__asm"})
# masked code, from a word on that may begin inline assembly
_OPENING: Final = re.compile(
    rf"\w+(?:{WHITESPACE_PATTERN}(?:volatile|__volatile__|__volatile|inline|goto)\b)*{WHITESPACE_PATTERN}\("
)
_DEPTH_CHANGES: Final = depth_changes(ROUND)
# Comments of the assembler inside the template; its line ends are still written as `\n`.
_PTX_COMMENT: Final = re.compile(r"//(?:(?!\\n).)*+|/\*.*?\*/")
# the template of an assembly, once it is one text
_BLANKS: Final = re.compile(r"\s+")
_NAMED_OPERAND: Final = re.compile(r"%\[(\w+)\]")
_NEARBY: Final = 4096
"""Characters within which the end of a statement is looked for by itself."""
MAX_NESTING: Final = 8
"""Statements that are read inside one another's operands, at most."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of an assembly: `"=r"(expression)`."""

    constraint: str
    expression: str


@dataclass(frozen=True, slots=True)
class InlineAssembly:
    """An `asm(…)` expression: where it begins and ends, and its parts."""

    start: int
    end: int
    template: str
    """The instructions as the assembler sees them, blanks collapsed, operands by number."""
    operands: tuple[Operand, ...]
    """Outputs first."""
    outputs: int
    is_template_known: bool = True
    """Whether the text says all of the template: a macro that stands in it may be defined
    elsewhere.
    """


class _Place(NamedTuple):
    """Where a statement begins, where the content of its brackets does, and where it ends."""

    start: int
    content_start: int
    end: int


class _Content(NamedTuple):
    """The parts of an `InlineAssembly` apart from its place."""

    template: str
    operands: tuple[Operand, ...]
    outputs: int
    is_template_known: bool


def find_assembly_statements(source: MaskedSource) -> tuple[InlineAssembly, ...]:
    """Return every complete `asm(…)` of a text, in order."""
    if _KEYWORDS.isdisjoint(source.words):
        return ()

    return _find_statements(source)


# Asked more than once of one text, which is equal to itself alone.
@lru_cache(maxsize=4)
def _find_statements(source: MaskedSource) -> tuple[InlineAssembly, ...]:
    macro_texts = find_macro_texts(source)
    statements = []
    for place in _find_places(source):
        text = source.text[place.content_start : place.end - 1]
        content = _parse_content(text, macro_texts)
        statements.append(InlineAssembly(place.start, place.end, *content))

    return tuple(statements)


def find_assembly_spans(source: MaskedSource) -> Iterator[tuple[int, int]]:
    """Yield where each complete `asm(…)` of a text begins and ends, in order."""
    for place in _find_places(source):
        yield place.start, place.end


def find_nested_statements(assembly: InlineAssembly) -> Iterator[InlineAssembly]:
    """Yield the statements inside the operands of another; their places count from there."""
    level = [assembly]
    for _ in range(MAX_NESTING):
        expressions = [
            operand.expression for outer in level for operand in outer.operands
        ]
        level = []
        for expression in expressions:
            if "asm" in expression:
                level += find_assembly_statements(MaskedSource(expression))

        yield from level


def _find_places(source: MaskedSource) -> Iterator[_Place]:
    closings = _Closings(source.code)
    done = 0
    for start in _find_keywords(source):
        opened = _OPENING.match(source.code, start) if start >= done else None
        if opened is None:
            continue

        closing = closings.find(opened.end() - 1)
        if closing is not None:
            yield _Place(start, opened.end(), closing + 1)
            done = closing


def _find_keywords(source: MaskedSource) -> list[int]:
    starts: list[int] = []
    for keyword in _KEYWORDS & source.words:
        starts += source.find_word_offsets(keyword)

    return sorted(starts)


class _Closings:
    """Where brackets of a text are closed."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._all_pairs: dict[int, int] | None = None

    def find(self, opening: int) -> int | None:
        """Return where a bracket is closed, `None` where it never is."""
        if self._all_pairs is not None:
            return self._all_pairs.get(opening)

        limit = opening + 1 + _NEARBY
        closing = closing_in_code(self._code, opening, limit, pairs=ROUND)
        if closing >= 0:
            return closing

        # All at once: one at a time, a text of opening brackets alone would cost quadratic time.
        self._all_pairs = bracket_pairs_in_code(self._code, pairs=ROUND)
        return self._all_pairs.get(opening)


# Units of one project share what they call, so that many have the same assembly.
@lru_cache(maxsize=1024)
def _parse_content(text: str, macro_texts: frozenset[tuple[str, str]]) -> _Content:
    """Return the parts of an assembly from what stands in its brackets."""
    # a template without operands has no colons behind it
    tokens = list(tokenize(text))
    sections: list[list[Token]] = [*_split_sections(tokens), [], []]
    template_section, *operand_sections = sections
    named_outputs = list(_parse_operands(operand_sections[0]))
    named_inputs = list(_parse_operands(operand_sections[1]))
    named_operands = [*named_outputs, *named_inputs]

    template_tokens = _expand_macros(template_section, dict(macro_texts))
    strings = STRING_CONTENT.findall(join_tokens(template_tokens))
    template = _normalize_template("".join(strings))
    names = [name for name, _ in named_operands]
    template = _number_operands(template, names)

    standalone_kinds = {token.kind for token in _standalone_tokens(template_tokens)}

    return _Content(
        template=template,
        operands=tuple(operand for _, operand in named_operands),
        outputs=len(named_outputs),
        is_template_known=TokenKind.NAME not in standalone_kinds,
    )


def _number_operands(template: str, names: Sequence[str]) -> str:
    """Return a template with `%[name]` by number; of equal names the last one counts."""
    numbers = {name: str(number) for number, name in enumerate(names) if name}
    return _NAMED_OPERAND.sub(
        lambda reference: f"%{numbers.get(reference[1], reference[0])}", template
    )


def _expand_macros(
    section: Sequence[Token], macro_texts: Mapping[str, str]
) -> list[Token]:
    """Return tokens with a string for each macro that stands for one."""
    standalone = {id(token) for token in _standalone_tokens(section)}
    expanded = []
    for token in section:
        is_macro = id(token) in standalone and token.text in macro_texts
        if is_macro:
            string = f'"{macro_texts[token.text]}"'
            expanded.append(token._replace(text=string, kind=TokenKind.STRING))
        else:
            expanded.append(token)

    return expanded


def _standalone_tokens(section: Sequence[Token]) -> Iterator[Token]:
    """Yield what stands for itself, outside brackets and before none."""
    tokens = drop_blanks_and_comments(section)
    depth = 0
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.kind is TokenKind.PUNCTUATION:
            depth += _DEPTH_CHANGES.get(token.text, 0)

        if not depth and (following is None or following.text != "("):
            yield token


def _parse_operands(section: Sequence[Token]) -> Iterator[tuple[str, Operand]]:
    """Yield the name, mostly empty, and the parts of each operand."""
    closings = bracket_pairs((token.text for token in section), pairs=ROUND)
    name = constraint = ""
    index = 0
    while index < len(section):
        token = section[index]
        closing = closings.get(index)
        if token.kind is TokenKind.STRING:
            constraint += token.text.strip('"')
        elif token.kind is TokenKind.NAME:
            name = token.text
        elif closing is not None:
            expression = join_tokens(section[index + 1 : closing]).strip()
            yield name, Operand(constraint, expression)
            name = constraint = ""
            index = closing

        index += 1


def _split_sections(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the template, the outputs, the inputs and so on, between colons outside brackets."""
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind is TokenKind.PUNCTUATION:
            depth += _DEPTH_CHANGES.get(token.text, 0)
            if depth == 0 and token.text in (":", "::"):
                sections += [[] for _ in token.text]
                continue

        sections[-1].append(token)

    return sections


def _normalize_template(text: str) -> str:
    """Return a template on one line, without comments and outer braces, with `;` at its end."""
    text = _PTX_COMMENT.sub(" ", text)
    for escape in ("\\n", "\\t", "\\r"):
        text = text.replace(escape, " ")

    text = text.replace("%%", "%")
    text = _BLANKS.sub(" ", text)
    text = text.replace(" ;", ";").strip()

    # e.g. `{ .reg .pred p; … }`: a scope around all of it says nothing
    text = text.removeprefix("{")
    text = text.removesuffix("}").strip()

    return text if text.endswith(";") else f"{text};"
