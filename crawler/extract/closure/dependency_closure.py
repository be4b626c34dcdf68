"""Compute the dependency closure of a kernel: the declarations and macros that it names,
transitively.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.cpp.files.identifier_uses import Identifier, collect_text_identifiers
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NamespacePath
from crawler.extract.clang.namespaces import read_semantic_namespaces
from crawler.extract.closure.assemble import assemble_closure
from crawler.extract.closure.context.closure_members import can_be_in_closure
from crawler.extract.closure.context.declaration_references import (
    DeclarationReferences,
)
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.assumed_declarations import (
    declare_assumed_types,
)
from crawler.extract.closure.implicit_dependencies.free_operators import OperatorUsage
from crawler.extract.closure.implicit_dependencies.specialisations import (
    SpecialisationSelector,
)
from crawler.model import Closure

_MAX_DECLARATIONS: Final = 8_000
"""Declarations that one unit may take along: templates of a library that its project carries
are some thousands.
"""
_MacroKey = tuple[str, int]
"""Path of a macro, and offset of its name."""


@dataclass(frozen=True, slots=True)
class KernelDependencies:
    """The declarations and macros that a kernel leads to."""

    declarations: Collection[Declaration]
    macros: Collection[Macro]
    argument_references: DeclarationReferences
    """What the arguments of its templates name."""


@dataclass(slots=True)
class _ClosureState:
    """What a growing closure holds so far."""

    context: UnitContext
    operators: OperatorUsage
    specialisations: SpecialisationSelector
    members: dict[int, Declaration] = field(default_factory=dict)
    """By their identity."""
    macros: dict[_MacroKey, Macro] = field(default_factory=dict)
    adl_calls: dict[Identifier, Declaration] = field(default_factory=dict)
    """Calls that may find a function by the types of their arguments, with a caller of each."""
    type_scopes: set[NamespacePath] = field(default_factory=set)
    """The namespaces of its types."""
    resolved_calls: dict[tuple[Identifier, int], list[Declaration]] = field(
        default_factory=dict
    )
    """What each call and caller find in the namespaces below."""
    resolved_scopes: frozenset[NamespacePath] = frozenset()
    offered_ids: set[int] = field(default_factory=set)
    """Functions that calls led to before. Some stay outside: specialisations whose types never
    come, and other declarations of the kernel.
    """

    def add_members(self, declarations: Collection[Declaration]) -> list[Declaration]:
        """Add declarations, and return what they lead to."""
        self.members.update((id(member), member) for member in declarations)
        named: dict[int, Declaration] = {}
        for member in declarations:
            if member.kind in ("type", "alias"):
                self.type_scopes.add(self.context.scopes.namespace_path(member))

            references = self.context.get_references(member)
            self.add_macros(references)
            self.adl_calls.update(dict.fromkeys(references.adl_calls, member))
            named.update(references.declarations)

        return [*self.operators.find_applicable(declarations), *named.values()]

    def add_macros(self, references: DeclarationReferences) -> None:
        for macro in references.macros:
            self.macros[(macro.path, macro.name_offset)] = macro

    def has_all(self, declarations: Iterable[Declaration]) -> bool:
        return all(id(declaration) in self.members for declaration in declarations)

    def find_implied(self) -> list[Declaration]:
        """Return what only the whole closure leads to: functions that calls find by the types
        in it, and specialisations for these types.
        """
        declarations = [
            *self._find_by_argument_types(),
            *self.specialisations.select_needed((), self.members),
        ]

        return [
            declaration
            for declaration in declarations
            if id(declaration) not in self.members
        ]

    def _find_by_argument_types(self) -> list[Declaration]:
        """Return the functions that calls may find in the namespaces of the closure's types."""
        # a closure grows by many rounds, and its types stand in few namespaces
        if self.resolved_scopes != self.type_scopes:
            self.resolved_scopes = frozenset(self.type_scopes)
            self.resolved_calls.clear()

        functions = {
            id(function): function
            for call, caller in self.adl_calls.items()
            for function in self._resolve_call(call, caller)
            if id(function) not in self.offered_ids
        }
        self.offered_ids.update(functions)

        return list(functions.values())

    def _resolve_call(self, call: Identifier, caller: Declaration) -> list[Declaration]:
        key = call, id(caller)
        if key not in self.resolved_calls:
            self.resolved_calls[key] = [
                declaration
                for declaration in self.context.resolve_identifier(
                    call, caller, self.resolved_scopes
                )
                if can_be_in_closure(declaration)
            ]

        return self.resolved_calls[key]


