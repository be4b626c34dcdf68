"""Compile commands and the compile database of a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.model.dialect import Dialect


class FlagsOrigin(StrEnum):
    """Where a compile command came from, most trusted first."""

    EXPORTED = "exported"
    RECORDED = "recorded"
    BORROWED = "borrowed"
    COMPLETED = "completed"
    SYNTHESISED = "synthesised"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileCommand:
    """How one file is compiled. Paths under the checkout are relative to its root."""

    directory: str
    """Working folder, relative to the checkout's root (`.` is the root)."""
    file: str
    """The source, relative to the checkout's root (not to `directory`)."""
    arguments: tuple[str, ...]
    """Flags only, understood by clang: no compiler, no source, no `-o`, no `-c`.
    Include paths below the checkout are relative to `directory`."""
    dialect: Dialect | None
    """`None` for a host-only C or C++ source."""
    origin: FlagsOrigin
    output: str = ""
    added_arguments: tuple[str, ...] = ()
    """Those of `arguments` that lead to headers of the tree which the build's own do not reach."""
    borrowed_from: str = ""
    """For a header: the translation unit whose command this is, relative to the root."""
    offload_archs: tuple[str, ...] = ()
    """The archs that the project compiles this file for, as its command names them: `sm_80`,
    `gfx90a`.
    """
    strategy: str = ""
    """The build system that told it; for a header, that told the unit's."""

    @property
    def standard(self) -> str:
        """Language standard that the command names (`c++17`, `gnu++20`), empty without one."""
        prefix = "-std="
        # of several the compiler takes the last one
        for word in reversed(self.arguments):
            if word.startswith(prefix):
                return word.removeprefix(prefix)
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyReport:
    """What one build system gave, or why it gave nothing."""

    strategy: str
    entries: int
    code: str = ""
    """Empty when it worked, else a stable slug: `no-build-system`, `configure-failed`, …"""
    message: str = ""
    log: str = ""
    """End of the tool's output, at most 64 KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRequirement:
    """A version that a file of a project asks for."""

    name: str
    """`python`, `torch`, `numpy`, `setuptools`, `cuda` or `rocm`."""
    asked: str
    """A specifier as Python packages write them: `>=2.0,<2.6`."""
    evidence: str
    """For a person: `pyproject.toml: dependencies`, `Dockerfile: FROM rocm/pytorch:…`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionConflict:
    """Versions that do not go together, and what would."""

    name: str
    message: str
    remedy: str
    resolved: bool = False
    """Whether the stand-ins answer so that the build is asked as if it were mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectEnvironment:
    """What a project's metadata asks for, and what clashes on any machine."""

    requirements: tuple[VersionRequirement, ...] = ()
    conflicts: tuple[VersionConflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedFile:
    """A source or header that a build writes before it compiles: no file of the checkout, but
    its parse needs it.
    """

    path: str
    """Where the build puts it, relative to the checkout's root; below `.generated/` what lies
    in a folder elsewhere.
    """
    text: str
    strategy: str = ""
    """The build system that ran what wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileDatabase:
    """The compile commands of a checkout, every relevant file covered."""

    commands: tuple[CompileCommand, ...]
    """One a file, sorted by it."""
    strategies: tuple[StrategyReport, ...]
    relevant: int = 0
    """Files with device code or launches, vendored ones aside."""
    covered: int = 0
    """How many of `relevant` have an entry that was exported, recorded or borrowed from such."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Positions in `entries` of what `extract` must parse, in batches of at most 32."""
    alternatives: tuple[CompileCommand, ...] = ()
    """Other configurations of files in `commands`: what else a build compiles them with, the
    best first.
    """
    environment: ProjectEnvironment = ProjectEnvironment()
    generated: tuple[GeneratedFile, ...] = ()
    """What builds have written that commands name or their units include, sorted by path; at
    most 32 MiB.
    """

    @property
    def entries(self) -> tuple[CompileCommand, ...]:
        """Every command: one a file, then the other configurations."""
        return (*self.commands, *self.alternatives)
