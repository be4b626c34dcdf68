"""Select the class template specialisations whose argument types a closure already holds.

A library specialises its traits for some thousand types. One that nothing else names is no
argument of anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from clang.cindex import CursorKind, TemplateArgumentKind

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import skip_angles_backwards
from crawler.cpp.files.identifier_uses import (
    Identifier,
    collect_lexeme_identifiers,
)
from crawler.cpp.files.source_text import Lexeme, SourceFiles
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import get_template_argument_kind
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NameLookup

_CLASS_KINDS: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL}
_TYPE_KINDS: Final = ("type", "alias")
_END_OF_ARGUMENTS: Final = frozenset({"{", ";", ":"})
_MAX_LENGTH: Final = 4_000
_MAX_ALIAS_DEPTH: Final = 4
"""Aliases of aliases that are followed."""
_MAX_ALIASED: Final = 500
"""Declarations that are looked at of each such step."""


class SpecialisationSelector:
    """The specialisations that one closure's names may mean, those aside whose types it does
    not have yet.
    """

    def __init__(
        self,
        scopes: NameLookup,
        sources: SourceFiles,
        required_declaration: Declaration | None = None,
    ) -> None:
        """`required_declaration` is in the closure whatever it is for."""
        self._scopes = scopes
        self._sources = sources
        self._waiting: dict[int, Declaration] = {}
        self._required_types: dict[int, tuple[frozenset[int], ...]] = {
            id(required_declaration): ()
        }

        """By the identity of a declaration: for each type, the identities of what declares it."""

    def select_needed(
        self, named_declarations: Iterable[Declaration], included_ids: Collection[int]
    ) -> list[Declaration]:
        """Return which of the declarations that are named by now are needed.

        `included_ids` are the identities of those in the closure.
        """
        for declaration in named_declarations:
            self._waiting[id(declaration)] = declaration

        needed = [
            declaration
            for declaration in self._waiting.values()
            if self._has_types(declaration, included_ids)
        ]

        for declaration in needed:
            del self._waiting[id(declaration)]

        return needed

    def _has_types(
        self, declaration: Declaration, included_ids: Collection[int]
    ) -> bool:
        key = id(declaration)
        if key not in self._required_types:
            self._required_types[key] = tuple(self._iter_required_types(declaration))

        return all(
            any(type_id in included_ids for type_id in alternatives)
            for alternatives in self._required_types[key]
        )

    def _iter_required_types(
        self, declaration: Declaration
    ) -> Iterator[frozenset[int]]:
        """Yield, for each type of the project that a specialisation's arguments name, what
        declares it.
        """
        if not _is_specialisation(declaration):
            return

        parameters, arguments = _read_head(declaration, self._sources)
        type_arguments = _drop_values(declaration.cursor, arguments)
        for identifier in collect_lexeme_identifiers(_drop_trait_names(type_arguments)):
            # a template parameter of the partial specialisation
            if identifier.name in parameters:
                continue

            # all overloads and redeclarations of a name
            named = list(self._scopes.resolve_identifier(identifier, declaration))
            if _names_enumerator(identifier, named):
                continue

            types = self._follow_aliases(named)
            if not all(candidate.kind in _TYPE_KINDS for candidate in named):
                continue
            # where a library has the template and the project specialises it, the library's is
            # meant
            if not all(map(_is_specialisation, types)):
                yield frozenset(map(id, (*named, *types)))

    def _follow_aliases(self, named: Iterable[Declaration]) -> list[Declaration]:
        """Return types, and those that aliases stand for: what something uses may never be
        called by its alias.
        """
        reached = {id(declaration): declaration for declaration in named}
        latest = list(reached.values())
        for _ in range(_MAX_ALIAS_DEPTH):
            aliased: dict[int, Declaration] = {}
            for declaration in latest:
                # `using Half = c10::Half;`
                if declaration.kind == "alias":
                    for target in self._iter_alias_targets(declaration):
                        aliased[id(target)] = target

            new_ids = [key for key in aliased if key not in reached]
            latest = [aliased[key] for key in new_ids[:_MAX_ALIASED]]
            reached.update((id(declaration), declaration) for declaration in latest)

        return [
            declaration
            for declaration in reached.values()
            if declaration.kind == "type"
        ]

    def _iter_alias_targets(self, alias: Declaration) -> Iterator[Declaration]:
        source = alias.source
        end = min(alias.end, alias.start + _MAX_LENGTH)
        lexemes = list(source.lexemes_between(alias.start, end))
        for identifier in collect_lexeme_identifiers(lexemes):
            yield from self._scopes.resolve_identifier(identifier, alias)


def _names_enumerator(identifier: Identifier, named: Sequence[Declaration]) -> bool:
    """Tell whether an argument is a value: `Mode::fast`, or `fast` alone.

    Nobody who has the value need ever name its enumeration, as `apply<1>` does not.
    """
    kinds = {declaration.cursor.kind for declaration in named}
    if kinds != {CursorKind.ENUM_DECL}:
        return False

    own_names = {declaration.cursor.spelling for declaration in named}
    return identifier.is_scope or identifier.name not in own_names


def _drop_values(specialisation: Cursor, arguments: list[Lexeme]) -> Sequence[Lexeme]:
    """Leave out the arguments that are values, such as `Shape::Kind::round`.

    Nobody who has the value need ever name the class that its constant stands in.
    """
    parts = split_tokens(arguments[1:-1], angles=True)
    # a pack or a default leaves fewer
    if specialisation.get_num_template_arguments() != len(parts):
        return arguments

    integral = TemplateArgumentKind.INTEGRAL
    return [
        lexeme
        for index, part in enumerate(parts)
        if get_template_argument_kind(specialisation, index) is not integral
        for lexeme in part
    ]


def _drop_trait_names(arguments: Sequence[Lexeme]) -> list[Lexeme]:
    """Leave out the names of templates whose members are asked: `is_tuple<T>::value` is a
    condition, and no type.

    What stands in front of such a `::` is deduced from nothing; it comes along with the
    specialisation.
    """
    trait_positions = set()
    for position in range(1, len(arguments)):
        closing = position - 1
        if arguments[position].text == "::" and arguments[closing].text == ">":
            trait_positions.add(skip_angles_backwards(arguments, closing))

    return [
        lexeme
        for position, lexeme in enumerate(arguments)
        if position not in trait_positions
    ]


def _is_specialisation(declaration: Declaration) -> bool:
    cursor = declaration.cursor
    if cursor.kind is CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION:
        return True

    return cursor.kind in _CLASS_KINDS and cursor.get_num_template_arguments() >= 0


def _read_head(
    declaration: Declaration, sources: SourceFiles
) -> tuple[frozenset[str], list[Lexeme]]:
    """Return the words in front of a specialisation's name, and the tokens between that and its
    body or its bases.
    """
    source = declaration.source
    name_offset = declaration.cursor.location.offset
    # a macro may have made the name
    if not declaration.start <= name_offset < declaration.end:
        return frozenset(), []

    end = min(declaration.end, name_offset + _MAX_LENGTH)
    behind_name = source.lexemes_between(name_offset, end)[1:]
    arguments: list[Lexeme] = []
    for lexeme in behind_name:
        if lexeme.text in _END_OF_ARGUMENTS:
            words_before = source.names_between(declaration.start, name_offset)
            return words_before, arguments

        arguments.append(lexeme)

    return source.names_between(declaration.start, name_offset), []
