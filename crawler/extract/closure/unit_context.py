"""Everything in a translation unit that its kernels may depend on, and what each declaration
names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit
from crawler.cpp.identifier_uses import Identifier, collect_identifiers
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.preprocessor.token_pasting import find_pasted_identifiers
from crawler.cpp.source_text import SourceFiles
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NameLookup, NamespacePath
from crawler.extract.closure.auto_return_types import find_names_needing_bodies
from crawler.extract.closure.declaration_text import is_using_directive
from crawler.extract.closure.free_operators import FreeOperator, find_free_operators
from crawler.extract.closure.strip_host_code import (
    KeptHostCode,
    find_host_edits,
    find_kept_words,
)
from crawler.extract.nvcc.implicit_typename import find_type_only_names
from crawler.model import Dialect

_DEVICE: Final = "__device__"
_CONTAINER: Final = re.compile(
    r"\bstd\s*::\s*(?:vector|string|string_view|map|unordered_map|set|list|deque|shared_ptr|unique_ptr|function|ostream)\b"
)


@dataclass(frozen=True, slots=True)
class DeclarationReferences:
    """What one declaration names."""

    declarations: dict[int, Declaration]
    """By their identity: a name of a template library may mean hundreds."""
    scopes: frozenset[NamespacePath]
    """That these stand in."""
    macros: tuple[Macro, ...]
    adl_calls: tuple[Identifier, ...]
    """Calls that may find a function by the types of their arguments."""
    words: frozenset[str]
    """All names in it, without those of its macros."""


@dataclass(slots=True)
class UnitContext:
    """Everything of one translation unit that a kernel of it may need."""

    sources: SourceFiles
    declarations: list[Declaration]
    files: tuple[str, ...]
    """The project's files of the unit, included ones before those that include them."""
    defines: tuple[str, ...]
    """Macros of the command line, as `NAME` or `NAME=VALUE`."""
    dialect: Dialect
    declared_names: frozenset[str] = frozenset()
    macros: dict[str, list[Macro]] = field(default_factory=lambda: defaultdict(list))
    active_macro_offsets: frozenset[tuple[str, int]] = frozenset()
    """(path, offset of its name) of each macro that the preprocessor took."""
    file_order: dict[str, int] = field(default_factory=dict)
    free_operators: tuple[FreeOperator, ...] = ()
    type_names: frozenset[str] = frozenset()
    """Names that the unit's files give to types alone."""
    names_needing_bodies: frozenset[str] = frozenset()
    """Names of functions whose bodies tell types that the unit's files ask for."""
    scopes: NameLookup = field(init=False)
    moved_defaults: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    """Default arguments that stand elsewhere in a unit, by the identity of a declaration."""
    declaration_order: dict[int, int] = field(default_factory=dict)
    kept_host_code: KeptHostCode = field(default_factory=KeptHostCode)
    """What the host calls to make what it passes to a kernel."""
    base_context: UnitContext | None = None
    """The same where nothing is wanted."""
    _needs: dict[int, DeclarationReferences] = field(default_factory=dict)
    _cuts: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    _containers: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.free_operators = find_free_operators(self.declarations)
        self.scopes = NameLookup(
            self.declarations, self.files, self.sources, self.defines
        )
        self.declared_names = frozenset(
            name for declaration in self.declarations for name in declaration.names
        )
        self.declaration_order = {
            id(declaration): at for at, declaration in enumerate(self.declarations)
        }
        for position, path in enumerate(self.files):
            self.file_order[path] = position
            for macro in find_macros(self.sources[path]):
                if (path, macro.name_offset) in self.active_macro_offsets:
                    self.macros[macro.name].append(macro)
        device = {
            name
            for name, listed in self.macros.items()
            if any(_DEVICE in one.used_names for one in listed)
        }
        self.type_names = find_type_only_names(
            self.sources[path] for path in self.files
        )
        self.names_needing_bodies = find_names_needing_bodies(
            (self.sources[path] for path in self.files), {_DEVICE, *device}
        )

    def copy_keeping(self, kept: KeptHostCode) -> UnitContext:
        """Return the same where what is `kept` is left out of no declaration."""
        other = copy(self)
        other.kept_host_code, other.base_context = kept, self.base_context or self
        other._needs, other._cuts, other.moved_defaults = (
            {},
            {},
            dict(other.base_context.moved_defaults),
        )
        return other

    def get_references(self, declaration: Declaration) -> DeclarationReferences:
        """Return what a declaration names, its macros unfolded."""
        known = self._needs.get(id(declaration))
        if known is None:
            if self.base_context is not None and self.get_host_edits(
                declaration
            ) == self.base_context.get_host_edits(declaration):
                known = self.base_context.get_references(declaration)
            else:
                known = self.resolve_identifiers(
                    self._mentions(declaration), declaration
                )
            self._needs[id(declaration)] = known
        return known

    def resolve_identifiers(
        self, identifiers: Collection[Identifier], referrer: Declaration
    ) -> DeclarationReferences:
        """Return what is meant by mentions in a declaration."""
        used, through = self._unfolded({one.name for one in identifiers})
        every = dict.fromkeys((*identifiers, *through))
        meant = {
            id(one): one
            for mention in every
            for one in self.resolve_identifier(mention, referrer)
        }
        calls = tuple(
            mention
            for mention in every
            if self.scopes.may_need_argument_lookup(mention)
        )
        words = frozenset(mention.name for mention in identifiers)
        if referrer.kind != "using" and not any(
            "at" in mention.qualifier for mention in identifiers
        ):
            words -= {"at"}  # a variable or a member, as many have
        return DeclarationReferences(
            meant,
            frozenset(map(self.scopes.namespace_path, meant.values())),
            tuple(used),
            calls,
            words,
        )

    def resolve_identifier(
        self,
        identifier: Identifier,
        referrer: Declaration,
        argument_scopes: Collection[NamespacePath] = (),
    ) -> list[Declaration]:
        """Return what is meant; a host function only where device code calls it and there is no
        other.

        `argument_scopes` are the namespaces of types that a call may bring along.
        """
        every = [
            one
            for one in self.scopes.resolve_identifier(
                identifier, referrer, argument_scopes
            )
            if identifier.is_scope or not _is_scope(one)
        ]
        fitting = [one for one in every if can_be_in_closure(one)]
        found = [one for one in fitting if not self._takes_container(one)] or fitting
        if found or not identifier.is_called or referrer.kind == "kernel":
            return found
        return [
            one
            for one in every
            if one.kind == "function" and self._may_be_declared(one)
        ]

    def _may_be_declared(self, function: Declaration) -> bool:
        """Tell whether a function for the host may stand in a unit: its type is told, or asked
        for.
        """
        is_told = (
            "auto" not in self._head(function)
            or not function.is_definition
            or not self.kept_host_code.kept_names.isdisjoint(function.names)
        )
        return is_told or not self.names_needing_bodies.isdisjoint(function.names)

    def _takes_container(self, function: Declaration) -> bool:
        """Tell whether an overload takes what only a host has: no call in device code can mean
        it.
        """
        if function.kind != "function":
            return False
        known = self._containers.get(id(function))
        if known is None:
            taken = function.raw_text.partition("(")[2].partition("{")[0]
            known = self._containers[id(function)] = bool(_CONTAINER.search(taken))
        return known

    def _head(self, function: Declaration) -> str:
        return (
            self.sources[function.path]
            .raw[function.start : function.end]
            .partition("(")[0]
        )

    def get_host_edits(self, declaration: Declaration) -> tuple[Edit, ...]:
        """Return what is left out of a declaration."""
        if id(declaration) not in self._cuts:
            self._cuts[id(declaration)] = self._cuts_of(declaration)
        return self._cuts[id(declaration)]

    def _cuts_of(self, declaration: Declaration) -> tuple[Edit, ...]:
        source = self.sources[declaration.path]
        if self.base_context is not None:
            known = self.base_context.get_host_edits(declaration)
            if not known or self.kept_host_code.kept_names.isdisjoint(
                source.names_between(declaration.start, declaration.end)
            ):
                return known
        return find_host_edits(
            declaration, source, self.names_needing_bodies, self.kept_host_code
        )

    def get_kept_words(self, declaration: Declaration) -> frozenset[str]:
        """Return the words of what is wanted in a declaration."""
        source = self.sources[declaration.path]
        if self.kept_host_code.kept_names.isdisjoint(
            source.names_between(declaration.start, declaration.end)
        ):
            return frozenset()
        return find_kept_words(
            declaration, source, self.get_host_edits(declaration), self.kept_host_code
        )

    def _mentions(self, declaration: Declaration) -> frozenset[Identifier]:
        source = self.sources[declaration.path]
        found: set[Identifier] = set()
        start = declaration.start
        for cut, behind, _ in (
            *self.get_host_edits(declaration),
            (declaration.end, declaration.end, ""),
        ):
            found |= collect_identifiers(source, start, cut)
            found.update(find_pasted_identifiers(source, start, cut, self.macros))
            start = behind
        found.update(
            Identifier(name)
            for wrapper in declaration.scope_openings
            for name in wrapper.split()[1:-1]
        )
        return frozenset(found)

    def _unfolded(self, names: Collection[str]) -> tuple[list[Macro], list[Identifier]]:
        """Return the macros that names mean, transitively, and what those mention."""
        used: list[Macro] = []
        through: list[Identifier] = []
        pending, seen = set(names), set(names)
        while pending:
            macros_named = [
                macro for name in sorted(pending) for macro in self.macros.get(name, ())
            ]
            used += macros_named
            fresh = [mention for macro in macros_named for mention in macro.identifiers]
            through += fresh
            pending = {mention.name for mention in fresh} - seen
            seen |= pending
        return used, through


def _is_scope(declaration: Declaration) -> bool:
    """Tell whether a declaration is another name of a namespace, which a variable may have too."""
    return declaration.cursor.kind is CursorKind.NAMESPACE_ALIAS


def can_be_in_closure(declaration: Declaration) -> bool:
    """Tell whether a kernel's closure may hold a declaration."""
    if declaration.kind in ("kernel", "assertion"):
        return False
    if declaration.kind == "using":
        return not is_using_directive(declaration)
    return declaration.is_usable_on_device
