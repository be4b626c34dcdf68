"""Render declarations as a kernel unit holds them: inside their namespaces, without host-only
code.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import USING_NAMESPACE_PATTERN
from crawler.extract.nvcc.asm_registers import escape_asm_registers
from crawler.extract.nvcc.implicit_typename import insert_typename
from crawler.extract.nvcc.misplaced_alignas import move_alignas_first
from crawler.extract.nvcc.shadowed_parameters import rename_shadowed_parameters

if TYPE_CHECKING:
    from crawler.extract.closure.unit_context import UnitContext

_OPENED: Final = re.compile(r"^[ \t]*#[ \t]*if", re.MULTILINE)
_CLOSED: Final = re.compile(r"^[ \t]*#[ \t]*endif", re.MULTILINE)


def find_using_directives(
    declarations: list[Declaration], context: UnitContext
) -> list[Declaration]:
    """Return the `using namespace` of the files that fragments come from, and those of others
    that they lean on.
    """
    files = {declaration.path for declaration in declarations}
    every = [
        declaration
        for declaration in context.declarations
        if is_using_directive(declaration)
    ]
    own = [directive for directive in every if directive.path in files]
    reached = {(directive.namespaces, _target(directive, context)) for directive in own}
    leant_on = _leant_on(declarations, context) if len(own) < len(every) else set()
    for directive in every:
        way = (directive.namespaces, _target(directive, context))
        scopes = {scope for scope, opened in leant_on if opened == way[1]}
        if way not in reached and any(
            scope[: len(way[0])] == way[0] for scope in scopes
        ):
            reached.add(way)
            own.append(directive)
    return own


def _leant_on(
    chosen: list[Declaration], around: UnitContext
) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return (scope, other scope) where a declaration names what stands in neither its own
    scope nor one round it.
    """
    scopes = around.scopes
    pairs = {
        (scopes.namespace_path(one), named)
        for one in chosen
        for named in around.get_references(one).scopes
    }
    return {
        (scope, other)
        for scope, other in pairs
        if other and scope[: len(other)] != other
    }


def is_using_directive(declaration: Declaration) -> bool:
    """Tell `using namespace` from other declarations."""
    return bool(declaration.cursor.kind.name == "USING_DIRECTIVE")


def is_foreign_directive(directive: Declaration, context: UnitContext) -> bool:
    """Tell whether a directive opens a namespace that is none of the project's."""
    named = context.sources[directive.path].names_between(
        directive.start, directive.end
    )
    return not any(named.intersection(space) for space in context.scopes.all_namespaces)


def render_declaration(declaration: Declaration, context: UnitContext) -> str:
    """Return a declaration's text in the scopes that it stands in."""
    source = context.sources[declaration.path]
    text, start = "", declaration.start
    for cut, behind, instead in sorted(
        (
            *context.get_host_edits(declaration),
            *context.moved_defaults.get(id(declaration), ()),
        )
    ):
        text += source.text_between(start, cut) + instead
        start = behind
    text = (text + source.text_between(start, declaration.end)).replace("\r\n", "\n")
    text = _portable(text, context.type_names)
    if not text.endswith((";", "}")):
        text += ";"
    text += "\n#endif" * (len(_OPENED.findall(text)) - len(_CLOSED.findall(text)))
    opened = _opened(declaration, context) if is_using_directive(declaration) else ()
    return "\n".join(
        (
            *opened,
            *declaration.scope_openings,
            text,
            *("}" for _ in declaration.scope_openings),
        )
    )


@lru_cache(maxsize=1 << 14)
def _portable(text: str, types: frozenset[str]) -> str:
    """Return a declaration as every compiler takes it; kernels of one unit share most of theirs."""
    return rename_shadowed_parameters(
        escape_asm_registers(move_alignas_first(insert_typename(text, types)))
    ).strip()


def _opened(directive: Declaration, around: UnitContext) -> tuple[str, ...]:
    """Return a line that opens the namespace of the project that a directive means."""
    scope = _target(directive, around)
    return (f"namespace {'::'.join(scope)} {{}}",) if scope else ()


def _target(directive: Declaration, around: UnitContext) -> tuple[str, ...]:
    """Return the namespace of the project that a directive means: the innermost of that name,
    or none.
    """
    source = around.sources[directive.path]
    found = USING_NAMESPACE_PATTERN.search(source.raw, directive.start, directive.end)
    words = tuple(found.group(1).split("::")) if found else ()
    for length in range(len(directive.namespaces), -1, -1):
        scope = (*directive.namespaces[:length], *words)
        if words and scope in around.scopes.all_namespaces:
            return scope
    return ()
