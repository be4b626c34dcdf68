"""Compile commands made up from the sources themselves: runs nothing, works for every tree, and is the floor."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.builds.commands.dialect import dialect
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.reading.gate import gate
from crawler.builds.reading.hints import hints, leaves_out
from crawler.builds.reading.includes import IncludeGraph, include_graph
from crawler.builds.reading.scan import DEVICE_SOURCES, HOST_SOURCES, SOURCES, suffix
from crawler.builds.reading.targets import apart
from crawler.builds.reading.tree import Tree
from crawler.model import CompileCommand, Dialect, FlagsOrigin

_BINDINGS: Final = (b"PYBIND11_MODULE", b"TORCH_LIBRARY", b"torch::RegisterOperators", b"NB_MODULE")


def synthesise(path: str, graph: IncludeGraph) -> CompileCommand:
    """Make up the command of one file: include paths that its includes need, macros that its build files name."""
    spoken = dialect(path, graph)
    return CompileCommand(
        directory=".",
        file=path,
        arguments=_arguments(path, spoken, graph),
        dialect=spoken,
        origin=FlagsOrigin.SYNTHESISED,
    )


def is_unit(path: str, graph: IncludeGraph) -> bool:
    """Tell whether a compiler would be given this file: a source that no other file includes."""
    return suffix(path) in DEVICE_SOURCES | HOST_SOURCES and not graph.includers.get(path)


def _alternatives(command: CompileCommand, graph: IncludeGraph) -> Iterator[CompileCommand]:
    """Yield a command without the macros that one target of a source defines, and another one lacks."""
    macros = apart(graph.tree).get(command.file, frozenset())
    left = tuple(word for word in command.arguments if word[2:].partition("=")[0] not in macros or word[:2] != "-D")
    if left != command.arguments:
        yield replace(command, arguments=left)


def _matters(path: str, graph: IncludeGraph) -> bool:
    """Leave out the host's own code, but for what binds it to Python."""
    named = suffix(path) in DEVICE_SOURCES or path in graph.device_reaching
    return named or any(mark in graph.tree.content(path) for mark in _BINDINGS)


def _arguments(path: str, spoken: Dialect | None, graph: IncludeGraph) -> tuple[str, ...]:
    said = hints(graph.tree)
    tested = frozenset[str]().union(*(graph.skims[file].tested for file in graph.reach(path) if file in graph.skims))
    standard = () if suffix(path) == "c" and spoken is None else (f"-std=c++{said.standard}",)
    defines = said.defines(tested, spoken)
    return (*standard, *(f"-I{root}" for root in graph.roots(path)), *defines, *_opened(path, spoken, defines, graph))


def _opened(path: str, spoken: Dialect | None, defines: Collection[str], graph: IncludeGraph) -> tuple[str, ...]:
    """Return what defines the macro that a source is empty without, where neither a build nor a header tells of it."""
    name = gate(graph.tree.content(path))
    if not name or leaves_out(name, spoken) or any(define[2:].partition("=")[0] == name for define in defines):
        return ()
    sets = re.compile(rf"#[ \t]*define[ \t]+{name}\b".encode())
    return () if any(sets.search(graph.tree.content(file)) for file in graph.reach(path)) else (f"-D{name}",)


class Synthesised:
    """The floor: every source file gets a command."""

    name = "synthesised"
    order = 90
    executes = False

    def recognises(self, tree: Tree) -> bool:
        """Tell whether there is any source file."""
        return any(suffix(path) in SOURCES for path in tree.files)

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return a command for every translation unit with device code or with bindings to Python."""
        graph = include_graph(tree)
        made = [synthesise(path, graph) for path in graph.skims if is_unit(path, graph) and _matters(path, graph)]
        made += [other for command in made for other in _alternatives(command, graph)]
        lost = sum(map(len, graph.missing.values()))
        found = sum(map(len, graph.edges.values()))
        return Yield(commands=tuple(made), log=f"{found} includes found in the tree, {lost} quoted ones not")


PLUGIN: Final[BuildSystem] = Synthesised()
