"""Inline assembly: which statements there are, and the few that are plain functions of their operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crawler.model import Change
from crawler.port.instructions import PTX, PTX_CLASSES, PTX_FENCES, PTX_REGISTERS
from crawler.tokens import Kind, Token, join, tokens
from crawler.visible import BLANK, Edit, Visible

_KEYWORDS = frozenset({"asm", "__asm__", "__asm"})
_OPENS = re.compile(rf"\w+(?:{BLANK}(?:volatile|__volatile__|__volatile|inline|goto)\b)*{BLANK}\(")
_BRACKET = re.compile(r"[()]")
_OPENING = {"(": 1, ")": -1}
_AMD = re.compile(r"(v|s|ds|global|flat|buffer)_\w+")
_GUARD = re.compile(r"^@!?%?\w+ ")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Assembly:
    """An `asm(…)` expression: where it begins and ends, and its parts."""

    start: int
    end: int
    template: str
    """The instruction as the assembler sees it, blanks collapsed."""
    operands: tuple[str, ...]
    """Expressions, outputs first."""
    outputs: int


def statements(seen: Visible) -> Iterator[Assembly]:
    """Yield every complete `asm(…)` of a text, in order."""
    begun = sorted(at for word in _KEYWORDS & seen.words for at in seen.places(word))
    closings = _closed(seen.code) if begun else {}
    done = 0
    for start in begun:
        opened = _OPENS.match(seen.code, start)
        end = closings.get(opened.end() - 1) if opened else None
        if opened and end is not None and start >= done:
            yield _read(seen, start, opened.end(), end)
            done = end


def replacement(assembly: Assembly) -> str:
    """Return the expression that does the same in HIP, empty where there is none."""
    if assembly.template in PTX_FENCES and not assembly.outputs:
        return PTX_FENCES[assembly.template]
    opcode, _, rest = assembly.template.removesuffix(";").partition(" ")
    destination, *sources = (operand.strip() for operand in rest.split(","))
    if assembly.outputs != 1 or destination != "%0":
        return ""
    if opcode.startswith("mov.") and len(sources) == 1 and sources[0] in PTX_REGISTERS:
        return f"({assembly.operands[0]}) = ::kernelset::ptx::{PTX_REGISTERS[sources[0]]}()"
    arguments = [_argument(source, assembly.operands) for source in sources]
    if opcode not in PTX or not all(arguments):
        return ""
    return f"({assembly.operands[0]}) = ::kernelset::ptx::{PTX[opcode]}({', '.join(arguments)})"


def blocker(assembly: Assembly) -> str:
    """Return the class of an assembly that cannot be ported, empty for one that can, or that is AMD's already."""
    if assembly.template == ";" or _AMD.match(assembly.template) or replacement(assembly):
        return ""
    instructions = [_GUARD.sub("", each.strip()) for each in re.split("[;{}]", assembly.template)]
    for kind, beginnings in PTX_CLASSES.items():
        if any(each.startswith(beginnings) for each in instructions):
            return kind
    return "ptx"


def _argument(source: str, operands: Sequence[str]) -> str:
    reference = re.fullmatch(r"%(\d)", source)
    if reference:
        return operands[int(reference[1])] if int(reference[1]) < len(operands) else ""
    return source if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", source) else ""


def edits(seen: Visible) -> Iterator[tuple[Edit, Change]]:
    """Yield what every portable `asm(…)` becomes."""
    for assembly in statements(seen):
        text = replacement(assembly)
        if text:
            change = Change(rule="ptx", line=seen.line(assembly.start), before=assembly.template, after=text)
            yield (assembly.start, assembly.end, text), change


def _read(seen: Visible, start: int, inside: int, end: int) -> Assembly:
    sections = _sections(list(tokens(seen.text[inside:end])))
    template = _template("".join(_STRING.findall(join(sections[0]))))
    outputs = _expressions(sections[1]) if len(sections) > 1 else ()
    inputs = _expressions(sections[2]) if len(sections) > 2 else ()
    return Assembly(start, end + 1, template, outputs + inputs, len(outputs))


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


def _expressions(section: Sequence[Token]) -> tuple[str, ...]:
    closings = _closings(section)
    found: list[str] = []
    index = 0
    while index < len(section):
        end = closings.get(index)
        if end is not None:
            found.append(join(section[index + 1 : end]).strip())
            index = end
        index += 1
    return tuple(found)


def _template(text: str) -> str:
    plain = text.replace("\\n", " ").replace("\\t", " ").replace("\\r", " ").replace("%%", "%")
    collapsed = re.sub(r"\s+", " ", plain).replace(" ;", ";").strip().removeprefix("{").removesuffix("}").strip()
    return collapsed if collapsed.endswith(";") else f"{collapsed};"
