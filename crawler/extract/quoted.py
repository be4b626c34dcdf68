"""Kernels in string literals, which a program hands to a compiler when it runs: NVRTC, `RawKernel`, `load_inline`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from crawler.builds.reading.scan import SCRIPTS, runtimes, suffix
from crawler.extract.brackets import split
from crawler.extract.signature import attributes, template_head, written_parameter
from crawler.extract.source import SourceText
from crawler.extract.syntactic import Definition, definitions
from crawler.extract.virtual import Parsed, adopted
from crawler.literals import Literal, cpp_literals, python_literals
from crawler.model import Dialect, KernelSighting, Layer, Span
from crawler.tokens import Kind

_MARK: Final = "__global__"
_MOST: Final = 10_000
_MOST_TEXT: Final = 64 << 20
_MOST_PARSED: Final = 200
"""Literals of a file that are parsed: each takes as long as a small file."""
_HOLE: Final = re.compile(
    r"\$\{[^{}\n]{1,200}\}|\$[A-Za-z_]\w*|%\([^()\n]{1,200}\)[a-z]|\{\{-?[ \t]*[A-Za-z_][\w.()]*[ \t]*-?\}\}"
)
_ALONE: Final = re.compile(r"^[ \t]*+(?:_{2,}+[ \t]*+)++;?[ \t]*+$(?!\s*+\()", re.MULTILINE)
_WRITTEN: Final = "in a string that the program compiles when it runs"
_NAMELESS: Final = "in a string that the program completes, its name too, and compiles when it runs"
_CUDA_WORD: Final = re.compile(r"\b(?:cupy|pycuda|nvrtc|NVRTC|cuda)\b")
_PLACEHOLDERS: Final = "placeholders: the program fills in parts of the text before it compiles it"
_UNPARSED: Final = "string-unparsed: the text alone shows a compiler no such kernel"


def quoted(source: SourceText, parsed: Parsed | None = None) -> tuple[KernelSighting, ...]:
    """Return the kernels that a file's string literals define, in order; documentation of Python is none of them.

    With `parsed` they have closures, where their text is complete: it gives what the AST of a text shows.
    """
    is_script = suffix(source.path) in SCRIPTS
    if _MARK not in source.raw or not (is_script or _in_string(source)):
        return ()
    read = python_literals if is_script else cpp_literals
    found: list[KernelSighting] = []
    room = _MOST_TEXT
    for at, literal in enumerate(read(source.raw, _MARK)):
        for sighting in _kernels(source, literal, parsed if at < _MOST_PARSED else None):
            room -= len(sighting.source)
            if room < 0 or len(found) == _MOST:
                return tuple(found)
            found.append(sighting)
    return tuple(found)


def _in_string(source: SourceText) -> bool:
    return any(lexeme.kind is Kind.STRING and _MARK in lexeme.text for lexeme in source.lexemes)


def _kernels(source: SourceText, literal: Literal, parsed: Parsed | None) -> Iterator[KernelSighting]:
    filled = _filled(literal)
    code = SourceText(source.path, filled.encode("latin-1", "replace"))
    dialect = _dialect(literal.text, source.raw)
    written = [
        _sighting(source, literal, code, definition, dialect)
        for definition in definitions(code)
        if not definition.in_macro
    ]
    if written and parsed is not None:
        written = _compiled(source, literal, written, parsed) if filled == literal.text else _completed(written)
    yield from written


def _completed(written: Iterable[KernelSighting]) -> list[KernelSighting]:
    return [replace(one, problem=_PLACEHOLDERS) for one in written]


def _compiled(
    source: SourceText, literal: Literal, written: Iterable[KernelSighting], parsed: Parsed
) -> list[KernelSighting]:
    """Return the kernels with what the AST of their text adds; those of one name in their order."""

    def moved(span: Span) -> Span:
        return source.span(*literal.place(span.offset, span.end_offset))

    shown: dict[str, list[KernelSighting]] = defaultdict(list)
    for one in parsed(literal.text, _dialect(literal.text, source.raw)):
        shown[one.name].append(one)
    found = []
    for one in written:
        known = shown[one.name]
        found.append(adopted(one, known.pop(0), moved) if known else replace(one, problem=_UNPARSED))
    return found


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
        hip = 0 if cuda or _CUDA_WORD.search(around) else hip
    return Dialect.HIP if hip > cuda else Dialect.CUDA
