"""Find and parse inline assembly statements in C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from crawler.cpp.brackets import (
    ROUND,
    bracket_pairs,
    bracket_pairs_in_code,
    closing_in_code,
    depth_changes,
)
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.cpp.masked_source import WHITESPACE_PATTERN, MaskedSource
from crawler.hip import preprocessor_branches

_KEYWORDS = frozenset({"asm", "__asm__", "__asm"})
_OPENS = re.compile(
    rf"\w+(?:{WHITESPACE_PATTERN}(?:volatile|__volatile__|__volatile|inline|goto)\b)*{WHITESPACE_PATTERN}\("
)
_DEPTH_CHANGES = depth_changes(ROUND)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REMARK = re.compile(r"//(?:(?!\\n).)*+|/\*.*?\*/")
_DEFINED = re.compile(r"^[ \t]*+#[ \t]*+define[ \t]++(\w+)(?=[ \t])", re.MULTILINE)
_TEXTS = re.compile(r"[ \t]*\"[ \t\"]*$", re.MULTILINE)
_NEAR = 4096
_NAMED = re.compile(r"%\[(\w+)\]")


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


def find_assembly_statements(source: MaskedSource) -> tuple[InlineAssembly, ...]:
    """Return every complete `asm(…)` of a text, in order."""
    return _statements(source) if _KEYWORDS & source.words else ()


@lru_cache(maxsize=4)
def _statements(seen: MaskedSource) -> tuple[InlineAssembly, ...]:
    """The same, asked more than once of one text: a `Visible` is itself alone."""
    said = _said(seen)
    return tuple(
        InlineAssembly(start, end, *_read(seen.text[opened : end - 1], said))
        for start, opened, end in _places(seen)
    )


def find_assembly_spans(source: MaskedSource) -> Iterator[tuple[int, int]]:
    """Yield where each complete `asm(…)` of a text begins and ends, in order."""
    return ((start, end) for start, _, end in _places(source))


def _places(seen: MaskedSource) -> Iterator[tuple[int, int, int]]:
    """Yield where each begins, where its brackets open, and where it ends."""
    closings: dict[int, int] | None = None
    done = 0
    for start in sorted(
        at for word in _KEYWORDS & seen.words for at in seen.find_word_offsets(word)
    ):
        opened = _OPENS.match(seen.code, start) if start >= done else None
        if opened is None:
            continue
        opening = opened.end() - 1
        end = (
            _closing_nearby(seen.code, opening)
            if closings is None
            else closings.get(opening)
        )
        if end is None and closings is None:
            # all at once: one at a time, a text of opening brackets alone would cost quadratic
            # time
            closings = bracket_pairs_in_code(seen.code, pairs=ROUND)
            end = closings.get(opening)
        if end is not None:
            yield start, opened.end(), end + 1
            done = end


def _closing_nearby(code: str, opening: int) -> int | None:
    """Return where a bracket is closed, `None` where that is far away."""
    closing = closing_in_code(code, opening, opening + 1 + _NEAR, pairs=ROUND)
    return closing if closing >= 0 else None


def _said(seen: MaskedSource) -> frozenset[tuple[str, str]]:
    """Return the macros that stand for one text, as far as AMD's compiler sees their
    definitions, and that text.
    """
    texts: dict[str, set[str]] = {}
    defined = {
        seen.code.rfind("\n", 0, each.start(1)): each
        for each in _DEFINED.finditer(seen.code)
    }
    places = ((each[1], before) for before, each in defined.items())
    for name, before in (
        preprocessor_branches.exclude_ranges(
            preprocessor_branches.find_dead_ranges(seen), places
        )
        if defined
        else ()
    ):
        line = _TEXTS.match(seen.code, defined[before].end())
        written = (
            (seen.text[at] for at in range(*line.span()) if seen.code[at] != " ")
            if line
            else ""
        )
        texts.setdefault(name, set()).add("".join(_STRING.findall("".join(written))))
    return frozenset(
        (name, text) for name, (text, *others) in texts.items() if text and not others
    )


@lru_cache(maxsize=1024)
def _read(
    inside: str, said: frozenset[tuple[str, str]]
) -> tuple[str, tuple[Operand, ...], int, bool]:
    """Return the template, the operands, how many are outputs, and whether that is all of the
    template.

    Kept, since units of one project share what they call. `said` is what macros stand for.
    """
    sections = _sections(list(tokenize(inside)))
    named = [found for section in sections[1:3] for found in _operands(section)]
    outputs = sum(1 for _ in _operands(sections[1])) if len(sections) > 1 else 0
    numbers = {name: str(number) for number, (name, _) in enumerate(named) if name}
    written = _spelt(sections[0], dict(said))
    template = _template("".join(_STRING.findall(join_tokens(written))))
    template = _NAMED.sub(lambda found: f"%{numbers.get(found[1], found[0])}", template)
    is_known = not any(token.kind is TokenKind.NAME for token in _alone(written))
    return template, tuple(operand for _, operand in named), outputs, is_known


def _spelt(section: Sequence[Token], said: Mapping[str, str]) -> list[Token]:
    alone = {id(token) for token in _alone(section)}
    return [
        token._replace(text=f'"{said[token.text]}"', kind=TokenKind.STRING)
        if id(token) in alone and token.text in said
        else token
        for token in section
    ]


def _alone(section: Sequence[Token]) -> Iterator[Token]:
    """Yield what stands for itself, outside brackets and before none."""
    seen = [
        token
        for token in section
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]
    depth = 0
    for token, behind in zip(seen, [*seen[1:], None], strict=True):
        depth += (
            _DEPTH_CHANGES.get(token.text, 0)
            if token.kind is TokenKind.PUNCTUATION
            else 0
        )
        if not depth and (behind is None or behind.text != "("):
            yield token


def _operands(section: Sequence[Token]) -> Iterator[tuple[str, Operand]]:
    """Yield the name, mostly empty, and the parts of each operand."""
    closings = bracket_pairs((token.text for token in section), pairs=ROUND)
    name = constraint = ""
    index = 0
    while index < len(section):
        token, end = section[index], closings.get(index)
        if token.kind is TokenKind.STRING:
            constraint += token.text.strip('"')
        elif token.kind is TokenKind.NAME:
            name = token.text
        elif end is not None:
            yield (
                name,
                Operand(constraint, join_tokens(section[index + 1 : end]).strip()),
            )
            name, constraint, index = "", "", end
        index += 1


def _sections(inside: Sequence[Token]) -> list[list[Token]]:
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in inside:
        if token.kind is TokenKind.PUNCTUATION:
            depth += _DEPTH_CHANGES.get(token.text, 0)
            if depth == 0 and token.text in (":", "::"):
                sections += [[] for _ in token.text]
                continue
        sections[-1].append(token)
    return sections


def _template(text: str) -> str:
    text = _REMARK.sub(" ", text)
    plain = (
        text.replace("\\n", " ")
        .replace("\\t", " ")
        .replace("\\r", " ")
        .replace("%%", "%")
    )
    collapsed = (
        re.sub(r"\s+", " ", plain)
        .replace(" ;", ";")
        .strip()
        .removeprefix("{")
        .removesuffix("}")
        .strip()
    )
    return collapsed if collapsed.endswith(";") else f"{collapsed};"
