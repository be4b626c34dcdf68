"""Everything in a translation unit that its kernels may depend on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.files.source_text import SourceFiles
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.preprocessor.token_pasting import resolve_qualifier
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NameLookup, NamespacePath
from crawler.extract.closure.context.declaration_identifiers import (
    collect_declaration_identifiers,
    expand_macros,
    hide_macros,
    list_macro_names,
)
from crawler.extract.closure.context.declaration_references import (
    DeclarationReferences,
)
from crawler.extract.closure.context.identifier_resolver import IdentifierResolver
from crawler.extract.closure.context.inner_inclusions import (
    Inclusions,
    collect_included_identifiers,
)
from crawler.extract.closure.host_code.kept_host_code import (
    KeptHostCode,
    find_kept_words,
)
from crawler.extract.closure.host_code.strip_host_code import find_host_edits
from crawler.extract.closure.host_code.whole_lines import TextEdit
from crawler.extract.closure.implicit_dependencies.auto_return_types import (
    find_names_needing_bodies,
)
from crawler.extract.closure.implicit_dependencies.free_operators import (
    FreeOperator,
    find_free_operators,
)
from crawler.extract.closure.includes.libcudacxx_names import (
    OwnCudaNamespace,
    find_own_cuda_namespace,
)
from crawler.extract.closure.includes.library_headers import find_carried_libraries
from crawler.extract.nvcc.implicit_typename import find_type_only_names
from crawler.model import Dialect

_DEVICE: Final = "__device__"
_AMBIGUOUS_NAMESPACE: Final = "at"
"""PyTorch's namespace; also a usual name of variables and members."""


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
    active_macro_offsets: frozenset[tuple[str, int]] = frozenset()
    """(path, offset of its name) of each macro that the preprocessor took."""
    library_headers: frozenset[str] = frozenset()
    """Which of our own headers the parse read, as `<cub/cub.cuh>`."""
    installed_headers: Mapping[str, str] = field(default_factory=dict)
    """Which headers of libraries that the parse read in their place its files include, in order,
    each with the library that it was read from.
    """
    inclusions: Inclusions = field(default_factory=dict)
    assumed_types: Mapping[str, str] = field(default_factory=dict)
    """Name to declaration: of types that missing headers would have declared."""
    declared_names: frozenset[str] = field(init=False)
    project_names: frozenset[str] = field(init=False)
    """Those, and the libraries that the project carries, by their namespaces."""
    own_cuda_namespace: OwnCudaNamespace = field(init=False)
    macros: dict[str, list[Macro]] = field(init=False)
    file_order: dict[str, int] = field(init=False)
    declaration_order: dict[int, int] = field(init=False)
    """The position of each declaration, by its identity."""
    free_operators: tuple[FreeOperator, ...] = field(init=False)
    type_names: frozenset[str] = field(init=False)
    """Names that the unit's files give to types alone."""
    names_needing_bodies: frozenset[str] = field(init=False)
    """Names of functions whose bodies tell types that the unit's files ask for."""
    scopes: NameLookup = field(init=False)
    nvcc_edits: dict[int, tuple[TextEdit, ...]] = field(default_factory=dict)
    """What a unit's compiler wants otherwise than nvcc, by the identity of a declaration."""
    kept_host_code: KeptHostCode = field(default_factory=KeptHostCode)
    """What the host calls to make what it passes to a kernel."""
    base_context: UnitContext | None = None
    """The same where no host code is kept."""
    _resolver: IdentifierResolver = field(init=False)
    _references: dict[int, DeclarationReferences] = field(default_factory=dict)
    _host_edits: dict[int, tuple[TextEdit, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.free_operators = find_free_operators(self.declarations)
        self.scopes = NameLookup(
            self.declarations, self.files, self.sources, self.defines
        )
        self.declared_names = frozenset(
            name for declaration in self.declarations for name in declaration.names
        )

        carried_libraries = find_carried_libraries(
            self._list_outermost_namespaces(),
            self.library_headers,
            self.installed_headers,
        )
        self.project_names = self.declared_names | carried_libraries
        self.own_cuda_namespace = find_own_cuda_namespace(self.declarations)

        self.declaration_order = {
            id(declaration): position
            for position, declaration in enumerate(self.declarations)
        }

        self.file_order = {path: position for position, path in enumerate(self.files)}
        self.macros = self._collect_macros()

        unit_sources = [self.sources[path] for path in self.files]
        self.type_names = find_type_only_names(unit_sources)
        self.names_needing_bodies = find_names_needing_bodies(
            unit_sources, {_DEVICE, *self._list_device_macros()}
        )

        self._resolver = IdentifierResolver(
            self.scopes,
            self.sources,
            self.names_needing_bodies,
        )

    def _collect_macros(self) -> dict[str, list[Macro]]:
        macros: dict[str, list[Macro]] = defaultdict(list)
        for path in self.files:
            for macro in find_macros(self.sources[path]):
                if (path, macro.name_offset) in self.active_macro_offsets:
                    macros[macro.name].append(macro)

        return macros

    def _list_device_macros(self) -> set[str]:
        """Return the macros that stand for `__device__`, as `HOST_DEVICE` of many projects."""
        return {
            name
            for name, macros in self.macros.items()
            if any(_DEVICE in macro.used_names for macro in macros)
        }

    def _list_outermost_namespaces(self) -> set[str]:
        """Return the outermost namespaces that the project's declarations stand in."""
        paths = map(self.scopes.namespace_path, self.declarations)
        return {path[0] for path in paths if path}

    def copy_keeping(self, kept_code: KeptHostCode) -> UnitContext:
        """Return the same where `kept_code` is left out of no declaration."""
        # always one step away, however often it is copied
        base = self.base_context or self
        context = copy(self)
        context.kept_host_code = kept_code
        context.base_context = base
        context.nvcc_edits = dict(base.nvcc_edits)
        context._references = {}
        context._host_edits = {}

        return context

    def get_references(self, declaration: Declaration) -> DeclarationReferences:
        """Return what a declaration names, its macros unfolded."""
        key = id(declaration)
        if key not in self._references:
            self._references[key] = self._find_references(declaration)

        return self._references[key]

    def _find_references(self, declaration: Declaration) -> DeclarationReferences:
        host_edits = self.get_host_edits(declaration)
        base = self.base_context
        # the same text names the same
        if base is not None and host_edits == base.get_host_edits(declaration):
            return base.get_references(declaration)

        source = declaration.source
        identifiers = collect_declaration_identifiers(
            declaration,
            source,
            host_edits,
            self.macros,
        ) | collect_included_identifiers(
            declaration, self.inclusions, self.sources, host_edits
        )

        macros = hide_macros(self.macros, declaration, identifiers)
        return self.resolve_identifiers(identifiers, declaration, macros)

    def resolve_identifiers(
        self,
        identifiers: Collection[Identifier],
        referrer: Declaration,
        visible_macros: Mapping[str, Sequence[Macro]],
    ) -> DeclarationReferences:
        """Return what identifiers in a declaration mean."""
        names = {identifier.name for identifier in identifiers}
        macro_names = list_macro_names(identifiers, visible_macros)
        macros, macro_identifiers = expand_macros(macro_names, visible_macros)
        all_identifiers = dict.fromkeys(
            resolve_qualifier(identifier, self.macros)
            for identifier in (*identifiers, *macro_identifiers)
        )

        declarations: dict[int, Declaration] = {}
        for identifier in all_identifiers:
            for declaration in self.resolve_identifier(identifier, referrer):
                declarations[id(declaration)] = declaration

        adl_calls = [
            identifier
            for identifier in all_identifiers
            if self.scopes.may_need_argument_lookup(identifier)
        ]

        names_torch = any(
            _AMBIGUOUS_NAMESPACE in identifier.qualifier for identifier in identifiers
        )

        if referrer.kind != "using" and not names_torch:
            names.discard(_AMBIGUOUS_NAMESPACE)

        return DeclarationReferences(
            declarations=declarations,
            scopes=frozenset(map(self.scopes.namespace_path, declarations.values())),
            macros=tuple(macros),
            adl_calls=tuple(adl_calls),
            words=frozenset(names),
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
        return self._resolver.resolve(
            identifier,
            referrer,
            self.kept_host_code.kept_names,
            argument_scopes,
        )

    def get_host_edits(self, declaration: Declaration) -> tuple[TextEdit, ...]:
        """Return what is left out of a declaration."""
        key = id(declaration)
        if key not in self._host_edits:
            self._host_edits[key] = self._find_host_edits(declaration)

        return self._host_edits[key]

    def _find_host_edits(self, declaration: Declaration) -> tuple[TextEdit, ...]:
        if self.base_context is not None:
            base_edits = self.base_context.get_host_edits(declaration)
            # what leaves out nothing cannot leave out less
            if not base_edits or not self._names_kept_code(declaration):
                return base_edits

        return find_host_edits(
            declaration,
            declaration.source,
            self.names_needing_bodies,
            self.kept_host_code,
        )

    def get_kept_words(self, declaration: Declaration) -> frozenset[str]:
        """Return the words of the kept host code in a declaration."""
        if not self._names_kept_code(declaration):
            return frozenset()

        return find_kept_words(
            declaration,
            declaration.source,
            self.get_host_edits(declaration),
            self.kept_host_code,
        )

    def _names_kept_code(self, declaration: Declaration) -> bool:
        source = declaration.source
        names = source.names_between(declaration.start, declaration.end)
        return not self.kept_host_code.kept_names.isdisjoint(names)
