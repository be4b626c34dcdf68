"""The `BuildSystem` protocol: a way to learn compile commands from a source tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crawler.checkout.source_tree import SourceTree
from crawler.errors import CrawlError, NoBuildSystem, NotFound
from crawler.model import CompileCommand, GeneratedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCommands:
    """Compile commands that a build system found, its log, and the files that it generated."""

    commands: tuple[CompileCommand, ...]
    log: str = ""
    """The end of the log."""
    generated: tuple[GeneratedFile, ...] = ()
    """Sources and headers that the build has written."""


class BuildSystem(Protocol):
    """One way to learn compile commands.

    Each lives in one file, which ends with `PLUGIN: Final[BuildSystem]`. Three attributes are
    optional: `by_request = True` for a build system that only works when it is named;
    `absent`, the error code when it is named for a tree that it does not recognise; and
    `example`, the files, by path, with which a tree says that `src/k.cu` is compiled with
    `-Iinc`: its contract suite adds them to such a project.
    """

    name: str
    order: int
    """Of two entries for one file the better `FlagsOrigin` wins, then the lower order."""
    executes: bool
    """Whether it runs anything of the project (then only inside the sandbox)."""

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether the checkout has what this build system needs.

        Reads file names and small files only.
        """
        ...

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return every compile command that can be learnt, working in the empty folder `scratch`.

        Never writes into the checkout. Raises `ConfigureFailed`, `BadDatabase`,
        `NoBuildSystem`, `MissingTool`.
        """
        ...


def is_by_request(plugin: BuildSystem) -> bool:
    """Tell whether a build system only works when it is named."""
    return bool(getattr(plugin, "by_request", False))


def make_not_recognised_error(plugin: BuildSystem, tree: SourceTree) -> CrawlError:
    """Return the error for a build system that was named but does not recognise the tree."""
    message = (
        f"{tree.root.name} has nothing that `{plugin.name}` reads: "
        "leave out --strategy to use what is there"
    )

    absent_code = getattr(plugin, "absent", "")
    if absent_code:
        return NotFound(message, code=str(absent_code))

    return NoBuildSystem(message)
