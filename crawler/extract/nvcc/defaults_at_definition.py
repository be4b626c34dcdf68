"""Move default arguments from a template definition to its first declaration.

nvcc accepts them at the definition too; clang does not. In a unit they stand where the template
is declared first.
"""

from __future__ import annotations

from collections.abc import Sequence

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.declarations import Declaration


def collect_default_argument_moves(
    declarations: Sequence[Declaration], sources: SourceFiles
) -> dict[int, tuple[Edit, ...]]:
    """Return what moves: by the identity of a declaration, what is left out of it, or put in."""
    templates = [
        declaration
        for declaration in declarations
        if declaration.cursor.kind is CursorKind.FUNCTION_TEMPLATE
    ]
    declared_names = {
        name
        for template in templates
        if not template.is_definition
        for name in template.names
    }
    declared = [
        template
        for template in templates
        if not declared_names.isdisjoint(template.names)
    ]
    template_by_cursor = {template.cursor.hash: template for template in declared}

    edits: dict[int, tuple[Edit, ...]] = {}

    for definition in declared:
        if not _may_have_defaults(definition):
            continue

        # clang knows which declarations are of one template, whatever their parameters are
        # called
        first_cursor = definition.cursor.canonical
        first = template_by_cursor.get(first_cursor.hash, definition)
        if first is definition:
            continue

        removals, insertions = _move_defaults(definition, first, sources)
        if removals:
            edits[id(definition)] = removals
            edits[id(first)] = insertions

    return edits


def _may_have_defaults(declaration: Declaration) -> bool:
    """Tell whether a declaration is a definition whose parameters may have defaults."""
    if not declaration.is_definition:
        return False

    behind_name = declaration.raw_text.partition("(")[2]
    parameters = behind_name.partition("{")[0]
    return "=" in parameters


def _move_defaults(
    definition: Declaration, first: Declaration, sources: SourceFiles
) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """Return what is removed from a definition, and what is inserted into its declaration."""
    source = sources[definition.path]
    first_source = sources[first.path]
    parameter_pairs = zip(
        _parameter_cursors(definition.cursor),
        _parameter_cursors(first.cursor),
        strict=False,
    )

    removals: list[Edit] = []
    insertions: list[Edit] = []

    for parameter, first_parameter in parameter_pairs:
        default_start = _find_default(parameter, source)
        if not default_start or _find_default(first_parameter, first_source):
            continue

        default_end = parameter.extent.end.offset
        default = source.text_between(default_start, default_end)
        removals.append((default_start, default_end, ""))

        first_end = first_parameter.extent.end.offset
        insertions.append((first_end, first_end, f" {default}"))

    return tuple(removals), tuple(insertions)


def _parameter_cursors(function: Cursor) -> list[Cursor]:
    return [
        child for child in function.get_children() if child.kind is CursorKind.PARM_DECL
    ]


def _find_default(parameter: Cursor, source: SourceText) -> int:
    """Return the offset of a parameter's `=`; 0 where it has none."""
    extent = parameter.extent
    first = source.lexeme_index(extent.start.offset)
    last = source.lexeme_index(extent.end.offset)

    for lexeme in source.lexemes[first:last]:
        if lexeme.text == "=":
            return lexeme.offset

    return 0
