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
# As a float this is a NaN that changes when something is added to it.
_GUARD = b"\xa5\xff" * (GUARD_BYTES // 2)
_POINTER_BYTES = 8
_ADDRESS_MASK = 2**64 - 1


class DeviceBuffers:
    """The buffers of a case in memory of their own, with their initial contents."""

    def __init__(
        self,
        driver: Driver,
        specs: Sequence[BufferSpec],
        read_input: Callable[[str], bytes],
        fill: int,
    ) -> None:
        self._driver = driver
        self._specs = specs
        self.fill_byte = fill
        self._starts: list[int] = []

        try:
            for spec in specs:
                self._starts.append(driver.allocate(spec.size + 2 * GUARD_BYTES))
        # What was allocated before the failure must not stay.
        except BaseException:
            self.release()
            raise

        self.addresses = [start + GUARD_BYTES for start in self._starts]
        # Contents may hold addresses of any buffer: all have theirs by now.
        self.initial_contents: list[bytes] = []
        for spec in specs:
            content = self._initial_content(spec, read_input, fill)
            self.initial_contents.append(content)

    def upload(self) -> None:
        """Write guards and contents."""
        places = zip(self._starts, self._specs, self.initial_contents)
        for start, spec, content in places:
            memory = _GUARD + content + _GUARD
            self._driver.write(start, memory)
            assert len(content) == spec.size

    def written_buffers(self) -> tuple[int, ...]:
        """Return the numbers of the buffers that a launch writes."""
        numbers: list[int] = []
        for number, spec in enumerate(self._specs):
            if spec.is_written:
                numbers.append(number)

        return tuple(numbers)

    def restore(self) -> None:
        """Write again what a launch changes."""
        for number in self.written_buffers():
            address = self.addresses[number]
            content = self.initial_contents[number]
            self._driver.write(address, content)

    def read(self, number: int) -> bytes:
        """Return the content of a buffer."""
        address = self.addresses[number]
        size = self._specs[number].size

        return self._driver.read(address, size)

    def read_results(self) -> tuple[list[bytes], list[int]]:
        """Return the content of every buffer, and the numbers of those with changed guards."""
        contents: list[bytes] = []
        broken: list[int] = []

        for number, start in enumerate(self._starts):
            spec = self._specs[number]
            memory = self._driver.read(start, spec.size + 2 * GUARD_BYTES)
            content = memory[GUARD_BYTES:-GUARD_BYTES]
            contents.append(content)

            # A kernel that writes past either end changes a guard.
            leading = memory[:GUARD_BYTES]
            trailing = memory[-GUARD_BYTES:]
            if leading != _GUARD or trailing != _GUARD:
                broken.append(number)

        return contents, broken

    def resolve_pointers(
        self, content: bytes, links: Sequence[tuple[int, int, int]]
    ) -> bytes:
        """Return `content` with the addresses that its pointers have on this device."""
        resolved = bytearray(content)
        for position, buffer, offset in links:
            # A negative number stands for a null pointer.
            address = 0
            if buffer >= 0:
                # An offset in front of the buffer may wrap around.
                address = (self.addresses[buffer] + offset) & _ADDRESS_MASK

            end = position + _POINTER_BYTES
            resolved[position:end] = struct.pack("<Q", address)

        return bytes(resolved)

    def release(self) -> None:
        """Overwrite the memory and give it back.

        Otherwise the next launch, which may get the same memory, could find a result there.
        """
        while self._starts:
            start = self._starts.pop()
            # The popped one was the last of as many as are left now.
            spec = self._specs[len(self._starts)]
            memory_bytes = spec.size + 2 * GUARD_BYTES
            self._driver.fill(start, 0, memory_bytes)
            self._driver.free(start)

    def _initial_content(
        self, spec: BufferSpec, read_input: Callable[[str], bytes], fill: int
    ) -> bytes:
        content = bytes([fill]) * spec.size
        if spec.content:
            stored = read_input(spec.content)
            content = stored[: spec.size].ljust(spec.size, b"\xff")

        return self.resolve_pointers(content, spec.links)
