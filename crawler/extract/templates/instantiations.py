"""Choose the instantiations of a kernel template: those that the project uses, else default
ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.describe.instantiation_labels import (
    make_argument_label,
    number_duplicate_labels,
)
from crawler.extract.templates.default_arguments import make_default_instantiations
from crawler.model import Instantiation, InstantiationOrigin, KernelFacts, Launch

MAX_INSTANTIATED_LINES: Final = 400_000
"""Lines of kernel that one unit may instantiate: some ten minutes of a compiler's time."""
_FEWEST: Final = 16
_ORIGINS: Final = list(InstantiationOrigin)


def select_instantiations(
    primary: KernelFacts, others: Iterable[KernelFacts], launches: Collection[Launch]
) -> list[Instantiation]:
    """Return what every unit instantiates or launches, as far as the chosen sighting's closure
    can spell it.

    A kernel that is no template has one without arguments; a template that nobody uses has a
    default set,
    where one is plausible.
    """
    if not primary.template_parameters:
        if (
            primary.template_head
            and "".join(primary.template_head.split()) != "template<>"
        ):
            return []
        origin = (
            InstantiationOrigin.LAUNCH if launches else InstantiationOrigin.EXPLICIT
        )
        return [
            Instantiation(arguments=(), label="", symbol=primary.mangled, origin=origin)
        ]
    found = {one.arguments: one for one in primary.instantiations}
    for sighting in others:
        for one in sighting.instantiations:
            if all(is_universal_argument(argument) for argument in one.arguments):
                _add(found, one)
    for arguments in (one for launch in launches for one in launch.template_arguments):
        if len(arguments) == len(primary.template_parameters) and all(
            is_universal_argument(argument) for argument in arguments
        ):
            _add(
                found,
                Instantiation(
                    arguments=arguments, label=make_argument_label(arguments)
                ),
            )
    used = [
        one for one in found.values() if one.origin is not InstantiationOrigin.DEFAULT
    ]
    return list(
        number_duplicate_labels(
            used or found.values() or make_default_instantiations(primary)
        )
    )


def _add(found: dict[tuple[str, ...], Instantiation], one: Instantiation) -> None:
    """Add what another unit shows: its use of a template counts more than a guess that was made
    where none was seen.
    """
    if found.setdefault(one.arguments, one).origin is InstantiationOrigin.DEFAULT:
        found[one.arguments] = one


def is_used_by_project(candidates: Iterable[Instantiation]) -> bool:
    """Tell whether a project uses a template with something: what another kernel lent it does
    not count.
    """
    return any(one.origin is not InstantiationOrigin.DEFAULT for one in candidates)


def order_for_unit(
    candidates: Sequence[Instantiation], kernel_lines: int
) -> tuple[tuple[Instantiation, ...], int]:
    """Return all of `candidates`, those first that one unit of a kernel of so many lines
    instantiates, and their number.

    Where they are too many, a spread of the best founded is taken: neighbours differ in one
    argument only.
    """
    most = max(_FEWEST, MAX_INSTANTIATED_LINES // max(1, kernel_lines))
    if len(candidates) <= most:
        return tuple(candidates), len(candidates)
    by_evidence = sorted(candidates, key=lambda one: _ORIGINS.index(one.origin))
    chosen = [by_evidence[at * len(candidates) // most] for at in range(most)]
    taken = {one.arguments for one in chosen}
    return (*chosen, *(one for one in candidates if one.arguments not in taken)), most
