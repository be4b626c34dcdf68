"""What a template that a unit never uses takes over from one beside it whose parameters are called the same.

A library has families of kernels that take the same types, and a project seldom uses them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from crawler.extract.defaults import MOST, defaults
from crawler.extract.instantiations import is_plain, is_used
from crawler.extract.labels import label
from crawler.model import Instantiation, InstantiationOrigin, KernelSighting, TemplateParameter

_Key = tuple[str, str]
"""Kind and name of a parameter."""


def lent(kernel: KernelSighting, beside: Iterable[KernelSighting]) -> tuple[Instantiation, ...]:
    """Return what a template that nothing instantiates has by others of its file.

    Values that those do not tell are its own defaults. Types of the language count only where it has no default set.
    """
    if not kernel.template_parameters or kernel.instantiations:
        return ()
    found = dict.fromkeys(arguments for other in _near(kernel, beside) for arguments in _arguments(kernel, other))
    if all(is_plain(one) for arguments in found for one in arguments) and defaults(kernel):
        return ()
    return tuple(
        Instantiation(arguments=arguments, label=label(arguments), origin=InstantiationOrigin.DEFAULT)
        for arguments in islice(found, MOST)
    )


def _near(kernel: KernelSighting, beside: Iterable[KernelSighting]) -> list[KernelSighting]:
    same = [one for one in beside if one.span.path == kernel.span.path and is_used(one.instantiations)]
    return sorted(same, key=lambda one: abs(one.span.offset - kernel.span.offset))


def _arguments(kernel: KernelSighting, other: KernelSighting) -> Iterator[tuple[str, ...]]:
    """Yield what `other` is instantiated with, in the order of the kernel's parameters, where it tells all of them."""
    names = [_key(parameter) for parameter in other.template_parameters]
    for one in other.instantiations:
        told = dict(zip(names, one.arguments, strict=False)) if len(names) == len(one.arguments) else {}
        spelled = _spelled(kernel.template_parameters, told)
        if spelled and any(_key(one) in told for one in kernel.template_parameters if one.kind == "type"):
            yield spelled


def _spelled(parameters: Sequence[TemplateParameter], told: dict[_Key, str]) -> tuple[str, ...]:
    found = []
    for parameter in parameters:
        argument = told.get(_key(parameter), parameter.default if parameter.kind == "value" else "")
        if not argument:
            return ()
        found.append(argument)
    return tuple(found)


def _key(parameter: TemplateParameter) -> _Key:
    return parameter.kind, parameter.name
