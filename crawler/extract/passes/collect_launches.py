"""Collect the launches of a translation unit, each with what computes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from crawler.extract.clang.cursor import Cursor
from crawler.extract.launches.kernel_use import KernelUse, SourcePlace
from crawler.extract.launches.launch_facts import collect_launch_sightings
from crawler.extract.launches.setup.launch_setup import SetupBuilder
from crawler.extract.passes.launch_definitions import LaunchDefinitions
from crawler.extract.passes.parse_pass import ParsePass
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import LaunchFacts


def collect_launches(
    passes: Sequence[ParsePass],
    uses: Collection[KernelUse],
    unit_text: UnitText,
    skipped_ranges: Collection[tuple[str, int, int]],
) -> list[LaunchFacts]:
    """Return the launches of a unit, each with what computes it and what that names."""
    functions: dict[SourcePlace, Cursor] = {}
    # the first pass is the nearest to what the project compiles
    for parse_pass in reversed(passes):
        functions.update(parse_pass.functions)

    setup_builder = SetupBuilder(
        unit_text.sources, functions, unit_text.has_launch_between, skipped_ranges
    )
    definitions = LaunchDefinitions(
        [parse_pass.context for parse_pass in passes], unit_text.has_launch_between
    )
    return collect_launch_sightings(unit_text, uses, setup_builder, definitions.find)
