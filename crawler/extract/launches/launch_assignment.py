"""Assign each launch of a commit to its kernel, or record why that is impossible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Launch, LaunchFacts, Layer

IN_MACRO_REASON: Final = "in-macro"
"""Reason of a launch in the definition of a macro, until its uses are counted."""
SourcePlace = tuple[str, int]
"""Path and offset of a kernel's definition."""
_Targets = dict[SourcePlace, tuple[tuple[str, ...], ...]]
_Site = tuple[str, int, int]
"""Path and offset of a launch; the offset in its macro where one makes it."""


@dataclass(frozen=True, slots=True)
class AssignedLaunches:
    """The launches of a commit, in order."""

    by_kernel: dict[SourcePlace, tuple[Launch, ...]]
    unassigned: tuple[Launch, ...]
    """Launches of no known kernel, and those in the definitions of macros: each has its reason."""


def assign_launches(
    sightings: Iterable[LaunchFacts], definitions: Mapping[str, Sequence[SourcePlace]]
) -> AssignedLaunches:
    """Join launches to kernels: by place where a unit resolved one, else by a name that is
    unique.
    """
    listed = list(sightings)
    known = _Known(listed, definitions)
    by_kernel: dict[SourcePlace, dict[_Site, Launch]] = defaultdict(dict)
    others: dict[_Site, Launch] = {}
    for sighting in listed:
        if _site(sighting.launch) in known.resolved and not sighting.target_path:
            continue
        targets = known.targets(sighting)
        for target, arguments in targets.items():
            shown = sighting.launch.template_arguments or arguments
            _add(
                by_kernel[target],
                replace(sighting.launch, template_arguments=shown, reason=""),
            )
        if not targets:
            others.setdefault(_site(sighting.launch), known.explained(sighting.launch))
    joined = {site for launches in by_kernel.values() for site in launches}
    unjoined = [others[site] for site in sorted(others) if site not in joined]
    return AssignedLaunches(
        {place: _ordered(launches) for place, launches in by_kernel.items()},
        tuple(unjoined),
    )


class _Known:
    """What all units together know of launches and kernels."""

    def __init__(
        self,
        listed: Sequence[LaunchFacts],
        definitions: Mapping[str, Sequence[SourcePlace]],
    ) -> None:
        self._definitions = definitions
        self._places = {place for places in definitions.values() for place in places}
        self.resolved = {
            _site(sighting.launch) for sighting in listed if sighting.target_path
        }
        self._pointed: dict[tuple[str, str, str], _Targets] = defaultdict(dict)
        for sighting in listed:
            target = (sighting.target_path, sighting.target_offset)
            if target in self._places:
                known = self._pointed[_through(sighting.launch)]
                known[target] = (
                    *known.get(target, ()),
                    *sighting.launch.template_arguments,
                )
        bodies = {
            (one.launch.body, _site(one.launch)) for one in listed if one.launch.body
        }
        self._expanded = Counter((body.path, body.offset) for body, _ in bodies if body)

    def targets(self, sighting: LaunchFacts) -> _Targets:
        """Return the kernels that a launch is of, each with what template arguments other
        launches tell.
        """
        exact = (sighting.target_path, sighting.target_offset)
        if exact in self._places:
            return {exact: ()}
        if sighting.launch.reason:
            # the same pointer in the same function, in a branch that a unit compiles, may have
            # led to kernels
            return self._pointed.get(_through(sighting.launch), {})
        named = self._definitions.get(sighting.launch.kernel_name, [])
        near = [
            place
            for place in named
            if place[0] == (sighting.target_path or sighting.launch.span.path)
        ]
        if near:
            return {
                min(near, key=lambda place: abs(place[1] - sighting.target_offset)): ()
            }
        return {named[0]: ()} if len(named) == 1 else {}

    def explained(self, launch: Launch) -> Launch:
        """Return a launch with the reason why it has no kernel."""
        named = self._definitions.get(launch.kernel_name, ())
        if launch.reason == IN_MACRO_REASON:
            uses = sum(
                count
                for (path, at), count in self._expanded.items()
                if _within(path, at, launch)
            )
            reason = (
                f"expanded: its rows stand at {uses} uses"
                if uses
                else "macro-unused: no use of it was seen"
            )
            return replace(launch, reason=reason)
        if launch.reason:
            return launch
        if named:
            return replace(
                launch, reason=f"ambiguous-name: {len(named)} kernels have it"
            )
        return replace(
            launch, reason="kernel-elsewhere: none of that name is defined here"
        )


def _within(path: str, offset: int, launch: Launch) -> bool:
    return (
        path == launch.span.path
        and launch.span.offset <= offset < launch.span.end_offset
    )


def _through(launch: Launch) -> tuple[str, str, str]:
    return launch.span.path, launch.enclosing.rpartition("::")[2], launch.callee


def _site(launch: Launch) -> _Site:
    return (
        launch.span.path,
        launch.span.offset,
        launch.body.offset if launch.body else -1,
    )


def _ordered(launches: Mapping[_Site, Launch]) -> tuple[Launch, ...]:
    return tuple(launches[site] for site in sorted(launches))


def _add(launches: dict[_Site, Launch], launch: Launch) -> None:
    known = launches.get(_site(launch))
    if known is None:
        launches[_site(launch)] = launch
        return
    arguments = tuple(
        dict.fromkeys((*known.template_arguments, *launch.template_arguments))
    )
    better = known if known.found_by is Layer.AST else launch
    launches[_site(launch)] = replace(better, template_arguments=arguments)
