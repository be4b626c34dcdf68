"""Report kernels that the syntactic layer alone sees: excluded by `#if`, or in a unit without
an AST.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Final

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    parse_parameter_text,
)
from crawler.extract.launches.launch_facts import collect_text_launch_sightings
from crawler.extract.syntax.included_files import find_device_files
from crawler.extract.syntax.kernel_definitions import KernelDefinition
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.string_kernels import find_string_kernels
from crawler.model import CompileCommand, Dialect, KernelFacts, Layer, UnitFacts

EXCLUDED_BY_CONDITION: Final = "in a branch of #if that this unit leaves out"
_UNSEEN: Final = "not in the AST of this unit"


def find_kernels_missed_by_ast(
    ast_kernels: Collection[KernelFacts],
    unit_text: UnitText,
    skipped_ranges: Collection[tuple[str, int, int]],
    command: CompileCommand,
) -> list[KernelFacts]:
    """Return the definitions that only the text shows: another branch of an `#if` may define a
    kernel once more.
    """
    spans: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for one in ast_kernels:
        spans[(one.span.path, one.name)].append((one.span.offset, one.span.end_offset))
    found = []
    for path, definition in unit_text.find_missing_definitions(()):
        known = spans[(path, definition.name)]
        if not any(
            start < definition.end and definition.start < end for start, end in known
        ):
            left_out = any(
                path == where and start <= definition.body_start < end
                for where, start, end in skipped_ranges
            )
            reason = EXCLUDED_BY_CONDITION if left_out else _UNSEEN
            dialect = command.dialect or Dialect.CUDA
            found.append(
                make_syntactic_sighting(
                    unit_text.sources[path], definition, dialect, reason
                )
            )
    return found


def extract_facts_from_syntax(
    root: Path, command: CompileCommand, failure: str
) -> UnitFacts:
    """Return what the syntactic layer alone sees of a unit's own file and of those that its
    text includes.
    """
    sources = SourceFiles(root)
    source, dialect = sources[command.file], command.dialect or Dialect.CUDA
    written = UnitText(sources, find_device_files(command, sources))
    return UnitFacts(
        command=command,
        kernels=(
            *(
                make_syntactic_sighting(sources[path], found, dialect, failure)
                for path, found in written.find_missing_definitions(())
            ),
            *find_string_kernels(source),
        ),
        launches=tuple(collect_text_launch_sightings(written)),
        files=(command.file, *(path for path in written.files if path != command.file)),
        failure=failure,
    )


def make_syntactic_sighting(
    source: SourceText,
    kernel_definition: KernelDefinition,
    dialect: Dialect,
    reason: str,
) -> KernelFacts:
    """Return a definition that only the syntactic layer showed."""
    head = source.raw[kernel_definition.start : kernel_definition.body_start]
    within = source.lexemes[
        source.lexeme_index(kernel_definition.parameter_range[0]) : source.lexeme_index(
            kernel_definition.parameter_range[1]
        )
    ]
    return KernelFacts(
        span=source.make_span(kernel_definition.start, kernel_definition.end),
        name=kernel_definition.name,
        qualified_name=kernel_definition.name,
        dialect=dialect,
        found_by=Layer.SYNTACTIC,
        reason=reason,
        source=source.text_between(kernel_definition.start, kernel_definition.end),
        template_head=extract_template_head(head),
        parameters=tuple(
            parse_parameter_text(text) for text in split_argument_texts(source, within)
        ),
        attributes=extract_head_attributes(head),
    )
