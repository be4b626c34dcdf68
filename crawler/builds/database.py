"""The compile database of a checkout: every strategy's commands merged, headers borrowed, batches to parse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.builds.answers import Answer, ask
from crawler.builds.borrow import borrow
from crawler.builds.configurations import by_file, showing_more
from crawler.builds.environment import environment
from crawler.builds.lookup import command_for
from crawler.builds.reading.includes import IncludeGraph, include_graph
from crawler.builds.reading.scan import DEVICE_SUFFIXES, suffix
from crawler.builds.reading.tree import open_tree, vendored
from crawler.builds.selection import batches, select
from crawler.builds.trees.generated import without_excess
from crawler.errors import NoKernels
from crawler.model import CompileCommand, CompileDatabase, FlagsOrigin

__all__ = ["build", "command_for", "survey"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A database, and what it was made from; the graph is also of what builds have written."""

    graph: IncludeGraph
    answers: tuple[Answer, ...]
    database: CompileDatabase


def build(root: Path, *, strategies: Sequence[str] = ()) -> CompileDatabase:
    """Learn how every relevant file below `root` is compiled; `strategies` names those to use (default: all).

    The synthesised floor is always used. Raises `NoKernels`, and `NotFound` where `root` is no folder.
    """
    return survey(root, strategies=strategies).database


def survey(root: Path, *, strategies: Sequence[str] = ()) -> Survey:
    """Do as `build` does, and keep what every strategy said."""
    tree = open_tree(root)
    graph = include_graph(tree)
    if not graph.skims and not graph.quoting_files:
        message = f"{root.name} has no C, C++, CUDA or HIP file: name the folder of a project"
        raise NoKernels(message, code="nothing-to-build")
    if not graph.kernel_files and not graph.quoting_files:
        message = f"{root.name} has no CUDA or HIP kernel in its {len(graph.skims)} C and C++ files, nor in strings"
        raise NoKernels(f"{message}: name the folder of a project that has some")
    answers = ask(tree, strategies) if graph.kernel_files else ()
    generated = without_excess(file for answer in answers for file in answer.generated)
    if generated:
        graph = IncludeGraph(tree.with_generated(generated))
    return Survey(graph=graph, answers=answers, database=_merged(graph, answers))


def _merged(graph: IncludeGraph, answers: Sequence[Answer]) -> CompileDatabase:
    kept = by_file(command for answer in answers for command in answer.commands)
    units = {path: commands[0] for path, commands in kept.items()}
    parsed = select(graph, units)
    headers = {path: borrow(path, graph, units) for path in _without_entry(graph, units)}
    commands = {**headers, **units, **parsed}
    ordered = tuple(commands[path] for path in sorted(commands))
    others = tuple(command for path in sorted(kept) for command in kept[path][1:])
    relevant = _relevant(graph)
    return CompileDatabase(
        commands=ordered,
        alternatives=others,
        strategies=tuple(answer.report for answer in answers),
        relevant=len(relevant),
        covered=sum(commands[path].origin is not FlagsOrigin.SYNTHESISED for path in relevant),
        groups=batches(_positions(graph, (*ordered, *others), parsed, kept)),
        environment=environment(graph.tree),
        generated=graph.tree.generated,
    )


def _positions(
    graph: IncludeGraph,
    entries: Sequence[CompileCommand],
    parsed: Mapping[str, CompileCommand],
    kept: Mapping[str, Sequence[CompileCommand]],
) -> list[int]:
    """Return where among the entries those stand that are parsed: one a file, and what may show other kernels."""
    wanted = {id(command) for command in parsed.values()}
    wanted |= {id(more) for path in parsed for more in showing_more(graph, path, kept.get(path, ()))}
    return [position for position, command in enumerate(entries) if id(command) in wanted]


def _without_entry(graph: IncludeGraph, units: Mapping[str, CompileCommand]) -> list[str]:
    named = {path for path in graph.skims if suffix(path) in DEVICE_SUFFIXES}
    return sorted((graph.device_files | named) - units.keys())


def _relevant(graph: IncludeGraph) -> list[str]:
    """Files with device code, other people's aside unless there is nothing else, and what a build writes."""
    ours = sorted(graph.device_files.difference(file.path for file in graph.tree.generated))
    return [path for path in ours if not vendored(path)] or ours
