"""Read compile databases that the checkout contains."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Final

from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    read_entries,
    translate_entries,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import SourceTree
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, FlagsOrigin

_MAX_DATABASES: Final = 16


class Existing:
    """Reads every `compile_commands.json` of the tree, the one nearest to the root first."""

    name = "existing"
    order = 10
    executes = False
    absent = "no-database"

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether the tree has a compile database."""
        return bool(tree.find_named(DATABASE_NAME))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return the entries of all databases.

        Raises the error of the first database where no database can be used.
        """
        commands: list[CompileCommand] = []
        logs: list[str] = []
        errors: list[BadDatabase] = []

        for path in tree.find_named(DATABASE_NAME)[:_MAX_DATABASES]:
            try:
                database = self._read_database(tree, path)
            except BadDatabase as error:
                errors.append(error)
                logs.append(f"{path}: {error.code}: {error}")
            else:
                commands.extend(database.commands)
                logs.append(f"{path}: {len(database.commands)} entries\n{database.log}")

        if not commands:
            raise errors[0]

        return FoundCommands(
            commands=tuple(commands),
            log="\n".join(logs),
        )

    def _read_database(self, tree: SourceTree, path: str) -> FoundCommands:
        # A relative folder in a database is meant from where the database lies.
        folder = posixpath.join(str(tree.root), posixpath.dirname(path))

        return translate_entries(
            read_entries(tree.root / path),
            load_include_graph(tree),
            base_folder=folder.rstrip("/"),
            origin=FlagsOrigin.EXPORTED,
        )


PLUGIN: Final[BuildSystem] = Existing()
