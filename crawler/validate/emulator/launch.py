"""Launches of an emulated kernel: launch configuration, buffers and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

Dim3 = tuple[int, int, int]


class ThreadOrder(IntEnum):
    """In which order blocks, and the threads of each, have their turns."""

    FORWARD = 0
    REVERSE = 1
    RANDOM = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """An address `offset` bytes into a buffer; without one it is null."""

    buffer: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer:
    """Memory of a launch; without content its bytes are 0xFF, which is NaN for most types."""

    size: int
    content: bytes | None = None
    pointers: tuple[tuple[int, Pointer], ...] = ()
    """(offset, what stands there) for pointers inside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument by value: its bytes, and the pointers among them."""

    content: bytes
    pointers: tuple[tuple[int, Pointer], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLaunch:
    """One launch of one kernel."""

    entry: int = 0
    """Number of the instantiation in `Program.entries`."""
    grid: Dim3
    block: Dim3
    shared_bytes: int = 0
    """Dynamic shared memory."""
    buffers: tuple[Buffer, ...] = ()
    arguments: tuple[Argument, ...] = ()
    order: ThreadOrder = ThreadOrder.FORWARD
    seed: int = 0
    max_seconds: float = 10.0
    """Of the processor, so that other work on the machine changes no verdict; by the clock it
    may take longer.
    """
    shared_fill: int = 0xFF
    """The byte that shared memory holds before anybody writes there; what a lane that takes no part
    is asked for is zero with it, or has all bits.
    """
    mutant: int = 0
    """Number of the change that is made to the kernel, where its program knows any; 0 for none."""


def pointer_argument(buffer: int, offset: int = 0) -> Argument:
    """Return the argument that points into a buffer."""
    return Argument(
        content=bytes(8), pointers=((0, Pointer(buffer=buffer, offset=offset)),)
    )


def value_argument(content: bytes) -> Argument:
    """Return the argument that is these bytes."""
    return Argument(content=content)
