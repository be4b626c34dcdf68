"""Published form of a kernel unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from crawler.model import Instantiation, KernelUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something at a line of a unit."""

    code: str
    """Stable class of the finding: `ptx`, `mma`, `texture_reference`, …"""
    line: int
    """Of the unit that was ported, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRow:
    """A kernel unit: a source that compiles alone against the headers that the dataset carries."""

    digest: str
    """sha256 of the whole source, in hexadecimal: the unit's address."""
    dialect: str
    """`cuda` or `hip`."""
    kernel_name: str
    """Qualified name of the kernel in this source."""
    source: str
    """Empty at the depth `pure`."""
    instantiations: tuple[Instantiation, ...]
    """What the source instantiates explicitly, in its order; `entry` of a case counts them."""
    dependencies: tuple[str, ...]
    """Names of the project's own declarations that the source carries for the kernel."""
    token_digest: str
    """sha256 of the source's tokens: the same for texts that differ in blanks and comments."""
    prelude: str
    """Digest of the headers that it was cut out for; those of an export are in `include`."""
    standard: str = "c++17"
    """What to compile it with: `-std=`."""
    rung: str = "minimal"
    """How much of its translation unit it holds: `minimal`, what the syntax tree leads to from
    the kernel; `mended`, that without what does not compile and it can do without; `reduced`,
    what words lead to; `wide`, all but the bodies of host functions. The first that compiles is
    taken.
    """
    attempts: tuple[str, ...] = ()
    """What was tried and does not compile: the rung and the first error of each."""
    assumed: tuple[str, ...] = ()
    """Declarations in it that no source has: of types that a missing header would have declared,
    as far as the unit itself tells what they must be, and of macros that a program gives as it
    runs, each a small number.
    """
    libraries: dict[str, str] = field(default_factory=dict)
    """Header libraries that it includes, and the version that it was made with; `shim` is the
    header of ours that the dataset carries."""
    ported_from: str = ""
    """Digest of the CUDA unit that it was ported from; empty for no port."""
    changes: int = 0
    """Places that a port rewrote."""
    blockers: tuple[Mark, ...] = ()
    """What no rule ports, so that the text should not be taken for a port."""
    warnings: tuple[Mark, ...] = ()
    """What a port keeps and may mean something else on an AMD GPU."""
    wave: str = ""
    """On which widths of a wave a port means the same: `any`, `logical-32`, `native` or
    `wave32`; empty for no port.
    """


def to_unit_row(unit: KernelUnit, *, with_source: bool) -> UnitRow:
    """Return a unit as it is published, with its source or without."""
    report = unit.port_report
    return UnitRow(
        digest=unit.digest,
        dialect=unit.dialect.value,
        kernel_name=unit.kernel_name,
        source=unit.source if with_source else "",
        instantiations=unit.instantiations,
        dependencies=unit.dependencies,
        token_digest=unit.token_digest,
        prelude=unit.prelude,
        standard=unit.standard,
        rung=unit.rung.value,
        attempts=unit.attempts,
        assumed=unit.assumed,
        libraries=dict(unit.libraries),
        ported_from=unit.ported_from,
        changes=len(report.changes) if report else 0,
        blockers=_to_marks(report.blockers) if report else (),
        warnings=_to_marks(report.warnings) if report else (),
        wave=report.wave.value if report else "",
    )


def _to_marks(findings: Iterable[tuple[str, int]]) -> tuple[Mark, ...]:
    return tuple(Mark(code=code, line=line) for code, line in findings)
