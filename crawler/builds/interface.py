"""The `BuildSystem` protocol: a way to learn compile commands from a source tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crawler.builds.checkout.source_tree import SourceTree
from crawler.errors import CrawlError, NoBuildSystem, NotFound
from crawler.model import CompileCommand, GeneratedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCommands:
    """What a build system told: commands, the end of its log, and the sources and headers that
    it has written.
    """

    commands: tuple[CompileCommand, ...]
    log: str = ""
    generated: tuple[GeneratedFile, ...] = ()


class BuildSystem(Protocol):
    """One way to learn compile commands; one file each, which ends with `PLUGIN:
    Final[BuildSystem]`.

    It may have `by_request = True`, and then only works when it is named, and `absent`, the
    code of the error when it
    is named for a tree that it does not recognise.
    """

    name: str
    order: int
    """Of two entries for one file the better `FlagsOrigin` wins, then the lower order."""
    executes: bool
    """Whether it runs anything of the project (then only inside the sandbox)."""

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether the checkout has what this build system needs; reads names and small
        files only.
        """
        ...

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return every compile command that can be learnt; `scratch` is an empty folder to work
        in.

        Never writes into the checkout. Raises `ConfigureFailed`, `BadDatabase`,
        `NoBuildSystem`, `MissingTool`.
        """
        ...


def is_by_request(plugin: BuildSystem) -> bool:
    """Tell whether a build system only works when it is named."""
    return bool(getattr(plugin, "by_request", False))


def make_not_recognised_error(plugin: BuildSystem, tree: SourceTree) -> CrawlError:
    """Return the error for a build system that was named for a tree which has nothing for it."""
    message = f"{tree.root.name} has nothing that `{plugin.name}` reads: leave out --strategy to use what is there"
    absent = getattr(plugin, "absent", "")
    return NotFound(message, code=str(absent)) if absent else NoBuildSystem(message)
