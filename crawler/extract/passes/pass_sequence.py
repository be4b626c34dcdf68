"""Parse a translation unit as often as it takes to see its kernels and their launches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.cpp.files.word_index import WordIndex
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import CursorLocations
from crawler.extract.launches.launch_facts import find_launch_of_use
from crawler.extract.passes.device_architectures import choose_architectures
from crawler.extract.passes.parse_pass import ParsePass, read_pass
from crawler.extract.syntax.host_device_guards import HostDeviceGuards
from crawler.extract.syntax.kernel_definitions import KernelDefinition
from crawler.extract.unit.explicit_class_instantiations import instantiate_named_classes
from crawler.extract.unit.missing_headers.stub_declarations import (
    collect_error_messages,
    declare_stubs,
)
from crawler.extract.unit.translation_unit import (
    CUDA_ARCH,
    DEVICE_ONLY_MACRO_PREFIXES,
    TranslationUnit,
)
from crawler.model import Dialect

SkippedRange = tuple[str, int, int]
"""Path and range of a branch of an `#if` that a parse leaves out."""
_MAX_STUB_ROUNDS: Final = 2
_MAX_ARCHITECTURES: Final = 4
"""Further ones whose compilers are asked."""


def list_passes(
    first: ParsePass, unit: TranslationUnit, skipped_ranges: Collection[SkippedRange]
) -> list[ParsePass]:
    """Return how a unit's compilers see it, and then how it is seen with what they leave out."""
    passes = list(iter_passes(first, unit, skipped_ranges))
    # the last pass with the command's own defines is the host's wherever there is one
    usual_passes = [
        parse_pass for parse_pass in passes if not parse_pass.further_defines
    ]
    passes += iter_completed_passes(usual_passes[-1], unit)
    return passes


def iter_passes(
    first: ParsePass, unit: TranslationUnit, skipped_ranges: Collection[SkippedRange]
) -> Iterator[ParsePass]:
    """Yield what a compiler for the device sees of a unit, then what one for the host does, as
    far as either adds.

    The host's side is in both: that of the host adds something only where the device's leaves
    out uses of kernels.
    """
    has_unseen = _has_unseen_definitions(first, unit)
    # definitions that only device macros show, as in `#ifdef __HIP_DEVICE_COMPILE__`
    if unit.device_dialect is None and has_unseen:
        yield read_pass(unit.reparse_for_device(), unit)

    yield first
    if unit.device_dialect is None:
        return
    yield from _iter_architecture_passes(first, unit)
    if has_unseen or _skips_host_uses(first, unit, skipped_ranges):
        yield read_pass(unit.reparse_for_host(), unit)


def _has_unseen_definitions(parse_pass: ParsePass, unit: TranslationUnit) -> bool:
    places = {(kernel.path, kernel.cursor.spelling) for kernel in parse_pass.kernels}
    return bool(unit.unit_text.find_missing_definitions(places))


def _iter_architecture_passes(
    first: ParsePass, unit: TranslationUnit
) -> Iterator[ParsePass]:
    """Yield what compilers for other devices see, as long as each sees kernels that none before
    it has seen.
    """
    if unit.command.dialect is not Dialect.CUDA:
        return

    unseen = _drop_seen(unit.unit_text.find_missing_definitions(()), first)
    for _ in range(_MAX_ARCHITECTURES):
        places = [(path, definition.start) for path, definition in unseen]
        architectures = choose_architectures(unit.unit_text, places)
        if not architectures:
            return

        clang_unit = unit.reparse_for_architecture(architectures[0])
        parse_pass = read_pass(clang_unit, unit)
        remaining = _drop_seen(unseen, parse_pass)
        if len(remaining) == len(unseen):
            return

        defines = f"-D{CUDA_ARCH}={architectures[0]}"
        yield replace(parse_pass, further_defines=defines)
        unseen = remaining


_PlacedDefinition = tuple[str, KernelDefinition]


def _drop_seen(
    definitions: Sequence[_PlacedDefinition], parse_pass: ParsePass
) -> list[_PlacedDefinition]:
    """Return the definitions, with their paths, that a pass does not show."""
    seen_ranges = defaultdict(list)
    for kernel in parse_pass.kernels:
        if kernel.is_definition:
            seen_ranges[kernel.path].append((kernel.start, kernel.end))

    return [
        (path, definition)
        for path, definition in definitions
        if not any(
            start <= definition.body_start < end for start, end in seen_ranges[path]
        )
    ]


