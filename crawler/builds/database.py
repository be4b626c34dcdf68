"""The compile database of a checkout: every strategy's commands merged, headers borrowed, batches to parse."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from crawler import sandbox
from crawler.builds.borrow import TRUST, borrow
from crawler.builds.includes import IncludeGraph, include_graph
from crawler.builds.interface import BuildSystem
from crawler.builds.lookup import command_for
from crawler.builds.scan import DEVICE_SUFFIXES, suffix
from crawler.builds.selection import batches, select
from crawler.builds.synthesised import PLUGIN as FLOOR
from crawler.builds.tree import Tree, open_tree, vendored
from crawler.errors import CrawlError, NoKernels, ToolFailed
from crawler.model import CompileCommand, CompileDatabase, FlagsOrigin, StrategyReport
from crawler.plugins import plugins

__all__ = ["build", "command_for"]
_LOG_KEPT = 64 << 10


def build(root: Path, *, strategies: Sequence[str] = ()) -> CompileDatabase:
    """Learn how every relevant file below `root` is compiled; `strategies` names those to use (default: all).

    The synthesised floor is always used. Raises `NoKernels`, and `NotFound` where `root` is no folder.
    """
    tree = open_tree(root)
    graph = include_graph(tree)
    if not graph.kernel_files and not graph.quoting_files:
        raise NoKernels(
            f"{root.name} has no CUDA or HIP kernel in its {len(graph.skims)} C and C++ files, nor in Python's strings"
        )
    asked = _chosen(strategies) if graph.kernel_files else []
    results = [_ask(plugin, tree) for plugin in asked if plugin.recognises(tree)]
    return _merged(graph, results)


def _chosen(strategies: Sequence[str]) -> list[BuildSystem]:
    known: tuple[BuildSystem, ...] = plugins("crawler.builds")
    return [plugin for plugin in known if not strategies or plugin.name in strategies or plugin is FLOOR]


def _ask(plugin: BuildSystem, tree: Tree) -> tuple[tuple[CompileCommand, ...], StrategyReport]:
    if plugin.executes and not sandbox.self_test().works:
        return (), _failure(plugin, "no-sandbox", f"not run: {sandbox.self_test().reason}")
    try:
        with tempfile.TemporaryDirectory(prefix="kernelset-build-") as scratch:
            told = plugin.commands(tree, Path(scratch))
    except CrawlError as error:
        log = error.output if isinstance(error, ToolFailed) else ""
        return (), _failure(plugin, error.code, str(error), log)
    if not told.commands:
        return (), _failure(plugin, "empty-database", "it gave no compile command", told.log)
    report = StrategyReport(strategy=plugin.name, entries=len(told.commands), log=told.log[-_LOG_KEPT:])
    return told.commands, report


def _failure(plugin: BuildSystem, code: str, message: str, log: str = "") -> StrategyReport:
    return StrategyReport(strategy=plugin.name, entries=0, code=code, message=message, log=log[-_LOG_KEPT:])


def _merged(
    graph: IncludeGraph, results: Iterable[tuple[tuple[CompileCommand, ...], StrategyReport]]
) -> CompileDatabase:
    results = list(results)
    units = _best(command for commands, _ in results for command in commands)
    parsed = select(graph, units)
    headers = {path: borrow(path, graph, units) for path in _without_entry(graph, units)}
    commands = {**headers, **units, **parsed}
    ordered = tuple(commands[path] for path in sorted(commands))
    relevant = _relevant(graph)
    return CompileDatabase(
        commands=ordered,
        strategies=tuple(report for _, report in results),
        relevant=len(relevant),
        covered=sum(commands[path].origin is not FlagsOrigin.SYNTHESISED for path in relevant),
        groups=batches([position for position, command in enumerate(ordered) if command.file in parsed]),
    )


def _best(commands: Iterable[CompileCommand]) -> dict[str, CompileCommand]:
    """Keep one command a file: the most trusted; a device compiler's; that with the most flags; the first."""

    def rank(command: CompileCommand) -> tuple[int, bool, int]:
        return (TRUST[command.origin], command.dialect is None, -len(command.arguments))

    best: dict[str, CompileCommand] = {}
    for command in commands:
        held = best.get(command.file)
        if held is None or rank(command) < rank(held):
            best[command.file] = command
    return best


def _without_entry(graph: IncludeGraph, units: Mapping[str, CompileCommand]) -> list[str]:
    named = {path for path in graph.skims if suffix(path) in DEVICE_SUFFIXES}
    return sorted((graph.device_files | named) - units.keys())


def _relevant(graph: IncludeGraph) -> list[str]:
    """Files with device code, other people's aside unless there is nothing else."""
    own = [path for path in sorted(graph.device_files) if not vendored(path)]
    return own or sorted(graph.device_files)
