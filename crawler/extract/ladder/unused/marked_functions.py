"""Functions of a unit with an attribute each, by which clang says where overload resolution chooses
them.

Source: Clang's "Attributes in Clang", `diagnose_if` and `deprecated`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clang import cindex

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.ladder.flat_declarations import FlatDeclaration
from crawler.extract.nvcc.target_words import find_specifiers

MARK_FLAGS: Final = ("-Wuser-defined-warnings", "-Wdeprecated-declarations")
"""With which clang says so."""
_MISSING_OPTION: Final = "-Wundefined-"
MISSING_FLAGS: Final = tuple(
    f"-Wno-error=undefined-{kind}" for kind in ("func-template", "inline", "internal")
)
"""To be told of all definitions that are missing: behind an error clang looks for no other."""
_EMPTY_HEAD: Final = "template<>"
# what clang says of a marked function: `ks:12`, or `'to<float, int>' is deprecated: ks:12`
_MARK: Final = re.compile(r"(?:^|deprecated: )ks:(\d+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedFunction:
    """A function that stands alone among the declarations of a unit."""

    number: int
    cursor: Cursor
    start: int
    end: int
    mark_offset: int
    """Where an attribute may stand: behind the heads of its templates."""
    is_member: bool
    is_specialization: bool

    @property
    def has_name(self) -> bool:
        """Whether code calls it by its name: no operator, and no constructor."""
        if self.cursor.spelling.startswith("operator"):
            return False
        owner = self.cursor.semantic_parent
        is_constructor = owner is not None and _bare_name(owner) == _bare_name(
            self.cursor
        )
        return not is_constructor

    @property
    def mark(self) -> str:
        """The attribute with which clang warns where the function is chosen."""
        # a specialisation has the other attribute of its template, which says nothing of it
        if self.is_specialization:
            return f'__attribute__((deprecated("ks:{self.number}"))) '
        return f'__attribute__((diagnose_if(1, "ks:{self.number}", "warning"))) '


def iter_functions(
    source: SourceText, declarations: Sequence[FlatDeclaration], kernel_start: int
) -> Iterator[MarkedFunction]:
    """Yield the functions in front of the kernel that may be marked, and of which clang says
    where they are missing.
    """
    for number, declaration in enumerate(declarations):
        is_alone = len(declaration.parts) == 1 and declaration.has_whole_conditionals
        cursor = declaration.parts[0].cursor
        if not is_alone or declaration.is_kernel or declaration.end > kernel_start:
            continue
        if cursor.kind not in FUNCTION_KINDS:
            continue

        part = declaration.parts[0]
        mark_offset = find_specifiers(part.source, part.start, part.end)
        heads = "".join(source.raw[declaration.start : mark_offset].split())
        parent = cursor.semantic_parent
        is_member = parent is not None and parent.kind in TYPE_KINDS
        # of a class that is no template, a missing definition is no error
        if is_member and ("template" not in heads or heads.startswith(_EMPTY_HEAD)):
            continue
        if _is_made_by_macro(source, mark_offset):
            continue

        yield MarkedFunction(
            number=number,
            cursor=cursor,
            start=declaration.start,
            end=declaration.end,
            mark_offset=mark_offset,
            is_member=is_member,
            is_specialization=_EMPTY_HEAD in heads,
        )


def _is_made_by_macro(source: SourceText, offset: int) -> bool:
    """Tell whether a declaration may be what a macro makes: no attribute may stand in front."""
    first = source.lexeme_index(offset)
    return [word.text for word in source.lexemes[first + 1 : first + 2]] == ["("]


def _bare_name(cursor: Cursor) -> str:
    # `vec<L, T, Q>` of a constructor template
    return cursor.spelling.partition("<")[0]


def iter_marks(clang_unit: ClangUnit) -> Iterator[int]:
    """Yield the numbers of marked functions that are chosen somewhere in a parse."""
    for diagnostic in clang_unit.diagnostics:
        mark = _MARK.search(diagnostic.spelling)
        if mark and diagnostic.severity == cindex.Diagnostic.Warning:
            yield int(mark[1])


def iter_missing_lines(clang_unit: ClangUnit) -> Iterator[int]:
    """Yield the lines of declarations that lack a definition, and of what needs it."""
    for diagnostic in clang_unit.diagnostics:
        if diagnostic.option.startswith(_MISSING_OPTION):
            yield diagnostic.location.line
            yield from (note.location.line for note in diagnostic.children)
