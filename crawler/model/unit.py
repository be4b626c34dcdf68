"""Kernel units and port reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.model.dialect import Dialect
from crawler.model.source_elements import Instantiation, TextReplacement


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change that a port made."""

    rule: str
    line: int
    before: str
    after: str


class Wave(StrEnum):
    """What a source expects of the width of a wave (a warp)."""

    ANY = "any"
    """Nothing: no lane sees another."""
    LOGICAL = "logical-32"
    """32 lanes, which every operation between lanes is kept to on a wave of 64."""
    NATIVE = "native"
    """What `warpSize` says."""
    THIRTY_TWO = "wave32"
    """32 lanes in a way that no rule can vouch for on a wave of 64: look at the warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortReport:
    """What a port changed, and what stands in the way of one."""

    changes: tuple[Change, ...] = ()
    blockers: tuple[tuple[str, int], ...] = ()
    """(stable class such as `ptx`, `mma`, `texture_reference`, line): the unit should not be
    ported.
    """
    warnings: tuple[tuple[str, int], ...] = ()
    wave: Wave = Wave.ANY
    """On which widths of a wave it means the same."""


class Rung(StrEnum):
    """How much of a translation unit a kernel's unit holds: the first of these that compiles."""

    MINIMAL = "minimal"
    """The declarations that the syntax tree leads to from the kernel."""
    MENDED = "mended"
    """Those, without what does not compile of them and the kernel does not need."""
    REDUCED = "reduced"
    """What words lead to from the kernel, in the text as its compiler reads it."""
    WIDE = "wide"
    """All of that text but for the bodies of host functions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelUnit:
    """The smallest self-contained source of a kernel: it compiles alone against its prelude."""

    source: str
    dialect: Dialect
    kernel_name: str
    """Qualified name of the kernel in this source."""
    instantiations: tuple[Instantiation, ...]
    prelude: str
    """Digest of the header tree that the unit was made for."""
    digest: str
    """sha256 of `source`, in hexadecimal; the unit's address."""
    token_digest: str
    """sha256 over the normalised tokens; for clustering, never an address."""
    dependencies: tuple[str, ...] = ()
    standard: str = "c++17"
    """C++ standard that it is compiled with; one that is not the usual stands in the source's
    first line too.
    """
    rung: Rung = Rung.MINIMAL
    """How much of its translation unit it holds."""
    attempts: tuple[str, ...] = ()
    """What was tried before and does not compile: the rung and the first error of each."""
    assumed: tuple[str, ...] = ()
    """Declarations that no source has: of types that a missing header would have declared, as far
    as the unit itself tells what they must be, and of macros that a program gives as it runs.
    """
    whole: str = ""
    """Digest of the translation unit that it was cut from, as a text that compiles alone."""
    libraries: tuple[tuple[str, str], ...] = ()
    """(header library, version) of those that it includes; the version `shim` is our own header.
    Those that are not stand in the source's first lines too.
    """
    missing_headers: tuple[str, ...] = ()
    """Headers that its project includes and does not have: what they declare is not in it."""
    unavailable: tuple[str, ...] = ()
    """Where it has missing headers: what its project declares and could not be had, and why."""
    making: tuple[TextReplacement, ...] = ()
    """What stands in place of which characters of `source` where also what makes the kernel's
    structures is held.
    """
    ported_from: str = ""
    """Digest of the CUDA unit that this one was ported from."""
    port_report: PortReport | None = None

    @property
    def installed_libraries(self) -> tuple[str, ...]:
        """The libraries that it is compiled with as they are installed."""
        return tuple(name for name, version in self.libraries if version != "shim")
