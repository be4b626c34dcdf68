"""Kernels in string literals, which a program hands to a compiler when it runs: NVRTC, `RawKernel`, `load_inline`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.builds.reading.scan import SCRIPTS, runtimes, suffix
from crawler.extract.brackets import split
from crawler.extract.signature import attributes, template_head, written_parameter
from crawler.extract.source import SourceText
from crawler.extract.syntactic import Definition, definitions
from crawler.literals import Literal, cpp_literals, python_literals
from crawler.model import Dialect, KernelSighting, Layer
from crawler.tokens import Kind

_MARK: Final = "__global__"
_MOST: Final = 10_000
_MOST_TEXT: Final = 64 << 20
_HOLE: Final = re.compile(
    r"\$\{[^{}\n]{1,200}\}|\$[A-Za-z_]\w*|%\([^()\n]{1,200}\)[a-z]|\{\{-?[ \t]*[A-Za-z_][\w.()]*[ \t]*-?\}\}"
)
_ALONE: Final = re.compile(r"^[ \t]*(_{2,}[ \t]*)+;?[ \t]*$(?!\s*\()", re.MULTILINE)
_WRITTEN: Final = "in a string that the program compiles when it runs"
_NAMELESS: Final = "in a string that the program completes, its name too, and compiles when it runs"


def quoted(source: SourceText) -> tuple[KernelSighting, ...]:
    """Return the kernels that a file's string literals define, in order; documentation of Python is none of them."""
    is_script = suffix(source.path) in SCRIPTS
    if _MARK not in source.raw or not (is_script or _in_string(source)):
        return ()
    read = python_literals if is_script else cpp_literals
    found: list[KernelSighting] = []
    room = _MOST_TEXT
    for literal in read(source.raw, _MARK):
        for sighting in _kernels(source, literal):
            room -= len(sighting.source)
            if room < 0 or len(found) == _MOST:
                return tuple(found)
            found.append(sighting)
    return tuple(found)


def _in_string(source: SourceText) -> bool:
    return any(lexeme.kind is Kind.STRING and _MARK in lexeme.text for lexeme in source.lexemes)


def _kernels(source: SourceText, literal: Literal) -> Iterator[KernelSighting]:
    code = SourceText(source.path, _filled(literal).encode("latin-1", "replace"))
    dialect = _dialect(literal.text, source.raw)
    for definition in definitions(code):
        if not definition.in_macro:
            yield _sighting(source, literal, code, definition, dialect)


def _filled(literal: Literal) -> str:
    """Return the text with a name of the same length wherever something is filled in later."""
    text, parts, start = literal.text, [], 0
    for hole, end in literal.holes:
        parts += [text[start:hole], "_" * (end - hole)]
        start = end
    blank = _HOLE.sub(_blank, "".join((*parts, text[start:])))
    return _ALONE.sub(lambda line: ";" * len(line.group()), blank)


def _blank(hole: re.Match[str]) -> str:
    return "_" * len(hole.group())


def _sighting(
    source: SourceText, literal: Literal, code: SourceText, found: Definition, dialect: Dialect
) -> KernelSighting:
    at = code.raw.rfind(found.name, found.start, found.parameters[0])
    name = literal.text[at : at + len(found.name)]
    name = f"%{name}" if literal.text[at - 1 : at] == "%" else name
    head = literal.text[found.start : found.body]
    within = code.lexemes[code.position(found.parameters[0]) : code.position(found.parameters[1])]
    return KernelSighting(
        span=source.span(*literal.place(found.start, found.end)),
        name=name,
        qualified_name=name,
        dialect=dialect,
        found_by=Layer.STRING,
        reason=_WRITTEN if name.isidentifier() else _NAMELESS,
        source=_real(literal.text[found.start : found.end]),
        template_head=template_head(head),
        parameters=tuple(written_parameter(text) for text in split(code, within)),
        attributes=attributes(head),
    )


def _real(text: str) -> str:
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def _dialect(code: str, around: str) -> Dialect:
    """Return the dialect of what the text names, else HIP where the file around it names nothing but HIP."""
    cuda, hip = runtimes(code)
    if cuda == hip:
        cuda, hip = runtimes(around)
        hip = 0 if cuda else hip
    return Dialect.HIP if hip > cuda else Dialect.CUDA
