"""Merge the facts of all translation units of a commit into kernels with their kernel units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.checkout.dependencies import is_dependency_file
from crawler.extract.describe.tags import compute_tags
from crawler.extract.launches.kernel_use import SourcePlace
from crawler.extract.launches.launch_assignment import assign_launches
from crawler.extract.linked_units import add_unit
from crawler.extract.templates.instantiations import (
    is_used_by_project,
    order_for_unit,
    select_instantiations,
)
from crawler.model import (
    FlagsOrigin,
    Kernel,
    KernelFacts,
    Launch,
    Layer,
    UnitFacts,
)

_LAYER_ORDER: Final = list(Layer)
_ORIGIN_ORDER: Final = list(FlagsOrigin)
_Sighting = tuple[KernelFacts, UnitFacts]
"""A kernel as a unit shows it, and that unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCommit:
    """What a commit has: its kernels, and the launches of which no kernel is known, each with
    its reason.
    """

    kernels: tuple[Kernel, ...]
    launches: tuple[Launch, ...]


@dataclass(slots=True)
class _MergedKernel:
    """All sightings of the kernel at one place."""

    sightings: list[_Sighting] = field(default_factory=list)
    launches: tuple[Launch, ...] = ()

    @property
    def name(self) -> str:
        return self.sightings[0][0].name

    @property
    def found_by(self) -> Layer:
        return self.sightings[0][0].found_by


def link_kernels(facts: Iterable[UnitFacts]) -> tuple[Kernel, ...]:
    """Return the kernels of a commit, ordered by path and offset, each once however many units
    showed it.
    """
    return link_commit(facts).kernels


def link_commit(facts: Iterable[UnitFacts]) -> LinkedCommit:
    """Return the kernels of a commit with their launches, and the launches that have none."""
    # what other repositories have is theirs, though it is read here
    units = [_drop_foreign(unit) for unit in facts]
    merged_kernels = _merge_sightings(units)
    launch_sightings = (launch for unit in units for launch in unit.launches)
    assigned = assign_launches(launch_sightings, _list_definitions(merged_kernels))
    for place, launches in assigned.by_kernel.items():
        merged_kernels[place].launches = launches

    kernels = [_link_kernel(merged_kernels[place]) for place in sorted(merged_kernels)]

    return LinkedCommit(
        kernels=tuple(kernels),
        launches=assigned.unassigned,
    )


def _drop_foreign(unit: UnitFacts) -> UnitFacts:
    """Return facts without the kernels and launches of a project's dependencies.

    Their paths alone say so: a report of what came may be missing.
    """
    return replace(
        unit,
        kernels=tuple(
            kernel
            for kernel in unit.kernels
            if not is_dependency_file(kernel.span.path)
        ),
        launches=tuple(
            sighting
            for sighting in unit.launches
            if not is_dependency_file(sighting.launch.span.path)
        ),
    )


def _merge_sightings(units: Sequence[UnitFacts]) -> dict[SourcePlace, _MergedKernel]:
    """Group sightings by place.

    The text alone may see a definition begin elsewhere than the AST does, by its attributes: such
    sightings count only where they overlap none of the AST's.
    """
    ast_sightings: list[_Sighting] = []
    text_sightings: list[_Sighting] = []
    for unit in units:
        for kernel in unit.kernels:
            is_ast = kernel.found_by is Layer.AST
            (ast_sightings if is_ast else text_sightings).append((kernel, unit))

    merged_kernels: dict[SourcePlace, _MergedKernel] = defaultdict(_MergedKernel)
    ast_kernels: dict[tuple[str, str], list[KernelFacts]] = defaultdict(list)
    for kernel, unit in ast_sightings:
        span = kernel.span
        merged_kernels[(span.path, span.offset)].sightings.append((kernel, unit))
        ast_kernels[(span.path, kernel.name)].append(kernel)

    for kernel, unit in text_sightings:
        span = kernel.span
        same_name = ast_kernels[(span.path, kernel.name)]
        if not any(span.overlaps(ast_kernel.span) for ast_kernel in same_name):
            merged_kernels[(span.path, span.offset)].sightings.append((kernel, unit))

    return merged_kernels


