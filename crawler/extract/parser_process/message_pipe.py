"""Messages to and from a child that may be hostile: none of them is waited for without end."""

from __future__ import annotations

import os
import select
import subprocess
import time

from crawler.extract.parser_process.child import pack_message


def write_message(
    child: subprocess.Popen[bytes], kind: bytes, content: bytes, deadline: float
) -> None:
    """Write a message as far as the child reads it, which one that is hostile need not do."""
    assert child.stdin is not None
    descriptor = child.stdin.fileno()
    # a child that reads nothing must not stop its parent
    os.set_blocking(descriptor, False)
    remaining = memoryview(pack_message(kind, content))
    while remaining:
        seconds = max(0.0, deadline - time.monotonic())
        _, writable, _ = select.select(
            [],
            [descriptor],
            [],
            seconds,
        )
        if not writable:
            raise TimeoutError

        written_count = os.write(descriptor, remaining)
        remaining = remaining[written_count:]


def read_bytes(child: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
    """Return so many bytes of a child's answer; raises `TimeoutError`, or `EOFError` at its end."""
    assert child.stdout is not None
    descriptor = child.stdout.fileno()
    content = bytearray()
    while len(content) < size:
        seconds = max(0.0, deadline - time.monotonic())
        readable, _, _ = select.select(
            [descriptor],
            [],
            [],
            seconds,
        )
        if not readable:
            raise TimeoutError

        # what `select` shows may be less than is asked for
        part = os.read(descriptor, size - len(content))
        if not part:
            raise EOFError

        content += part

    return bytes(content)
