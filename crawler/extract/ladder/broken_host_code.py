"""Leave out what of a unit does not compile for the host and is not for the device."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from clang.cindex import CursorKind

from crawler.cpp.edits import blank_ranges
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_structure_marks
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.ladder.flat_declarations import FlatDeclaration
from crawler.extract.ladder.unit_check import UnitError


def blank_broken_host_code(
    source: SourceText,
    declarations: Sequence[FlatDeclaration],
    errors: Sequence[UnitError],
) -> str:
    """Return a unit's text without the host's declarations that errors stand in."""
    error_lines = {line for error in errors for line in error.lines}
    # where the errors themselves are: their notes show what is right, too
    broken_lines = {line for error in errors for line in error.lines[:1]}
    broken_ranges: list[tuple[int, int]] = []
    for declaration in declarations:
        first_line = source.line_number(declaration.start)
        last_line = source.line_number(declaration.end - 1)
        if error_lines.isdisjoint(range(first_line, last_line + 1)):
            continue

        if declaration.is_for_host and declaration.has_whole_conditionals:
            broken_ranges.append((declaration.start, declaration.end))
        else:
            broken_ranges += _iter_host_members_at(declaration, broken_lines)
        broken_lines.difference_update(range(first_line, last_line + 1))

    broken_ranges += _iter_statements_at(source, broken_lines)
    return blank_ranges(source.raw, broken_ranges)


def _iter_host_members_at(
    declaration: FlatDeclaration, lines: AbstractSet[int]
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the host's member functions in lines that their class declares alone."""
    pending = [part.cursor for part in declaration.parts]
    while pending:
        cursor = pending.pop()
        if cursor.kind in TYPE_KINDS:
            pending += cursor.get_children()
        elif cursor.kind in FUNCTION_KINDS and not cursor.is_definition():
            kinds = {child.kind for child in cursor.get_children()}
            if CursorKind.CUDADEVICE_ATTR in kinds:
                continue
            extent = cursor.extent
            span = range(extent.start.line, extent.end.line + 1)
            if not lines.isdisjoint(span):
                yield extent.start.offset, extent.end.offset


def _iter_statements_at(
    source: SourceText, lines: Collection[int]
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of what stands in lines between marks of structure, up to a semicolon.

    The compiler has no declaration for it, as for `using namespace` of what is missing.
    """
    start = 0
    for mark in find_structure_marks(source):
        text = source.raw[start : mark.start]
        begin = start + len(text) - len(text.lstrip())
        if mark.text == ";" and source.line_number(begin) in lines:
            yield begin, mark.end
        start = mark.end
