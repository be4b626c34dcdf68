"""Assemble a closure: library headers, macros, declarations in their order, and the kernel last."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from crawler.cpp.edits import Edit
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.signature import template_parameter_cursors
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.declaration_text import (
    find_opened_aliases,
    find_using_directives,
    is_foreign_directive,
    render_declaration,
)
from crawler.extract.closure.declarations.device_globals import find_device_globals
from crawler.extract.closure.includes.installed_headers import (
    list_versions,
    replace_shims,
)
from crawler.extract.closure.includes.library_headers import (
    LIBCUDACXX_WORD,
    select_includes,
)
from crawler.extract.closure.macros.macro_redefinitions import (
    find_redefinitions,
    place_late_macros,
)
from crawler.extract.closure.macros.per_arch_defines import render_define
from crawler.extract.nvcc.defaults_at_definition import collect_default_argument_moves
from crawler.extract.nvcc.inherited_targets import collect_inherited_target_edits
from crawler.extract.nvcc.specialisation_targets import collect_target_edits
from crawler.model import Closure, Span

# clang calls what has no name by its place: `(unnamed enum at /scratch/tree/a.cu:103:1)`
_UNNAMED_PLACE: Final = re.compile(r"(?<= at ).*(?=:\d+:\d+\)$)")
_Fragment = tuple[str, Span | None]
"""A piece of a unit's text, and where it comes from."""


def assemble_closure(
    kernel: Declaration,
    declarations: Iterable[Declaration],
    used_macros: Collection[Macro],
    words: frozenset[str],
    context: UnitContext,
) -> Closure:
    """Return a kernel with the declarations and macros that it leads to, as ordered pieces of
    text.

    `words` are those of the arguments of its instantiations.
    """
    members = _order_declarations(declarations, kernel, context)
    context.nvcc_edits.update(_collect_nvcc_edits(members, context))

    using_directives = find_using_directives([*members, kernel], context)
    opened_aliases = find_opened_aliases(using_directives, context)
    members += [alias for alias in opened_aliases if alias not in members]
    fragments = _render_fragments(
        kernel,
        members,
        using_directives,
        used_macros,
        context,
    )

    closure_words = set(words)
    # the headers of a library are told by its names, macros included
    for declaration in (*members, *using_directives, kernel):
        closure_words |= context.get_references(declaration).words

    for macro in used_macros:
        closure_words |= macro.used_names

    if any(context.own_cuda_namespace.leaves_libcudacxx(text) for text, _ in fragments):
        closure_words.add(LIBCUDACXX_WORD)

    includes = replace_shims(
        select_includes(closure_words, context.project_names, context.dialect),
        closure_words - context.project_names,
        context.installed_headers,
    )

    origins = _map_origins(fragments, closure_words, context)
    dependencies = {_name_dependency(member) for member in members if member.names}

    return Closure(
        includes=includes,
        libraries=list_versions(includes, context.installed_headers),
        fragments=tuple(origins),
        origins=tuple(origins.values()),
        dependencies=tuple(sorted(dependencies)),
        state=find_device_globals(members, context.sources),
        owner_parameters=_count_owner_parameters(kernel),
    )


def _name_dependency(declaration: Declaration) -> str:
    """Return the name of a declaration; where it has none, its place within the project.

    The place that clang knows is on this machine's disk, where the checkout lay for a while.
    """
    return _UNNAMED_PLACE.sub(lambda _: declaration.path, declaration.names[0])


def _collect_nvcc_edits(
    members: Sequence[Declaration], context: UnitContext
) -> dict[int, tuple[Edit, ...]]:
    """Return what clang wants otherwise than nvcc, by the identity of a declaration."""
    edits = collect_default_argument_moves(members, context.sources)
    for insertions_by_key in (
        collect_target_edits(members),
        collect_inherited_target_edits(members),
    ):
        for key, insertions in insertions_by_key.items():
            edits[key] = (*edits.get(key, ()), *insertions)
    return edits


