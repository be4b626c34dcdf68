"""A few commands of a database that show all of some files: what a package's units are measured with in less time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.scan import HEADERS, suffix
from crawler.builds.reading.tree import open_tree
from crawler.builds.telling import Telling
from crawler.model import CompileCommand, FlagsOrigin


def cover(
    root: Path,
    commands: Sequence[CompileCommand],
    files: Collection[str],
    most: int,
    kernels: Collection[str] = (),
) -> list[CompileCommand]:
    """Return the commands of `files`, and for each of those the best units that include it, until `most` show it.

    A unit that is parsed with several sets of flags is one.

    Best are units that lack nothing, that name what uses most kernels of a header, or of `kernels` in it, or else what
    it declares, that a build compiles, that are chosen already, and that read little else; then what is parsed by
    itself because nothing includes it.
    """
    graph = include_graph(open_tree(root))
    by_file = {command.file: command for command in reversed(commands)}
    telling = Telling(graph, by_file)
    reached = {file: frozenset(graph.reach(file)) for file in by_file}
    chosen = {file: None for file in by_file if file in files}
    for path in sorted(files):
        above = [file for file in by_file if file != path and path in reached[file]]

        def rank(file: str, path: str = path) -> tuple[bool, bool, int, bool, bool, bool, int, str]:
            command = by_file[file]
            made_up = command.origin is FlagsOrigin.SYNTHESISED
            is_header = suffix(file) in HEADERS
            lacks = bool(graph.missing.get(file))
            told, named = telling.tells(file, path), telling.kernels(file, path, kernels)
            return (is_header, lacks, -named, not told, made_up, file not in chosen, len(reached[file]), file)

        chosen.update(dict.fromkeys(sorted(above, key=rank)[: most - (path in by_file)]))
    return [command for command in sorted(commands, key=lambda one: one.file) if command.file in chosen]
