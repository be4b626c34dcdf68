"""The parent's side of a parse: a sandboxed child takes one unit after the other, and is replaced when it fails."""

from __future__ import annotations

import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from crawler import codec, process, sandbox
from crawler.extract.child import LENGTH, write_message
from crawler.extract.observe import syntax_alone
from crawler.model import CompileCommand, UnitFacts
from crawler.process import Limits
from crawler.sandbox import Mount

UNIT_SECONDS: Final = 120.0
_MEMORY_BYTES: Final = 4 << 30
_LARGEST_ANSWER: Final = 256 << 20


def extract(
    root: Path,
    commands: Sequence[CompileCommand],
    *,
    on_unit: Callable[[CompileCommand], None] | None = None,
    seconds: float = UNIT_SECONDS,
) -> Iterator[UnitFacts]:
    """Yield the facts of each command's unit, in order.

    A unit whose parse crashes, hangs over `seconds` or eats its memory is seen by syntax alone, and says why.
    """
    child: subprocess.Popen[bytes] | None = None
    try:
        for command in commands:
            child = child or _start(root)
            facts, failure = _ask(child, command, seconds)
            if facts is None:
                process.end(child)
                child = None
                facts = syntax_alone(root, command, failure)
            if on_unit:
                on_unit(command)
            yield facts
    finally:
        if child is not None:
            process.end(child)


def _start(root: Path) -> subprocess.Popen[bytes]:
    mounts = (*sandbox.python_mounts(), Mount(source=root, target=str(root)))
    return sandbox.start(
        [sys.executable, "-m", "crawler.extract.child", str(root)],
        mounts=mounts,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        limits=Limits(memory_bytes=_MEMORY_BYTES),
        plain_if_unavailable=True,
    )


def _ask(child: subprocess.Popen[bytes], command: CompileCommand, seconds: float) -> tuple[UnitFacts | None, str]:
    """Return the child's answer, or why there is none."""
    deadline = time.monotonic() + seconds
    try:
        assert child.stdin is not None
        write_message(child.stdin, codec.encode(command))
        head = _read(child, LENGTH.size, deadline)
        size = LENGTH.unpack(head)[0]
        if size > _LARGEST_ANSWER:
            return None, "parse-too-large"
        return codec.decode(_read(child, size, deadline), UnitFacts), ""
    except TimeoutError:
        return None, "parse-timeout"
    except (EOFError, BrokenPipeError, msgspec.MsgspecError):
        return None, "parse-crashed"


def _read(child: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
    assert child.stdout is not None
    parts = bytearray()
    descriptor = child.stdout.fileno()
    while len(parts) < size:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        part = child.stdout.raw.read(size - len(parts)) if hasattr(child.stdout, "raw") else b""
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
