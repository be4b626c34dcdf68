"""Interface of a way to declare that a project needs another repository."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from crawler.checkout.source_tree import SourceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredDependency:
    """A repository as a project declares it; nothing of it was looked at."""

    name: str
    """What the project calls it."""
    url: str
    """As written: of a git repository, or of an archive that a host makes of one."""
    ref: str = ""
    """Tag, branch or commit; empty for the default branch."""
    path: str = ""
    """The file that declares it."""
    folder: str = ""
    """Of a submodule: the folder that it belongs into."""


class DependencyDeclarer(Protocol):
    """One way of declaring; a file each, which ends with `PLUGIN: Final[DependencyDeclarer]`.

    Its `example` is a tree, path to text, that declares the repository `library` of
    `https://github.com/owner/library`: the contract suite reads it.
    """

    name: str
    order: int
    """Of two declarations of one name the one of lower order counts."""

    def find_declared(self, tree: SourceTree) -> Iterable[DeclaredDependency]:
        """Yield what a tree declares; nothing of it is run."""
        ...
