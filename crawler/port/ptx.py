"""Inline assembly: which statements there are, and the few that are plain functions of their operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crawler.model import Change
from crawler.port.instructions import PTX, PTX_CLASSES, PTX_FENCES, PTX_REGISTERS
from crawler.tokens import Kind, Token, join, tokens

_KEYWORDS = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "inline", "goto"})
_BLANK = (Kind.SPACE, Kind.COMMENT)
_OPENING = {"(": 1, ")": -1}
_AMD = re.compile(r"(v|s|ds|global|flat|buffer)_\w+")
_GUARD = re.compile(r"^@!?%?\w+ ")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Assembly:
    """An `asm(…)` expression: positions of its first token and past its last, and its parts."""

    start: int
    end: int
    template: str
    """The instruction as the assembler sees it, blanks collapsed."""
    operands: tuple[str, ...]
    """Expressions, outputs first."""
    outputs: int


def statements(pieces: Sequence[Token]) -> Iterator[Assembly]:
    """Yield every complete `asm(…)` among the tokens, in order."""
    begun = [at for at, token in enumerate(pieces) if token.text in _KEYWORDS]
    closings = _closings(pieces) if begun else {}
    done = 0
    for start in begun:
        found = _at(pieces, start, closings) if start >= done else None
        if found:
            yield found
            done = found.end


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


def rewrite(pieces: Sequence[Token]) -> tuple[list[Token], list[Change]]:
    """Return the tokens with every portable `asm(…)` replaced by its expression."""
    rewritten: list[Token] = []
    changes: list[Change] = []
    done = 0
    for assembly in statements(pieces):
        text = replacement(assembly)
        if not text:
            continue
        line = pieces[assembly.start].line
        rewritten += pieces[done : assembly.start]
        rewritten += (piece._replace(line=line) for piece in tokens(text))
        changes.append(Change(rule="ptx", line=line, before=assembly.template, after=text))
        done = assembly.end
    return [*rewritten, *pieces[done:]], changes


def _at(pieces: Sequence[Token], start: int, closings: Mapping[int, int]) -> Assembly | None:
    opening = start + 1
    while opening < len(pieces) and (pieces[opening].kind in _BLANK or pieces[opening].text in _QUALIFIERS):
        opening += 1
    end = closings.get(opening)
    if end is None:
        return None
    sections = _sections(pieces[opening + 1 : end])
    template = _template("".join(_STRING.findall(join(sections[0]))))
    outputs = _expressions(sections[1]) if len(sections) > 1 else ()
    inputs = _expressions(sections[2]) if len(sections) > 2 else ()
    return Assembly(start, end + 1, template, outputs + inputs, len(outputs))


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
