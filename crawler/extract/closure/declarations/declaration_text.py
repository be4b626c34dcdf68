"""Render declarations as a kernel unit holds them: inside their namespaces, without host-only
code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from crawler.cpp.directives import CLOSING, OPENING, conditional_directives
from crawler.cpp.edits import Edit
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import DIRECTIVE, iter_structure_marks
from crawler.extract.clang.cursor_kinds import TYPE_KINDS
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import USING_NAMESPACE_PATTERN, NamespacePath
from crawler.extract.closure.context.closure_members import (
    is_namespace_alias,
    is_using_directive,
)
from crawler.extract.closure.context.inner_inclusions import find_inclusion_edits
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.extern_variables import define_extern_variable
from crawler.extract.nvcc.asm_operands import separate_asm_operands
from crawler.extract.nvcc.asm_registers import escape_asm_registers
from crawler.extract.nvcc.implicit_template import insert_template
from crawler.extract.nvcc.implicit_typename import insert_typename
from crawler.extract.nvcc.misplaced_alignas import move_alignas_first
from crawler.extract.nvcc.self_named_defaults import qualify_self_named_defaults
from crawler.extract.nvcc.shadowed_parameters import rename_shadowed_parameters
from crawler.extract.nvcc.sized_shared_arrays import omit_extents_of_dynamic_arrays

_NAMED_NAMESPACE: Final = re.compile(
    rf"(?:{USING_NAMESPACE_PATTERN.pattern}|\bnamespace\s+\w+\s*=\s*(?:::\s*)?([\w:]+))"
)
"""The namespace that a directive opens, or that an alias stands for."""


def find_using_directives(
    declarations: list[Declaration], context: UnitContext
) -> list[Declaration]:
    """Return the `using namespace` of the files that fragments come from, and those of others
    that they lean on.
    """
    files = {declaration.path for declaration in declarations}
    all_directives = [
        declaration
        for declaration in context.declarations
        if is_using_directive(declaration)
    ]

    directives = [directive for directive in all_directives if directive.path in files]
    opened = {
        (directive.namespaces, _find_opened_namespace(directive, context))
        for directive in directives
    }

    used_scopes: set[tuple[NamespacePath, NamespacePath]] = set()
    # most units have none elsewhere
    if len(directives) < len(all_directives):
        used_scopes = _find_scopes_used_from_elsewhere(declarations, context)

    for directive in all_directives:
        outer = directive.namespaces
        target = _find_opened_namespace(directive, context)
        if (outer, target) in opened:
            continue

        is_used = any(
            used_scope == target and scope[: len(outer)] == outer
            for scope, used_scope in used_scopes
        )

        if is_used:
            opened.add((outer, target))
            directives.append(directive)

    return directives


def _find_scopes_used_from_elsewhere(
    declarations: list[Declaration], context: UnitContext
) -> set[tuple[NamespacePath, NamespacePath]]:
    """Return (scope, used scope) where a declaration names what stands in neither its own scope
    nor one round it.
    """
    pairs = set()
    for declaration in declarations:
        scope = context.scopes.namespace_path(declaration)
        for used_scope in context.get_references(declaration).scopes:
            if used_scope and scope[: len(used_scope)] != used_scope:
                pairs.add((scope, used_scope))

    return pairs


def find_opened_aliases(
    directives: Iterable[Declaration], context: UnitContext
) -> list[Declaration]:
    """Return the project's aliases of namespaces by which directives open them.

    No declaration names such an alias, and without it the directive does not compile.
    """
    aliases = {
        id(alias): alias
        for directive in directives
        for alias in _list_opened_aliases(directive, context)
    }

    return list(aliases.values())


def _list_opened_aliases(
    directive: Declaration, context: UnitContext
) -> list[Declaration]:
    source = directive.source
    match = _NAMED_NAMESPACE.search(source.raw, directive.start, directive.end)
    if match is None or match[1] is None:
        return []

    name = match[1].split("::")[0]
    return [
        declaration
        for declaration in context.declarations
        if is_namespace_alias(declaration)
        and name in declaration.names
        and directive.namespaces[: len(declaration.namespaces)]
        == declaration.namespaces
    ]


def is_foreign_directive(directive: Declaration, context: UnitContext) -> bool:
    """Tell whether a directive opens a namespace that is none of the project's, by the name that
    others know it by.
    """
    if _list_opened_aliases(directive, context):
        return False

    source = directive.source
    names = source.names_between(directive.start, directive.end)

    return all(
        names.isdisjoint(namespace) for namespace in context.scopes.all_namespaces
    )


def render_declaration(declaration: Declaration, context: UnitContext) -> str:
    """Return a declaration's text in the scopes that it stands in."""
    host_edits = context.get_host_edits(declaration)
    edits = sorted(
        (
            *host_edits,
            *find_inclusion_edits(
                declaration, context.inclusions, context.sources, host_edits
            ),
            *context.nvcc_edits.get(id(declaration), ()),
        )
    )

    source = declaration.source
    text = _render_range(
        source,
        declaration.start,
        declaration.end,
        edits,
    )
    # line ends as on Unix, whatever the file has
    text = _make_declaration_portable(text.replace("\r\n", "\n"), context.type_names)
    text = define_extern_variable(text, declaration, context.declarations)
    # clang ends a declaration in front of its semicolon, and the type of
    # `typedef enum { RED, BLUE } Colour;` in front of `Colour`
    is_type = declaration.cursor.kind in TYPE_KINDS
    if not text.endswith(";") and (is_type or not text.endswith("}")):
        text += ";"

    text += "\n#endif" * _count_open_conditionals(text)

    lines: list[str] = []
    # `namespace short = some::project;` means a namespace as `using namespace` does
    if is_using_directive(declaration) or is_namespace_alias(declaration):
        lines += _open_namespace_first(declaration, context)

    lines += declaration.scope_openings
    lines.append(text)
    lines += ["}"] * len(declaration.scope_openings)

    return "\n".join(lines)


