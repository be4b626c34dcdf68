"""Assign each launch of a commit to its kernel, or record why that is impossible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.extract.launches.kernel_use import SourcePlace
from crawler.model import Launch, LaunchFacts, Layer

IN_MACRO_REASON: Final = "in-macro"
"""Reason of a launch in the definition of a macro, until its uses are counted."""
_TemplateArguments = tuple[tuple[str, ...], ...]
_Targets = dict[SourcePlace, _TemplateArguments]
"""Kernels by the places of their definitions, with template arguments of other launches."""
_Site = tuple[str, int, int]
"""Path and offset of a launch; the offset in its macro where one makes it."""
_PointerKey = tuple[str, str, str]
"""Path, function and launched expression of a launch through a pointer."""


@dataclass(frozen=True, slots=True)
class AssignedLaunches:
    """The launches of a commit, in order."""

    by_kernel: dict[SourcePlace, tuple[Launch, ...]]
    unassigned: tuple[Launch, ...]
    """Launches of no known kernel, and those in the definitions of macros: each has its reason."""


def assign_launches(
    sightings: Iterable[LaunchFacts], definitions: Mapping[str, Sequence[SourcePlace]]
) -> AssignedLaunches:
    """Assign launches by place where a unit resolved one, else by a kernel name that is unique.

    `definitions` are the places of the definitions of each name.
    """
    sighting_list = list(sightings)
    index = _LaunchIndex(sighting_list, definitions)
    by_kernel: dict[SourcePlace, dict[_Site, Launch]] = defaultdict(dict)
    without_kernel: dict[_Site, Launch] = {}
    for sighting in sighting_list:
        launch = sighting.launch
        site = _site_of(launch)
        # what another unit resolved counts more than the text of this one
        if site in index.resolved_sites and not sighting.target_path:
            continue

        targets = index.find_targets(sighting)
        for target, pointer_arguments in targets.items():
            arguments = launch.template_arguments or pointer_arguments
            assigned = replace(
                launch,
                template_arguments=arguments,
                reason="",
            )
            _add_launch(by_kernel[target], assigned)

        if not targets:
            without_kernel.setdefault(site, index.add_reason(launch))

    assigned_sites = {site for launches in by_kernel.values() for site in launches}
    unassigned = [
        without_kernel[site]
        for site in sorted(without_kernel)
        if site not in assigned_sites
    ]

    return AssignedLaunches(
        by_kernel={
            place: _sort_by_site(launches) for place, launches in by_kernel.items()
        },
        unassigned=tuple(unassigned),
    )


class _LaunchIndex:
    """The launches and kernels of all units together."""

    def __init__(
        self,
        sightings: Sequence[LaunchFacts],
        definitions: Mapping[str, Sequence[SourcePlace]],
    ) -> None:
        self._definitions = definitions
        self._kernel_places = {
            place for places in definitions.values() for place in places
        }

        self.resolved_sites = {
            _site_of(sighting.launch) for sighting in sightings if sighting.target_path
        }

        self._pointer_targets = self._collect_pointer_targets(sightings)
        self._macro_uses = _count_macro_uses(sightings)

    def _collect_pointer_targets(
        self, sightings: Iterable[LaunchFacts]
    ) -> dict[_PointerKey, _Targets]:
        targets_by_pointer: dict[_PointerKey, _Targets] = defaultdict(dict)
        for sighting in sightings:
            target = (sighting.target_path, sighting.target_offset)
            if target not in self._kernel_places:
                continue

            targets = targets_by_pointer[_pointer_key(sighting.launch)]
            targets[target] = (
                *targets.get(target, ()),
                *sighting.launch.template_arguments,
            )

        return targets_by_pointer

    def find_targets(self, sighting: LaunchFacts) -> _Targets:
        """Return the kernels that a launch is of.

        With each come the template arguments that launches through the same pointer show.
        """
        # what a unit resolved
        exact = (sighting.target_path, sighting.target_offset)
        if exact in self._kernel_places:
            return {exact: ()}
        if sighting.launch.reason:
            # the same pointer in the same function, in a branch that a unit compiles, may have
            # led to kernels
            return self._pointer_targets.get(_pointer_key(sighting.launch), {})

        places = self._definitions.get(sighting.launch.kernel_name, [])
        # else by name: in the same file first
        path = sighting.target_path or sighting.launch.span.path
        same_file = [place for place in places if place[0] == path]
        if same_file:
            nearest = min(
                same_file, key=lambda place: abs(place[1] - sighting.target_offset)
            )
            return {nearest: ()}

        if len(places) == 1:
            return {places[0]: ()}

        return {}

    def add_reason(self, launch: Launch) -> Launch:
        """Return a launch with the reason why it has no kernel."""
        if launch.reason == IN_MACRO_REASON:
            return replace(launch, reason=self._explain_macro_launch(launch))
        if launch.reason:
            return launch

        places = self._definitions.get(launch.kernel_name, ())
        # a kernel of a library whose sources are not here
        reason = "kernel-elsewhere: none of that name is defined here"
        if places:
            reason = f"ambiguous-name: {len(places)} kernels have it"

        return replace(launch, reason=reason)

    def _explain_macro_launch(self, launch: Launch) -> str:
        use_count = sum(
            count
            for (path, offset), count in self._macro_uses.items()
            if _contains(launch, path, offset)
        )

        if use_count:
            return f"expanded: its rows stand at {use_count} uses"

        return "macro-unused: no use of it was seen"


def _count_macro_uses(sightings: Iterable[LaunchFacts]) -> Counter[SourcePlace]:
    """Return at how many sites each launch in the definition of a macro is expanded."""
    # several units may show one site
    expansions = {
        (sighting.launch.body, _site_of(sighting.launch))
        for sighting in sightings
        if sighting.launch.body
    }

    return Counter((body.path, body.offset) for body, _ in expansions if body)


def _contains(launch: Launch, path: str, offset: int) -> bool:
    span = launch.span
    return path == span.path and span.offset <= offset < span.end_offset


def _pointer_key(launch: Launch) -> _PointerKey:
    function = launch.enclosing.rpartition("::")[2]
    return launch.span.path, function, launch.callee


def _site_of(launch: Launch) -> _Site:
    macro_offset = launch.body.offset if launch.body else -1
    return launch.span.path, launch.span.offset, macro_offset


def _sort_by_site(launches: Mapping[_Site, Launch]) -> tuple[Launch, ...]:
    return tuple(launches[site] for site in sorted(launches))


def _add_launch(launches: dict[_Site, Launch], launch: Launch) -> None:
    site = _site_of(launch)
    earlier = launches.get(site)
    if earlier is None:
        launches[site] = launch
        return

    arguments = dict.fromkeys((*earlier.template_arguments, *launch.template_arguments))
    # the AST knows more than the text
    better = earlier if earlier.found_by is Layer.AST else launch
    launches[site] = replace(better, template_arguments=tuple(arguments))