def _list_definitions(
    merged_kernels: dict[SourcePlace, _MergedKernel],
) -> dict[str, list[SourcePlace]]:
    """Return the places of each name's definitions; those that only the text shows where the
    AST shows none.
    """
    places_by_name: dict[str, list[SourcePlace]] = defaultdict(list)
    for place, kernel in merged_kernels.items():
        # no launch of a file reaches a kernel in a string
        if kernel.found_by is not Layer.STRING:
            places_by_name[kernel.name].append(place)

    for name, places in places_by_name.items():
        ast_places = [
            place for place in places if merged_kernels[place].found_by is Layer.AST
        ]
        places_by_name[name] = ast_places or places

    return places_by_name


def _link_kernel(merged: _MergedKernel) -> Kernel:
    sighting, unit = _choose_sighting(merged.sightings)
    # all sightings count: each unit instantiates what it uses
    candidates = select_instantiations(
        sighting,
        (kernel for kernel, _ in merged.sightings),
        merged.launches,
    )

    instantiations, unit_count = order_for_unit(candidates, _count_lines(sighting))
    # the best founded flags that any unit has seen the kernel with
    flags_origin = min(
        (seen_by.command.origin for _, seen_by in merged.sightings),
        key=_ORIGIN_ORDER.index,
    )

    kernel = Kernel(
        name=sighting.name,
        qualified_name=sighting.qualified_name,
        mangled=sighting.mangled,
        dialect=sighting.dialect,
        span=sighting.span,
        found_by=sighting.found_by,
        reason=sighting.reason,
        source=sighting.source,
        template_head=sighting.template_head,
        parameters=sighting.parameters,
        template_parameters=sighting.template_parameters,
        attributes=sighting.attributes,
        instantiations=instantiations,
        launches=tuple(_name_arguments(launch, sighting) for launch in merged.launches),
        flags_origin=flags_origin,
        added_flags=unit.command.added_arguments,
        borrowed_from=unit.command.borrowed_from,
    )

    kernel = add_unit(
        kernel,
        sighting,
        unit,
        unit_count,
    )

    tags = {*compute_tags(kernel), *_tag_dependencies(kernel, unit)}
    return replace(kernel, tags=tuple(sorted(tags)))


def _tag_dependencies(kernel: Kernel, unit: UnitFacts) -> Iterator[str]:
    """Yield a tag for each dependency that a kernel's unit holds text of, with its commit and its
    licence.
    """
    paths = [origin.path for origin in kernel.origins]
    for dependency in unit.dependencies:
        if any(path.startswith(f"{dependency.folder}/") for path in paths):
            licence = dependency.licence or "NOASSERTION"
            yield f"dependency:{dependency.name}:{dependency.short_commit}:{licence}"


def _count_lines(sighting: KernelFacts) -> int:
    """Return how many lines an instantiation of a kernel compiles.

    Its own, or half of its unit's where it merely calls a class.
    """
    own_lines = sighting.span.end_line - sighting.span.line + 1
    fragments = sighting.closure.fragments if sighting.closure else ()
    unit_lines = sum(text.count("\n") for text in fragments)

    return max(own_lines, unit_lines // 2)


def _choose_sighting(sightings: Sequence[_Sighting]) -> _Sighting:
    """Return the sighting that tells most.

    The AST, as a build's macros have it, then the unit that instantiates most, then few errors.
    Among equals a build counts that sets few macros.
    """

    def rank(sighting: _Sighting) -> tuple[int, bool, bool, bool, int, int, int, str]:
        kernel, unit = sighting
        macro_count = sum(
            argument.startswith("-D") for argument in unit.command.arguments
        )

        return (
            _LAYER_ORDER.index(kernel.found_by),
            bool(kernel.reason),
            kernel.closure is None,
            not is_used_by_project(kernel.instantiations),
            -len(kernel.instantiations),
            len(unit.diagnostics),
            macro_count,
            unit.command.file,
        )

    return min(sightings, key=rank)


def _name_arguments(launch: Launch, sighting: KernelFacts) -> Launch:
    arguments = [argument for _, argument in launch.argument_map]
    names = [parameter.name for parameter in sighting.parameters]
    return replace(launch, argument_map=tuple(zip(names, arguments, strict=False)))
