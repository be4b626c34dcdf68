"""Report kernels that the syntactic layer alone sees: excluded by `#if`, or in a unit without
an AST.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Final

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    parse_parameter_text,
)
from crawler.extract.launches.launch_facts import collect_text_launch_sightings
from crawler.extract.syntax.included_files import find_device_files
from crawler.extract.syntax.kernel_definitions import (
    KernelDefinition,
    find_kernel_definitions,
)
from crawler.extract.syntax.project_markers import find_project_markers
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.string_kernels import find_string_kernels
from crawler.model import CompileCommand, Dialect, KernelFacts, Layer, UnitFacts

EXCLUDED_BY_CONDITION: Final = "in a branch of #if that this unit leaves out"
_NOT_IN_AST: Final = "not in the AST of this unit"


def find_kernels_missed_by_ast(
    ast_kernels: Collection[KernelFacts],
    unit_text: UnitText,
    skipped_ranges: Collection[tuple[str, int, int]],
    command: CompileCommand,
) -> list[KernelFacts]:
    """Return the definitions that only the text shows: another branch of an `#if` may define a
    kernel once more.
    """
    ast_ranges: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for kernel in ast_kernels:
        span = kernel.span
        ast_ranges[(span.path, kernel.name)].append((span.offset, span.end_offset))

    missed_kernels = []
    for path, definition in unit_text.find_missing_definitions(()):
        # ranges overlap rather than agree: attributes in front may be counted or not
        is_in_ast = any(
            start < definition.end and definition.start < end
            for start, end in ast_ranges[(path, definition.name)]
        )

        if is_in_ast:
            continue

        # the body decides: an `#if` may stand within the head
        is_skipped = any(
            path == skipped_path and start <= definition.body_start < end
            for skipped_path, start, end in skipped_ranges
        )

        kernel = make_syntactic_sighting(
            unit_text.sources[path],
            definition,
            command.dialect or Dialect.CUDA,
            EXCLUDED_BY_CONDITION if is_skipped else _NOT_IN_AST,
        )

        missed_kernels.append(kernel)

    return missed_kernels


def extract_facts_from_syntax(
    root: Path, command: CompileCommand, failure: str, *, own_file_only: bool = False
) -> UnitFacts:
    """Return what the syntactic layer alone sees of a unit's own file and of those that its
    text includes, or of its `own_file_only`.
    """
    sources = SourceFiles(root)
    dialect = command.dialect or Dialect.CUDA
    files: tuple[str, ...] = (command.file,)
    if not own_file_only:
        files = find_device_files(command, sources)

    unit_text = UnitText(sources, files)
    definitions = unit_text.find_missing_definitions(())
    if own_file_only:
        # the macro that marks its kernels may stand in a header that is not looked at
        definitions += _find_marked_definitions(
            sources[command.file], find_project_markers(root), definitions
        )
    kernels = [
        make_syntactic_sighting(sources[path], definition, dialect, failure)
        for path, definition in definitions
    ]

    kernels += find_string_kernels(sources[command.file])

    return UnitFacts(
        command=command,
        kernels=tuple(kernels),
        launches=tuple(collect_text_launch_sightings(unit_text)),
        files=tuple(dict.fromkeys((command.file, *unit_text.files))),
        failure=failure,
    )


def _find_marked_definitions(
    source: SourceText,
    markers: frozenset[str],
    known_definitions: Collection[tuple[str, KernelDefinition]],
) -> list[tuple[str, KernelDefinition]]:
    """Return the definitions of a file, with its path, that markers show beside those known."""
    known_bodies = {definition.body_start for _, definition in known_definitions}
    return [
        (source.path, definition)
        for definition in find_kernel_definitions(source, markers)
        if definition.body_start not in known_bodies
    ]


def make_syntactic_sighting(
    source: SourceText,
    kernel_definition: KernelDefinition,
    dialect: Dialect,
    reason: str,
) -> KernelFacts:
    """Return a definition that only the syntactic layer showed."""
    start, end = kernel_definition.start, kernel_definition.end
    head = source.raw[start : kernel_definition.body_start]
    parameter_start, parameter_end = kernel_definition.parameter_range
    parameter_lexemes = source.lexemes[
        source.lexeme_index(parameter_start) : source.lexeme_index(parameter_end)
    ]

    return KernelFacts(
        span=source.make_span(start, end),
        name=kernel_definition.name,
        qualified_name=kernel_definition.name,
        dialect=dialect,
        found_by=Layer.SYNTACTIC,
        reason=reason,
        source=source.text_between(start, end),
        template_head=extract_template_head(head),
        parameters=tuple(
            parse_parameter_text(text)
            for text in split_argument_texts(source, parameter_lexemes)
        ),
        attributes=extract_head_attributes(head),
    )
