"""Build the compile database of a checkout from all build systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.builds.build_files.file_templates import (
    TEMPLATE_STRATEGY,
    fill_templates,
    is_source,
)
from crawler.builds.build_files.project_environment import read_project_environment
from crawler.builds.database.batches import put_new_kernels_first, split_into_batches
from crawler.builds.database.borrowed_commands import borrow_command
from crawler.builds.database.configurations import (
    group_configurations,
    select_extra_configurations,
)
from crawler.builds.database.file_command import find_file_command
from crawler.builds.database.neighbour_macros import adopt_neighbours_macros
from crawler.builds.database.strategy_outcomes import (
    StrategyOutcome,
    add_synthesised_units,
    run_build_systems,
)
from crawler.builds.database.unit_selection import select_units_to_parse
from crawler.checkout.generated_files import limit_generated_files
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.source_scan import DEVICE_SUFFIXES, get_suffix
from crawler.checkout.source_tree import is_vendored, open_tree
from crawler.errors import NoKernels
from crawler.model import CompileCommand, CompileDatabase, FlagsOrigin

__all__ = ["build_compile_database", "find_file_command", "survey_checkout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A compile database, and what it was made from."""

    graph: IncludeGraph
    """The includes of the checkout with what builds have written into it."""
    outcomes: tuple[StrategyOutcome, ...]
    database: CompileDatabase


def build_compile_database(
    root: Path, *, strategies: Sequence[str] = ()
) -> CompileDatabase:
    """Learn how every relevant file below `root` is compiled.

    `strategies` names the build systems to use (default: all); synthesised commands are always
    made. Raises `NoKernels`, and `NotFound` where `root` is no folder.
    """
    return survey_checkout(root, strategies=strategies).database


def survey_checkout(root: Path, *, strategies: Sequence[str] = ()) -> Survey:
    """Build the compile database, and keep what every build system gave; raises likewise."""
    tree = open_tree(root)
    graph = load_include_graph(tree)
    _require_kernels(graph, root.name)

    # kernels in strings are compiled at run time: no build system knows of them
    outcomes: tuple[StrategyOutcome, ...] = ()
    if graph.kernel_files:
        outcomes = run_build_systems(tree, strategies)

    generated_files = [file for outcome in outcomes for file in outcome.generated]
    generated_names = {file.path.rpartition("/")[2] for file in generated_files}
    # what no build system could write
    generated_files += fill_templates(graph, generated_names)
    generated = limit_generated_files(generated_files)
    if generated:
        graph = IncludeGraph(tree.with_generated(generated))

    filled_sources = [
        file.path
        for file in generated
        if file.strategy == TEMPLATE_STRATEGY and is_source(file.path)
    ]
    outcomes = add_synthesised_units(outcomes, filled_sources, graph)

    return Survey(
        graph=graph,
        outcomes=outcomes,
        database=_merge_outcomes(graph, outcomes),
    )


def _require_kernels(graph: IncludeGraph, root_name: str) -> None:
    if graph.kernel_files or graph.kernel_string_files:
        return

    if not graph.scans:
        raise NoKernels(
            f"{root_name} has no C, C++, CUDA or HIP file: name the folder of a project",
            code="nothing-to-build",
        )

    raise NoKernels(
        f"{root_name} has no CUDA or HIP kernel in its {len(graph.scans)} C and C++ files, "
        "nor in strings: name the folder of a project that has some"
    )


def _merge_outcomes(
    graph: IncludeGraph, outcomes: Sequence[StrategyOutcome]
) -> CompileDatabase:
    configurations = group_configurations(
        command for outcome in outcomes for command in outcome.commands
    )
    units = adopt_neighbours_macros(
        {path: commands[0] for path, commands in configurations.items()}, graph
    )
    parsed = select_units_to_parse(graph, units)
    # nobody compiles headers: they have no entry of their own
    headers = {
        path: borrow_command(path, graph, units)
        for path in _list_files_without_entry(graph, units)
    }

    # a unit that is parsed as device code for the sake of a header has another dialect than
    # its build says
    commands = {**headers, **units, **parsed}
    entries = [commands[path] for path in sorted(commands)]
    alternatives = [
        command
        for path in sorted(configurations)
        for command in configurations[path][1:]
    ]

    all_entries = [*entries, *alternatives]
    parsed_positions = put_new_kernels_first(
        graph,
        all_entries,
        _find_parsed_positions(graph, all_entries, parsed, configurations),
    )
    relevant_files = _list_relevant_files(graph)
    covered_files = [
        path
        for path in relevant_files
        if commands[path].origin is not FlagsOrigin.SYNTHESISED
    ]

    return CompileDatabase(
        commands=tuple(entries),
        alternatives=tuple(alternatives),
        strategies=tuple(outcome.report for outcome in outcomes),
        relevant=len(relevant_files),
        covered=len(covered_files),
        groups=split_into_batches(parsed_positions),
        environment=read_project_environment(graph.tree),
        generated=graph.tree.generated,
    )


def _find_parsed_positions(
    graph: IncludeGraph,
    entries: Sequence[CompileCommand],
    parsed: Mapping[str, CompileCommand],
    configurations: Mapping[str, Sequence[CompileCommand]],
) -> list[int]:
    """Return the positions of the entries that are parsed.

    They are one for each file, and the configurations that may show other kernels.
    """
    # by identity: entries of one file may be equal
    parsed_ids = {id(command) for command in parsed.values()}
    for path in parsed:
        extra_configurations = select_extra_configurations(
            graph, path, configurations.get(path, ())
        )
        parsed_ids.update(id(command) for command in extra_configurations)

    return [
        position
        for position, command in enumerate(entries)
        if id(command) in parsed_ids
    ]


def _list_files_without_entry(
    graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> list[str]:
    """Return the files with device code, by content or by name, that no unit command is of."""
    named_for_devices = {
        path for path in graph.scans if get_suffix(path) in DEVICE_SUFFIXES
    }
    return sorted((graph.device_files | named_for_devices) - units.keys())


def _list_relevant_files(graph: IncludeGraph) -> list[str]:
    """Return the files with device code that the project wrote itself.

    Vendored files count where there is nothing else; files that a build writes never do.
    """
    generated_paths = {file.path for file in graph.tree.generated}
    # a build may generate hundreds of instantiations
    checkout_files = sorted(graph.device_files - generated_paths)
    own_files = [path for path in checkout_files if not is_vendored(path)]

    return own_files or checkout_files
