"""The declarations of a flat unit as ranges of its text, with the names by which they are used."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crawler.cpp.comments import blank_comments
from crawler.cpp.directives import CLOSING, OPENING, conditional_directives
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.files.structure_marks import (
    find_directive_ranges,
    find_structure_marks,
)
from crawler.cpp.lexer import GAPS
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.clang.cursor_queries import CursorLocations
from crawler.extract.clang.declarations import Declaration, collect_declarations
from crawler.extract.clang.scoped_cursors import collect_scoped_cursors
from crawler.extract.closure.context.closure_members import is_using_directive
from crawler.extract.ladder.unit_check import UNIT_PATH, UNIT_ROOT

# the first tokens of a declaration: it may be long, and is not tokenized for two of them
_EXPLICIT_INSTANTIATION: Final = re.compile(
    rf"(?:extern\b{GAPS})?template\b(?!{GAPS}<)"
)
_OPERATOR: Final = "operator"


@dataclass(frozen=True, eq=False)
class FlatDeclaration:
    """A range of a flat unit's text that is kept or dropped as a whole.

    Declarations that overlap are one: `typedef struct { … } name;` shows as two.
    """

    source: SourceText
    start: int
    end: int
    parts: tuple[Declaration, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names by which code may refer to it; none of what is found otherwise."""
        return frozenset(name for part in self.parts for name in part.names)

    @cached_property
    def words(self) -> frozenset[str]:
        """All names in its text."""
        return self.source.names_between(self.start, self.end)

    @cached_property
    def is_kernel(self) -> bool:
        """Whether it is a kernel, or a class that has one."""
        return any(part.kind == "kernel" for part in self.parts)

    @cached_property
    def is_operator(self) -> bool:
        """Whether it is a free operator, which code uses without its name."""
        return any(name.startswith(_OPERATOR) for name in self.names)

    @cached_property
    def is_using(self) -> bool:
        """Whether it is `using namespace`, which code uses without naming it."""
        return any(map(is_using_directive, self.parts))

    @cached_property
    def is_superfluous(self) -> bool:
        """Whether no kernel ever needs it: an assertion, an explicit instantiation."""
        if all(part.kind == "assertion" for part in self.parts):
            return True
        return bool(_EXPLICIT_INSTANTIATION.match(self.source.raw, self.start))

    @cached_property
    def is_for_host(self) -> bool:
        """Whether device code cannot use it, so that it may go where it does not compile."""
        return all(
            part.kind in ("using", "assertion")
            or (part.kind in ("function", "variable") and not part.is_usable_on_device)
            for part in self.parts
        )

    @cached_property
    def has_whole_conditionals(self) -> bool:
        """Whether each `#if` in it ends in it, so that it can be left out."""
        depth = 0
        ranges = find_directive_ranges(self.source)
        first = bisect_left(ranges, (self.start, 0))
        behind = bisect_left(ranges, (self.end, 0))
        directives = ranges[first:behind]
        for directive in conditional_directives(self.source.raw, directives):
            depth += directive.keyword in OPENING
            depth -= directive.keyword == CLOSING
            # an `#else` of an `#if` that stands before it
            if depth < 0 or (not depth and directive.keyword != CLOSING):
                return False

        return not depth


def collect_flat_declarations(
    clang_unit: ClangUnit, source: SourceText
) -> list[FlatDeclaration]:
    """Return the declarations of a parsed flat unit, in order."""
    sources = SourceFiles(UNIT_ROOT)
    sources.add(source)
    locations = CursorLocations(UNIT_ROOT, "")
    scoped_cursors = collect_scoped_cursors(clang_unit, locations, sources)
    declarations = collect_declarations(scoped_cursors, sources, lambda _: True)

    own_declarations = [
        declaration
        for declaration in declarations
        if declaration.path == UNIT_PATH and declaration.owner_class is None
    ]
    member_kernels = [
        declaration for declaration in declarations if declaration.owner_class
    ]
    own_declarations += member_kernels
    return list(_join_overlapping(source, own_declarations))


def _join_overlapping(
    source: SourceText, declarations: Iterable[Declaration]
) -> Iterator[FlatDeclaration]:
    ordered = sorted(
        declarations,
        key=lambda declaration: (declaration.start, -declaration.end),
    )
    parts: list[Declaration] = []
    end = 0
    previous_end = 0
    for declaration in ordered:
        if parts and declaration.start >= end:
            start = _extend_backwards(source, parts[0].start, previous_end)
            yield FlatDeclaration(source, start, end, tuple(parts))
            previous_end = end
            parts = []

        parts.append(declaration)
        end = max(end, declaration.end)

    if parts:
        start = _extend_backwards(source, parts[0].start, previous_end)
        yield FlatDeclaration(source, start, end, tuple(parts))


def _extend_backwards(source: SourceText, start: int, previous_end: int) -> int:
    """Return where the text of a declaration begins that clang's range begins within.

    A macro for an attribute may stand before it. The declaration before ends at `previous_end`.
    """
    marks = find_structure_marks(source)
    index = bisect_left(marks, start, key=lambda mark: mark.start)
    if index:
        previous_end = max(previous_end, marks[index - 1].end)

    between = blank_comments(source.raw[previous_end:start])
    if not between.strip():
        return start
    return previous_end + len(between) - len(between.lstrip())