def _skips_host_uses(
    parse_pass: ParsePass,
    unit: TranslationUnit,
    skipped_ranges: Collection[SkippedRange],
) -> bool:
    """Tell whether a compiler for a device skips what names a kernel, or a user of one."""
    sources = unit.unit_text.sources
    launch_words = WordIndex(sources, parse_pass.list_launch_words())
    # most skipped ranges are include guards and other platforms
    naming_ranges = [
        skipped_range
        for skipped_range in skipped_ranges
        if launch_words.has_word_in_range(*skipped_range)
    ]

    if not naming_ranges or unit.device_dialect is None:
        return False

    guards = HostDeviceGuards(
        sources,
        unit.unit_text.files,
        DEVICE_ONLY_MACRO_PREFIXES[unit.device_dialect],
    )

    return any(guards.is_guarded(*naming_range) for naming_range in naming_ranges)


def iter_completed_passes(
    host_pass: ParsePass, unit: TranslationUnit
) -> Iterator[ParsePass]:
    """Yield passes with declarations that give launches types: stubs of what missing headers
    declare, and explicit instantiations of classes.

    Each holds its uses alone: a syntax tree may take some hundred megabytes.
    """
    messages = collect_error_messages(host_pass.clang_unit)
    stubs = ""
    last_pass = host_pass
    for _ in range(_MAX_STUB_ROUNDS):
        previous_stubs, stubs = stubs, ""
        if _has_untyped_launches(last_pass, unit):
            declarations = host_pass.context.declarations
            stubs = declare_stubs(
                messages,
                declarations,
                unit.unit_text,
            )

        # the next parse would say the same
        if stubs in ("", previous_stubs):
            break

        new_messages, last_pass = _read_with_declarations(host_pass, unit, stubs)
        # what one round declares shows what the next one lacks
        messages += new_messages
        yield last_pass

    # another parse costs as much as the first one
    if not _has_untyped_launches(last_pass, unit):
        return

    instantiations = _instantiate_launching_classes(host_pass, unit)
    if instantiations:
        _, completed_pass = _read_with_declarations(
            host_pass,
            unit,
            stubs,
            instantiations,
        )
        yield completed_pass


def _read_with_declarations(
    host_pass: ParsePass, unit: TranslationUnit, preceding: str, trailing: str = ""
) -> tuple[list[str], ParsePass]:
    """Return the errors of a parse with further declarations, and a pass with its uses alone."""
    clang_unit = unit.reparse_with_declarations(preceding, trailing)
    parse_pass = read_pass(clang_unit, unit)
    completed_pass = replace(
        host_pass,
        kernels=(),
        uses=parse_pass.uses,
        lambda_names=parse_pass.lambda_names,
    )

    return collect_error_messages(clang_unit), completed_pass


def _instantiate_launching_classes(host_pass: ParsePass, unit: TranslationUnit) -> str:
    """Return instantiations of the classes that a unit names, where their members may launch."""
    locations = CursorLocations(unit.root, unit.command.directory)
    launch_words = WordIndex(unit.unit_text.sources, host_pass.list_launch_words())

    def may_launch(template: Cursor) -> bool:
        path, start, end = locations.find_extent(template)
        return path is not None and launch_words.has_word_in_range(path, start, end)

    return instantiate_named_classes(
        host_pass.clang_unit,
        unit.command.file,
        locations,
        may_launch,
        has_errors=bool(collect_error_messages(host_pass.clang_unit)),
    )


def _has_untyped_launches(parse_pass: ParsePass, unit: TranslationUnit) -> bool:
    """Tell whether there are launches, other than of plain kernels, that the compiler resolved
    no template arguments of.
    """
    # launches whose template arguments the compiler knows
    typed_launches = set()
    for use in parse_pass.uses:
        if not use.template_arguments:
            continue

        launch = find_launch_of_use(use, unit.unit_text)
        if launch:
            typed_launches.add((use.path, launch.start))

    for path, launches in unit.unit_text.launches.items():
        for launch in launches:
            if launch.is_in_macro or launch.name in parse_pass.plain_kernel_names:
                continue
            if (path, launch.start) not in typed_launches:
                return True

    return False
