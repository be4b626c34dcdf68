"""Borrow template arguments from sibling kernels with identically named parameters.

A library has families of kernels that take the same types, and a project seldom uses them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.template_argument_text import split_template_arguments
from crawler.extract.clang.signature import (
    read_template_parameter,
    template_parameter_cursors,
)
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.extract.templates.default_arguments import (
    MAX_INSTANTIATIONS,
    list_argument_choices,
    make_default_instantiations,
)
from crawler.extract.templates.instantiations import (
    is_universal_argument,
    is_used_by_project,
)
from crawler.model import (
    Instantiation,
    InstantiationOrigin,
    KernelFacts,
    TemplateParameter,
)

_TEMPLATE: Final = re.compile(r"([A-Za-z_]\w*(?:::\w+)*)<")
_LONGEST: Final = 20_000
"""Characters of one argument that are looked at."""
_MOST_NAMED: Final = 64
_MOST_ROWS: Final = 2
_Key = tuple[str, str]
"""Kind and name of a parameter, without the underscore that makes room for a member of that
name.
"""


def borrow_sibling_arguments(
    kernel: KernelFacts, siblings: Iterable[KernelFacts]
) -> tuple[Instantiation, ...]:
    """Return what a template that nothing instantiates has by others of its file.

    Values that those do not tell are its own defaults, or what a default set begins with. Types
    of the language count
    only where it has no default set.
    """
    if not kernel.template_parameters or kernel.instantiations:
        return ()
    found = dict.fromkeys(
        arguments
        for other in _near(kernel, siblings)
        for arguments in _arguments(kernel, other)
    )
    if all(
        is_universal_argument(one) for arguments in found for one in arguments
    ) and make_default_instantiations(kernel):
        return ()
    return _taken_over(found)


def borrow_from_class_templates(
    kernel: KernelFacts, siblings: Iterable[KernelFacts], context: UnitContext
) -> tuple[Instantiation, ...]:
    """Return what it has by the class templates that are in what others are instantiated with.

    Of those many have parameters of the same names: whether they mean the same is for a
    compiler to say.
    """
    used = {
        part
        for one in siblings
        for each in one.instantiations
        if is_used_by_project([each])
        for part in each.arguments
    }
    named = {
        each
        for text in sorted(used)
        for each in islice(_specialisations(text), _MOST_NAMED)
    }
    templates = _templates({name for name, _ in named}, context)
    spelled = (
        _spelled(
            kernel.template_parameters,
            dict(zip(templates[name], arguments, strict=False)),
        )
        for name, arguments in sorted(named)
        if name in templates
    )
    return _taken_over(dict.fromkeys(arguments for arguments in spelled if arguments))


def borrow_partial_arguments(
    kernel: KernelFacts, siblings: Iterable[KernelFacts]
) -> tuple[dict[str, str], ...]:
    """Return what the nearest kernels of its file tell of some of its parameters, by their
    names.
    """
    rows: dict[tuple[tuple[str, str], ...], None] = {}
    for other in _near(kernel, siblings):
        names = [_key(parameter) for parameter in other.template_parameters]
        for one in (
            other.instantiations if is_used_by_project(other.instantiations) else ()
        ):
            told = dict(zip(names, one.arguments, strict=False))
            known = (
                (each.name, told[_key(each)])
                for each in kernel.template_parameters
                if _key(each) in told
            )
            rows[tuple(known)] = None
    return tuple(dict(row) for row in islice((row for row in rows if row), _MOST_ROWS))


def _taken_over(found: Iterable[tuple[str, ...]]) -> tuple[Instantiation, ...]:
    return tuple(
        Instantiation(
            arguments=arguments,
            label=make_argument_label(arguments),
            origin=InstantiationOrigin.DEFAULT,
        )
        for arguments in islice(found, MAX_INSTANTIATIONS)
    )


def _specialisations(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names of the templates in a type's text, each with its arguments."""
    for found in _TEMPLATE.finditer(text[:_LONGEST]):
        yield found[1], tuple(split_template_arguments(text, found.end()))


def _templates(names: Collection[str], around: UnitContext) -> dict[str, list[_Key]]:
    found: dict[str, list[_Key]] = {}
    for one in around.declarations:
        name = "::".join((*one.namespaces, *one.names[:1]))
        if name in names and one.cursor.kind is CursorKind.CLASS_TEMPLATE:
            parameters = (
                read_template_parameter(each, one.source)
                for each in template_parameter_cursors(one.cursor)
            )
            found[name] = [_key(each) for each in parameters]
    return found


def _near(kernel: KernelFacts, beside: Iterable[KernelFacts]) -> list[KernelFacts]:
    same = [
        one
        for one in beside
        if one.span.path == kernel.span.path and is_used_by_project(one.instantiations)
    ]
    return sorted(same, key=lambda one: abs(one.span.offset - kernel.span.offset))


def _arguments(kernel: KernelFacts, other: KernelFacts) -> Iterator[tuple[str, ...]]:
    """Yield what `other` is instantiated with, in the order of the kernel's parameters, where
    it tells all of them.
    """
    names = [_key(parameter) for parameter in other.template_parameters]
    values = (
        parameter
        for parameter in kernel.template_parameters
        if parameter.kind == "value"
    )
    guesses = {
        _key(one): first
        for one in values
        for first in list_argument_choices(one, kernel)[:1]
    }
    for one in other.instantiations:
        told = (
            dict(zip(names, one.arguments, strict=False))
            if len(names) == len(one.arguments)
            else {}
        )
        spelled = _spelled(kernel.template_parameters, {**guesses, **told})
        if spelled and any(
            _key(one) in told
            for one in kernel.template_parameters
            if one.kind == "type"
        ):
            yield spelled


def _spelled(
    parameters: Sequence[TemplateParameter], told: dict[_Key, str]
) -> tuple[str, ...]:
    found = []
    for parameter in parameters:
        argument = told.get(
            _key(parameter), parameter.default if parameter.kind == "value" else ""
        )
        if not argument:
            return ()
        found.append(argument)
    return tuple(found)


def _key(parameter: TemplateParameter) -> _Key:
    return parameter.kind, parameter.name.rstrip("_")
