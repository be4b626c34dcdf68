"""Export compile commands for editors and clang tools, against our own headers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, TypedDict

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import get_suffix
from crawler.cpp import language_standard
from crawler.model import CompileCommand
from crawler.toolchains.clang_flags import get_editor_flags, get_parse_prelude

# the beginning of a header that is included
_TORCH_HEADER: Final = re.compile(r"(?:torch|ATen|c10|THC|pybind11)/")


class EditorEntry(TypedDict):
    """An entry of a compile database, with absolute paths."""

    directory: str
    file: str
    arguments: list[str]


def make_editor_entry(
    graph: IncludeGraph, command: CompileCommand, overlay: Path
) -> EditorEntry:
    """Return the entry of a command; `overlay` is a file that holds `headers.overlay.overlay()`."""
    root = graph.tree.root
    file = str(root / command.file)

    # our headers and prelude are C++
    if command.dialect is None and get_suffix(command.file) == "c":
        arguments = ["clang", *command.arguments, file]
    else:
        arguments = _make_cpp_arguments(graph, command, overlay)

    return {
        "directory": str(root / command.directory),
        "file": file,
        "arguments": arguments,
    }


def _make_cpp_arguments(
    graph: IncludeGraph, command: CompileCommand, overlay: Path
) -> list[str]:
    standard = language_standard.requested_standard(command.arguments)
    other_arguments = [
        word for word in command.arguments if not word.startswith("-std=")
    ]
    prelude = get_parse_prelude(with_torch=_includes_torch(graph, command.file))

    return [
        "clang++",
        *get_editor_flags(overlay),
        f"-std={standard}",
        *other_arguments,
        "-include",
        str(prelude),
        str(graph.tree.root / command.file),
    ]


def _includes_torch(graph: IncludeGraph, path: str) -> bool:
    """Tell whether a file or what it includes uses PyTorch, whose shim it then needs."""
    for file in graph.list_reached_files(path):
        scan = graph.scans.get(file)
        if scan is None:
            continue
        if any(_TORCH_HEADER.match(include.name) for include in scan.includes):
            return True

    return False
