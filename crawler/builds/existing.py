"""Compile databases that a checkout carries along."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Final

from crawler.builds.commands.entries import NAME, read_entries, translate
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.tree import Tree
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, FlagsOrigin

_MOST: Final = 16


class Existing:
    """Reads every `compile_commands.json` of the tree, the one nearest to the root first."""

    name = "existing"
    order = 10
    executes = False
    absent = "no-database"

    def recognises(self, tree: Tree) -> bool:
        """Tell whether the tree has a compile database."""
        return bool(tree.named(NAME))

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return the entries of all of them; raises what the first says when none can be used."""
        commands: list[CompileCommand] = []
        logs, errors = [], []
        for path in tree.named(NAME)[:_MOST]:
            try:
                told = self._read(tree, path)
            except BadDatabase as error:
                errors.append(error)
                logs.append(f"{path}: {error.code}: {error}")
            else:
                commands.extend(told.commands)
                logs.append(f"{path}: {len(told.commands)} entries\n{told.log}")
        if not commands:
            raise errors[0]
        return Yield(commands=tuple(commands), log="\n".join(logs))

    def _read(self, tree: Tree, path: str) -> Yield:
        base = posixpath.join(str(tree.root), posixpath.dirname(path))
        entries = read_entries(tree.root / path)
        return translate(entries, include_graph(tree), base=base.rstrip("/"), origin=FlagsOrigin.EXPORTED)


PLUGIN: Final[BuildSystem] = Existing()
