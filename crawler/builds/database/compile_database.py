"""Build the compile database of a checkout from all build systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.builds.build_files.project_environment import read_project_environment
from crawler.builds.checkout.generated_files import limit_generated_files
from crawler.builds.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.builds.checkout.source_scan import DEVICE_SUFFIXES, get_suffix
from crawler.builds.checkout.source_tree import is_vendored, open_tree
from crawler.builds.database.borrowed_commands import borrow_command
from crawler.builds.database.configurations import (
    group_configurations,
    select_extra_configurations,
)
from crawler.builds.database.file_command import find_file_command
from crawler.builds.database.strategy_outcomes import StrategyOutcome, run_build_systems
from crawler.builds.database.unit_selection import (
    select_units_to_parse,
    split_into_batches,
)
from crawler.errors import NoKernels
from crawler.model import CompileCommand, CompileDatabase, FlagsOrigin

__all__ = ["build_compile_database", "find_file_command", "survey_checkout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A database, and what it was made from; the graph is also of what builds have written."""

    graph: IncludeGraph
    outcomes: tuple[StrategyOutcome, ...]
    database: CompileDatabase


def build_compile_database(
    root: Path, *, strategies: Sequence[str] = ()
) -> CompileDatabase:
    """Learn how every relevant file below `root` is compiled; `strategies` names those to use
    (default: all).

    The synthesised floor is always used. Raises `NoKernels`, and `NotFound` where `root` is no
    folder.
    """
    return survey_checkout(root, strategies=strategies).database


def survey_checkout(root: Path, *, strategies: Sequence[str] = ()) -> Survey:
    """Do as `build` does, and keep what every strategy said."""
    tree = open_tree(root)
    graph = load_include_graph(tree)
    if not graph.scans and not graph.kernel_string_files:
        message = (
            f"{root.name} has no C, C++, CUDA or HIP file: name the folder of a project"
        )
        raise NoKernels(message, code="nothing-to-build")
    if not graph.kernel_files and not graph.kernel_string_files:
        message = f"{root.name} has no CUDA or HIP kernel in its {len(graph.scans)} C and C++ files, nor in strings"
        raise NoKernels(f"{message}: name the folder of a project that has some")
    answers = run_build_systems(tree, strategies) if graph.kernel_files else ()
    generated = limit_generated_files(
        file for answer in answers for file in answer.generated
    )
    if generated:
        graph = IncludeGraph(tree.with_generated(generated))
    return Survey(graph=graph, outcomes=answers, database=_merged(graph, answers))


def _merged(graph: IncludeGraph, answers: Sequence[StrategyOutcome]) -> CompileDatabase:
    kept = group_configurations(
        command for answer in answers for command in answer.commands
    )
    units = {path: commands[0] for path, commands in kept.items()}
    parsed = select_units_to_parse(graph, units)
    headers = {
        path: borrow_command(path, graph, units)
        for path in _without_entry(graph, units)
    }
    commands = {**headers, **units, **parsed}
    ordered = tuple(commands[path] for path in sorted(commands))
    others = tuple(command for path in sorted(kept) for command in kept[path][1:])
    relevant = _relevant(graph)
    return CompileDatabase(
        commands=ordered,
        alternatives=others,
        strategies=tuple(answer.report for answer in answers),
        relevant=len(relevant),
        covered=sum(
            commands[path].origin is not FlagsOrigin.SYNTHESISED for path in relevant
        ),
        groups=split_into_batches(_positions(graph, (*ordered, *others), parsed, kept)),
        environment=read_project_environment(graph.tree),
        generated=graph.tree.generated,
    )


def _positions(
    graph: IncludeGraph,
    entries: Sequence[CompileCommand],
    parsed: Mapping[str, CompileCommand],
    kept: Mapping[str, Sequence[CompileCommand]],
) -> list[int]:
    """Return where among the entries those stand that are parsed: one a file, and what may show
    other kernels.
    """
    wanted = {id(command) for command in parsed.values()}
    wanted |= {
        id(more)
        for path in parsed
        for more in select_extra_configurations(graph, path, kept.get(path, ()))
    }
    return [
        position for position, command in enumerate(entries) if id(command) in wanted
    ]


def _without_entry(
    graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> list[str]:
    named = {path for path in graph.scans if get_suffix(path) in DEVICE_SUFFIXES}
    return sorted((graph.device_files | named) - units.keys())


def _relevant(graph: IncludeGraph) -> list[str]:
    """Files with device code, other people's aside unless there is nothing else, and what a
    build writes.
    """
    ours = sorted(
        graph.device_files.difference(file.path for file in graph.tree.generated)
    )
    return [path for path in ours if not is_vendored(path)] or ours