def compute_closure(
    kernel: Declaration, template_arguments: Iterable[str], context: UnitContext
) -> Closure:
    """Return what `kernel` needs to compile alone; `template_arguments` are those of its
    templates, as spelled.
    """
    dependencies = find_dependencies(
        kernel,
        template_arguments,
        context,
    )
    return build_closure(kernel, dependencies, context)


def build_closure(
    kernel: Declaration, dependencies: KernelDependencies, context: UnitContext
) -> Closure:
    """Return as ordered pieces of text what a kernel leads to."""
    closure = assemble_closure(
        kernel,
        dependencies.declarations,
        dependencies.macros,
        dependencies.argument_references.words,
        context,
    )

    if len(dependencies.declarations) < _MAX_DECLARATIONS:
        return declare_assumed_types(closure, context.assumed_types)

    problem = (
        f"closure-too-large: it needs more than {_MAX_DECLARATIONS} "
        "declarations of its project"
    )

    return replace(
        closure,
        fragments=(),
        complete=False,
        problems=(problem,),
    )


def find_dependencies(
    kernel: Declaration, template_arguments: Iterable[str], context: UnitContext
) -> KernelDependencies:
    """Return what `kernel` leads to; `template_arguments` are those of its templates, as
    spelled.
    """
    argument_identifiers: set[Identifier] = set()
    for argument in template_arguments:
        argument_identifiers |= collect_text_identifiers(argument)

    argument_references = context.resolve_identifiers(
        argument_identifiers, kernel, context.macros
    )
    state = _ClosureState(
        context=context,
        operators=OperatorUsage(
            context.free_operators,
            context.sources,
            frozenset(identifier.name for identifier in argument_identifiers),
        ),
        specialisations=SpecialisationSelector(
            context.scopes, context.sources, kernel.owner_class
        ),
    )

    pending = [
        *_find_primary_templates(kernel, context),
        *_find_scoped_declarations(kernel, context),
    ]
    if kernel.owner_class is not None:
        pending.append(kernel.owner_class)

    pending.append(kernel)
    pending += argument_references.declarations.values()
    while pending and len(state.members) < _MAX_DECLARATIONS:
        named = {
            id(declaration): declaration
            for declaration in pending
            if id(declaration) not in state.members
            and not _redeclares_kernel(declaration, kernel)
        }

        needed = state.specialisations.select_needed(named.values(), state.members)
        pending = state.add_members(needed)
        # these look at the whole closure: only once nothing else makes it grow
        if state.has_all(pending):
            pending = state.find_implied()

    state.add_macros(argument_references)

    return KernelDependencies(
        declarations=state.members.values(),
        macros=state.macros.values(),
        argument_references=argument_references,
    )


def _find_primary_templates(
    kernel: Declaration, context: UnitContext
) -> list[Declaration]:
    """Return the template that an explicit specialisation specialises."""
    if kernel.cursor.get_num_template_arguments() <= 0:
        return []

    return [
        declaration
        for declaration in context.declarations
        if declaration.kind == "kernel"
        and kernel.cursor.spelling in declaration.names
        and declaration.cursor.kind.name == "FUNCTION_TEMPLATE"
    ]


def _find_scoped_declarations(
    kernel: Declaration, context: UnitContext
) -> list[Declaration]:
    """Return the declarations in a namespace of a kernel that is defined outside of it, as
    `__global__ void a::k() {}` is.
    """
    scopes = read_semantic_namespaces(kernel.cursor)
    if kernel.owner_class is not None or scopes == kernel.namespaces:
        return []

    return [
        declaration
        for declaration in context.declarations
        if declaration.kind == "kernel"
        and declaration.namespaces == scopes
        and declaration.cursor.canonical == kernel.cursor.canonical
    ]


def _redeclares_kernel(declaration: Declaration, kernel: Declaration) -> bool:
    """Tell whether a using-declaration names the kernel, which the unit has not yet declared
    there.
    """
    return declaration.kind == "using" and kernel.cursor.spelling in declaration.names
