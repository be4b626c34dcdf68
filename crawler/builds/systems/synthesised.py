"""Synthesise compile commands from the sources alone; the fallback for every tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.builds.commands.synthesis import (
    is_translation_unit,
    iter_alternatives,
    synthesise_command,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.checkout.source_tree import SourceTree
from crawler.model import CompileCommand

_BINDING_MARKS: Final = (
    b"PYBIND11_MODULE",
    b"TORCH_LIBRARY",
    b"torch::RegisterOperators",
    b"NB_MODULE",
)


class Synthesised:
    """The fallback: every source file gets a command."""

    name = "synthesised"
    order = 90
    executes = False

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is any source file."""
        return any(get_suffix(path) in SOURCE_SUFFIXES for path in tree.files)

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return a command for every unit with device code or with bindings to Python."""
        graph = load_include_graph(tree)
        commands = synthesise_unit_commands(graph.scans, graph)

        missing_count = sum(map(len, graph.missing_includes.values()))
        found_count = sum(map(len, graph.edges.values()))

        return FoundCommands(
            commands=commands,
            log=f"{found_count} includes found in the tree, {missing_count} quoted ones not",
        )


def synthesise_unit_commands(
    paths: Iterable[str], graph: IncludeGraph
) -> tuple[CompileCommand, ...]:
    """Return commands for those files that are units with device code or bindings to Python."""
    commands = [
        synthesise_command(path, graph)
        for path in paths
        if is_translation_unit(path, graph) and _is_relevant(path, graph)
    ]

    # They come last: the first command of a file is the likelier one.
    alternatives: list[CompileCommand] = []

    for command in commands:
        alternatives.extend(iter_alternatives(command, graph))

    return (*commands, *alternatives)


def _is_relevant(path: str, graph: IncludeGraph) -> bool:
    """Tell whether a unit has device code, or binds host code of the project to Python."""
    if get_suffix(path) in DEVICE_SOURCE_SUFFIXES:
        return True
    if path in graph.files_reaching_device_code:
        return True

    content = graph.tree.read_bytes(path)

    return any(mark in content for mark in _BINDING_MARKS)


PLUGIN: Final[BuildSystem] = Synthesised()
