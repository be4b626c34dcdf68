"""Export compile commands for editors and clang tools, against our own headers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, TypedDict

from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import get_suffix
from crawler.cpp import language_standard
from crawler.model import CompileCommand
from crawler.toolchains.clang_flags import get_editor_flags, get_parse_prelude

_TORCH: Final = re.compile(r"(?:torch|ATen|c10|THC|pybind11)/")


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
    if command.dialect is None and get_suffix(command.file) == "c":
        arguments = ["clang", *command.arguments, file]
    else:
        said = [word for word in command.arguments if not word.startswith("-std=")]
        standard = f"-std={language_standard.requested_standard(command.arguments)}"
        forced = (
            "-include",
            str(get_parse_prelude(with_torch=_speaks_torch(graph, command.file))),
        )
        arguments = [
            "clang++",
            *get_editor_flags(overlay),
            standard,
            *said,
            *forced,
            file,
        ]
    return {
        "directory": str(root / command.directory),
        "file": file,
        "arguments": arguments,
    }


def _speaks_torch(graph: IncludeGraph, path: str) -> bool:
    """Tell whether a file or what it reads includes PyTorch, so that its shim must be in the
    parse.
    """
    read = (
        graph.scans[file]
        for file in graph.list_reached_files(path)
        if file in graph.scans
    )
    return any(
        _TORCH.match(include.name) for skimmed in read for include in skimmed.includes
    )
