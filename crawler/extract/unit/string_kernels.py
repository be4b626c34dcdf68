"""Find kernels in string literals that a program compiles at run time (NVRTC, `RawKernel`,
`load_inline`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from crawler.builds.checkout.source_scan import (
    SCRIPT_SUFFIXES,
    count_runtime_names,
    get_suffix,
)
from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.lexer import TokenKind
from crawler.cpp.source_text import SourceText
from crawler.cpp.string_literals import (
    StringLiteral,
    find_cpp_literals,
    find_python_literals,
)
from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    parse_parameter_text,
)
from crawler.extract.syntax.kernel_definitions import (
    KernelDefinition,
    find_kernel_definitions,
)
from crawler.extract.unit.string_translation_unit import TextParser, merge_ast_sighting
from crawler.model import Dialect, KernelFacts, Layer, Span

_MARK: Final = "__global__"
_MOST: Final = 10_000
_MOST_TEXT: Final = 64 << 20
_MOST_PARSED: Final = 200
"""Literals of a file that are parsed: each takes as long as a small file."""
_HOLE: Final = re.compile(
    r"\$\{[^{}\n]{1,200}\}|\$[A-Za-z_]\w*|%\([^()\n]{1,200}\)[a-z]|\{\{-?[ \t]*[A-Za-z_][\w.()]*[ \t]*-?\}\}"
)
_ALONE: Final = re.compile(
    r"^[ \t]*+(?:_{2,}+[ \t]*+)++;?[ \t]*+$(?!\s*+\()", re.MULTILINE
)
_WRITTEN: Final = "in a string that the program compiles when it runs"
_NAMELESS: Final = (
    "in a string that the program completes, its name too, and compiles when it runs"
)
_CUDA_WORD: Final = re.compile(r"\b(?:cupy|pycuda|nvrtc|NVRTC|cuda)\b")
_PLACEHOLDERS: Final = (
    "placeholders: the program fills in parts of the text before it compiles it"
)
_UNPARSED: Final = "string-unparsed: the text alone shows a compiler no such kernel"


def find_string_kernels(
    source: SourceText, parse_text: TextParser | None = None
) -> tuple[KernelFacts, ...]:
    """Return the kernels that a file's string literals define, in order; documentation of
    Python is none of them.

    With `parse_text` they have closures, where their text is complete: it gives what the AST of
    a text shows.
    """
    is_script = get_suffix(source.path) in SCRIPT_SUFFIXES
    if _MARK not in source.raw or not (is_script or _in_string(source)):
        return ()
    read = find_python_literals if is_script else find_cpp_literals
    found: list[KernelFacts] = []
    room = _MOST_TEXT
    for at, literal in enumerate(read(source.raw, _MARK)):
        for sighting in _kernels(
            source, literal, parse_text if at < _MOST_PARSED else None
        ):
            room -= len(sighting.source)
            if room < 0 or len(found) == _MOST:
                return tuple(found)
            found.append(sighting)
    return tuple(found)


def _in_string(source: SourceText) -> bool:
    return any(
        lexeme.kind is TokenKind.STRING and _MARK in lexeme.text
        for lexeme in source.lexemes
    )


def _kernels(
    source: SourceText, literal: StringLiteral, parsed: TextParser | None
) -> Iterator[KernelFacts]:
    filled = _filled(literal)
    code = SourceText(source.path, filled.encode("latin-1", "replace"))
    dialect = _dialect(literal.text, source.raw)
    written = [
        _sighting(source, literal, code, definition, dialect)
        for definition in find_kernel_definitions(code)
        if not definition.is_in_macro
    ]
    if written and parsed is not None:
        written = (
            _compiled(source, literal, written, parsed)
            if filled == literal.text
            else _completed(written)
        )
    yield from written


def _completed(written: Iterable[KernelFacts]) -> list[KernelFacts]:
    return [replace(one, problem=_PLACEHOLDERS) for one in written]


def _compiled(
    source: SourceText,
    literal: StringLiteral,
    written: Iterable[KernelFacts],
    parsed: TextParser,
) -> list[KernelFacts]:
    """Return the kernels with what the AST of their text adds; those of one name in their order."""

    def moved(span: Span) -> Span:
        return source.make_span(*literal.file_range(span.offset, span.end_offset))

    shown: dict[str, list[KernelFacts]] = defaultdict(list)
    for one in parsed(literal.text, _dialect(literal.text, source.raw)):
        shown[one.name].append(one)
    found = []
    for one in written:
        known = shown[one.name]
        found.append(
            merge_ast_sighting(one, known.pop(0), moved)
            if known
            else replace(one, problem=_UNPARSED)
        )
    return found


def _filled(literal: StringLiteral) -> str:
    """Return the text with a name of the same length wherever something is filled in later."""
    text, parts, start = literal.text, [], 0
    for hole, end in literal.placeholder_ranges:
        parts += [text[start:hole], "_" * (end - hole)]
        start = end
    blank = _HOLE.sub(_blank, "".join((*parts, text[start:])))
    return _ALONE.sub(lambda line: ";" * len(line.group()), blank)


def _blank(hole: re.Match[str]) -> str:
    return "_" * len(hole.group())


def _sighting(
    source: SourceText,
    literal: StringLiteral,
    code: SourceText,
    found: KernelDefinition,
    dialect: Dialect,
) -> KernelFacts:
    at = code.raw.rfind(found.name, found.start, found.parameter_range[0])
    name = literal.text[at : at + len(found.name)]
    name = f"%{name}" if literal.text[at - 1 : at] == "%" else name
    head = literal.text[found.start : found.body_start]
    within = code.lexemes[
        code.lexeme_index(found.parameter_range[0]) : code.lexeme_index(
            found.parameter_range[1]
        )
    ]
    return KernelFacts(
        span=source.make_span(*literal.file_range(found.start, found.end)),
        name=name,
        qualified_name=name,
        dialect=dialect,
        found_by=Layer.STRING,
        reason=_WRITTEN if name.isidentifier() else _NAMELESS,
        source=_real(literal.text[found.start : found.end]),
        template_head=extract_template_head(head),
        parameters=tuple(
            parse_parameter_text(text) for text in split_argument_texts(code, within)
        ),
        attributes=extract_head_attributes(head),
    )


def _real(text: str) -> str:
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def _dialect(code: str, around: str) -> Dialect:
    """Return the dialect of what the text names, else HIP where the file around it names
    nothing but HIP.
    """
    cuda, hip = count_runtime_names(code)
    if cuda == hip:
        cuda, hip = count_runtime_names(around)
        hip = 0 if cuda or _CUDA_WORD.search(around) else hip
    return Dialect.HIP if hip > cuda else Dialect.CUDA
