"""Describe one kernel of a translation unit: its signature, its instantiations and its closure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.namespaces import read_semantic_namespaces
from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    read_parameter,
    read_template_parameter,
    template_parameter_cursors,
)
from crawler.extract.clang.type_printer import device_symbol
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.dependency_closure import compute_closure
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.extract.launches.kernel_use import KernelUse
from crawler.extract.launches.launch_facts import find_launch_of_use
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import (
    CompileCommand,
    Dialect,
    Instantiation,
    InstantiationOrigin,
    KernelFacts,
    Layer,
    TemplateParameter,
)

OUT_OF_TIME: Final = (
    "closure-timeout: the kernels of its file before it took all seconds of a processor"
)
KernelKey = tuple[str, int, str]
"""Path, offset and name of a kernel."""


def group_instantiations(
    kernel_uses: Collection[KernelUse], unit_text: UnitText
) -> dict[KernelKey, tuple[Instantiation, ...]]:
    """Return what each kernel, by path, offset and name, is instantiated with."""
    uses_by_specialisation: dict[tuple[KernelKey, tuple[str, ...]], list[KernelUse]] = (
        defaultdict(list)
    )

    for use in kernel_uses:
        if use.template_arguments:
            key: KernelKey = (*use.target, use.kernel)
            uses_by_specialisation[(key, use.template_arguments)].append(use)

    instantiations: dict[KernelKey, list[Instantiation]] = defaultdict(list)
    for (key, arguments), uses in uses_by_specialisation.items():
        instantiation = Instantiation(
            arguments=arguments,
            label=make_argument_label(arguments),
            symbol=uses[0].symbol,
            origin=_find_origin(uses, unit_text),
        )
        instantiations[key].append(instantiation)

    return {key: tuple(group) for key, group in instantiations.items()}


def _find_origin(uses: list[KernelUse], unit_text: UnitText) -> InstantiationOrigin:
    """Return why a specialisation is there, by all its uses."""
    if any(find_launch_of_use(use, unit_text) is not None for use in uses):
        return InstantiationOrigin.LAUNCH

    # of an explicit instantiation only the specialisation itself is seen, which has no place
    has_place = any(use.path for use in uses)
    if not has_place and _is_explicitly_instantiated(uses[0].kernel, unit_text):
        return InstantiationOrigin.EXPLICIT

    return InstantiationOrigin.DISPATCH


def _is_explicitly_instantiated(kernel_name: str, unit_text: UnitText) -> bool:
    return any(
        kernel_name in unit_text.explicit_instantiation_names(path)
        for path in unit_text.files
    )


def make_kernel_sighting(
    declaration: Declaration,
    context: UnitContext,
    command: CompileCommand,
    instantiations: tuple[Instantiation, ...],
    *,
    has_time: bool = True,
    is_wanted: bool = True,
) -> KernelFacts:
    """Return what a unit's AST shows of a kernel; no closure unless the unit still `has_time`,
    and its `is_wanted`.
    """
    cursor = declaration.cursor
    source = declaration.source
    # as written, whatever a unit leaves out of it
    text = source.text_between(declaration.start, declaration.end)
    head = text.partition("{")[0]
    template_heads = (
        _extract_owner_head(declaration, source),
        extract_template_head(head),
    )

    is_template = cursor.kind is CursorKind.FUNCTION_TEMPLATE
    parameters = [
        read_parameter(child)
        for child in cursor.get_children()
        if child.kind is CursorKind.PARM_DECL
    ]

    template_arguments = {
        argument
        for instantiation in instantiations
        for argument in instantiation.arguments
    }

    return KernelFacts(
        span=source.make_span(declaration.start, declaration.end),
        name=cursor.spelling,
        qualified_name=_qualify_name(declaration),
        dialect=command.dialect or Dialect.CUDA,
        found_by=Layer.AST,
        mangled="" if is_template else device_symbol(cursor),
        source=text,
        template_head=" ".join(filter(None, template_heads)),
        parameters=tuple(parameters),
        template_parameters=tuple(_iter_template_parameters(declaration, source)),
        attributes=_list_attributes(declaration, head),
        instantiations=instantiations,
        closure=compute_closure(declaration, template_arguments, context)
        if has_time and is_wanted
        else None,
        problem="" if has_time else OUT_OF_TIME,
    )


def _qualify_name(declaration: Declaration) -> str:
    """Return a kernel's name with its namespaces and its class, wherever it is defined."""
    scopes = declaration.namespaces
    # `__global__ void a::k() {}` stands outside of `a`
    if declaration.owner_class is None:
        scopes = read_semantic_namespaces(declaration.cursor)

    return "::".join((*scopes, declaration.cursor.spelling))


def _extract_owner_head(declaration: Declaration, source: SourceText) -> str:
    """Return the template head of the class that a kernel is a member of."""
    owner = declaration.owner_class
    if owner is None or owner.cursor.kind is not CursorKind.CLASS_TEMPLATE:
        return ""

    return extract_template_head(source.text_between(owner.start, declaration.start))


def _iter_template_parameters(
    declaration: Declaration, source: SourceText
) -> Iterator[TemplateParameter]:
    """Yield the template parameters of the class that a kernel is a member of, then its own."""
    cursors = [declaration.cursor]
    if declaration.owner_class is not None:
        cursors.insert(0, declaration.owner_class.cursor)

    for cursor in cursors:
        for parameter in template_parameter_cursors(cursor):
            yield read_template_parameter(parameter, source)


def _list_attributes(declaration: Declaration, head: str) -> tuple[str, ...]:
    attributes = list(extract_head_attributes(head))
    if any(opening.startswith("extern") for opening in declaration.scope_openings):
        attributes.insert(0, 'extern "C"')

    return tuple(dict.fromkeys(attributes))
