"""Device buffers of a launch, each between guard bytes that the kernel must not change."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from .driver import Driver
from .manifest import BufferSpec

GUARD_BYTES = 4096
"""Bytes on each side of a buffer."""
FILL_BYTES = (0xFF, 0x5A)
"""What a mere output holds before: most types' NaN in one run, a plain number in the other."""
# a float of these is a NaN that changes when something is added to it
_PATTERN = b"\xa5\xff" * (GUARD_BYTES // 2)


class DeviceBuffers:
    """A case's buffers in memory of their own, and what stands in them."""

    def __init__(
        self,
        driver: Driver,
        specs: Sequence[BufferSpec],
        read_input: Callable[[str], bytes],
        fill: int,
    ) -> None:
        self._driver, self._memories, self.fill_byte = driver, specs, fill
        self._starts: list[int] = []
        try:
            for memory in specs:
                self._starts.append(driver.allocate(memory.size + 2 * GUARD_BYTES))
        except BaseException:
            self.release()
            raise
        self.addresses = [start + GUARD_BYTES for start in self._starts]
        self.initial_contents = [
            self._image(memory, read_input, fill) for memory in specs
        ]

    def upload(self) -> None:
        """Write guards and contents."""
        for start, memory, content in zip(
            self._starts, self._memories, self.initial_contents
        ):
            self._driver.write(start, _PATTERN + content + _PATTERN)
            assert len(content) == memory.size

    def written_buffers(self) -> tuple[int, ...]:
        """Return the numbers of the buffers that a launch writes."""
        return tuple(
            number for number, memory in enumerate(self._memories) if memory.is_written
        )

    def restore(self) -> None:
        """Write again what a launch changes."""
        for number in self.written_buffers():
            self._driver.write(self.addresses[number], self.initial_contents[number])

    def read(self, number: int) -> bytes:
        """Return what stands in a buffer."""
        return self._driver.read(self.addresses[number], self._memories[number].size)

    def read_results(self) -> tuple[list[bytes], list[int]]:
        """Return what stands in every buffer, and the numbers of those whose guards were
        changed.
        """
        contents, broken = [], []
        for number, (start, memory) in enumerate(zip(self._starts, self._memories)):
            raw = self._driver.read(start, memory.size + 2 * GUARD_BYTES)
            contents.append(raw[GUARD_BYTES:-GUARD_BYTES])
            if raw[:GUARD_BYTES] != _PATTERN or raw[-GUARD_BYTES:] != _PATTERN:
                broken.append(number)
        return contents, broken

    def resolve_pointers(
        self, content: bytes, links: Sequence[tuple[int, int, int]]
    ) -> bytes:
        """Return `content` with the addresses that it ought to hold."""
        raw = bytearray(content)
        for at, buffer, offset in links:
            address = 0 if buffer < 0 else self.addresses[buffer] + offset
            raw[at : at + 8] = struct.pack("<Q", address & (2**64 - 1))
        return bytes(raw)

    def release(self) -> None:
        """Overwrite the memory, so that nothing of a result is found by who gets it next, and
        give it back.
        """
        while self._starts:
            start = self._starts.pop()
            self._driver.fill(
                start, 0, self._memories[len(self._starts)].size + 2 * GUARD_BYTES
            )
            self._driver.free(start)

    def _image(
        self, memory: BufferSpec, content_of: Callable[[str], bytes], fill: int
    ) -> bytes:
        if memory.content:
            content = content_of(memory.content)[: memory.size].ljust(
                memory.size, b"\xff"
            )
        else:
            content = bytes([fill]) * memory.size
        return self.resolve_pointers(content, memory.links)
