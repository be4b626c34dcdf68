"""Repositories that `.gitmodules` names: submodules that were not fetched, or that a source
distribution left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)
from crawler.sources.git_client.submodules import read_addresses

_FILE: Final = ".gitmodules"


class Gitmodules:
    """Reads the addresses; which commits they mean only the repository itself says."""

    name = "gitmodules"
    order = 10
    example: Final = {
        _FILE: '[submodule "library"]\n\tpath = external/library\n'
        "\turl = https://github.com/owner/library.git\n"
    }

    def find_declared(self, tree: SourceTree) -> Iterable[DeclaredDependency]:
        """Yield the submodules of the tree, and of those whose files it has."""
        for path in tree.find_named(_FILE):
            for folder, url in read_addresses(tree.read_bytes(path)):
                if url:
                    yield DeclaredDependency(
                        name=folder.rpartition("/")[2],
                        url=url,
                        path=path,
                        folder=folder,
                    )


PLUGIN: Final[DependencyDeclarer] = Gitmodules()