def _render_range(
    source: SourceText, start: int, end: int, edits: Sequence[Edit]
) -> str:
    """Return a range with its edits applied, as real text.

    Each piece is decoded by itself: the offsets are those of bytes.
    """
    pieces: list[str] = []
    for edit_start, edit_end, replacement in edits:
        pieces.append(source.text_between(start, edit_start))
        pieces.append(replacement)
        start = edit_end

    pieces.append(source.text_between(start, end))

    return "".join(pieces)


# kernels of one unit share most of their declarations
@lru_cache(maxsize=1 << 14)
def _make_declaration_portable(text: str, type_names: frozenset[str]) -> str:
    return make_portable(text, type_names).strip()


def make_portable(text: str, type_names: frozenset[str]) -> str:
    """Return declarations as every compiler takes them, not nvcc alone."""
    text = insert_typename(text, type_names)
    text = insert_template(text)
    text = move_alignas_first(text)
    text = omit_extents_of_dynamic_arrays(text)
    text = escape_asm_registers(text)
    text = separate_asm_operands(text)
    text = qualify_self_named_defaults(text)

    return rename_shadowed_parameters(text)


def _count_open_conditionals(text: str) -> int:
    """Return how many `#if` of a text lack their `#endif`, which stands behind the declaration."""
    if "#" not in text:
        return 0

    directive_ranges = [
        (mark.start, mark.end)
        for mark in iter_structure_marks(text)
        if mark.text == DIRECTIVE
    ]

    count = 0
    for directive in conditional_directives(text, directive_ranges):
        count += directive.keyword in OPENING
        count -= directive.keyword == CLOSING

    return count


def _open_namespace_first(
    directive: Declaration, context: UnitContext
) -> tuple[str, ...]:
    """Return a line that opens the namespace of the project that a directive means.

    What the unit holds of that namespace may stand behind the directive.
    """
    namespace = _find_opened_namespace(directive, context)
    if not namespace:
        return ()

    return (f"namespace {'::'.join(namespace)} {{}}",)


def _find_opened_namespace(
    directive: Declaration, context: UnitContext
) -> NamespacePath:
    """Return the namespace of the project that a directive or an alias means: the innermost of
    that name, or none.
    """
    source = directive.source
    match = _NAMED_NAMESPACE.search(
        source.raw,
        directive.start,
        directive.end,
    )
    if match is None:
        return ()

    words = (match[1] or match[2]).split("::")
    for length in range(len(directive.namespaces), -1, -1):
        namespace = (*directive.namespaces[:length], *words)
        if namespace in context.scopes.all_namespaces:
            return namespace

    return ()
