"""Merge what the passes over one translation unit show of its kernels."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.host_constructors import attach_host_constructors
from crawler.extract.ladder.climb import UnitLadder
from crawler.extract.launches.kernel_use import KernelUse, SourcePlace
from crawler.extract.passes.fitting_instantiations import (
    leave_out_broken_instantiations,
)
from crawler.extract.passes.lambda_instantiations import (
    drop_unknown_lambdas,
    keep_compiling_lambdas,
)
from crawler.extract.passes.parse_pass import ParsePass
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.templates.discarded_branch_arguments import (
    find_uninstantiated_sites,
)
from crawler.extract.templates.kernel_facts import (
    KernelKey,
    group_instantiations,
    make_kernel_sighting,
)
from crawler.extract.templates.uninstantiated_templates import UninstantiatedTemplates
from crawler.extract.unit.missing_headers.stub_declarations import drop_stub_arguments
from crawler.model import CompileCommand, Instantiation, KernelFacts, Span

_MAX_CLOSURE_SECONDS: Final = 60.0
"""CPU seconds of a unit behind which no closure of a further kernel is begun."""


def merge_uses(passes: Sequence[ParsePass]) -> Collection[KernelUse]:
    """Return the uses that passes show, in order.

    Where two resolve a use to different overloads, that of the first pass counts.
    """
    first_pass = passes[0]
    targets_by_use: dict[tuple[str, tuple[str, ...]], set[SourcePlace]] = defaultdict(
        set
    )

    for use in first_pass.uses:
        # overloads share a name; their places tell them apart
        targets_by_use[(use.kernel, use.template_arguments)].add(use.target)

    def agrees_with_first(use: KernelUse) -> bool:
        # a plain kernel, or one that nothing instantiates
        if not use.template_arguments:
            return True

        targets = targets_by_use.get((use.kernel, use.template_arguments))
        return targets is None or use.target in targets

    uses: dict[KernelUse, None] = {}
    for parse_pass in passes:
        for use in parse_pass.uses:
            if parse_pass is first_pass or agrees_with_first(use):
                uses[drop_stub_arguments(use)] = None

    return uses


def collect_kernels(
    passes: Sequence[ParsePass],
    uses: Collection[KernelUse],
    root: Path,
    command: CompileCommand,
    unit_text: UnitText,
    cpu_start: float,
    is_trial_allowed: Callable[[], bool],
    wanted_spans: Sequence[Span] | None = None,
) -> list[KernelFacts]:
    """Return each kernel once, from the first pass that defines it.

    Those outside of `wanted_spans`, if there are any, are seen without closures: to tell what the
    others may be instantiated with.

    `uses` are the merged ones; `cpu_start` is the CPU time of the process when work on the unit
    began; `is_trial_allowed` is asked before anything made up is compiled.
    """
    origins = _find_definitions(passes)
    instantiations = _select_known_instantiations(
        group_instantiations(uses, unit_text), origins, passes
    )
    sightings = _make_sightings(
        origins, instantiations, command, cpu_start, wanted_spans
    )
    spent_seconds = time.process_time() - cpu_start
    templates = UninstantiatedTemplates(command, spent_seconds, is_trial_allowed)
    naming_sites = find_uninstantiated_sites(
        use for parse_pass in passes for use in parse_pass.uses
    )

    for key, (kernel, parse_pass) in origins.items():
        if sightings[key].closure is None:
            continue

        sightings[key] = keep_compiling_lambdas(
            sightings[key],
            parse_pass.lambda_names,
            command,
            partial(make_kernel_sighting, kernel, parse_pass.context, command),
            is_trial_allowed,
        )

        # siblings include what was supplied to those before
        supplied = templates.supply_instantiations(
            sightings[key],
            kernel,
            parse_pass.context,
            list(sightings.values()),
            naming_sites.get(key, ()),
        )
        # what was made anew with other arguments was seen in the same way
        sightings[key] = replace(supplied, reason=_explain_pass(parse_pass))

    spent_seconds = time.process_time() - cpu_start
    ladder = UnitLadder(root, command, spent_seconds, is_trial_allowed)
    return [
        _choose_rung(sighting, command, *origins[key], ladder)
        for key, sighting in sightings.items()
    ]


def _select_known_instantiations(
    instantiations: Mapping[KernelKey, tuple[Instantiation, ...]],
    origins: Mapping[KernelKey, tuple[Declaration, ParsePass]],
    passes: Sequence[ParsePass],
) -> dict[KernelKey, tuple[Instantiation, ...]]:
    """Return what each kernel is instantiated with, but for the lambdas that the pass which
    defines it does not show.
    """
    all_names = frozenset().union(*(parse_pass.lambda_names for parse_pass in passes))
    return {
        key: drop_unknown_lambdas(
            instantiations[key], all_names - parse_pass.lambda_names
        )
        for key, (_, parse_pass) in origins.items()
        if key in instantiations
    }


def _find_definitions(
    passes: Sequence[ParsePass],
) -> dict[KernelKey, tuple[Declaration, ParsePass]]:
    """Return the definition of each kernel, and the first pass that shows it."""
    definitions: dict[KernelKey, tuple[Declaration, ParsePass]] = {}
    for parse_pass in passes:
        for kernel in parse_pass.kernels:
            # a declaration alone is no kernel
            if kernel.is_definition:
                definitions.setdefault(_key_of(kernel), (kernel, parse_pass))

    return definitions


def _make_sightings(
    origins: Mapping[KernelKey, tuple[Declaration, ParsePass]],
    instantiations: Mapping[KernelKey, tuple[Instantiation, ...]],
    command: CompileCommand,
    cpu_start: float,
    wanted_spans: Sequence[Span] | None,
) -> dict[KernelKey, KernelFacts]:
    """Return what the passes show of each kernel, before anything is made up for it."""
    sightings: dict[KernelKey, KernelFacts] = {}
    for key, (kernel, parse_pass) in origins.items():
        # what is seen of the others must not be lost for one kernel that takes for ever
        spent_seconds = time.process_time() - cpu_start
        sighting = make_kernel_sighting(
            kernel,
            parse_pass.context,
            command,
            instantiations.get(key, ()),
            has_time=spent_seconds < _MAX_CLOSURE_SECONDS,
            is_wanted=_is_wanted(kernel, wanted_spans),
        )
        sightings[key] = replace(sighting, reason=_explain_pass(parse_pass))

    return sightings


def _is_wanted(kernel: Declaration, wanted_spans: Sequence[Span] | None) -> bool:
    return wanted_spans is None or any(map(kernel.span.overlaps, wanted_spans))


def _explain_pass(parse_pass: ParsePass) -> str:
    """Return what a pass has defined that no compiler of its command does."""
    if not parse_pass.further_defines:
        return ""
    return f"seen with {parse_pass.further_defines}"


def _choose_rung(
    sighting: KernelFacts,
    command: CompileCommand,
    kernel: Declaration,
    parse_pass: ParsePass,
    ladder: UnitLadder,
) -> KernelFacts:
    """Return a kernel with the first closure that compiles, and with what makes its structures."""
    context = parse_pass.context
    climbed = ladder.climb(sighting, parse_pass.clang_unit, context)
    fitting = leave_out_broken_instantiations(climbed, command, ladder)
    return attach_host_constructors(fitting, kernel, context)


def _key_of(kernel: Declaration) -> KernelKey:
    cursor = kernel.cursor
    return kernel.path, cursor.extent.start.offset, cursor.spelling
