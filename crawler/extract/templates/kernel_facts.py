"""Describe one kernel of a translation unit: its signature, its instantiations and its closure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from clang.cindex import CursorKind

from crawler.cpp.source_text import SourceText
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    read_parameter,
    read_template_parameter,
    template_parameter_cursors,
)
from crawler.extract.clang.type_printer import device_symbol
from crawler.extract.closure.dependency_closure import compute_closure
from crawler.extract.closure.context.unit_context import UnitContext
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
)

KernelKey = tuple[str, int, str]
"""Path, offset and name of a kernel."""


def group_instantiations(
    kernel_uses: Collection[KernelUse], unit_text: UnitText
) -> dict[KernelKey, tuple[Instantiation, ...]]:
    """Return what each kernel, by path, offset and name, is instantiated with."""
    same: dict[tuple[KernelKey, tuple[str, ...]], list[KernelUse]] = defaultdict(list)
    for use in kernel_uses:
        if use.template_arguments:
            same[((*use.target, use.kernel), use.template_arguments)].append(use)
    listed: dict[KernelKey, list[Instantiation]] = defaultdict(list)
    for (place, arguments), uses_of in same.items():
        one = Instantiation(
            arguments=arguments,
            label=make_argument_label(arguments),
            symbol=uses_of[0].symbol,
            origin=_origin(uses_of, unit_text),
        )
        listed[place].append(one)
    return {place: tuple(known) for place, known in listed.items()}


def _origin(same: Collection[KernelUse], written: UnitText) -> InstantiationOrigin:
    """Return why a specialisation is there: all its uses, one of which has no place but the
    specialisation's own.
    """
    if any(find_launch_of_use(use, written) is not None for use in same):
        return InstantiationOrigin.LAUNCH
    name = next(use.kernel for use in same)
    if not any(use.path for use in same) and any(
        name in written.explicit_instantiation_names(path) for path in written.files
    ):
        return InstantiationOrigin.EXPLICIT
    return InstantiationOrigin.DISPATCH


def make_kernel_sighting(
    declaration: Declaration,
    context: UnitContext,
    command: CompileCommand,
    instantiations: tuple[Instantiation, ...],
) -> KernelFacts:
    """Return what a unit's AST shows of a kernel."""
    cursor, source = declaration.cursor, context.sources[declaration.path]
    text = source.text_between(declaration.start, declaration.end)
    head = text[: text.find("{")] if "{" in text else text
    owner = declaration.owner_class.cursor if declaration.owner_class else None
    owner_head = _owner_head(declaration, source)
    children = list(cursor.get_children())
    linkage = (
        ('extern "C"',)
        if any(wrapper.startswith("extern") for wrapper in declaration.scope_openings)
        else ()
    )
    return KernelFacts(
        span=source.make_span(declaration.start, declaration.end),
        name=cursor.spelling,
        qualified_name="::".join((*declaration.namespaces, cursor.spelling)),
        dialect=command.dialect or Dialect.CUDA,
        found_by=Layer.AST,
        mangled=""
        if cursor.kind is CursorKind.FUNCTION_TEMPLATE
        else device_symbol(cursor),
        source=text,
        template_head=" ".join(filter(None, (owner_head, extract_template_head(head)))),
        parameters=tuple(
            read_parameter(child)
            for child in children
            if child.kind is CursorKind.PARM_DECL
        ),
        template_parameters=tuple(
            read_template_parameter(child, source)
            for each in (owner, cursor)
            if each
            for child in template_parameter_cursors(each)
        ),
        attributes=tuple(dict.fromkeys((*linkage, *extract_head_attributes(head)))),
        instantiations=instantiations,
        closure=compute_closure(
            declaration,
            {part for one in instantiations for part in one.arguments},
            context,
        ),
    )


def _owner_head(declaration: Declaration, source: SourceText) -> str:
    """Return the template head of the class that a kernel is a member of."""
    if (
        declaration.owner_class is None
        or declaration.owner_class.cursor.kind is not CursorKind.CLASS_TEMPLATE
    ):
        return ""
    return extract_template_head(
        source.text_between(declaration.owner_class.start, declaration.start)
    )
