"""Choose the instantiations of a kernel template: those that the project uses, else default
ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.describe.instantiation_labels import (
    make_argument_label,
    number_duplicate_labels,
)
from crawler.extract.templates.fallback_arguments import make_fallback_instantiations
from crawler.model import Instantiation, InstantiationOrigin, KernelFacts, Launch

MAX_INSTANTIATED_LINES: Final = 400_000
"""Lines of kernel that one unit may instantiate: some ten minutes of a compiler's time."""
_MIN_INSTANTIATIONS: Final = 16
"""Instantiations of a unit, however long its kernel."""
_ORIGIN_ORDER: Final = list(InstantiationOrigin)
_Arguments = tuple[str, ...]


def select_instantiations(
    primary: KernelFacts, sightings: Iterable[KernelFacts], launches: Collection[Launch]
) -> list[Instantiation]:
    """Return what every unit instantiates or launches, as far as the chosen sighting's closure
    can spell it.

    A kernel that is no template has one without arguments; a template that nobody uses has a
    default set, where one is plausible.
    """
    if not primary.template_parameters:
        return _instantiate_plain_kernel(primary, launches)

    instantiations = {
        instantiation.arguments: instantiation
        for instantiation in primary.instantiations
    }

    for sighting in sightings:
        for instantiation in sighting.instantiations:
            if all(map(is_universal_argument, instantiation.arguments)):
                _add_instantiation(instantiations, instantiation)

    for arguments in _iter_launched_arguments(primary, launches):
        launched = Instantiation(
            arguments=arguments, label=make_argument_label(arguments)
        )
        _add_instantiation(instantiations, launched)

    # what was guessed counts only where nothing is used
    used_by_project = [
        instantiation
        for instantiation in instantiations.values()
        if instantiation.origin is not InstantiationOrigin.DEFAULT
    ]

    selected = (
        used_by_project
        or instantiations.values()
        or make_fallback_instantiations(primary)
    )

    return list(number_duplicate_labels(selected))


def _instantiate_plain_kernel(
    kernel: KernelFacts, launches: Collection[Launch]
) -> list[Instantiation]:
    # only the text showed this template, which does not tell its parameters
    head = "".join(kernel.template_head.split())
    if head not in ("", "template<>"):
        return []

    origin = InstantiationOrigin.LAUNCH if launches else InstantiationOrigin.EXPLICIT

    return [Instantiation(arguments=(), label="", symbol=kernel.mangled, origin=origin)]


def _iter_launched_arguments(
    kernel: KernelFacts, launches: Iterable[Launch]
) -> Iterator[_Arguments]:
    """Yield the template arguments of launches that can be written in any unit."""
    parameter_count = len(kernel.template_parameters)
    for launch in launches:
        for arguments in launch.template_arguments:
            is_complete = len(arguments) == parameter_count
            if is_complete and all(map(is_universal_argument, arguments)):
                yield arguments


def _add_instantiation(
    instantiations: dict[_Arguments, Instantiation], instantiation: Instantiation
) -> None:
    """Add what another unit shows: its use of a template counts more than a guess that was made
    where none was seen.
    """
    arguments = instantiation.arguments
    earlier = instantiations.setdefault(arguments, instantiation)
    if earlier.origin is InstantiationOrigin.DEFAULT:
        instantiations[arguments] = instantiation


def is_used_by_project(candidates: Iterable[Instantiation]) -> bool:
    """Tell whether a project uses a template with something: what another kernel lent it does
    not count.
    """
    return any(
        candidate.origin is not InstantiationOrigin.DEFAULT for candidate in candidates
    )


def order_for_unit(
    candidates: Sequence[Instantiation], kernel_lines: int
) -> tuple[tuple[Instantiation, ...], int]:
    """Return all of `candidates`, those first that one unit of a kernel of so many lines
    instantiates, and their number.

    Where they are too many, a spread of the best founded is taken: neighbours differ in one
    argument only.
    """
    max_count = max(_MIN_INSTANTIATIONS, MAX_INSTANTIATED_LINES // max(1, kernel_lines))
    if len(candidates) <= max_count:
        return tuple(candidates), len(candidates)

    by_evidence = sorted(
        candidates, key=lambda candidate: _ORIGIN_ORDER.index(candidate.origin)
    )

    chosen = [
        # evenly over the list, the first included
        by_evidence[index * len(candidates) // max_count]
        for index in range(max_count)
    ]

    chosen_arguments = {instantiation.arguments for instantiation in chosen}
    unchosen = [
        candidate
        for candidate in candidates
        if candidate.arguments not in chosen_arguments
    ]

    return (*chosen, *unchosen), max_count
