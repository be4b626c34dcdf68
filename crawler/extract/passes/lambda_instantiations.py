"""Keep the instantiations with lambdas whose classes compile where those stand for them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from crawler.cpp import language_standard
from crawler.cpp.files.identifier_uses import collect_text_identifiers
from crawler.extract.templates.compile_check import select_compiling_instantiations
from crawler.model import CompileCommand, Instantiation, KernelFacts

_MAX_TRIED_ALONE: Final = 12
"""Lambdas of a kernel that are tried one by one, where they do not all compile together."""

Instantiations = tuple[Instantiation, ...]


def drop_unknown_lambdas(
    instantiations: Instantiations, unknown_names: Collection[str]
) -> Instantiations:
    """Return the instantiations that name none of the classes of lambdas `unknown_names`."""
    if not unknown_names:
        return instantiations

    return tuple(
        instantiation
        for instantiation in instantiations
        if not _names_any(instantiation, unknown_names)
    )


def keep_compiling_lambdas(
    kernel: KernelFacts,
    lambda_names: Collection[str],
    command: CompileCommand,
    make_sighting: Callable[[Instantiations], KernelFacts],
    is_trial_allowed: Callable[[], bool],
) -> KernelFacts:
    """Return a kernel without the lambdas whose classes do not compile.

    What a class cannot say, such as a name of the class round its lambda, shows there.
    `make_sighting` returns the kernel as it is with some of its instantiations.
    """
    with_lambdas = [
        instantiation
        for instantiation in kernel.instantiations
        if _names_any(instantiation, lambda_names)
    ]
    if not with_lambdas or not is_trial_allowed():
        return kernel

    def compiles(sighting: KernelFacts) -> bool:
        closure = sighting.closure
        if closure is None or not closure.complete:
            return False

        compiling = select_compiling_instantiations(
            closure,
            sighting.dialect,
            sighting.qualified_name,
            sighting.instantiations,
            language_standard.requested_standard(command.arguments),
        )
        return len(compiling) == len(sighting.instantiations)

    if compiles(kernel):
        return kernel

    # one class that is wrong takes the unit from all
    fitting = {
        instantiation
        for instantiation in with_lambdas[:_MAX_TRIED_ALONE]
        if is_trial_allowed() and compiles(make_sighting((instantiation,)))
    }
    compiling_instantiations = tuple(
        instantiation
        for instantiation in kernel.instantiations
        if instantiation in fitting or instantiation not in with_lambdas
    )
    return make_sighting(compiling_instantiations)


def _names_any(instantiation: Instantiation, names: Collection[str]) -> bool:
    return any(
        identifier.name in names
        for argument in instantiation.arguments
        for identifier in collect_text_identifiers(argument)
    )
