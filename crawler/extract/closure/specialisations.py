"""Select the class template specialisations whose argument types a closure already holds.

A library specialises its traits for some thousand types. One that nothing else names is no
argument of anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.brackets import skip_angles_backwards
from crawler.cpp.identifier_uses import collect_lexeme_identifiers
from crawler.cpp.source_text import Lexeme, SourceFiles
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NameLookup

_CLASSES: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL}
_BEHIND_ARGUMENTS: Final = frozenset({"{", ";", ":"})
_TYPES: Final = ("type", "alias")
_LONGEST: Final = 4_000
_DEEPEST: Final = 4
"""Aliases of aliases that are followed."""
_MOST_ALIASED: Final = 500
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
        self._wanted: dict[int, tuple[frozenset[int], ...]] = {
            id(required_declaration): ()
        }

    def select_needed(
        self, named_declarations: Iterable[Declaration], included_ids: Collection[int]
    ) -> list[Declaration]:
        """Return which of the declarations that are named by now are needed, by the identities
        of those taken.
        """
        self._waiting.update((id(one), one) for one in named_declarations)
        found = [
            one for one in self._waiting.values() if self._has_types(one, included_ids)
        ]
        for one in found:
            del self._waiting[id(one)]
        return found

    def _has_types(self, declaration: Declaration, taken: Collection[int]) -> bool:
        known = self._wanted.get(id(declaration))
        if known is None:
            known = self._wanted[id(declaration)] = tuple(self._types(declaration))
        return all(any(one in taken for one in same) for same in known)

    def _types(self, declaration: Declaration) -> Iterator[frozenset[int]]:
        """Yield, for each type of the project that a specialisation's arguments name, what
        declares it.
        """
        if not _is_specialisation(declaration):
            return
        parameters, arguments = _head(declaration, self._sources)
        for mention in collect_lexeme_identifiers(_without_traits(arguments)):
            if mention.name in parameters:
                continue
            found = list(self._scopes.resolve_identifier(mention, declaration))
            types = self._standing_for(found)
            # where a library has the template and the project specialises it, the library's is
            # meant
            if all(one.kind in _TYPES for one in found) and not all(
                map(_is_specialisation, types)
            ):
                yield frozenset(map(id, (*found, *types)))

    def _standing_for(self, named: Iterable[Declaration]) -> list[Declaration]:
        """Return types, and those that aliases stand for: what something uses may never be
        called by its alias.
        """
        seen = {id(one): one for one in named}
        fresh = list(seen.values())
        for _ in range(_DEEPEST):
            aliases = [one for one in fresh if one.kind == "alias"]
            meant = {id(each): each for one in aliases for each in self._named(one)}
            fresh = [each for each in meant.values() if id(each) not in seen][
                :_MOST_ALIASED
            ]
            seen.update((id(one), one) for one in fresh)
        return [one for one in seen.values() if one.kind == "type"]

    def _named(self, alias: Declaration) -> Iterator[Declaration]:
        cut = self._sources[alias.path].lexemes_between(
            alias.start, min(alias.end, alias.start + _LONGEST)
        )
        return (
            one
            for mention in collect_lexeme_identifiers(list(cut))
            for one in self._scopes.resolve_identifier(mention, alias)
        )


def _without_traits(arguments: list[Lexeme]) -> list[Lexeme]:
    """Leave out the names of templates whose members are asked: `is_tuple<T>::value` is a
    condition, and no type.

    What stands in front of such a `::` is deduced from nothing; it comes along with the
    specialisation.
    """
    asked = {
        skip_angles_backwards(arguments, at - 1)
        for at, one in enumerate(arguments[1:], 1)
        if _is_asked(arguments, at)
    }
    return [one for at, one in enumerate(arguments) if at not in asked]


def _is_asked(arguments: list[Lexeme], at: int) -> bool:
    return arguments[at].text == "::" and arguments[at - 1].text == ">"


def _is_specialisation(declaration: Declaration) -> bool:
    kind = declaration.cursor.kind
    if kind is CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION:
        return True
    return kind in _CLASSES and declaration.cursor.get_num_template_arguments() >= 0


def _head(
    declaration: Declaration, sources: SourceFiles
) -> tuple[frozenset[str], list[Lexeme]]:
    """Return the words in front of a specialisation's name, and the tokens between that and its
    body or its bases.
    """
    source, name = sources[declaration.path], declaration.cursor.location.offset
    if not declaration.start <= name < declaration.end:
        return frozenset(), []
    cut = source.lexemes_between(name, min(declaration.end, name + _LONGEST))[1:]
    behind = next(
        (at for at, lexeme in enumerate(cut) if lexeme.text in _BEHIND_ARGUMENTS), 0
    )
    return source.names_between(declaration.start, name), list(cut[:behind])
