"""Merges what the units of a commit showed into kernels, and emits their kernel units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler import standards
from crawler.extract.emit import emit
from crawler.extract.instantiations import in_unit, instantiations
from crawler.extract.tags import tags
from crawler.model import (
    Closure,
    FlagsOrigin,
    Kernel,
    KernelSighting,
    Launch,
    LaunchSighting,
    Layer,
    UnitFacts,
)

Place = tuple[str, int]
_LAYERS: Final = list(Layer)
_ORIGINS: Final = list(FlagsOrigin)


@dataclass(slots=True)
class _Merged:
    """All that was seen of the kernel at one place."""

    sightings: list[tuple[KernelSighting, UnitFacts]] = field(default_factory=list)
    launches: dict[Place, Launch] = field(default_factory=dict)


def link(facts: Iterable[UnitFacts]) -> tuple[Kernel, ...]:
    """Return the kernels of a commit, ordered by path and offset, each once however many units showed it."""
    listed = list(facts)
    merged = _merge(listed)
    _join(listed, merged)
    return tuple(_kernel(merged[place]) for place in sorted(merged))


def _merge(facts: Sequence[UnitFacts]) -> dict[Place, _Merged]:
    """Group sightings by place; the two layers may begin a definition at offsets that differ by its attributes."""
    merged: dict[Place, _Merged] = defaultdict(_Merged)
    by_ast = [(sighting, unit) for unit in facts for sighting in unit.kernels if sighting.found_by is Layer.AST]
    syntactic = [(sighting, unit) for unit in facts for sighting in unit.kernels if sighting.found_by is not Layer.AST]
    shown: dict[tuple[str, str], list[KernelSighting]] = defaultdict(list)
    for sighting, unit in by_ast:
        merged[(sighting.span.path, sighting.span.offset)].sightings.append((sighting, unit))
        shown[(sighting.span.path, sighting.name)].append(sighting)
    for sighting, unit in syntactic:
        if not any(sighting.span.overlaps(other.span) for other in shown[(sighting.span.path, sighting.name)]):
            merged[(sighting.span.path, sighting.span.offset)].sightings.append((sighting, unit))
    return merged


def _join(facts: Sequence[UnitFacts], merged: dict[Place, _Merged]) -> None:
    """Give every launch to its kernel: by place where the unit resolved it, else by a name that is unique."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for place, kernel in merged.items():
        by_name[kernel.sightings[0][0].name].append(place)
    for name, places in by_name.items():
        shown = [place for place in places if merged[place].sightings[0][0].found_by is Layer.AST]
        by_name[name] = shown or places
    resolved = {_site(sighting) for unit in facts for sighting in unit.launches if sighting.target_path}
    for unit in facts:
        for sighting in unit.launches:
            if not sighting.target_path and _site(sighting) in resolved:
                continue
            target = _target(sighting, merged, by_name)
            if target is not None:
                _add(merged[target], sighting.launch)


def _site(sighting: LaunchSighting) -> Place:
    return sighting.launch.span.path, sighting.launch.span.offset


def _target(sighting: LaunchSighting, merged: dict[Place, _Merged], by_name: dict[str, list[Place]]) -> Place | None:
    exact = (sighting.target_path, sighting.target_offset)
    if exact in merged:
        return exact
    named = by_name.get(sighting.launch.kernel_name, [])
    near = [place for place in named if place[0] == (sighting.target_path or sighting.launch.span.path)]
    if near:
        return min(near, key=lambda place: abs(place[1] - sighting.target_offset))
    return named[0] if len(named) == 1 else None


def _add(kernel: _Merged, launch: Launch) -> None:
    place = (launch.span.path, launch.span.offset)
    known = kernel.launches.get(place)
    if known is None:
        kernel.launches[place] = launch
        return
    arguments = tuple(dict.fromkeys((*known.template_arguments, *launch.template_arguments)))
    better = known if known.found_by is Layer.AST else launch
    kernel.launches[place] = replace(better, template_arguments=arguments)


def _kernel(merged: _Merged) -> Kernel:
    sighting, unit = _best(merged.sightings)
    found = instantiations(sighting, (seen for seen, _ in merged.sightings), merged.launches.values())
    ordered, in_one_unit = in_unit(found, sighting.span.end_line - sighting.span.line + 1)
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
        launches=tuple(_mapped(launch, sighting) for _, launch in sorted(merged.launches.items())),
        flags_origin=min((seen.command.origin for _, seen in merged.sightings), key=_ORIGINS.index),
        borrowed_from=unit.command.borrowed_from,
    )
    kernel = _with_unit(kernel, sighting.closure, in_one_unit, standards.asked(unit.command.arguments))
    return replace(kernel, tags=tags(kernel))


def _best(sightings: Sequence[tuple[KernelSighting, UnitFacts]]) -> tuple[KernelSighting, UnitFacts]:
    """Prefer the AST, then the unit that instantiates most, then the one with the fewest errors."""
    return min(
        sightings,
        key=lambda seen: (
            _LAYERS.index(seen[0].found_by),
            -len(seen[0].instantiations),
            len(seen[1].diagnostics),
            seen[1].command.file,
        ),
    )


def _mapped(launch: Launch, sighting: KernelSighting) -> Launch:
    written = [argument for _, argument in launch.argument_map]
    names = [parameter.name for parameter in sighting.parameters]
    return replace(launch, argument_map=tuple(zip(names, written, strict=False)))


def _with_unit(kernel: Kernel, closure: Closure | None, count: int, standard: str) -> Kernel:
    if closure is None:
        return replace(kernel, unit_problem=f"no-closure: {kernel.reason or 'seen by syntax alone'}")
    if not kernel.instantiations:
        return replace(kernel, unit_problem="no-instantiation: the project never says which arguments it is used with")
    listed = kernel.instantiations[:count]
    return replace(kernel, unit=emit(closure, kernel.dialect, kernel.qualified_name, listed, standard))
