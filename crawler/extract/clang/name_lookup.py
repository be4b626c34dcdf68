"""Resolve identifiers to declarations by C++ namespace lookup."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.cpp.directive_ranges import find_directive_ranges
from crawler.cpp.identifier_uses import Identifier
from crawler.cpp.source_text import SourceFiles, SourceText, cache_per_source
from crawler.extract.clang.declarations import Declaration

NamespacePath = tuple[str, ...]
USING_NAMESPACE_PATTERN: Final = re.compile(r"\busing\s+namespace\s+(?:::\s*)?([\w:]+)")
_ALIAS: Final = re.compile(r"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?([\w:]+)\s*;")
_DEFINED: Final = re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+([\w:]+)[ \t\r]*\Z")
_INLINE: Final = "inline namespace "


class NameLookup:
    """The namespaces of one translation unit."""

    def __init__(
        self,
        declarations: Collection[Declaration],
        files: Iterable[str],
        sources: SourceFiles,
        defines: Iterable[str],
    ) -> None:
        self._sources = sources
        wrappers = {
            wrapper
            for declaration in declarations
            for wrapper in declaration.scope_openings
        }
        self._inline = {
            wrapper.split()[2] for wrapper in wrappers if wrapper.startswith(_INLINE)
        }
        found = {declaration.namespaces for declaration in declarations}
        self.all_namespaces: Final = frozenset(
            one[:length] for one in found for length in range(1, len(one) + 1)
        )
        """All namespaces that hold something, by their whole names."""
        self._by_name: dict[str, list[Declaration]] = defaultdict(list)
        self._namespaces: set[str] = set()
        self._directives: dict[NamespacePath, set[NamespacePath]] = defaultdict(set)
        self._aliases: dict[str, NamespacePath] = {}
        self._visible: dict[NamespacePath, frozenset[NamespacePath]] = {}
        self._leading: dict[NamespacePath, frozenset[NamespacePath]] = {}
        self._looked_into: dict[int, frozenset[NamespacePath]] = {}
        for declaration in declarations:
            self._namespaces.update(declaration.namespaces)
            for name in declaration.names:
                self._by_name[name].append(declaration)
        self._alias(files, defines)
        for declaration in declarations:
            if declaration.cursor.kind is CursorKind.USING_DIRECTIVE:
                self._direct(declaration)

    def _alias(self, files: Iterable[str], defines: Iterable[str]) -> None:
        """Note other names of namespaces, those that are macros among them."""
        known = [
            (name, value)
            for name, _, value in (define.partition("=") for define in defines)
        ]
        for path in files:
            known += _renamed(self._sources[path])
        for name, meant in known:
            words = tuple(meant.split("::"))
            if name not in self._namespaces and self._namespaces.issuperset(words):
                self._aliases[name] = words

    def namespace_path(self, declaration: Declaration) -> NamespacePath:
        """Return the namespaces that a declaration stands in, inline ones left out."""
        if self._inline.isdisjoint(declaration.namespaces):
            return declaration.namespaces
        return tuple(
            name for name in declaration.namespaces if name not in self._inline
        )

    def resolve_identifier(
        self,
        identifier: Identifier,
        referrer: Declaration,
        argument_scopes: Collection[NamespacePath] = (),
    ) -> Iterator[Declaration]:
        """Yield what `identifier` in `referrer` may mean; `argument_scopes` are the namespaces
        of types that a call may bring along.
        """
        candidates = self._by_name.get(identifier.name, ())
        if not candidates or identifier.is_member:
            return
        places = self._places(referrer)
        if identifier.qualifier:
            yield from self._qualified(candidates, identifier.qualifier, places)
            return
        for candidate in candidates:
            scope = self.namespace_path(candidate)
            if scope in places or (
                identifier.is_called
                and candidate.kind == "function"
                and scope in argument_scopes
            ):
                yield candidate

    def may_need_argument_lookup(self, identifier: Identifier) -> bool:
        """Tell whether a call may find a function by the types of its arguments."""
        candidates = self._by_name.get(identifier.name, ())
        plain = (
            identifier.is_called
            and not identifier.qualifier
            and not identifier.is_member
        )
        return plain and any(
            one.kind == "function" and one.namespaces for one in candidates
        )

    def _qualified(
        self,
        candidates: Collection[Declaration],
        qualifier: tuple[str, ...],
        places: frozenset[NamespacePath],
    ) -> Iterator[Declaration]:
        chain = self._resolved(qualifier)
        if chain is None:
            return
        near = frozenset[NamespacePath]().union(
            *(self._opened(self._reduced((*place, *chain))) for place in places)
        )
        exact = [
            candidate
            for candidate in candidates
            if self.namespace_path(candidate) in near
        ]
        ending = [
            one
            for one in candidates
            if chain and self.namespace_path(one)[-len(chain) :] == chain
        ]
        yield from exact or ending

    def _opened(self, scope: NamespacePath) -> frozenset[NamespacePath]:
        """Return the namespaces that a path may lead to where `using namespace` opens others on
        its way.
        """
        known = self._leading.get(scope)
        if known is None:
            found: set[NamespacePath] = {()}
            for word in scope:
                found = {(*one, word) for one in found}
                found |= {further for one in found for further in self._reached(one)}
            known = self._leading[scope] = frozenset(found)
        return known

    def _resolved(self, qualifier: tuple[str, ...]) -> NamespacePath | None:
        """Return a qualifier's namespaces; `None` where it is no namespace of the project's,
        but a class, or `std`.
        """
        if qualifier[0] == "" and len(qualifier) == 1:
            return ()
        words = qualifier[1:] if qualifier[0] == "" else qualifier
        words = (*self._aliases.get(words[0], (words[0],)), *words[1:])
        return (
            self._reduced(words)
            if all(word in self._namespaces for word in words)
            else None
        )

    def _reduced(self, words: NamespacePath) -> NamespacePath:
        return tuple(word for word in words if word not in self._inline)

    def _places(self, declaration: Declaration) -> frozenset[NamespacePath]:
        """Return the scopes that a declaration's plain names are looked up in."""
        known = self._looked_into.get(id(declaration))
        if known is None:
            known = self._looked_into[id(declaration)] = frozenset(
                self._places_of(declaration)
            )
        return known

    def _places_of(self, declaration: Declaration) -> set[NamespacePath]:
        own = {self.namespace_path(declaration)}
        if "::" in "".join(declaration.names[:1]) or declaration.kind in (
            "function",
            "kernel",
            "variable",
        ):
            own.add(self._reduced(_semantic(declaration.cursor)))
        if "using" in (
            text := self._sources[declaration.path].raw[
                declaration.start : declaration.end
            ]
        ):
            named = [
                tuple(name.split("::"))
                for name in USING_NAMESPACE_PATTERN.findall(text)
            ]
            own |= {
                (*scope[:length], *name)
                for scope in own
                for length in range(len(scope) + 1)
                for name in named
            }
        found: set[NamespacePath] = set()
        for scope in own:
            if scope not in self._visible:
                self._visible[scope] = frozenset(self._reached_from_all(scope))
            found |= self._visible[scope]
        return found

    def _reached_from_all(self, scope: NamespacePath) -> Iterator[NamespacePath]:
        for length in range(len(scope) + 1):
            yield scope[:length]
            yield from self._reached(scope[:length])

    def _reached(self, scope: NamespacePath) -> set[NamespacePath]:
        """Return what `using namespace` in a scope opens, transitively."""
        found: set[NamespacePath] = set()
        pending = [scope]
        while pending:
            fresh = self._directives.get(pending.pop(), set()) - found
            found |= fresh
            pending += fresh
        return found

    def _direct(self, directive: Declaration) -> None:
        written = USING_NAMESPACE_PATTERN.search(directive.raw_text)
        if written is None:
            return
        words = tuple(written.group(1).split("::"))
        words = self._reduced((*self._aliases.get(words[0], (words[0],)), *words[1:]))
        here = self.namespace_path(directive)
        for length in range(len(here), -1, -1):
            self._directives[here].add((*here[:length], *words))


@cache_per_source
def _renamed(source: SourceText) -> tuple[tuple[str, str], ...]:
    """Return (name, what it may mean) of macros and of aliases of namespaces."""
    defined = (
        _DEFINED.match(source.raw[start:end])
        for start, end in find_directive_ranges(source)
    )
    aliases = _ALIAS.findall(source.raw) if "namespace" in source.raw else ()
    return (*((found[1], found[2]) for found in defined if found), *aliases)


def _semantic(cursor: Any) -> NamespacePath:
    """Return the namespaces that a declaration belongs to, which a definition outside of them
    is written with.
    """
    names: list[str] = []
    parent = cursor.semantic_parent
    while parent is not None and parent.kind is not CursorKind.TRANSLATION_UNIT:
        if (
            parent.kind is CursorKind.NAMESPACE
            and parent.spelling
            and "(anonymous" not in parent.spelling
        ):
            names.append(parent.spelling)
        parent = parent.semantic_parent
    return tuple(reversed(names))
