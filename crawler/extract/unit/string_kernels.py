"""Find kernels in string literals that a program compiles at run time (NVRTC, `RawKernel`,
`load_inline`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from crawler.checkout.runtime_names import count_runtime_names
from crawler.checkout.source_scan import SCRIPT_SUFFIXES, get_suffix
from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.lexer import TokenKind
from crawler.cpp.literals.literal_text import StringLiteral
from crawler.cpp.literals.string_literals import find_cpp_literals, find_python_literals
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

_GLOBAL: Final = "__global__"
_MAX_KERNELS: Final = 10_000
_MAX_TEXT: Final = 64 << 20
_MAX_PARSED_LITERALS: Final = 200
"""Literals of a file that are parsed: each takes as long as a small file."""
# `${name}`, `$name`, `%(name)s` and `{{ name }}` of Python's templates, Jinja and shells
_PLACEHOLDER: Final = re.compile(
    r"\$\{[^{}\n]{1,200}\}|\$[A-Za-z_]\w*|%\([^()\n]{1,200}\)[a-z]"
    r"|\{\{-?[ \t]*[A-Za-z_][\w.()]*[ \t]*-?\}\}"
)
_FILLED_LINE: Final = re.compile(
    r"^[ \t]*+(?:_{2,}+[ \t]*+)++;?[ \t]*+$(?!\s*+\()", re.MULTILINE
)
"""A line of placeholders alone, once names stand in their places; no head of a call."""
_REASON: Final = "in a string that the program compiles when it runs"
_NAMELESS_REASON: Final = (
    "in a string that the program completes, its name too, and compiles when it runs"
)
# a host program in any language, which may name its library anywhere
_CUDA_WORD: Final = re.compile(r"\b(?:cupy|pycuda|nvrtc|NVRTC|cuda)\b")
_PLACEHOLDERS_PROBLEM: Final = (
    "placeholders: the program fills in parts of the text before it compiles it"
)
_UNPARSED_PROBLEM: Final = (
    "string-unparsed: the text alone shows a compiler no such kernel"
)


def find_string_kernels(
    source: SourceText, parse_text: TextParser | None = None
) -> tuple[KernelFacts, ...]:
    """Return the kernels that a file's string literals define, in order; documentation of
    Python is none of them.

    With `parse_text` they have closures, where their text is complete: it gives what the AST of
    a text shows.
    """
    is_script = get_suffix(source.path) in SCRIPT_SUFFIXES
    if _GLOBAL not in source.raw:
        return ()
    # the word stands in most CUDA files, but seldom in a string
    if not is_script and not _has_kernel_literal(source):
        return ()

    find_literals = find_python_literals if is_script else find_cpp_literals
    kernels: list[KernelFacts] = []
    remaining_text = _MAX_TEXT
    for position, literal in enumerate(find_literals(source.raw, _GLOBAL)):
        # the text shows the kernels of the others
        parser = parse_text if position < _MAX_PARSED_LITERALS else None
        for kernel in _iter_literal_kernels(source, literal, parser):
            remaining_text -= len(kernel.source)
            if remaining_text < 0 or len(kernels) == _MAX_KERNELS:
                return tuple(kernels)

            kernels.append(kernel)

    return tuple(kernels)


def _has_kernel_literal(source: SourceText) -> bool:
    return any(
        lexeme.kind is TokenKind.STRING and _GLOBAL in lexeme.text
        for lexeme in source.lexemes
    )


def _iter_literal_kernels(
    source: SourceText, literal: StringLiteral, parse_text: TextParser | None
) -> Iterator[KernelFacts]:
    code_text = _fill_placeholders(literal)
    code = SourceText(source.path, code_text.encode("latin-1", "replace"))
    dialect = _choose_dialect(literal.text, source.raw)
    kernels = [
        _make_sighting(source, literal, code, definition, dialect)
        for definition in find_kernel_definitions(code)
        if not definition.is_in_macro
    ]

    if not kernels or parse_text is None:
        yield from kernels
    # placeholders: what stands in their places decides what it means
    elif code_text != literal.text:
        for kernel in kernels:
            yield replace(kernel, problem=_PLACEHOLDERS_PROBLEM)
    else:
        yield from _add_ast_facts(
            source, literal, kernels, parse_text(literal.text, dialect)
        )


def _add_ast_facts(
    source: SourceText,
    literal: StringLiteral,
    kernels: list[KernelFacts],
    ast_kernels: Iterable[KernelFacts],
) -> Iterator[KernelFacts]:
    """Yield the kernels with what the AST of their text adds; those of one name in their order."""

    def map_span(span: Span) -> Span:
        return source.make_span(*literal.file_range(span.offset, span.end_offset))

    ast_kernels_by_name: dict[str, list[KernelFacts]] = defaultdict(list)
    for ast_kernel in ast_kernels:
        ast_kernels_by_name[ast_kernel.name].append(ast_kernel)

    for kernel in kernels:
        same_name = ast_kernels_by_name[kernel.name]
        if same_name:
            yield merge_ast_sighting(kernel, same_name.pop(0), map_span)
        else:
            yield replace(kernel, problem=_UNPARSED_PROBLEM)


def _fill_placeholders(literal: StringLiteral) -> str:
    """Return the text with a name of the same length wherever something is filled in later."""
    pieces: list[str] = []
    done = 0
    for start, end in literal.placeholder_ranges:
        pieces.append(literal.text[done:start])
        pieces.append("_" * (end - start))
        done = end

    pieces.append(literal.text[done:])
    filled = _PLACEHOLDER.sub(
        lambda placeholder: "_" * len(placeholder[0]), "".join(pieces)
    )

    # a placeholder with a line of its own stands for whole statements
    return _FILLED_LINE.sub(lambda line: ";" * len(line[0]), filled)


def _make_sighting(
    source: SourceText,
    literal: StringLiteral,
    code: SourceText,
    definition: KernelDefinition,
    dialect: Dialect,
) -> KernelFacts:
    name = _read_name(literal, code, definition)
    head = literal.text[definition.start : definition.body_start]
    parameter_start, parameter_end = definition.parameter_range
    parameter_lexemes = code.lexemes[
        code.lexeme_index(parameter_start) : code.lexeme_index(parameter_end)
    ]

    return KernelFacts(
        span=source.make_span(*literal.file_range(definition.start, definition.end)),
        name=name,
        qualified_name=name,
        dialect=dialect,
        found_by=Layer.STRING,
        reason=_REASON if name.isidentifier() else _NAMELESS_REASON,
        source=_decode(literal.text[definition.start : definition.end]),
        template_head=extract_template_head(head),
        parameters=tuple(
            parse_parameter_text(text)
            for text in split_argument_texts(code, parameter_lexemes)
        ),
        attributes=extract_head_attributes(head),
    )


def _read_name(
    literal: StringLiteral, code: SourceText, definition: KernelDefinition
) -> str:
    """Return a kernel's name as the literal has it, with its placeholders: `scale_%s`."""
    name = definition.name
    start = code.raw.rfind(
        name,
        definition.start,
        definition.parameter_range[0],
    )
    # the code has a name of underscores where the literal has a placeholder
    name = literal.text[start : start + len(name)]
    if literal.text[start - 1 : start] == "%":
        return f"%{name}"

    return name


def _decode(text: str) -> str:
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def _choose_dialect(text: str, file_text: str) -> Dialect:
    """Return the dialect of what the text names, else HIP where its file names nothing but HIP."""
    cuda_count, hip_count = count_runtime_names(text)
    # the text names neither runtime, or both as often
    if cuda_count == hip_count:
        cuda_count, hip_count = count_runtime_names(file_text)
        if cuda_count or _CUDA_WORD.search(file_text):
            return Dialect.CUDA

    return Dialect.HIP if hip_count > cuda_count else Dialect.CUDA
