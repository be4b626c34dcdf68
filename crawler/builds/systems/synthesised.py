"""Synthesise compile commands from the sources alone; the fallback for every tree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.builds.build_files.build_hints import is_unwanted_switch, read_build_hints
from crawler.builds.build_files.target_macros import find_target_specific_macros
from crawler.builds.checkout.enclosing_macro import find_enclosing_macro
from crawler.builds.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.builds.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.model import CompileCommand, Dialect, FlagsOrigin

_BINDINGS: Final = (
    b"PYBIND11_MODULE",
    b"TORCH_LIBRARY",
    b"torch::RegisterOperators",
    b"NB_MODULE",
)


def synthesise_command(path: str, graph: IncludeGraph) -> CompileCommand:
    """Make up the command of one file: include paths that its includes need, macros that its
    build files name.
    """
    spoken = detect_dialect(path, graph)
    return CompileCommand(
        directory=".",
        file=path,
        arguments=_arguments(path, spoken, graph),
        dialect=spoken,
        origin=FlagsOrigin.SYNTHESISED,
    )


def is_translation_unit(path: str, graph: IncludeGraph) -> bool:
    """Tell whether a compiler would be given this file: a source that no other file includes."""
    return get_suffix(
        path
    ) in DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES and not graph.includers.get(path)


def _alternatives(
    command: CompileCommand, graph: IncludeGraph
) -> Iterator[CompileCommand]:
    """Yield a command without the macros that one target of a source defines, and another one
    lacks.
    """
    macros = find_target_specific_macros(graph.tree).get(command.file, frozenset())
    left = tuple(
        word
        for word in command.arguments
        if word[2:].partition("=")[0] not in macros or word[:2] != "-D"
    )
    if left != command.arguments:
        yield replace(command, arguments=left)


def _matters(path: str, graph: IncludeGraph) -> bool:
    """Leave out the host's own code, but for what binds it to Python."""
    named = (
        get_suffix(path) in DEVICE_SOURCE_SUFFIXES
        or path in graph.files_reaching_device_code
    )
    return named or any(mark in graph.tree.read_bytes(path) for mark in _BINDINGS)


def _arguments(
    path: str, spoken: Dialect | None, graph: IncludeGraph
) -> tuple[str, ...]:
    said = read_build_hints(graph.tree)
    tested = frozenset[str]().union(
        *(
            graph.scans[file].tested_macros
            for file in graph.list_reached_files(path)
            if file in graph.scans
        )
    )
    standard = (
        ()
        if get_suffix(path) == "c" and spoken is None
        else (f"-std=c++{said.standard}",)
    )
    defines = said.make_defines(tested, spoken)
    return (
        *standard,
        *(f"-I{root}" for root in graph.find_include_paths(path)),
        *defines,
        *_opened(path, spoken, defines, graph),
    )


def _opened(
    path: str, spoken: Dialect | None, defines: Collection[str], graph: IncludeGraph
) -> tuple[str, ...]:
    """Return what defines the macro that a source is empty without, where neither a build nor a
    header tells of it.
    """
    name = find_enclosing_macro(graph.tree.read_bytes(path))
    if (
        not name
        or is_unwanted_switch(name, spoken)
        or any(define[2:].partition("=")[0] == name for define in defines)
    ):
        return ()
    sets = re.compile(rf"#[ \t]*define[ \t]+{name}\b".encode())
    return (
        ()
        if any(
            sets.search(graph.tree.read_bytes(file))
            for file in graph.list_reached_files(path)
        )
        else (f"-D{name}",)
    )


class Synthesised:
    """The floor: every source file gets a command."""

    name = "synthesised"
    order = 90
    executes = False

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is any source file."""
        return any(get_suffix(path) in SOURCE_SUFFIXES for path in tree.files)

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return a command for every translation unit with device code or with bindings to
        Python.
        """
        graph = load_include_graph(tree)
        made = [
            synthesise_command(path, graph)
            for path in graph.scans
            if is_translation_unit(path, graph) and _matters(path, graph)
        ]
        made += [other for command in made for other in _alternatives(command, graph)]
        lost = sum(map(len, graph.missing_includes.values()))
        found = sum(map(len, graph.edges.values()))
        return FoundCommands(
            commands=tuple(made),
            log=f"{found} includes found in the tree, {lost} quoted ones not",
        )


PLUGIN: Final[BuildSystem] = Synthesised()
