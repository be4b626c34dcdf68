"""What a flat unit leaves out of the project's files: host functions, explicit instantiations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.edits import Edit
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import TYPE_KINDS
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.host_code.strip_host_code import find_member_body_edits

# code without comments and literals: libclang has no cursor where it instantiates nothing new
_EXPLICIT_INSTANTIATION: Final = re.compile(
    r"^[ \t]*(?:extern[ \t]+)?template[ \t\n]+(?!class\b|struct\b|union\b|<)[^;{}#]{0,2000};",
    re.MULTILINE,
)
_MEMBER_KINDS: Final = frozenset(
    {
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
    }
)


def collect_host_edits(context: UnitContext) -> dict[str, list[Edit]]:
    """Return what each file loses: bodies of the host's functions, explicit instantiations.

    A function that is instantiated explicitly is one for the host, or a kernel, which a unit
    instantiates itself.
    """
    edits: dict[str, set[Edit]] = defaultdict(set)
    for declaration in context.declarations:
        if _is_free_function(declaration.cursor):
            edits[declaration.path].update(context.get_host_edits(declaration))
        elif _defines_member_of_host(declaration, context):
            # a member that is defined elsewhere is declared in its class already
            edits[declaration.path].add((declaration.start, declaration.end, ""))
        else:
            source = declaration.source
            edits[declaration.path].update(find_member_body_edits(declaration, source))

    for path in context.files:
        edits[path].update(_find_explicit_instantiations(context.sources[path]))

    return {
        path: _drop_overlapping(sorted(file_edits))
        for path, file_edits in edits.items()
    }


@cache_per_source
def _find_explicit_instantiations(source: SourceText) -> tuple[Edit, ...]:
    """Return the explicit instantiations of functions in a file."""
    if "template" not in source.raw:
        return ()

    code = blank_comments_and_literals(source.raw)
    directives = find_directive_ranges(source)
    edits: list[Edit] = []
    for match in _EXPLICIT_INSTANTIATION.finditer(code):
        start, end = match.span()
        index = bisect_right(directives, (start, len(code))) - 1
        # a macro may stand for one
        if index < 0 or directives[index][1] <= start:
            edits.append((start, end, ""))

    return tuple(edits)


def _is_free_function(cursor: Cursor) -> bool:
    if cursor.kind is CursorKind.FUNCTION_DECL:
        return True
    # without its body, a member would be declared outside of its class
    parent = cursor.semantic_parent
    is_member = parent is not None and parent.kind in TYPE_KINDS
    return cursor.kind is CursorKind.FUNCTION_TEMPLATE and not is_member


def _defines_member_of_host(declaration: Declaration, context: UnitContext) -> bool:
    if declaration.cursor.kind not in _MEMBER_KINDS:
        return False
    if declaration.raw_text.startswith("template"):
        return False
    return bool(context.get_host_edits(declaration))


def _drop_overlapping(edits: Sequence[Edit]) -> list[Edit]:
    disjoint: list[Edit] = []
    for edit in edits:
        if not disjoint or edit[0] >= disjoint[-1][1]:
            disjoint.append(edit)

    return disjoint
