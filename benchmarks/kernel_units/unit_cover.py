"""Choose few translation units that show all kernels of given files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from crawler.builds.database.including_unit_ranking import IncludingUnitRanking
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_scan import HEADER_SUFFIXES, get_suffix
from crawler.checkout.source_tree import open_tree
from crawler.model import CompileCommand, FlagsOrigin


class UnitCover:
    """The commands of a tree, and what their units show of its headers."""

    def __init__(self, root: Path, commands: Sequence[CompileCommand]) -> None:
        self._graph = load_include_graph(open_tree(root))
        self._commands = sorted(commands, key=lambda command: command.file)
        self._by_file = {command.file: command for command in reversed(commands)}
        self._ranking = IncludingUnitRanking(self._graph, self._by_file)
        self._reached = {
            file: frozenset(self._graph.list_reached_files(file))
            for file in self._by_file
        }

    def choose_commands(
        self, files: Collection[str], units_per_file: int
    ) -> list[CompileCommand]:
        """Return the commands of `files`, and for each of those the best units that include it,
        until `units_per_file` show it.

        A unit that is parsed with several sets of flags is one.

        Best are units that lack nothing, that name what uses most kernels of a header, or else
        what it declares, that a
        build compiles, that are chosen already, and that read little else; then what is parsed
        by itself because
        nothing includes it.
        """
        chosen = {file: None for file in self._by_file if file in files}
        for path in sorted(files):
            ranked = sorted(
                (self._rank(file, path, chosen), file)
                for file in self._find_units_above(path)
            )
            chosen.update(
                (file, None)
                for _, file in ranked[: units_per_file - (path in self._by_file)]
            )
        return self._list_commands(chosen)

    def choose_further_commands(
        self,
        kernels: Collection[tuple[str, str]],
        units_per_file: int,
        excluded: Collection[str],
    ) -> list[CompileCommand]:
        """Return for the path of each of `kernels` so many units, none of `excluded`: each
        names what the others do not.
        """
        chosen: dict[str, None] = {}
        for path in sorted({path for path, _ in kernels}):
            uncovered = {name for where, name in kernels if where == path}
            above = {
                file for file in self._find_units_above(path) if file not in excluded
            }
            for _ in range(min(units_per_file, len(above))):
                _, best = min(
                    (self._rank(file, path, chosen, uncovered), file) for file in above
                )
                above.remove(best)
                chosen[best] = None
                uncovered = {
                    name
                    for name in uncovered
                    if not self._ranking.count_used_kernels(best, path, {name})
                } or uncovered
        return self._list_commands(chosen)

    def _find_units_above(self, path: str) -> Iterator[str]:
        return (
            file
            for file, reached in self._reached.items()
            if file != path and path in reached
        )

    def _rank(
        self, file: str, path: str, chosen: Collection[str], names: Collection[str] = ()
    ) -> tuple[int, ...]:
        """Return what is the less, the better a unit shows a header, or those of its kernels
        that have `names`.
        """
        named = self._ranking.count_used_kernels(file, path, names)
        return (
            get_suffix(file) in HEADER_SUFFIXES,
            bool(self._graph.missing_includes.get(file)),
            -named,
            not self._ranking.is_relevant_unit(file, path),
            self._by_file[file].origin is FlagsOrigin.SYNTHESISED,
            file not in chosen,
            len(self._reached[file]),
        )

    def _list_commands(self, chosen: Collection[str]) -> list[CompileCommand]:
        return [command for command in self._commands if command.file in chosen]
