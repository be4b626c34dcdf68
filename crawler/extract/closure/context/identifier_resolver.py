"""Resolve identifiers to the declarations that device code may mean by them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NameLookup, NamespacePath
from crawler.extract.closure.context.closure_members import (
    can_be_in_closure,
    is_namespace_alias,
)

# in the text of a parameter list: the type of a cursor is only as good as the headers that the
# parse found, and `std::vector` of a missing one is `int`
_HOST_CONTAINER: Final = re.compile(
    r"\bstd\s*::\s*(?:vector|string|string_view|map|unordered_map|set|list|deque"
    r"|shared_ptr|unique_ptr|function|ostream)\b"
)


class IdentifierResolver:
    """Resolves identifiers in the declarations of one translation unit."""

    def __init__(
        self,
        scopes: NameLookup,
        sources: SourceFiles,
        names_needing_bodies: frozenset[str],
    ) -> None:
        """`names_needing_bodies` are functions whose bodies decide a type that is asked for."""
        self._scopes = scopes
        self._sources = sources
        self._names_needing_bodies = names_needing_bodies
        self._takes_container: dict[int, bool] = {}

    def resolve(
        self,
        identifier: Identifier,
        referrer: Declaration,
        kept_names: frozenset[str],
        argument_scopes: Collection[NamespacePath] = (),
    ) -> list[Declaration]:
        """Return what is meant; a host function only where device code calls it and there is no
        other.

        `kept_names` are the host functions that keep their bodies, `argument_scopes` the
        namespaces of types that a call may bring along.
        """
        candidates = [
            declaration
            for declaration in self._scopes.resolve_identifier(
                identifier, referrer, argument_scopes
            )
            if identifier.is_scope or not is_namespace_alias(declaration)
        ]

        device_candidates = [
            declaration for declaration in candidates if can_be_in_closure(declaration)
        ]

        # no call in device code can mean an overload for containers, unless it is the only one
        declarations = [
            declaration
            for declaration in device_candidates
            if not self._takes_host_container(declaration)
        ] or device_candidates

        # a kernel itself calls no host function
        if declarations or not identifier.is_called or referrer.kind == "kernel":
            return declarations

        return [
            declaration
            for declaration in candidates
            if declaration.kind == "function"
            and self._may_be_declared(declaration, kept_names)
        ]

    def _may_be_declared(
        self, function: Declaration, kept_names: frozenset[str]
    ) -> bool:
        """Tell whether a host function may stand in a unit without its body: its type is
        written, or its body stays.
        """
        if not function.is_definition or "auto" not in self._text_before_parameters(
            function
        ):
            return True

        bodies_that_stay = kept_names | self._names_needing_bodies

        return not bodies_that_stay.isdisjoint(function.names)

    def _text_before_parameters(self, function: Declaration) -> str:
        text = function.source.raw[function.start : function.end]
        return text.partition("(")[0]

    def _takes_host_container(self, function: Declaration) -> bool:
        if function.kind != "function":
            return False

        key = id(function)
        if key not in self._takes_container:
            parameters = function.raw_text.partition("(")[2].partition("{")[0]
            self._takes_container[key] = bool(_HOST_CONTAINER.search(parameters))

        return self._takes_container[key]
