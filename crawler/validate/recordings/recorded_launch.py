"""A launch as a project's own code made it: configuration, arguments, memory before and after."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.emulator.launch import Dim3

_COMPRESSION_LEVEL: Final = 6
_LAUNCH_BYTES: Final = 400
_PLACE_BYTES: Final = 160
"""What a launch and a pointer take of memory beside what they hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPointer:
    """A pointer at `at` bytes of what holds it: `offset` bytes into a buffer."""

    owner: int
    """The parameter, or the buffer, that holds it."""
    at: int
    buffer: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedBuffer:
    """An allocation that a launch could reach, with its bytes compressed."""

    size: int
    before: bytes
    after: bytes = b""
    """Empty where the launch left it as it was."""

    def read_before(self) -> bytes:
        """Return what it held when the first thread began."""
        return unpack_content(self.before, self.size)

    def read_after(self) -> bytes:
        """Return what it held when the launch had ended."""
        return unpack_content(self.after or self.before, self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedParameter:
    """What a parameter of the kernel was, in the kernel's own type."""

    description: str
    """Its type, as a program of ours describes the parameters of its kernels."""
    content: bytes

    @property
    def size(self) -> int:
        """Bytes of it."""
        return len(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLaunch:
    """One launch of one instantiation."""

    kernel: int
    """The kernel's number in its program."""
    arguments: str
    """Of its template, as clang writes them: `[T = float, N = 3]`; empty for no template."""
    number: int
    """In the order of the run, from 1."""
    test: int
    """The number of the test that it is part of; 0 outside of any."""
    grid: Dim3
    block: Dim3
    shared_bytes: int
    seconds: float
    """Of the processor, traced."""
    parameters: tuple[RecordedParameter, ...]
    pointers: tuple[RecordedPointer, ...]
    """Among the parameters' bytes."""
    links: tuple[RecordedPointer, ...]
    """Within buffers."""
    buffers: tuple[RecordedBuffer, ...]
    origin: CaseOrigin = CaseOrigin.PROJECT_PROGRAM
    source: str = ""
    """What made it: a file of the project, a launcher in one, or a test."""
    licence: str = ""
    """Of that file, as an SPDX expression."""

    @property
    def size(self) -> int:
        """Bytes of its memory."""
        return sum(buffer.size for buffer in self.buffers)

    @property
    def kept_bytes(self) -> int:
        """What it takes to keep it, its memory compressed."""
        places = len(self.pointers) + len(self.links) + len(self.parameters)
        parameters = sum(
            len(parameter.description) + len(parameter.content)
            for parameter in self.parameters
        )
        buffers = sum(len(buffer.before) + len(buffer.after) for buffer in self.buffers)
        fixed = _LAUNCH_BYTES + len(self.arguments) + places * _PLACE_BYTES
        return fixed + parameters + buffers


def pack_content(content: bytes) -> bytes:
    """Return bytes as a recording keeps them."""
    return zlib.compress(content, _COMPRESSION_LEVEL)


def unpack_content(packed: bytes, size: int) -> bytes:
    """Return the bytes that were packed, `size` of them."""
    # whoever stored more than it says must not cost more either
    return zlib.decompressobj().decompress(packed, size) if size else b""
