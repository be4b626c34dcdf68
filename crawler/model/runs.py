"""Results of running a kernel unit on a device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crawler.model.suite import Oracle
from crawler.model.verdicts import Toolchain, Verdict


class Behaviour(StrEnum):
    """What a kernel does when the same launch is repeated in other orders, widths and roundings."""

    DETERMINISTIC = "deterministic"
    ATOMIC_NONDETERMINISTIC = "atomic_nondeterministic"
    """Its outputs depend on the order of atomic operations: within a measured tolerance, or so that
    its project's own check accepts them in each.
    """
    RACY = "racy"
    UNDEFINED = "undefined"
    """It reads what nobody wrote, leaves its buffers, diverges at a barrier…: the verdict says
    which and where.
    """
    TRIVIAL = "trivial"
    """Its outputs are constant, empty, or the same for every input."""
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"
    """The CPU execution, or the search for inputs, cannot serve it: the verdict says why."""


class Extents(StrEnum):
    """Where the sizes of the memory come from that a kernel stayed within."""

    LAUNCHER = "launcher"
    """Its launcher's own allocations, for every buffer that it touches, or those of a launch that
    was recorded.
    """
    INFERRED = "inferred"
    """Its launcher's for some; the others are as large as what the kernel touches."""
    UNPROVEN = "unproven"
    """All memory is as large as what the kernel touches: that it leaves none says nothing."""

    @property
    def meaning(self) -> str:
        """Where they come from, in words for who was never told."""
        return _EXTENT_MEANINGS[self]


_EXTENT_MEANINGS: Final = {
    Extents.LAUNCHER: "the code that launches it",
    Extents.INFERRED: "the code that launches it for some, else what the kernel touches",
    Extents.UNPROVEN: "what the kernel touches: that it leaves no memory says nothing",
}


class StrengthClass(StrEnum):
    """How much a suite's cases can tell, in a word."""

    STRONG = "strong"
    """They take, and tell, at least the shares of branches and mutants that are asked for."""
    WEAK = "weak"
    UNMEASURED = "unmeasured"
    """Nobody counted both, or there is no mutant to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A change of the kernel that no case tells from it; it may mean the same."""

    line: int
    """Of the unit, from 1."""
    before: str
    """What stands there, on one line and cut where it is long."""
    after: str
    """What may stand there instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """How much the cases of a suite can tell; -1 where it was not measured."""

    strength_class: StrengthClass = StrengthClass.UNMEASURED
    """`strong`, `weak` or `unmeasured`, by the thresholds that held when it was judged."""

    branches: int = -1
    """Of the kernel and its device functions, each way of a condition counted."""
    branches_reached: int = -1
    """Those of `branches` that some case takes."""
    unreached: tuple[int, ...] = ()
    """Lines of the unit with a branch that no case takes."""
    taken_lines: tuple[int, ...] = ()
    """Lines of the unit that some case runs."""
    missed_lines: tuple[int, ...] = ()
    """Lines of the same functions that no case runs; what is in neither has no code that ran."""
    mutants: int = -1
    """That compile and differ from the kernel's own code."""
    killed: int = -1
    """Those of `mutants` that some case tells from the kernel."""
    survivors: tuple[Survivor, ...] = ()
    """The first of the others."""

    @property
    def killed_share(self) -> float | None:
        """Of its mutants, those that are told; `None` where there is none, or nobody looked."""
        return self.killed / self.mutants if self.mutants > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """How long launches of one case took on one device."""

    case: str
    """Name of the case that was timed."""
    launches: int
    """How many were timed."""
    median_ms: float
    """Milliseconds of a launch by the device's events, median over all."""
    spread: float
    """Between the quartiles, as a share of the median."""
    host_ms: float
    """Milliseconds, median by the host's clock, with what launching costs."""
    batch: int
    """Launches that were measured together."""
    bytes_moved: int
    """Bytes that have to come from memory or go there, each once, as the run on a CPU showed."""
    bandwidth: float
    """Bytes a second."""
    share: float | None
    """Of the device's peak bandwidth, where that is known."""
    floor_ms: float
    """Milliseconds that its writes take at least."""
    operations: int | None = None
    """Arithmetic ones of the source, as often as the run on a CPU took them."""
    roofline: float | None = None
    """What the device needs at least, by its peaks for bytes and for operations, as a share of
    the median.
    """
    stated_by: str = ""
    """Who tells the peaks: `data sheet`, `driver`, or nobody."""
    sensors: tuple[dict[str, float], ...] = ()
    """Before and after: `celsius`, and the clocks `mhz` and `memory_mhz`, where they are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of running every case of one instantiation of a unit on one device; a newer one
    of the same unit and device counts, with the further runs that were put with it.
    """

    unit: str
    """Its digest."""
    device: str
    """`cpu`, `rocm:gfx942`, `cuda:sm_90`."""
    toolchain: Toolchain
    pass_exe: Verdict
    behaviour: Behaviour
    instantiation: str = ""
    """Label of the one that was run, and is all that the verdict speaks of; empty for a plain
    kernel, and where nothing was run.
    """
    is_further: bool = False
    """Whether another run of the same unit and device speaks for the unit, and this one for one
    more instantiation alone.
    """
    details: str = ""
    """Which device of its kind: model and partition of a GPU; empty for a CPU."""
    suite: str = ""
    """Digest of the encoded suite; empty where no cases were found."""
    cases: int = 0
    """That are not trivial."""
    oracle: Oracle = Oracle.CPU_SIMT
    extents: Extents | None = None
    """Where the sizes of its memory come from; `None` where no launch ran cleanly."""
    strength: Strength = Strength()
    pass_perf: Verdict | None = None
    """`None` where nobody measured it."""
    performance: Performance | None = None
    disagreement: str = ""
    """A code where one compiler of its machine takes the unit and another does not."""
    sanitized: tuple[str, ...] = ()
    """Tools of NVIDIA's compute-sanitizer that looked at its cases to their end."""
    seconds: float = 0.0
    """From the unit to the verdict."""
