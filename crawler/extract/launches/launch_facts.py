"""Combine what the AST and the text show of each launch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from crawler.cpp.files.functions import find_enclosing_function
from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.launches.indirect_launches import explain_indirect_launch
from crawler.extract.launches.kernel_use import KernelUse, SourcePlace
from crawler.extract.launches.launch_assignment import IN_MACRO_REASON
from crawler.extract.launches.launch_configuration import (
    resolve_launch_structures,
    substitute_call_arguments,
)
from crawler.extract.launches.preceding_text import (
    text_before_launch,
    text_before_offset,
)
from crawler.extract.launches.setup.launch_setup import LaunchSetup, SetupBuilder
from crawler.extract.syntax.launch_syntax import LaunchText
from crawler.extract.syntax.launch_wrappers import substitute_parameters
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import Launch, LaunchFacts, Layer, Span

_LaunchPlace = tuple[str, int, Span | None]
"""Path and offset of a launch, and for one that a macro makes where it stands in the macro."""
DefinitionFinder = Callable[[Launch, LaunchSetup], str]
"""Returns the definitions of the project that a launch and what computes it name."""
_LaunchSite = tuple[_LaunchPlace, str, SourcePlace]
"""A launch's place, its kernel's name, and the definition that is launched."""


def collect_launch_sightings(
    unit_text: UnitText,
    kernel_uses: Collection[KernelUse],
    setup_builder: SetupBuilder,
    find_definitions: DefinitionFinder,
) -> list[LaunchFacts]:
    """Return every launch of the unit's files with what the AST knows of it, a site once for
    each kernel.
    """
    describer = _LaunchDescriber(unit_text, setup_builder, find_definitions)
    uses_by_site: dict[_LaunchSite, list[KernelUse]] = defaultdict(list)
    texts: dict[_LaunchSite, LaunchText] = {}
    # a launch in a template is a use for each instantiation of the function around it
    for use in kernel_uses:
        text = find_launch_of_use(use, unit_text)
        if text is not None:
            site = (_place_of(use.path, text), use.kernel, use.target)
            uses_by_site[site].append(use)
            texts[site] = text

    sightings = [
        _describe_resolved_launch(site, texts[site], uses, describer)
        for site, uses in uses_by_site.items()
    ]

    resolved_places = {place for place, _, _ in uses_by_site}
    sightings += _iter_text_launches(describer, resolved_places)

    return sightings


def collect_text_launch_sightings(unit_text: UnitText) -> list[LaunchFacts]:
    """Return the launches that the text alone shows."""
    setup_builder = SetupBuilder(unit_text.sources, {}, unit_text.has_launch_between)
    describer = _LaunchDescriber(unit_text, setup_builder, _find_no_definitions)
    return list(_iter_text_launches(describer, frozenset()))


def find_launch_of_use(kernel_use: KernelUse, unit_text: UnitText) -> LaunchText | None:
    """Return the text of the launch that a use stands in, if it is one."""
    return unit_text.find_launch(
        kernel_use.path,
        kernel_use.offset,
        kernel_use.kernel,
        kernel_use.template_arguments,
    )


def _place_of(path: str, text: LaunchText) -> _LaunchPlace:
    return path, text.start, text.macro_span


@dataclass(frozen=True, slots=True)
class _LaunchDescriber:
    """Describes the launches of one translation unit."""

    unit_text: UnitText
    setup_builder: SetupBuilder
    find_definitions: DefinitionFinder

    def describe(
        self,
        path: str,
        text: LaunchText,
        function_start: int,
        bound_use: KernelUse | None = None,
    ) -> Launch:
        """Return a launch by its text, and what computes it.

        `bound_use` has the place of the kernel's name, and the arguments of the call of the
        function that holds it, if any.
        """
        unit_text = self.unit_text
        source = unit_text.sources[path]
        preceding_text = text_before_launch(source, function_start, text)
        resolved = resolve_launch_structures(
            unit_text.expand_configuration_macro(text), preceding_text
        )

        if bound_use is not None and bound_use.bindings:
            preceding_text += _text_before_call(unit_text, bound_use.call_place)
            resolved = substitute_call_arguments(
                resolved,
                bound_use.bindings,
                preceding_text,
            )

        arguments = unit_text.expand_argument_macros(resolved.arguments)
        launch = Launch(
            span=source.make_span(resolved.start, resolved.end),
            kernel_name=resolved.name,
            grid=resolved.grid,
            block=resolved.block,
            shared_bytes=resolved.shared_bytes,
            stream=resolved.stream,
            argument_map=tuple(("", argument) for argument in arguments),
            callee=resolved.callee,
            body=resolved.macro_span,
        )

        return self._add_setup(launch, path, text, bound_use)

    def _add_setup(
        self,
        launch: Launch,
        path: str,
        text: LaunchText,
        bound_use: KernelUse | None,
    ) -> Launch:
        # what stands in the definition of a macro is in no function
        if text.is_in_macro:
            return launch

        place = (path, bound_use.offset if bound_use else text.start)
        setup = self.setup_builder.build(
            place,
            (
                launch.grid,
                launch.block,
                launch.shared_bytes,
                launch.stream,
                launch.callee.partition("<")[2],
                *(argument for _, argument in launch.argument_map),
            ),
            text.preceding_text,
            bound_use.bindings if bound_use else (),
            bound_use.call_place if bound_use else None,
        )

        return replace(
            launch,
            setup="\n".join(setup.statements),
            conditions=setup.conditions,
            inputs=setup.inputs,
            definitions=self.find_definitions(launch, setup),
        )


def _find_no_definitions(_launch: Launch, _setup: LaunchSetup) -> str:
    return ""


def _describe_resolved_launch(
    site: _LaunchSite,
    text: LaunchText,
    uses: list[KernelUse],
    describer: _LaunchDescriber,
) -> LaunchFacts:
    (path, _, _), kernel_name, target = site
    # a lambda begins behind the function that it stands in
    innermost_use = max(uses, key=lambda use: use.enclosing_start)
    bound_use = next((use for use in uses if use.bindings), innermost_use)

    launch = describer.describe(path, text, innermost_use.enclosing_start, bound_use)

    template_arguments = tuple(
        dict.fromkeys(use.template_arguments for use in uses if use.template_arguments)
    )

    # what the launching function calls `x`, its caller may call `weights`
    arguments = substitute_parameters(
        (argument for _, argument in launch.argument_map), bound_use.bindings
    )

    launch = replace(
        launch,
        kernel_name=kernel_name,
        template_arguments=template_arguments or _universal_template_arguments(text),
        enclosing=innermost_use.enclosing_function,
        argument_map=tuple(("", argument) for argument in arguments),
    )

    return LaunchFacts(
        launch=launch,
        target_path=target[0],
        target_offset=target[1],
    )


def _iter_text_launches(
    describer: _LaunchDescriber, resolved_places: Collection[_LaunchPlace]
) -> Iterator[LaunchFacts]:
    """Yield what only the text shows: launches that no use was seen of, and those in macros."""
    unit_text = describer.unit_text
    for path, texts in unit_text.launches.items():
        macro_launches = unit_text.macro_launches.find_file_launches(path)
        for text in (*texts, *macro_launches):
            # the same text launches at each use of the macro
            if text.is_in_macro:
                launch = replace(
                    describer.describe(path, text, text.start),
                    reason=IN_MACRO_REASON,
                    found_by=Layer.SYNTACTIC,
                )
                yield LaunchFacts(launch=launch)
            elif _place_of(path, text) not in resolved_places:
                yield LaunchFacts(launch=_describe_text_launch(describer, path, text))


def _describe_text_launch(
    describer: _LaunchDescriber, path: str, text: LaunchText
) -> Launch:
    source = describer.unit_text.sources[path]
    function = find_enclosing_function(source, text.start)
    start = function.start if function else -1
    return replace(
        describer.describe(path, text, start),
        found_by=Layer.SYNTACTIC,
        enclosing=function.name if function else "",
        template_arguments=_universal_template_arguments(text),
        reason=explain_indirect_launch(source, text, function),
    )


def _text_before_call(unit_text: UnitText, call_place: SourcePlace) -> str:
    """Return what stands in front of a call in its function."""
    path, offset = call_place
    source = unit_text.sources[path]
    function = find_enclosing_function(source, offset)
    start = function.start if function else -1

    return text_before_offset(source, start, offset)


def _universal_template_arguments(text: LaunchText) -> tuple[tuple[str, ...], ...]:
    """Return a launch's template arguments where they mean the same everywhere: `float`,
    `true`, `256`.
    """
    arguments = text.template_arguments
    if not arguments or not all(map(is_universal_argument, arguments)):
        return ()

    return (arguments,)
