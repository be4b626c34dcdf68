"""Which specialisations of class templates a closure needs: those for types that are in it for another reason.

A library specialises its traits for some thousand types. One that nothing else names is no argument of anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from clang.cindex import CursorKind

from crawler.extract.brackets import before_angles
from crawler.extract.declarations import Declaration
from crawler.extract.mentions import mentions_of
from crawler.extract.scopes import Scopes
from crawler.extract.source import Lexeme, Sources

_CLASSES: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL}
_BEHIND_ARGUMENTS: Final = frozenset({"{", ";", ":"})
_TYPES: Final = ("type", "alias")
_LONGEST: Final = 4_000
_DEEPEST: Final = 4
"""Aliases of aliases that are followed."""
_MOST_ALIASED: Final = 500
"""Declarations that are looked at of each such step."""


class Specialisations:
    """The specialisations that one closure's names may mean, those aside whose types it does not have yet."""

    def __init__(self, scopes: Scopes, sources: Sources, needed: Declaration | None = None) -> None:
        """`needed` is in the closure whatever it is for."""
        self._scopes = scopes
        self._sources = sources
        self._waiting: dict[int, Declaration] = {}
        self._wanted: dict[int, tuple[frozenset[int], ...]] = {id(needed): ()}

    def meant(self, named: Iterable[Declaration], taken: Collection[int]) -> list[Declaration]:
        """Return which of the declarations that are named by now are needed, by the identities of those taken."""
        self._waiting.update((id(one), one) for one in named)
        found = [one for one in self._waiting.values() if self._has_types(one, taken)]
        for one in found:
            del self._waiting[id(one)]
        return found

    def _has_types(self, declaration: Declaration, taken: Collection[int]) -> bool:
        known = self._wanted.get(id(declaration))
        if known is None:
            known = self._wanted[id(declaration)] = tuple(self._types(declaration))
        return all(any(one in taken for one in same) for same in known)

    def _types(self, declaration: Declaration) -> Iterator[frozenset[int]]:
        """Yield, for each type of the project that a specialisation's arguments name, what declares it."""
        if not _is_specialisation(declaration):
            return
        parameters, arguments = _head(declaration, self._sources)
        for mention in mentions_of(_without_traits(arguments)):
            if mention.name in parameters:
                continue
            found = list(self._scopes.meant(mention, declaration))
            types = self._standing_for(found)
            # where a library has the template and the project specialises it, the library's is meant
            if all(one.kind in _TYPES for one in found) and not all(map(_is_specialisation, types)):
                yield frozenset(map(id, (*found, *types)))

    def _standing_for(self, named: Iterable[Declaration]) -> list[Declaration]:
        """Return types, and those that aliases stand for: what something uses may never be called by its alias."""
        seen = {id(one): one for one in named}
        fresh = list(seen.values())
        for _ in range(_DEEPEST):
            aliases = [one for one in fresh if one.kind == "alias"]
            meant = {id(each): each for one in aliases for each in self._named(one)}
            fresh = [each for each in meant.values() if id(each) not in seen][:_MOST_ALIASED]
            seen.update((id(one), one) for one in fresh)
        return [one for one in seen.values() if one.kind == "type"]

    def _named(self, alias: Declaration) -> Iterator[Declaration]:
        cut = self._sources[alias.path].cut(alias.start, min(alias.end, alias.start + _LONGEST))
        return (one for mention in mentions_of(list(cut)) for one in self._scopes.meant(mention, alias))


def _without_traits(arguments: list[Lexeme]) -> list[Lexeme]:
    """Leave out the names of templates whose members are asked: `is_tuple<T>::value` is a condition, and no type.

    What stands in front of such a `::` is deduced from nothing; it comes along with the specialisation.
    """
    asked = {before_angles(arguments, at - 1) for at, one in enumerate(arguments[1:], 1) if _is_asked(arguments, at)}
    return [one for at, one in enumerate(arguments) if at not in asked]


def _is_asked(arguments: list[Lexeme], at: int) -> bool:
    return arguments[at].text == "::" and arguments[at - 1].text == ">"


def _is_specialisation(declaration: Declaration) -> bool:
    kind = declaration.cursor.kind
    if kind is CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION:
        return True
    return kind in _CLASSES and declaration.cursor.get_num_template_arguments() >= 0


def _head(declaration: Declaration, sources: Sources) -> tuple[frozenset[str], list[Lexeme]]:
    """Return the words in front of a specialisation's name, and the tokens between that and its body or its bases."""
    source, name = sources[declaration.path], declaration.cursor.location.offset
    if not declaration.start <= name < declaration.end:
        return frozenset(), []
    cut = source.cut(name, min(declaration.end, name + _LONGEST))[1:]
    behind = next((at for at, lexeme in enumerate(cut) if lexeme.text in _BEHIND_ARGUMENTS), 0)
    return source.words(declaration.start, name), list(cut[:behind])
