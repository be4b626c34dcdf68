"""Make up the compile command of a file from the checkout's sources and build files alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from crawler.builds.build_files.build_hints import is_unwanted_switch, read_build_hints
from crawler.builds.build_files.target_macros import find_target_specific_macros
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.checkout.enclosing_macro import find_enclosing_macro
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.cpp.preprocessor.switch_names import (
    name_companion_switches,
    read_warp_size,
)
from crawler.model import CompileCommand, Dialect, FlagsOrigin


def synthesise_command(path: str, graph: IncludeGraph) -> CompileCommand:
    """Make up the compile command of one file.

    It has the include paths that the file's includes need, and the macros that the build files
    of the checkout define.
    """
    dialect = detect_dialect(path, graph)

    return CompileCommand(
        directory=".",
        file=path,
        arguments=tuple(_make_arguments(path, dialect, graph)),
        dialect=dialect,
        origin=FlagsOrigin.SYNTHESISED,
    )


def is_translation_unit(path: str, graph: IncludeGraph) -> bool:
    """Tell whether a compiler would be given this file: a source that no other file includes."""
    source_suffixes = DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
    return get_suffix(path) in source_suffixes and not graph.includers.get(path)


def iter_alternatives(
    command: CompileCommand, graph: IncludeGraph
) -> Iterator[CompileCommand]:
    """Yield a command without the macros that only some targets of its source define."""
    # One library with `-DUSE_CUDA` and one without may share a source.
    target_macros = find_target_specific_macros(graph.tree).get(
        command.file, frozenset()
    )
    arguments = tuple(
        word
        for word in command.arguments
        if not word.startswith("-D") or _get_macro_name(word) not in target_macros
    )

    if arguments != command.arguments:
        yield replace(command, arguments=arguments)


def _make_arguments(
    path: str, dialect: Dialect | None, graph: IncludeGraph
) -> list[str]:
    hints = read_build_hints(graph.tree)
    arguments: list[str] = []

    if get_suffix(path) != "c" or dialect is not None:
        arguments.append(f"-std=c++{hints.standard}")

    for folder in graph.find_include_paths(path):
        # the system's own headers come first: these stand in for them on another platform
        if graph.hides_system_headers(path, folder):
            arguments += ["-idirafter", folder]
        else:
            arguments.append(f"-I{folder}")

    # A switch that neither the file nor a header tests would change nothing.
    tested_macros: set[str] = set()

    for file in graph.list_reached_files(path):
        if file in graph.scans:
            tested_macros.update(graph.scans[file].tested_macros)

    prelude = graph.run_time_preludes.get(path)
    if prelude is not None:
        arguments += ["-include", prelude]

    defines = hints.make_defines(frozenset(tested_macros), dialect)
    arguments += defines

    enclosing_macro = _find_undefined_enclosing_macro(path, dialect, defines, graph)

    if enclosing_macro:
        arguments.append(f"-D{enclosing_macro}")

    device_defines = _iter_device_defines(enclosing_macro, tested_macros, dialect)
    arguments += [
        f"-D{name}{value}"
        for name, value in device_defines
        if not _is_defined(name, path, defines, graph)
    ]

    return arguments


def _iter_device_defines(
    enclosing_macro: str, tested_macros: Collection[str], dialect: Dialect | None
) -> Iterator[tuple[str, str]]:
    """Yield the macros that headers ask of a build for a device, each with `=` and its value."""
    for name in sorted(name_companion_switches([enclosing_macro], dialect)):
        if name in tested_macros:
            yield name, ""
    # a file without device code has no warps
    if dialect is not None:
        for name in sorted(tested_macros):
            warp_size = read_warp_size(name, dialect)
            if warp_size:
                yield name, f"={warp_size}"


def _find_undefined_enclosing_macro(
    path: str,
    dialect: Dialect | None,
    defines: Collection[str],
    graph: IncludeGraph,
) -> str:
    """Return the macro that a source is empty without, where nothing defines it.

    E.g. a `scan.cu` that is one `#ifdef WITH_SCAN … #endif`. Empty where a define, or a header
    that the source includes, sets the macro.
    """
    name = find_enclosing_macro(graph.tree.read_bytes(path))
    if not name or is_unwanted_switch(name, dialect):
        return ""

    return "" if _is_defined(name, path, defines, graph) else name


def _is_defined(
    name: str, path: str, defines: Collection[str], graph: IncludeGraph
) -> bool:
    """Tell whether a define, or a file that a source reaches, sets a macro."""
    if any(_get_macro_name(define) == name for define in defines):
        return True

    definition = re.compile(rf"#[ \t]*define[ \t]+{name}\b".encode())
    return any(
        definition.search(graph.tree.read_bytes(file))
        for file in graph.list_reached_files(path)
    )


def _get_macro_name(define: str) -> str:
    return define[2:].partition("=")[0]
