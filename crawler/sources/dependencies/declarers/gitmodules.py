"""Repositories that `.gitmodules` names: submodules that were not fetched, or that a source
distribution left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sources.dependencies.declaring_texts import iter_texts
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)
from crawler.sources.git_client.submodules import read_addresses

_FILE: Final = ".gitmodules"
_MAX_FILES: Final = 100


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
        paths = tree.find_named(_FILE)
        for path, text in iter_texts(tree, paths, max_files=_MAX_FILES):
            for folder, url in read_addresses(text.encode()):
                if url:
                    yield DeclaredDependency(
                        name=folder.rpartition("/")[2],
                        url=url,
                        path=path,
                        folder=folder,
                    )


PLUGIN: Final[DependencyDeclarer] = Gitmodules()
