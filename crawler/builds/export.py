"""A `compile_commands.json` for editors: each file parsed by clang against our headers, no toolkit or torch needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, TypedDict

from crawler import standards
from crawler.builds.reading.includes import IncludeGraph
from crawler.builds.reading.scan import suffix
from crawler.headers.flags import editor_flags, parse_prelude
from crawler.model import CompileCommand

_TORCH: Final = re.compile(r"(?:torch|ATen|c10|THC|pybind11)/")


class Exported(TypedDict):
    """An entry of a compile database, with absolute paths."""

    directory: str
    file: str
    arguments: list[str]


def exported(graph: IncludeGraph, command: CompileCommand, overlay: Path) -> Exported:
    """Return the entry of a command; `overlay` is a file that holds `headers.overlay.overlay()`."""
    root = graph.tree.root
    file = str(root / command.file)
    if command.dialect is None and suffix(command.file) == "c":
        arguments = ["clang", *command.arguments, file]
    else:
        said = [word for word in command.arguments if not word.startswith("-std=")]
        standard = f"-std={standards.asked(command.arguments)}"
        forced = ("-include", str(parse_prelude(torch=_speaks_torch(graph, command.file))))
        arguments = ["clang++", *editor_flags(overlay), standard, *said, *forced, file]
    return {"directory": str(root / command.directory), "file": file, "arguments": arguments}


def _speaks_torch(graph: IncludeGraph, path: str) -> bool:
    """Tell whether a file or what it reads includes PyTorch, so that its shim must be in the parse."""
    read = (graph.skims[file] for file in graph.reach(path) if file in graph.skims)
    return any(_TORCH.match(include.name) for skimmed in read for include in skimmed.includes)
