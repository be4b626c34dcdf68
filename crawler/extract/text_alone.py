"""What the text of a unit shows of kernels where the AST does not: other branches of an `#if`, or no AST at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Final

from crawler.extract.brackets import split
from crawler.extract.launches import written_sightings
from crawler.extract.quoted import quoted
from crawler.extract.reached import reached
from crawler.extract.signature import attributes, template_head, written_parameter
from crawler.extract.source import Sources, SourceText
from crawler.extract.syntactic import Definition
from crawler.extract.written import Written
from crawler.model import CompileCommand, Dialect, KernelSighting, Layer, UnitFacts

LEFT_OUT: Final = "in a branch of #if that this unit leaves out"
_UNSEEN: Final = "not in the AST of this unit"


def unshown_in(
    shown: Collection[KernelSighting],
    written: Written,
    skipped: Collection[tuple[str, int, int]],
    command: CompileCommand,
) -> list[KernelSighting]:
    """Return the definitions that only the text shows: another branch of an `#if` may define a kernel once more."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for one in shown:
        spans[(one.span.path, one.name)].append((one.span.offset, one.span.end_offset))
    found = []
    for path, definition in written.missing(()):
        known = spans[(path, definition.name)]
        if not any(start < definition.end and definition.start < end for start, end in known):
            left_out = any(path == where and start <= definition.body < end for where, start, end in skipped)
            reason = LEFT_OUT if left_out else _UNSEEN
            dialect = command.dialect or Dialect.CUDA
            found.append(syntactic(written.sources[path], definition, dialect, reason))
    return found


def syntax_alone(root: Path, command: CompileCommand, failure: str) -> UnitFacts:
    """Return what the syntactic layer alone sees of a unit's own file and of those that its text includes."""
    sources = Sources(root)
    source, dialect = sources[command.file], command.dialect or Dialect.CUDA
    written = Written(sources, reached(command, sources))
    return UnitFacts(
        command=command,
        kernels=(
            *(syntactic(sources[path], found, dialect, failure) for path, found in written.missing(())),
            *quoted(source),
        ),
        launches=tuple(written_sightings(written)),
        files=(command.file, *(path for path in written.files if path != command.file)),
        failure=failure,
    )


def syntactic(source: SourceText, found: Definition, dialect: Dialect, reason: str) -> KernelSighting:
    """Return a definition that only the syntactic layer showed."""
    head = source.raw[found.start : found.body]
    within = source.lexemes[source.position(found.parameters[0]) : source.position(found.parameters[1])]
    return KernelSighting(
        span=source.span(found.start, found.end),
        name=found.name,
        qualified_name=found.name,
        dialect=dialect,
        found_by=Layer.SYNTACTIC,
        reason=reason,
        source=source.text(found.start, found.end),
        template_head=template_head(head),
        parameters=tuple(written_parameter(text) for text in split(source, within)),
        attributes=attributes(head),
    )
