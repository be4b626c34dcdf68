"""The buffers of a launch on a device, each between guards that nobody may change."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from .driver import Driver
from .manifest import Memory

GUARD = 4096
"""Bytes on each side of a buffer."""
FILLS = (0xFF, 0x5A)
"""What a mere output holds before: most types' NaN in one run, a plain number in the other."""
# a float of these is a NaN that changes when something is added to it
_PATTERN = b"\xa5\xff" * (GUARD // 2)


class Placed:
    """A case's buffers in memory of their own, and what stands in them."""

    def __init__(
        self, driver: Driver, memories: Sequence[Memory], content_of: Callable[[str], bytes], fill: int
    ) -> None:
        self._driver, self._memories, self.fill = driver, memories, fill
        self._starts: list[int] = []
        try:
            for memory in memories:
                self._starts.append(driver.allocate(memory.size + 2 * GUARD))
        except BaseException:
            self.release()
            raise
        self.places = [start + GUARD for start in self._starts]
        self.before = [self._image(memory, content_of, fill) for memory in memories]

    def upload(self) -> None:
        """Write guards and contents."""
        for start, memory, content in zip(self._starts, self._memories, self.before):
            self._driver.write(start, _PATTERN + content + _PATTERN)
            assert len(content) == memory.size

    def written(self) -> tuple[int, ...]:
        """Return the numbers of the buffers that a launch writes."""
        return tuple(number for number, memory in enumerate(self._memories) if memory.written)

    def restore(self) -> None:
        """Write again what a launch changes."""
        for number in self.written():
            self._driver.write(self.places[number], self.before[number])

    def read(self, number: int) -> bytes:
        """Return what stands in a buffer."""
        return self._driver.read(self.places[number], self._memories[number].size)

    def after(self) -> tuple[list[bytes], list[int]]:
        """Return what stands in every buffer, and the numbers of those whose guards were changed."""
        contents, broken = [], []
        for number, (start, memory) in enumerate(zip(self._starts, self._memories)):
            raw = self._driver.read(start, memory.size + 2 * GUARD)
            contents.append(raw[GUARD:-GUARD])
            if raw[:GUARD] != _PATTERN or raw[-GUARD:] != _PATTERN:
                broken.append(number)
        return contents, broken

    def linked(self, content: bytes, links: Sequence[tuple[int, int, int]]) -> bytes:
        """Return `content` with the addresses that it ought to hold."""
        raw = bytearray(content)
        for at, buffer, offset in links:
            address = 0 if buffer < 0 else self.places[buffer] + offset
            raw[at : at + 8] = struct.pack("<Q", address & (2**64 - 1))
        return bytes(raw)

    def release(self) -> None:
        """Overwrite the memory, so that nothing of a result is found by who gets it next, and give it back."""
        while self._starts:
            start = self._starts.pop()
            self._driver.fill(start, 0, self._memories[len(self._starts)].size + 2 * GUARD)
            self._driver.free(start)

    def _image(self, memory: Memory, content_of: Callable[[str], bytes], fill: int) -> bytes:
        if memory.content:
            content = content_of(memory.content)[: memory.size].ljust(memory.size, b"\xff")
        else:
            content = bytes([fill]) * memory.size
        return self.linked(content, memory.links)
