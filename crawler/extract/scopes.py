"""Which of a unit's declarations a name may mean, by the namespaces that C++ looks into."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.extract.declarations import Declaration
from crawler.extract.mentions import Mention
from crawler.extract.skim import directives
from crawler.extract.source import Sources, SourceText, remembered

Scope = tuple[str, ...]
DIRECTIVE: Final = re.compile(r"\busing\s+namespace\s+(?:::\s*)?([\w:]+)")
_ALIAS: Final = re.compile(r"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?([\w:]+)\s*;")
_DEFINED: Final = re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+([\w:]+)[ \t\r]*\Z")
_INLINE: Final = "inline namespace "


class Scopes:
    """The namespaces of one translation unit."""

    def __init__(
        self, declarations: Collection[Declaration], files: Iterable[str], sources: Sources, defines: Iterable[str]
    ) -> None:
        self._sources = sources
        wrappers = {wrapper for declaration in declarations for wrapper in declaration.wrappers}
        self._inline = {wrapper.split()[2] for wrapper in wrappers if wrapper.startswith(_INLINE)}
        found = {declaration.namespaces for declaration in declarations}
        self.spaces: Final = frozenset(one[:length] for one in found for length in range(1, len(one) + 1))
        """All namespaces that hold something, by their whole names."""
        self._by_name: dict[str, list[Declaration]] = defaultdict(list)
        self._namespaces: set[str] = set()
        self._directives: dict[Scope, set[Scope]] = defaultdict(set)
        self._aliases: dict[str, Scope] = {}
        self._visible: dict[Scope, frozenset[Scope]] = {}
        self._leading: dict[Scope, frozenset[Scope]] = {}
        self._looked_into: dict[int, frozenset[Scope]] = {}
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
        known = [(name, value) for name, _, value in (define.partition("=") for define in defines)]
        for path in files:
            known += _renamed(self._sources[path])
        for name, meant in known:
            words = tuple(meant.split("::"))
            if name not in self._namespaces and self._namespaces.issuperset(words):
                self._aliases[name] = words

    def scope(self, declaration: Declaration) -> Scope:
        """Return the namespaces that a declaration stands in, inline ones left out."""
        if self._inline.isdisjoint(declaration.namespaces):
            return declaration.namespaces
        return tuple(name for name in declaration.namespaces if name not in self._inline)

    def meant(self, mention: Mention, by: Declaration, known: Collection[Scope] = ()) -> Iterator[Declaration]:
        """Yield what `mention` in `by` may mean; `known` are the namespaces of types that a call may bring along."""
        candidates = self._by_name.get(mention.name, ())
        if not candidates or mention.is_member:
            return
        places = self._places(by)
        if mention.qualifier:
            yield from self._qualified(candidates, mention.qualifier, places)
            return
        for candidate in candidates:
            scope = self.scope(candidate)
            if scope in places or (mention.is_called and candidate.kind == "function" and scope in known):
                yield candidate

    def may_be_elsewhere(self, mention: Mention) -> bool:
        """Tell whether a call may find a function by the types of its arguments."""
        candidates = self._by_name.get(mention.name, ())
        plain = mention.is_called and not mention.qualifier and not mention.is_member
        return plain and any(one.kind == "function" and one.namespaces for one in candidates)

    def _qualified(
        self, candidates: Collection[Declaration], qualifier: tuple[str, ...], places: frozenset[Scope]
    ) -> Iterator[Declaration]:
        chain = self._resolved(qualifier)
        if chain is None:
            return
        near = frozenset[Scope]().union(*(self._opened(self._reduced((*place, *chain))) for place in places))
        exact = [candidate for candidate in candidates if self.scope(candidate) in near]
        ending = [one for one in candidates if chain and self.scope(one)[-len(chain) :] == chain]
        yield from exact or ending

    def _opened(self, scope: Scope) -> frozenset[Scope]:
        """Return the namespaces that a path may lead to where `using namespace` opens others on its way."""
        known = self._leading.get(scope)
        if known is None:
            found: set[Scope] = {()}
            for word in scope:
                found = {(*one, word) for one in found}
                found |= {further for one in found for further in self._reached(one)}
            known = self._leading[scope] = frozenset(found)
        return known

    def _resolved(self, qualifier: tuple[str, ...]) -> Scope | None:
        """Return a qualifier's namespaces; `None` where it is no namespace of the project's, but a class, or `std`."""
        if qualifier[0] == "" and len(qualifier) == 1:
            return ()
        words = qualifier[1:] if qualifier[0] == "" else qualifier
        words = (*self._aliases.get(words[0], (words[0],)), *words[1:])
        return self._reduced(words) if all(word in self._namespaces for word in words) else None

    def _reduced(self, words: Scope) -> Scope:
        return tuple(word for word in words if word not in self._inline)

    def _places(self, declaration: Declaration) -> frozenset[Scope]:
        """Return the scopes that a declaration's plain names are looked up in."""
        known = self._looked_into.get(id(declaration))
        if known is None:
            known = self._looked_into[id(declaration)] = frozenset(self._places_of(declaration))
        return known

    def _places_of(self, declaration: Declaration) -> set[Scope]:
        own = {self.scope(declaration)}
        if "::" in "".join(declaration.names[:1]) or declaration.kind in ("function", "kernel", "variable"):
            own.add(self._reduced(_semantic(declaration.cursor)))
        if "using" in (text := self._sources[declaration.path].raw[declaration.start : declaration.end]):
            named = [tuple(name.split("::")) for name in DIRECTIVE.findall(text)]
            own |= {(*scope[:length], *name) for scope in own for length in range(len(scope) + 1) for name in named}
        found: set[Scope] = set()
        for scope in own:
            if scope not in self._visible:
                self._visible[scope] = frozenset(self._reached_from_all(scope))
            found |= self._visible[scope]
        return found

    def _reached_from_all(self, scope: Scope) -> Iterator[Scope]:
        for length in range(len(scope) + 1):
            yield scope[:length]
            yield from self._reached(scope[:length])

    def _reached(self, scope: Scope) -> set[Scope]:
        """Return what `using namespace` in a scope opens, transitively."""
        found: set[Scope] = set()
        pending = [scope]
        while pending:
            fresh = self._directives.get(pending.pop(), set()) - found
            found |= fresh
            pending += fresh
        return found

    def _direct(self, directive: Declaration) -> None:
        written = DIRECTIVE.search(directive.written)
        if written is None:
            return
        words = tuple(written.group(1).split("::"))
        words = self._reduced((*self._aliases.get(words[0], (words[0],)), *words[1:]))
        here = self.scope(directive)
        for length in range(len(here), -1, -1):
            self._directives[here].add((*here[:length], *words))


@remembered
def _renamed(source: SourceText) -> tuple[tuple[str, str], ...]:
    """Return (name, what it may mean) of macros and of aliases of namespaces."""
    defined = (_DEFINED.match(source.raw[start:end]) for start, end in directives(source))
    aliases = _ALIAS.findall(source.raw) if "namespace" in source.raw else ()
    return (*((found[1], found[2]) for found in defined if found), *aliases)


def _semantic(cursor: Any) -> Scope:
    """Return the namespaces that a declaration belongs to, which a definition outside of them is written with."""
    names: list[str] = []
    parent = cursor.semantic_parent
    while parent is not None and parent.kind is not CursorKind.TRANSLATION_UNIT:
        if parent.kind is CursorKind.NAMESPACE and parent.spelling and "(anonymous" not in parent.spelling:
            names.append(parent.spelling)
        parent = parent.semantic_parent
    return tuple(reversed(names))
