"""Resolve identifiers to declarations by C++ namespace lookup."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.namespaces import (
    collect_inline_names,
    find_other_names,
    read_semantic_namespaces,
)

NamespacePath = tuple[str, ...]
# a declaration as it is written: libclang does not tell what a directive names that a macro makes
USING_NAMESPACE_PATTERN: Final = re.compile(r"\busing\s+namespace\s+(?:::\s*)?([\w:]+)")
_KINDS_WITH_OWN_SCOPE: Final = ("function", "kernel", "variable")


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
        self._inline_names = collect_inline_names(declarations)
        self.all_namespaces: Final = _collect_namespaces(declarations)
        """All namespaces that hold something, by their whole names."""

        self._declarations_by_name: dict[str, list[Declaration]] = defaultdict(list)
        self._namespace_names: set[str] = set()

        for declaration in declarations:
            self._namespace_names.update(declaration.namespaces)
            for name in declaration.names:
                self._declarations_by_name[name].append(declaration)

        self._aliases: dict[str, NamespacePath] = {}
        self._collect_aliases(files, defines)

        # what `using namespace` opens, by the scope that it stands in
        self._opened_by: dict[NamespacePath, set[NamespacePath]] = defaultdict(set)

        for declaration in declarations:
            if declaration.cursor.kind is CursorKind.USING_DIRECTIVE:
                self._add_using_directive(declaration)

        # a unit asks for the same scopes again and again
        self._visible_scopes: dict[NamespacePath, frozenset[NamespacePath]] = {}
        self._leading_scopes: dict[NamespacePath, frozenset[NamespacePath]] = {}
        self._lookup_scopes: dict[int, frozenset[NamespacePath]] = {}

    def _collect_aliases(self, files: Iterable[str], defines: Iterable[str]) -> None:
        """Note other names of namespaces, those that are macros among them."""
        candidates: list[tuple[str, str]] = []
        for define in defines:
            name, _, value = define.partition("=")
            candidates.append((name, value))

        for path in files:
            candidates += find_other_names(self._sources[path])

        for name, meaning in candidates:
            # `namespace fs = std::filesystem` is no alias of the project's
            words = tuple(meaning.split("::"))
            is_namespace = self._namespace_names.issuperset(words)

            if is_namespace and name not in self._namespace_names:
                self._aliases[name] = words

    def namespace_path(self, declaration: Declaration) -> NamespacePath:
        """Return the namespaces that a declaration stands in, inline ones left out."""
        if self._inline_names.isdisjoint(declaration.namespaces):
            return declaration.namespaces
        return self._drop_inline_names(declaration.namespaces)

    def resolve_identifier(
        self,
        identifier: Identifier,
        referrer: Declaration,
        argument_scopes: Collection[NamespacePath] = (),
    ) -> Iterator[Declaration]:
        """Yield what `identifier` in `referrer` may mean.

        `argument_scopes` are the namespaces of types that a call may bring along.
        """
        candidates = self._declarations_by_name.get(identifier.name, ())
        if not candidates or identifier.is_member:
            return

        # lookup goes from the inside to the outside; all scopes on the way are taken
        lookup_scopes = self._get_lookup_scopes(referrer)
        if identifier.qualifier:
            yield from self._resolve_qualified(
                candidates, identifier.qualifier, lookup_scopes
            )
            return

        for candidate in candidates:
            scope = self.namespace_path(candidate)
            is_called_function = identifier.is_called and candidate.kind == "function"

            if scope in lookup_scopes or (
                is_called_function and scope in argument_scopes
            ):
                yield candidate

    def may_need_argument_lookup(self, identifier: Identifier) -> bool:
        """Tell whether a call may find a function by the types of its arguments."""
        if not identifier.is_called or identifier.qualifier or identifier.is_member:
            return False

        candidates = self._declarations_by_name.get(identifier.name, ())
        return any(
            candidate.kind == "function" and candidate.namespaces
            for candidate in candidates
        )

    def _resolve_qualified(
        self,
        candidates: Collection[Declaration],
        qualifier: tuple[str, ...],
        lookup_scopes: frozenset[NamespacePath],
    ) -> Iterator[Declaration]:
        path = self._resolve_qualifier(qualifier)
        if path is None:
            return

        reachable: set[NamespacePath] = set()
        for scope in lookup_scopes:
            reachable |= self._get_leading_scopes(
                self._drop_inline_names((*scope, *path))
            )

        exact = [
            candidate
            for candidate in candidates
            if self.namespace_path(candidate) in reachable
        ]

        if exact:
            yield from exact
            return

        # no namespace of that name is in reach: take what the qualifier ends the namespaces of
        if path:
            for candidate in candidates:
                if self.namespace_path(candidate)[-len(path) :] == path:
                    yield candidate

    def _get_leading_scopes(self, scope: NamespacePath) -> frozenset[NamespacePath]:
        """Return the namespaces that a path may lead to.

        It leads to others than it says where `using namespace` opens some on its way.
        """
        cached = self._leading_scopes.get(scope)
        if cached is not None:
            return cached

        leading: set[NamespacePath] = {()}
        # each step may lead through what `using namespace` opens there
        for word in scope:
            leading = {(*outer, word) for outer in leading}
            opened: set[NamespacePath] = set()

            for outer in leading:
                opened |= self._opened_transitively(outer)

            leading |= opened

        self._leading_scopes[scope] = frozenset(leading)
        return self._leading_scopes[scope]

    def _resolve_qualifier(self, qualifier: tuple[str, ...]) -> NamespacePath | None:
        """Return a qualifier's namespaces.

        `None` where it is no namespace of the project's, but a class, or `std`.
        """
        words = qualifier
        if qualifier[0] == "":
            words = qualifier[1:]
            if not words:
                return ()

        words = self._expand_alias(words)
        if not self._namespace_names.issuperset(words):
            return None
        return self._drop_inline_names(words)

    def _expand_alias(self, words: NamespacePath) -> NamespacePath:
        first_words = self._aliases.get(words[0], (words[0],))
        return (*first_words, *words[1:])

    def _drop_inline_names(self, words: NamespacePath) -> NamespacePath:
        return tuple(word for word in words if word not in self._inline_names)

    def _get_lookup_scopes(self, declaration: Declaration) -> frozenset[NamespacePath]:
        """Return the scopes that a declaration's plain names are looked up in."""
        key = id(declaration)
        if key not in self._lookup_scopes:
            scopes = self._compute_lookup_scopes(declaration)
            self._lookup_scopes[key] = frozenset(scopes)
        return self._lookup_scopes[key]

    def _compute_lookup_scopes(self, declaration: Declaration) -> set[NamespacePath]:
        own_scopes = {self.namespace_path(declaration)}

        # `void a::f() {}` stands outside of `a`, and is looked up in it
        first_name = "".join(declaration.names[:1])

        if "::" in first_name or declaration.kind in _KINDS_WITH_OWN_SCOPE:
            semantic_scope = read_semantic_namespaces(declaration.cursor)
            own_scopes.add(self._drop_inline_names(semantic_scope))

        # `using namespace` in a body may name a namespace of any scope round it
        source = declaration.source
        text = source.raw[declaration.start : declaration.end]

        if "using" in text:
            names = USING_NAMESPACE_PATTERN.findall(text)
            used_paths = [tuple(name.split("::")) for name in names]
            own_scopes |= _combine_scopes(own_scopes, used_paths)

        lookup_scopes: set[NamespacePath] = set()
        for scope in own_scopes:
            if scope not in self._visible_scopes:
                self._visible_scopes[scope] = frozenset(self._iter_visible(scope))

            lookup_scopes |= self._visible_scopes[scope]

        return lookup_scopes

    def _iter_visible(self, scope: NamespacePath) -> Iterator[NamespacePath]:
        """Yield a scope and those round it, with what `using namespace` opens in them."""
        for length in range(len(scope) + 1):
            outer = scope[:length]
            yield outer
            yield from self._opened_transitively(outer)

    def _opened_transitively(self, scope: NamespacePath) -> set[NamespacePath]:
        """Return what `using namespace` in a scope opens, transitively."""
        opened: set[NamespacePath] = set()
        pending = [scope]

        while pending:
            directly_opened = self._opened_by.get(pending.pop(), set())
            new_scopes = directly_opened - opened
            opened |= new_scopes
            pending += new_scopes

        return opened

    def _add_using_directive(self, directive: Declaration) -> None:
        match = USING_NAMESPACE_PATTERN.search(directive.raw_text)
        if match is None:
            return

        words = self._expand_alias(tuple(match[1].split("::")))
        used_path = self._drop_inline_names(words)
        scope = self.namespace_path(directive)

        # the name may be meant from any scope round the directive
        for length in range(len(scope), -1, -1):
            self._opened_by[scope].add((*scope[:length], *used_path))


def _combine_scopes(
    scopes: Iterable[NamespacePath], used_paths: Iterable[NamespacePath]
) -> set[NamespacePath]:
    """Return what relative paths may mean in some scopes: each in each scope round them."""
    combined: set[NamespacePath] = set()
    for scope in scopes:
        for length in range(len(scope) + 1):
            for used_path in used_paths:
                combined.add((*scope[:length], *used_path))

    return combined


def _collect_namespaces(
    declarations: Iterable[Declaration],
) -> frozenset[NamespacePath]:
    innermost = {declaration.namespaces for declaration in declarations}
    return frozenset(
        namespaces[:length]
        for namespaces in innermost
        for length in range(1, len(namespaces) + 1)
    )
