"""Test suites: cases with launch configurations, arguments, buffers and golden outputs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class BufferRole(StrEnum):
    """What a kernel does with a buffer, as tracing showed it."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"
    UNUSED = "unused"

    @property
    def is_written(self) -> bool:
        """Whether its contents after the run are a result."""
        return self in (BufferRole.OUT, BufferRole.INOUT)


class CaseKind(StrEnum):
    """What a case is there to show."""

    ORDINARY = "ordinary"
    SMALLEST = "smallest"
    """One block, sizes of 1."""
    SPECIAL = "special-values"
    """0, -0, infinities, NaN, extremes; integers that are no index have their extremes and
    negatives.
    """
    RAGGED = "ragged"
    """Sizes that are no multiple of the block."""
    FEW_BLOCKS = "few-blocks"
    """A grid smaller than the work: a loop over the grid's stride goes round more than once."""
    MANY_BLOCKS = "many-blocks"
    """A grid larger than the work: threads that have nothing to do."""
    ONE_WARP = "one-warp"
    LARGE = "large"
    EXTRA = "extra"
    """Added to reach a branch, or to tell a mutant."""
    RECORDED = "recorded"
    """A launch that the project's own code made."""


class CaseOrigin(StrEnum):
    """Where the configuration, the numbers and the contents of a case come from."""

    SEARCH = "search"
    """Our search for inputs: sizes, scalars and contents are guessed."""
    PROJECT_TEST = "project-test"
    """A launch that a test of the project made."""
    PROJECT_PROGRAM = "project-program"
    """A launch that a program of the project made."""
    PROJECT_LAUNCHER = "project-launcher"
    """A launch that the project's launcher made, for tensors that we made for its checks."""


class Oracle(StrEnum):
    """Where the golden outputs come from."""

    CPU_SIMT = "cpu_simt"
    """The same kernel, executed on a CPU: it agrees with itself, which proves no meaning."""
    PROJECT_CPU = "project_cpu"
    """The project's own CPU implementation."""
    PROJECT_PROGRAM = "project_program"
    """A program of the project that launches the kernel and checks what it wrote."""
    PROJECT_TESTS = "project_tests"
    """A test of the project's own that launches the kernel and looks at what it wrote."""
    PROJECT_VERSION = "project_version"
    """Another kernel of the project that takes the same and is written otherwise."""
    LIBRARY = "library"
    """A well-known library's function of the same meaning."""

    @property
    def meaning(self) -> str:
        """What it is, in words for who was never told."""
        return _ORACLE_MEANINGS[self]


_ORACLE_MEANINGS: Final = {
    Oracle.CPU_SIMT: "the kernel itself, in other orders of its threads",
    Oracle.PROJECT_CPU: "the project's own code for a CPU",
    Oracle.PROJECT_PROGRAM: "a program of the project",
    Oracle.PROJECT_TESTS: "a test of the project",
    Oracle.PROJECT_VERSION: "another kernel of the project that does the same",
    Oracle.LIBRARY: "a well-known library",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePointer:
    """A pointer at `at` bytes of what holds it: `offset` bytes into a buffer, null without one."""

    at: int
    """Bytes from the start of what holds it."""
    buffer: int | None
    """Position in the case's buffers; null for a null pointer."""
    offset: int = 0
    """Bytes into that buffer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseBuffer:
    """Memory of one case."""

    name: str
    """Of the parameter that points to it; `parameter.member` inside a structure."""
    element: str
    """Canonical type of its elements: `float`, `c10::Half`, `int`."""
    element_size: int
    """Bytes."""
    size: int
    """Bytes."""
    role: BufferRole
    """`in`, `out`, `inout` or `unused`: what the kernel does with it, as tracing showed it."""
    content: str = ""
    """Digest of its bytes before the launch; empty for 0xFF throughout."""
    gold: str = ""
    """Digest of the bytes that ought to stand there afterwards; empty for what is not written."""
    gold_filled: str = ""
    """Digest of what ought to stand there where all of it was 0x5A before; empty where that is
    `gold`, or nobody tried.

    It tells an element that is 0xFF throughout because the kernel wrote that from one that it
    left alone.
    """
    written: tuple[int, int] = (0, 0)
    """Range of bytes that the kernel writes; what is outside keeps its content."""
    absolute: float = 0.0
    """In the elements' own unit: |x - gold| <= absolute + relative * |gold| is right."""
    relative: float = 0.0
    """|x - gold| <= absolute + relative * |gold| is right, as measured; 0 and 0 is every bit."""
    pointers: tuple[CasePointer, ...] = ()
    """Those that stand in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseArgument:
    """One argument as it is passed."""

    name: str
    """Of the parameter."""
    content: str
    """Its bytes, in hexadecimal."""
    pointers: tuple[CasePointer, ...] = ()
    """Those that stand in its bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One launch with its memory."""

    name: str
    """Unique in its suite: `ordinary`, `extra-2`."""
    kind: CaseKind
    """What it is there to show: `ordinary`, `smallest`, `special-values`, `ragged`, …"""
    origin: CaseOrigin = CaseOrigin.SEARCH
    """Where its configuration, numbers and contents come from: `search`, `project-test`,
    `project-program` or `project-launcher`.
    """
    source: str = ""
    """What of the project made the launch: a program's source, a test by its name, a launcher with
    its file; empty for what was searched for.
    """
    licence: str = ""
    """Of that source, whose data the contents may be: an SPDX expression; empty for what was
    searched for.
    """
    entry: int = 0
    """Number of the instantiation in the unit."""
    grid: tuple[int, int, int]
    """Blocks, in x, y and z."""
    block: tuple[int, int, int]
    """Threads of a block, in x, y and z."""
    shared_bytes: int = 0
    """Bytes of dynamic shared memory."""
    arguments: tuple[CaseArgument, ...] = ()
    """In the order of the kernel's parameters."""
    buffers: tuple[CaseBuffer, ...] = ()
    """All memory that the launch may touch."""
    hidden: bool = False
    """Held back from prompts and exported tests."""
    bytes_read: int = -1
    """That have to come from memory, each once, as tracing showed it; -1 where nobody looked."""
    bytes_written: int = -1
    """That have to go to memory, each once; -1 where nobody looked."""
    operations: int = -1
    """Arithmetic ones that the source writes, as often as they were run: with floats and with
    indices; -1 where nobody looked.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """All cases of one unit; the bytes lie under their digests beside it."""

    unit: str
    """Its digest."""
    seed: int
    """The number that its drawn sizes and contents begin with."""
    cases: tuple[Case, ...]
    """The ordinary one first."""
    oracle: Oracle = Oracle.CPU_SIMT
    """`project_cpu`, `library` or `cpu_simt`: where the golden outputs come from."""
