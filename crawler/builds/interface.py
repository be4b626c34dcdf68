"""The seam between a checkout and its compile commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crawler.builds.tree import Tree
from crawler.model import CompileCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Yield:
    """What a build system told: commands, and the end of its log."""

    commands: tuple[CompileCommand, ...]
    log: str = ""


class BuildSystem(Protocol):
    """One way to learn compile commands; one file each, which ends with `PLUGIN: Final[BuildSystem]`."""

    name: str
    order: int
    """Of two entries for one file the better `FlagsOrigin` wins, then the lower order."""
    executes: bool
    """Whether it runs anything of the project (then only inside the sandbox)."""

    def recognises(self, tree: Tree) -> bool:
        """Tell whether the checkout has what this build system needs; reads names and small files only."""
        ...

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return every compile command that can be learnt; `scratch` is an empty folder to work in.

        Never writes into the checkout. Raises `ConfigureFailed`, `BadDatabase`, `NoBuildSystem`, `MissingTool`.
        """
        ...
