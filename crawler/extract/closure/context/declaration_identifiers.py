"""Collect the identifiers that a declaration's text names, also by its macros."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.identifier_uses import Identifier, collect_identifiers
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import Macro
from crawler.cpp.preprocessor.token_pasting import (
    find_joined_identifiers,
    find_pastable_names,
    find_pasted_identifiers,
    find_table_names,
)
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.signature import TEMPLATE_PARAMETER_KINDS
from crawler.extract.closure.host_code.whole_lines import TextEdit

_PARAMETER_KINDS: Final = frozenset({*TEMPLATE_PARAMETER_KINDS, CursorKind.PARM_DECL})
_MAX_PASTABLE_MACROS: Final = 16
"""Macros that another one may mean; more of them are a table, of which one is used."""


def collect_declaration_identifiers(
    declaration: Declaration,
    source: SourceText,
    host_edits: Sequence[TextEdit],
    macros: Mapping[str, Sequence[Macro]],
) -> frozenset[Identifier]:
    """Return the identifiers in a declaration, outside of what is left out of it."""
    identifiers: set[Identifier] = set()
    start = declaration.start
    end_mark = (declaration.end, declaration.end, "")
    for edit_start, edit_end, _ in (*host_edits, end_mark):
        identifiers |= collect_identifiers(
            source,
            start,
            edit_start,
        )
        identifiers.update(find_pasted_identifiers(source, start, edit_start, macros))
        start = edit_end

    for opening in declaration.scope_openings:
        # `inline namespace name {`: all but the first word and the brace
        for name in opening.split()[1:-1]:
            identifiers.add(Identifier(name, is_scope=True))

    return frozenset(identifiers)


def hide_macros(
    macros: Mapping[str, Sequence[Macro]],
    declaration: Declaration,
    identifiers: Iterable[Identifier],
) -> Mapping[str, Sequence[Macro]]:
    """Return the macros without those that a parameter of a declaration is called like.

    Were `DIM_X` a macro by then, clang had seen its text and no parameter of that name: it is
    defined further down, for those who use the template.
    """
    named = {identifier.name for identifier in identifiers} & macros.keys()
    # a macro with parameters means nothing where no parenthesis follows
    named = {
        name
        for name in named
        if all(macro.parameters is None for macro in macros[name])
    }
    if not named:
        return macros

    hidden = named & {
        child.spelling
        for child in declaration.cursor.get_children()
        if child.kind in _PARAMETER_KINDS
    }
    if not hidden:
        return macros

    return {name: macro for name, macro in macros.items() if name not in hidden}


def list_macro_names(
    identifiers: Iterable[Identifier], macros: Mapping[str, Sequence[Macro]]
) -> set[str]:
    """Return the names that may be macros: in front of `::` is none that takes parameters."""
    return {
        identifier.name
        for identifier in identifiers
        if not identifier.is_scope
        or any(macro.parameters is None for macro in macros.get(identifier.name, ()))
    }


def expand_macros(
    names: Collection[str], macros: Mapping[str, Sequence[Macro]]
) -> tuple[list[Macro], list[Identifier]]:
    """Return the macros that names mean, transitively, and the identifiers in their texts."""
    used_macros: list[Macro] = []
    identifiers: list[Identifier] = []
    pending = set(names)
    expanded = set(names)
    searched_uses: set[tuple[str, str]] = set()
    used_by_macros = False
    while pending:
        # sorted, so that the order does not depend on hashes
        named_macros = [
            macro for name in sorted(pending) for macro in macros.get(name, ())
        ]

        used_macros += named_macros
        new_identifiers = [
            identifier for macro in named_macros for identifier in macro.identifiers
        ]

        for macro in named_macros:
            new_identifiers += find_joined_identifiers(macro, macros)
            table_names = find_table_names(macro, macros, searched_uses)
            new_identifiers += map(Identifier, sorted(table_names))
            # the arguments of a use in a declaration are known, those of one in a macro are not
            if used_by_macros:
                new_identifiers += _find_pastable_macros(macro, macros)

        used_by_macros = True
        identifiers += new_identifiers
        pending = {identifier.name for identifier in new_identifiers} - expanded
        expanded |= pending

    return used_macros, identifiers


def _find_pastable_macros(
    macro: Macro, macros: Collection[str]
) -> Iterator[Identifier]:
    """Yield the few macros whose names another one may paste, whatever its arguments are.

    `#define STRIP_(...) EMPTY_##__VA_ARGS__` means `EMPTY_MARK` by the arguments that `MARK` is
    given to.
    """
    # to sort thousands of names for each macro of each declaration takes long
    if "##" not in macro.text:
        return

    names = find_pastable_names(macro, sorted(macros))
    if len(names) <= _MAX_PASTABLE_MACROS:
        for name in sorted(names):
            yield Identifier(name)
