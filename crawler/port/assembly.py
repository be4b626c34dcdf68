"""Inline assembly as it stands in a source: which statements there are, and of what parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from crawler.tokens import Kind, Token, join, tokens
from crawler.visible import BLANK, Visible

_KEYWORDS = frozenset({"asm", "__asm__", "__asm"})
_OPENS = re.compile(rf"\w+(?:{BLANK}(?:volatile|__volatile__|__volatile|inline|goto)\b)*{BLANK}\(")
_BRACKET = re.compile(r"[()]")
_OPENING = {"(": 1, ")": -1}
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REMARK = re.compile(r"//(?:(?!\\n).)*+|/\*.*?\*/")
_NEAR = 4096
_NAMED = re.compile(r"%\[(\w+)\]")


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of an assembly: `"=r"(expression)`."""

    constraint: str
    expression: str


@dataclass(frozen=True, slots=True)
class Assembly:
    """An `asm(…)` expression: where it begins and ends, and its parts."""

    start: int
    end: int
    template: str
    """The instructions as the assembler sees them, blanks collapsed, operands by number."""
    operands: tuple[Operand, ...]
    """Outputs first."""
    outputs: int


def statements(seen: Visible) -> tuple[Assembly, ...]:
    """Return every complete `asm(…)` of a text, in order."""
    return _statements(seen) if _KEYWORDS & seen.words else ()


@lru_cache(maxsize=4)
def _statements(seen: Visible) -> tuple[Assembly, ...]:
    """The same, asked more than once of one text: a `Visible` is itself alone."""
    found: list[Assembly] = []
    closings: dict[int, int] | None = None
    done = 0
    for start in sorted(at for word in _KEYWORDS & seen.words for at in seen.places(word)):
        opened = _OPENS.match(seen.code, start) if start >= done else None
        if opened is None:
            continue
        end = _closing(seen.code, opened.end()) if closings is None else closings.get(opened.end() - 1)
        if end is None and closings is None:
            closings = _closed(seen.code)
            end = closings.get(opened.end() - 1)
        if end is not None:
            found.append(Assembly(start, end + 1, *_read(seen.text[opened.end() : end])))
            done = end
    return tuple(found)


def _closing(code: str, inside: int) -> int | None:
    """Return where the bracket is closed that was opened before a place, `None` where that is far away."""
    depth = 1
    for bracket in _BRACKET.finditer(code, inside, inside + _NEAR):
        depth += _OPENING[bracket[0]]
        if not depth:
            return bracket.start()
    return None


@lru_cache(maxsize=1024)
def _read(inside: str) -> tuple[str, tuple[Operand, ...], int]:
    """Return the template, the operands and how many are outputs: units of one project share what they call."""
    sections = _sections(list(tokens(inside)))
    named = [found for section in sections[1:3] for found in _operands(section)]
    outputs = sum(1 for _ in _operands(sections[1])) if len(sections) > 1 else 0
    numbers = {name: str(number) for number, (name, _) in enumerate(named) if name}
    template = _template("".join(_STRING.findall(join(sections[0]))))
    template = _NAMED.sub(lambda found: f"%{numbers.get(found[1], found[0])}", template)
    return template, tuple(operand for _, operand in named), outputs


def _operands(section: Sequence[Token]) -> Iterator[tuple[str, Operand]]:
    """Yield the name, mostly empty, and the parts of each operand."""
    closings = _closings(section)
    name = constraint = ""
    index = 0
    while index < len(section):
        token, end = section[index], closings.get(index)
        if token.kind is Kind.STRING:
            constraint += token.text.strip('"')
        elif token.kind is Kind.NAME:
            name = token.text
        elif end is not None:
            yield name, Operand(constraint, join(section[index + 1 : end]).strip())
            name, constraint, index = "", "", end
        index += 1


def _closed(code: str) -> dict[int, int]:
    """Return where each bracket that is opened in the code is closed."""
    opened: list[int] = []
    closings: dict[int, int] = {}
    for bracket in _BRACKET.finditer(code):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            closings[opened.pop()] = bracket.start()
    return closings


def _closings(pieces: Sequence[Token]) -> dict[int, int]:
    opened: list[int] = []
    closings: dict[int, int] = {}
    for index, token in enumerate(pieces):
        if token.kind is Kind.PUNCTUATION and token.text == "(":
            opened.append(index)
        elif token.kind is Kind.PUNCTUATION and token.text == ")" and opened:
            closings[opened.pop()] = index
    return closings


def _sections(inside: Sequence[Token]) -> list[list[Token]]:
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in inside:
        if token.kind is Kind.PUNCTUATION:
            depth += _OPENING.get(token.text, 0)
            if depth == 0 and token.text in (":", "::"):
                sections += [[] for _ in token.text]
                continue
        sections[-1].append(token)
    return sections


def _template(text: str) -> str:
    text = _REMARK.sub(" ", text)
    plain = text.replace("\\n", " ").replace("\\t", " ").replace("\\r", " ").replace("%%", "%")
    collapsed = re.sub(r"\s+", " ", plain).replace(" ;", ";").strip().removeprefix("{").removesuffix("}").strip()
    return collapsed if collapsed.endswith(";") else f"{collapsed};"
