"""Merge the facts of all translation units of a commit into kernels, and emit their kernel
units.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.cpp import language_standard
from crawler.extract.closure.emit_unit import emit_kernel_unit, trace_origins
from crawler.extract.describe.tags import compute_tags
from crawler.extract.launches.launch_assignment import SourcePlace, assign_launches
from crawler.extract.templates.instantiations import (
    is_used_by_project,
    order_for_unit,
    select_instantiations,
)
from crawler.model import (
    Closure,
    FlagsOrigin,
    Kernel,
    KernelFacts,
    Launch,
    Layer,
    UnitFacts,
)

_LAYERS: Final = list(Layer)
_UNUSED: Final = (
    "no-instantiation: the project never says which arguments it is used with"
)
_NAMELESS: Final = "no-instantiation: its launches pass what cannot be written down, such as a lambda, or are not resolved"
_UNRESOLVED: Final = (
    "missing-header: its launches are not resolved, and {} not among the sources: "
    "crawl the repository with its submodules, or a release that has them"
)
_NOT_FOUND: Final = re.compile(r"'([^']+)' file not found$")
_ORIGINS: Final = list(FlagsOrigin)


@dataclass(slots=True)
class _Merged:
    """All that was seen of the kernel at one place."""

    sightings: list[tuple[KernelFacts, UnitFacts]] = field(default_factory=list)
    launches: tuple[Launch, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCommit:
    """What a commit has: its kernels, and the launches of which no kernel is known, each with
    its reason.
    """

    kernels: tuple[Kernel, ...]
    launches: tuple[Launch, ...]


def link_kernels(facts: Iterable[UnitFacts]) -> tuple[Kernel, ...]:
    """Return the kernels of a commit, ordered by path and offset, each once however many units
    showed it.
    """
    return link_commit(facts).kernels


def link_commit(facts: Iterable[UnitFacts]) -> LinkedCommit:
    """Return the kernels of a commit with their launches, and the launches that have none."""
    listed = list(facts)
    merged = _merge(listed)
    joined = assign_launches(
        (sighting for unit in listed for sighting in unit.launches),
        _definitions(merged),
    )
    for place, launches in joined.by_kernel.items():
        merged[place].launches = launches
    return LinkedCommit(
        kernels=tuple(_kernel(merged[place]) for place in sorted(merged)),
        launches=joined.unassigned,
    )


def _merge(facts: Sequence[UnitFacts]) -> dict[SourcePlace, _Merged]:
    """Group sightings by place; the two layers may begin a definition at offsets that differ by
    its attributes.
    """
    merged: dict[SourcePlace, _Merged] = defaultdict(_Merged)
    by_ast = [
        (sighting, unit)
        for unit in facts
        for sighting in unit.kernels
        if sighting.found_by is Layer.AST
    ]
    syntactic = [
        (sighting, unit)
        for unit in facts
        for sighting in unit.kernels
        if sighting.found_by is not Layer.AST
    ]
    shown: dict[tuple[str, str], list[KernelFacts]] = defaultdict(list)
    for sighting, unit in by_ast:
        merged[(sighting.span.path, sighting.span.offset)].sightings.append(
            (sighting, unit)
        )
        shown[(sighting.span.path, sighting.name)].append(sighting)
    for sighting, unit in syntactic:
        if not any(
            sighting.span.overlaps(other.span)
            for other in shown[(sighting.span.path, sighting.name)]
        ):
            merged[(sighting.span.path, sighting.span.offset)].sightings.append(
                (sighting, unit)
            )
    return merged


def _definitions(merged: dict[SourcePlace, _Merged]) -> dict[str, list[SourcePlace]]:
    """Return the places of each name's definitions; those that only the text shows where the
    AST shows none.

    No launch of a file reaches a kernel in a string.
    """
    by_name: dict[str, list[SourcePlace]] = defaultdict(list)
    for place, kernel in merged.items():
        if kernel.sightings[0][0].found_by is not Layer.STRING:
            by_name[kernel.sightings[0][0].name].append(place)
    for name, places in by_name.items():
        shown = [
            place
            for place in places
            if merged[place].sightings[0][0].found_by is Layer.AST
        ]
        by_name[name] = shown or places
    return by_name


def _kernel(merged: _Merged) -> Kernel:
    sighting, unit = _best(merged.sightings)
    found = select_instantiations(
        sighting, (seen for seen, _ in merged.sightings), merged.launches
    )
    ordered, in_one_unit = order_for_unit(found, _lines(sighting))
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
        instantiations=ordered,
        launches=tuple(_mapped(launch, sighting) for launch in merged.launches),
        flags_origin=min(
            (seen.command.origin for _, seen in merged.sightings), key=_ORIGINS.index
        ),
        borrowed_from=unit.command.borrowed_from,
    )
    kernel = _with_unit(
        kernel,
        sighting.closure,
        sighting.problem,
        in_one_unit,
        language_standard.requested_standard(unit.command.arguments),
    )
    if kernel.unit_problem == _NAMELESS and (lacking := _missing_headers(unit)):
        kernel = replace(
            kernel, unit_problem=_UNRESOLVED.format(", ".join(lacking[:3]))
        )
    if kernel.unit is not None:
        kernel = replace(
            kernel, unit=replace(kernel.unit, missing_headers=_missing_headers(unit))
        )
    return replace(kernel, tags=compute_tags(kernel))


def _lines(sighting: KernelFacts) -> int:
    """Return how many lines a kernel instantiates: its own, or half of its unit's where it is a
    call of a class.
    """
    own = sighting.span.end_line - sighting.span.line + 1
    fragments = sighting.closure.fragments if sighting.closure else ()
    return max(own, sum(text.count("\n") for text in fragments) // 2)


def _best(
    sightings: Sequence[tuple[KernelFacts, UnitFacts]],
) -> tuple[KernelFacts, UnitFacts]:
    """Prefer the AST, as a build's macros have it, then the unit that instantiates most, then
    few errors.

    Among equals a build counts that sets few macros.
    """
    return min(
        sightings,
        key=lambda seen: (
            _LAYERS.index(seen[0].found_by),
            bool(seen[0].reason),
            not is_used_by_project(seen[0].instantiations),
            -len(seen[0].instantiations),
            len(seen[1].diagnostics),
            sum(argument.startswith("-D") for argument in seen[1].command.arguments),
            seen[1].command.file,
        ),
    )


def _mapped(launch: Launch, sighting: KernelFacts) -> Launch:
    written = [argument for _, argument in launch.argument_map]
    names = [parameter.name for parameter in sighting.parameters]
    return replace(launch, argument_map=tuple(zip(names, written, strict=False)))


def _missing_headers(unit: UnitFacts) -> tuple[str, ...]:
    found = (_NOT_FOUND.match(diagnostic.message) for diagnostic in unit.diagnostics)
    return tuple(dict.fromkeys(match[1] for match in found if match))


def _with_unit(
    kernel: Kernel, closure: Closure | None, problem: str, count: int, standard: str
) -> Kernel:
    if closure is None:
        return replace(
            kernel,
            unit_problem=problem
            or f"no-closure: {kernel.reason or 'seen by syntax alone'}",
        )
    if not closure.complete:
        return replace(kernel, unit_problem="; ".join(closure.problems))
    if not kernel.instantiations:
        return replace(kernel, unit_problem=_NAMELESS if kernel.launches else _UNUSED)
    listed = kernel.instantiations[:count]
    unit = emit_kernel_unit(
        closure, kernel.dialect, kernel.qualified_name, listed, standard
    )
    return replace(
        kernel,
        unit=unit,
        state=closure.state,
        origins=trace_origins(closure, unit.source),
    )