def _order_declarations(
    declarations: Iterable[Declaration], kernel: Declaration, context: UnitContext
) -> list[Declaration]:
    ordered = sorted(
        declarations,
        key=lambda declaration: context.declaration_order[id(declaration)],
    )
    return [
        declaration
        for declaration in _drop_nested(ordered)
        if declaration is not kernel
    ]


def _drop_nested(declarations: list[Declaration]) -> list[Declaration]:
    """Drop what stands inside another: `typedef struct { … } name;` shows as two declarations."""
    # by place, the longer of two that begin together first
    outermost_ids: set[int] = set()
    # the class of a lambda has a text of its own
    source, end = None, -1
    by_place = sorted(
        declarations,
        key=lambda declaration: (
            id(declaration.source),
            declaration.start,
            -declaration.end,
        ),
    )

    for declaration in by_place:
        if declaration.source is not source or declaration.end > end:
            source, end = declaration.source, declaration.end
            outermost_ids.add(id(declaration))

    return [
        declaration for declaration in declarations if id(declaration) in outermost_ids
    ]


def _render_fragments(
    kernel: Declaration,
    members: Sequence[Declaration],
    using_directives: Sequence[Declaration],
    used_macros: Collection[Macro],
    context: UnitContext,
) -> list[_Fragment]:
    """Return the pieces of a unit behind its headers, in order.

    Macros stand first, where no declaration has to wait for them; those that may not, and the
    `using namespace` of the project's own, stand among the declarations.
    """
    foreign_directives: list[Declaration] = []
    own_directives: list[Declaration] = []
    for directive in using_directives:
        is_foreign = is_foreign_directive(directive, context)
        (foreign_directives if is_foreign else own_directives).append(directive)

    # in the order in which the preprocessor takes them
    macros = sorted(
        used_macros,
        key=lambda macro: (context.file_order.get(macro.path, 0), macro.name_offset),
    )

    redefinitions = find_redefinitions(macros)
    late_macros = place_late_macros(macros, redefinitions, [*members, kernel], context)
    placed_macros = [macro for _, macro, _ in late_macros]

    fragments: list[_Fragment] = [
        (render_define(macro, context.sources[macro.path]), _span_of(macro, context))
        for macro in macros
        if macro not in placed_macros
    ]

    for directive in foreign_directives:
        fragments.append(_render(directive, context))

    positioned: list[tuple[float, _Fragment]] = []
    for declaration in (*members, *own_directives):
        position = context.declaration_order[id(declaration)]
        positioned.append((float(position), _render(declaration, context)))

    for place, macro, text in late_macros:
        positioned.append((place, (text, _span_of(macro, context))))

    positioned.sort(key=lambda item: item[0])
    fragments += [fragment for _, fragment in positioned]

    # the class of a member kernel holds it
    if kernel.owner_class is None:
        fragments.append(_render(kernel, context))

    return fragments


def _render(declaration: Declaration, context: UnitContext) -> _Fragment:
    return render_declaration(declaration, context), declaration.span


def _span_of(macro: Macro, context: UnitContext) -> Span:
    return context.sources[macro.path].make_span(macro.start, macro.end)


def _map_origins(
    fragments: Iterable[_Fragment], words: Collection[str], context: UnitContext
) -> dict[str, Span | None]:
    """Return the fragments behind the macros of the command line that they use, each once."""
    origins: dict[str, Span | None] = {}
    for define in context.defines:
        if define.split("=")[0] in words:
            origins[_render_command_line_define(define)] = None

    for text, span in fragments:
        # a declaration repeated in the same words stands once
        origins.setdefault(text, span)

    return origins


def _render_command_line_define(define: str) -> str:
    name, _, value = define.partition("=")
    return f"#define {name} {value or 1}"


def _count_owner_parameters(kernel: Declaration) -> int:
    """Return how many template parameters the class of a member kernel has."""
    if kernel.owner_class is None:
        return 0

    return len(template_parameter_cursors(kernel.owner_class.cursor))
