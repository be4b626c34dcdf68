"""Borrow template arguments from sibling kernels with identically named parameters.

A library has families of kernels that take the same types, and a project seldom uses them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.template_argument_text import (
    is_universal_argument,
    split_printed_arguments,
)
from crawler.extract.clang.signature import (
    read_template_parameter,
    template_parameter_cursors,
)
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.templates.argument_choices import list_argument_choices
from crawler.extract.templates.fallback_arguments import make_fallback_instantiations
from crawler.extract.templates.guessed_instantiations import (
    GuessedSet,
    make_guessed_set,
)
from crawler.extract.templates.instantiations import (
    is_used_by_project,
)
from crawler.model import KernelFacts, TemplateParameter

# an argument, as it is printed, of bounded length
_TEMPLATE_NAME: Final = re.compile(r"([A-Za-z_]\w*(?:::\w+)*)<")
_MAX_ARGUMENT_LENGTH: Final = 20_000
"""Characters of one argument that are looked at."""
_MAX_NAMED_TEMPLATES: Final = 64
_MAX_PARTIAL_ROWS: Final = 2
_ParameterKey = tuple[str, str]
"""Kind and name of a parameter, without the underscore that makes room for a member of that
name.
"""
_NamedTemplate = tuple[str, tuple[str, ...]]
"""A class template in a type's text, and its arguments there."""


def borrow_sibling_arguments(
    kernel: KernelFacts, siblings: Iterable[KernelFacts]
) -> GuessedSet:
    """Return what a template that nothing instantiates has by others of its file.

    Values that those do not tell are its own defaults, or what a default set begins with. Types
    of the language count only where it has no default set.
    """
    if not kernel.template_parameters or kernel.instantiations:
        return ()

    argument_lists: dict[tuple[str, ...], None] = {}
    for sibling in _sort_by_distance(kernel, siblings):
        argument_lists.update(dict.fromkeys(_iter_translated(kernel, sibling)))

    # types of the language tell no more than a default set does
    is_plain = all(
        is_universal_argument(argument)
        for arguments in argument_lists
        for argument in arguments
    )

    if is_plain and make_fallback_instantiations(kernel):
        return ()

    return make_guessed_set(argument_lists)


def borrow_from_class_templates(
    kernel: KernelFacts, siblings: Iterable[KernelFacts], context: UnitContext
) -> GuessedSet:
    """Return what it has by the class templates that are in what others are instantiated with.

    Of those many have parameters of the same names: whether they mean the same is for a
    compiler to say.
    """
    named_templates: set[_NamedTemplate] = set()
    for argument in _list_used_arguments(siblings):
        templates_in_argument = _iter_named_templates(argument)
        named_templates.update(islice(templates_in_argument, _MAX_NAMED_TEMPLATES))

    parameter_keys = _list_template_parameters(
        {name for name, _ in named_templates}, context
    )

    argument_lists: list[tuple[str, ...]] = []
    for name, template_arguments in sorted(named_templates):
        if name in parameter_keys:
            values = dict(zip(parameter_keys[name], template_arguments, strict=False))
            arguments = _fill_parameters(kernel.template_parameters, values)
            if arguments:
                argument_lists.append(arguments)

    return make_guessed_set(dict.fromkeys(argument_lists))


def borrow_partial_arguments(
    kernel: KernelFacts, siblings: Iterable[KernelFacts]
) -> tuple[dict[str, str], ...]:
    """Return what the nearest kernels of its file tell of some of its parameters, by their
    names.
    """
    rows: dict[tuple[tuple[str, str], ...], None] = {}
    for sibling in _sort_by_distance(kernel, siblings):
        keys = [_key_of(parameter) for parameter in sibling.template_parameters]
        for instantiation in sibling.instantiations:
            values = dict(zip(keys, instantiation.arguments, strict=False))
            row = tuple(
                (parameter.name, values[_key_of(parameter)])
                for parameter in kernel.template_parameters
                if _key_of(parameter) in values
            )

            if row:
                rows[row] = None

    return tuple(dict(row) for row in islice(rows, _MAX_PARTIAL_ROWS))


def _sort_by_distance(
    kernel: KernelFacts, siblings: Iterable[KernelFacts]
) -> list[KernelFacts]:
    """Return the kernels of the same file that the project uses, the nearest first."""
    used_siblings = [
        sibling
        for sibling in siblings
        if sibling.span.path == kernel.span.path
        and is_used_by_project(sibling.instantiations)
    ]

    return sorted(
        used_siblings,
        key=lambda sibling: abs(sibling.span.offset - kernel.span.offset),
    )


def _iter_translated(
    kernel: KernelFacts, sibling: KernelFacts
) -> Iterator[tuple[str, ...]]:
    """Yield what `sibling` is instantiated with, in the order of the kernel's parameters, where
    it tells all of them and a type.
    """
    usual_values: dict[_ParameterKey, str] = {}
    type_keys = set()
    for parameter in kernel.template_parameters:
        key = _key_of(parameter)
        if parameter.kind == "type":
            type_keys.add(key)
        elif parameter.kind == "value":
            choices = list_argument_choices(parameter, kernel)
            if choices:
                usual_values[key] = choices[0]

    keys = [_key_of(parameter) for parameter in sibling.template_parameters]
    for instantiation in sibling.instantiations:
        # a pack has several arguments
        if len(keys) != len(instantiation.arguments):
            continue

        values = dict(zip(keys, instantiation.arguments, strict=True))
        arguments = _fill_parameters(
            kernel.template_parameters, {**usual_values, **values}
        )

        # values alone say nothing of what the kernel is for
        if arguments and not type_keys.isdisjoint(values):
            yield arguments


def _list_used_arguments(kernels: Iterable[KernelFacts]) -> list[str]:
    arguments: set[str] = set()
    for kernel in kernels:
        for instantiation in kernel.instantiations:
            if is_used_by_project([instantiation]):
                arguments.update(instantiation.arguments)

    return sorted(arguments)


def _iter_named_templates(text: str) -> Iterator[_NamedTemplate]:
    """Yield the templates that a type's text names, each with its arguments."""
    for match in _TEMPLATE_NAME.finditer(text[:_MAX_ARGUMENT_LENGTH]):
        yield match[1], tuple(split_printed_arguments(text, match.end()))


def _list_template_parameters(
    names: Collection[str], context: UnitContext
) -> dict[str, list[_ParameterKey]]:
    """Return the parameters of the class templates with some qualified names."""
    parameter_keys: dict[str, list[_ParameterKey]] = {}
    for declaration in context.declarations:
        name = "::".join((*declaration.namespaces, *declaration.names[:1]))
        if name not in names:
            continue
        if declaration.cursor.kind is CursorKind.CLASS_TEMPLATE:
            parameter_keys[name] = [
                _key_of(read_template_parameter(cursor, declaration.source))
                for cursor in template_parameter_cursors(declaration.cursor)
            ]

    return parameter_keys


def _fill_parameters(
    parameters: Sequence[TemplateParameter], values: Mapping[_ParameterKey, str]
) -> tuple[str, ...]:
    """Return the arguments for some parameters; nothing where one of them has no value.

    Values may be their defaults, types may not.
    """
    arguments = []
    for parameter in parameters:
        default = parameter.default if parameter.kind == "value" else ""
        argument = values.get(_key_of(parameter), default)
        if not argument:
            return ()

        arguments.append(argument)

    return tuple(arguments)


def _key_of(parameter: TemplateParameter) -> _ParameterKey:
    return parameter.kind, parameter.name.rstrip("_")
