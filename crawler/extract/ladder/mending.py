"""Mend a kernel's closure by what its compiler says of it.

Where an error stands in a declaration that the kernel can do without, it goes. What needs it is an
error of the next round, so that nothing is lost unseen: the kernel itself never goes. A function
with overloads loses its body alone, so that no other is taken in its place: nvcc does not look into
a template that nobody instantiates, and clang does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit, overwrite_ranges
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_structure_marks
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.clang.cursor_queries import get_specialized_template
from crawler.extract.clang.declaration_extent import find_declaration_extent
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.emit_unit import find_fragment_ranges
from crawler.extract.closure.host_code.function_bodies import (
    find_body,
    has_deduced_type,
)
from crawler.extract.ladder.cut_closure import cut_closure
from crawler.extract.ladder.flat_declarations import (
    FlatDeclaration,
    collect_flat_declarations,
)
from crawler.extract.ladder.reduction import select_needed
from crawler.extract.ladder.unit_check import UNIT_PATH, list_errors
from crawler.model import Closure, Rung

_MAX_ROUNDS: Final = 8
"""Parses at most: what goes may be what something else needs."""
_DROPPABLE_KINDS: Final = FUNCTION_KINDS | {
    CursorKind.FRIEND_DECL,
    CursorKind.STATIC_ASSERT,
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
    CursorKind.USING_DECLARATION,
    CursorKind.VAR_DECL,
}
"""What a class can do without as long as nobody names it: no field, by which it is laid out."""
_TEMPLATE_KINDS: Final = {
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    CursorKind.FUNCTION_TEMPLATE,
}
_Range = tuple[int, int]
ParseSource = Callable[[str, bool], ClangUnit | None]
"""Parses the text of a unit; an error, if that is asked for, is a function without a definition."""


def mend_closure(
    closure: Closure, source: str, parse_source: ParseSource
) -> Closure | None:
    """Return a closure without what does not compile in it and its kernel does not need.

    `source` is the text of its unit, as `parse_source` reads it. `None` where that is not enough.
    """
    ranges = find_fragment_ranges(closure, source)
    if not ranges:
        return None

    text = source
    declared_lines: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        clang_unit = parse_source(text, bool(declared_lines))
        if clang_unit is None:
            return None

        errors = [error for error in list_errors(clang_unit) if error.lines]
        if declared_lines:
            missing = [error for error in errors if error.misses_definition]
            if any(not declared_lines.isdisjoint(error.lines) for error in missing):
                # a template is instantiated whose body is gone
                return None
            errors = [error for error in errors if not error.misses_definition]

        lines = {error.lines[0] for error in errors}
        if not lines:
            return _cut_closure(closure, text, ranges)

        unit_source = SourceText(UNIT_PATH, text.encode("latin-1", "replace"))
        mender = _Mender(unit_source, clang_unit, ranges[-1][0])
        mended_text = overwrite_ranges(text, mender.find_cuts(lines))
        if mended_text == text:
            return None

        text = mended_text
        declared_lines |= mender.declared_lines

    return None


def _cut_closure(closure: Closure, text: str, ranges: Sequence[_Range]) -> Closure:
    """Return a closure with the fragments that a mended text of its unit has."""
    rung = Rung.MENDED if closure.rung is Rung.MINIMAL else closure.rung
    return replace(cut_closure(closure, text, ranges), rung=rung)


class _Mender:
    """One round: a parse of a unit's text, and what can go of it."""

    def __init__(
        self, source: SourceText, clang_unit: ClangUnit, kernel_start: int
    ) -> None:
        self._source = source
        self._declarations = [
            declaration
            for declaration in collect_flat_declarations(clang_unit, source)
            if declaration.end <= kernel_start or declaration.is_kernel
        ]
        self._name_counts = Counter(
            name for declaration in self._declarations for name in declaration.names
        )
        self._kernel_start = kernel_start
        self.declared_lines: set[int] = set()
        """The lines of the templates whose bodies are among its cuts."""

    def find_cuts(self, lines: AbstractSet[int]) -> list[Edit]:
        """Return the smallest ranges that hold these lines and that the kernel may not need."""
        if any(
            declaration.is_kernel
            and not lines.isdisjoint(self._list_lines(declaration))
            for declaration in self._declarations
        ):
            # what the kernel itself lacks comes not back by what goes
            return []

        cuts: list[Edit] = []
        remaining_lines = set(lines)
        for declaration in self._declarations:
            broken_lines = remaining_lines.intersection(self._list_lines(declaration))
            remaining_lines -= broken_lines
            if broken_lines and declaration.has_whole_conditionals:
                cuts += self._iter_cuts_in(declaration, broken_lines)

        return cuts + list(self._iter_statements_at(remaining_lines))

    def _iter_cuts_in(
        self, declaration: FlatDeclaration, lines: set[int]
    ) -> Iterator[Edit]:
        member_cuts = [
            member_cut
            for part in declaration.parts
            for member_cut in self._iter_members_at(part.cursor, lines)
        ]
        if member_cuts:
            yield from member_cuts
        elif declaration.is_for_host or self._is_only_one_of_its_names(declaration):
            yield declaration.start, declaration.end, ""
        else:
            for part in declaration.parts:
                if part.cursor.kind in _TEMPLATE_KINDS:
                    yield from self._iter_bodies_at(part.cursor, lines)

    def _iter_bodies_at(self, function: Cursor, lines: set[int]) -> Iterator[Edit]:
        """Yield the body of a function that some of these lines stand in."""
        if function.kind not in FUNCTION_KINDS:
            return

        start, end = find_declaration_extent(function, self._source)
        body = find_body(self._source, start, end)
        if body is None or has_deduced_type(self._source, start, end):
            return

        if not lines.isdisjoint(self._list_lines_between(body, end)):
            self.declared_lines.update(self._list_lines_between(start, end))
            yield body, end, ";"

    def _is_only_one_of_its_names(self, declaration: FlatDeclaration) -> bool:
        """Tell whether code that used a declaration would miss it, and take nothing else for it.

        An overload or a specialisation that is gone would leave the kernel to another one, which
        may stand in a header.
        """
        if declaration.is_kernel or declaration.is_operator or declaration.is_using:
            return False
        if any(map(_specialises_template, declaration.parts)):
            return False
        if declaration in self._functions_in_reach:
            return False
        return all(self._name_counts[name] == 1 for name in declaration.names)

    @cached_property
    def _functions_in_reach(self) -> frozenset[FlatDeclaration]:
        """The functions that the kernel may call, as far as words tell."""
        kernels = [
            declaration for declaration in self._declarations if declaration.is_kernel
        ]
        needed, _ = select_needed(
            self._declarations, find_macros(self._source), kernels, ()
        )
        return frozenset(
            declaration
            for declaration in needed
            if any(part.kind == "function" for part in declaration.parts)
        )

    def _iter_members_at(self, owner: Cursor, lines: set[int]) -> Iterator[Edit]:
        """Yield the ranges of members of a class that stand in lines and that it can do without."""
        if owner.kind not in TYPE_KINDS:
            return

        members = list(owner.get_children())
        name_counts = Counter(member.spelling for member in members)
        remaining_lines = set(lines)
        for member in members:
            extent = member.extent
            member_lines = range(extent.start.line, extent.end.line + 1)
            if lines.isdisjoint(member_lines):
                continue
            remaining_lines.difference_update(member_lines)
            if member.kind in TYPE_KINDS:
                yield from self._iter_members_at(
                    member, lines.intersection(member_lines)
                )
            elif member.kind in _DROPPABLE_KINDS and not _is_virtual(member):
                is_host = not _has_device_attribute(member)
                if is_host or name_counts[member.spelling] == 1:
                    yield *find_declaration_extent(member, self._source), ""
                elif owner.kind in _TEMPLATE_KINDS or member.kind in _TEMPLATE_KINDS:
                    yield from self._iter_bodies_at(member, lines)

        yield from self._iter_statements_at(remaining_lines)

    def _iter_statements_at(self, lines: AbstractSet[int]) -> Iterator[Edit]:
        """Yield the ranges of what stands in lines between marks of structure, up to a semicolon.

        The compiler has no declaration for it, as for a macro that it does not know.
        """
        start = 0
        for mark in find_structure_marks(self._source):
            text = self._source.raw[start : mark.start]
            begin = start + len(text) - len(text.lstrip())
            is_statement = mark.text == ";" and bool(text.strip())
            is_at_line = self._source.line_number(begin) in lines
            if is_statement and is_at_line and mark.end <= self._kernel_start:
                yield begin, mark.end, ""
            start = mark.end

    def _list_lines_between(self, start: int, end: int) -> range:
        first_line = self._source.line_number(start)
        return range(first_line, self._source.line_number(end - 1) + 1)

    def _list_lines(self, declaration: FlatDeclaration) -> range:
        return self._list_lines_between(declaration.start, declaration.end)


def _specialises_template(declaration: Declaration) -> bool:
    cursor = declaration.cursor
    if cursor.kind is CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION:
        return True
    return get_specialized_template(cursor) is not None


def _has_device_attribute(member: Cursor) -> bool:
    kinds = {child.kind for child in member.get_children()}
    return CursorKind.CUDADEVICE_ATTR in kinds


def _is_virtual(member: Cursor) -> bool:
    return member.kind in FUNCTION_KINDS and bool(member.is_virtual_method())
