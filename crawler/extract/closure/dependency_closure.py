"""Compute the dependency closure of a kernel: the declarations and macros that it names,
transitively.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

from crawler.cpp.identifier_uses import Identifier, collect_text_identifiers
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.assemble import assemble_closure
from crawler.extract.closure.free_operators import OperatorUsage
from crawler.extract.closure.specialisations import SpecialisationSelector
from crawler.extract.closure.unit_context import (
    DeclarationReferences,
    UnitContext,
    can_be_in_closure,
)
from crawler.model import Closure

_MOST_FRAGMENTS: Final = 8_000
"""Declarations that one unit may take along: templates of a library that its project carries
are some thousands.
"""


@dataclass(frozen=True, slots=True)
class KernelDependencies:
    """The declarations and macros that a kernel leads to."""

    declarations: Collection[Declaration]
    macros: Collection[Macro]
    argument_references: DeclarationReferences
    """What the arguments of its templates name."""


def compute_closure(
    kernel: Declaration, template_arguments: Iterable[str], context: UnitContext
) -> Closure:
    """Return what `kernel` needs to compile alone; `template_arguments` are those of its
    templates, as spelled.
    """
    return build_closure(
        kernel, find_dependencies(kernel, template_arguments, context), context
    )


def build_closure(
    kernel: Declaration, dependencies: KernelDependencies, context: UnitContext
) -> Closure:
    """Return as ordered pieces of text what a kernel leads to."""
    gathered_ = assemble_closure(
        kernel,
        dependencies.declarations,
        dependencies.macros,
        dependencies.argument_references.words,
        context,
    )
    if len(dependencies.declarations) < _MOST_FRAGMENTS:
        return gathered_
    problem = f"closure-too-large: it needs more than {_MOST_FRAGMENTS} declarations of its project"
    return replace(gathered_, fragments=(), complete=False, problems=(problem,))


def find_dependencies(
    kernel: Declaration, template_arguments: Iterable[str], context: UnitContext
) -> KernelDependencies:
    """Return what `kernel` leads to; `template_arguments` are those of its templates, as
    spelled.
    """
    taken: dict[int, Declaration] = {}
    used: dict[tuple[str, int], Macro] = {}
    calls: dict[Identifier, Declaration] = {}
    operands = OperatorUsage(context.free_operators, context.sources)
    given = context.resolve_identifiers(
        {
            mention
            for one in template_arguments
            for mention in collect_text_identifiers(one)
        },
        kernel,
    )
    special = SpecialisationSelector(
        context.scopes, context.sources, kernel.owner_class
    )
    fresh = [
        *_primaries(kernel, context),
        *filter(None, (kernel.owner_class, kernel)),
        *given.declarations.values(),
    ]
    while fresh and len(taken) < _MOST_FRAGMENTS:
        named = {
            id(one): one
            for one in fresh
            if id(one) not in taken and not _renames(one, kernel)
        }
        fresh = special.select_needed(named.values(), taken)
        taken.update((id(one), one) for one in fresh)
        needs = [context.get_references(one) for one in fresh]
        used.update(
            ((macro.path, macro.name_offset), macro)
            for one in needs
            for macro in one.macros
        )
        calls.update(
            (mention, by)
            for one, by in zip(needs, fresh, strict=True)
            for mention in one.adl_calls
        )
        reached: dict[int, Declaration] = {}
        for each in needs:
            reached.update(each.declarations)
        fresh = [*operands.find_applicable(fresh), *reached.values()]
        if all(id(one) in taken for one in fresh):
            fresh += (
                *_by_argument(calls, taken.values(), context),
                *special.select_needed((), taken),
            )
            fresh = [one for one in fresh if id(one) not in taken]
    used.update(((macro.path, macro.name_offset), macro) for macro in given.macros)
    return KernelDependencies(taken.values(), used.values(), given)


def _by_argument(
    calls: dict[Identifier, Declaration],
    taken: Collection[Declaration],
    around: UnitContext,
) -> list[Declaration]:
    """Return the functions that calls may find beside the types which are there by now."""
    known = {
        around.scopes.namespace_path(one)
        for one in taken
        if one.kind in ("type", "alias")
    }
    return [
        one
        for mention, by in calls.items()
        for one in around.resolve_identifier(mention, by, known)
        if can_be_in_closure(one)
    ]


def _primaries(kernel: Declaration, around: UnitContext) -> list[Declaration]:
    """Return the template that a specialisation specialises."""
    if kernel.cursor.get_num_template_arguments() <= 0:
        return []
    same = [
        one
        for one in around.declarations
        if one.kind == "kernel" and kernel.cursor.spelling in one.names
    ]
    return [one for one in same if one.cursor.kind.name == "FUNCTION_TEMPLATE"]


def _renames(declaration: Declaration, kernel: Declaration) -> bool:
    """Tell whether a using-declaration names the kernel, which the unit has not yet declared
    there.
    """
    return declaration.kind == "using" and kernel.cursor.spelling in declaration.names
