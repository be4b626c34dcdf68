"""Have a sandboxed child process parse units one by one, and replace it when it fails."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from crawler import codec, process, sandbox
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    load_shared_prelude,
)
from crawler.extract.parser_process.child import (
    FACTS_KIND,
    MESSAGE_HEADER,
    PRELUDE_KIND,
    REQUEST_KIND,
    TRIAL_KIND,
    ParseRequest,
    pack_message,
)
from crawler.model import CompileCommand, UnitFacts
from crawler.process import Limits
from crawler.sandbox import Mount

UNIT_CPU_SECONDS: Final = 120.0
_SYNTAX_SECONDS: Final = 60.0
_PATIENCE: Final = 4
"""Seconds on the clock for each of a processor: on a busy machine a unit gets a part of one."""
_MEMORY_BYTES: Final = 4 << 30
_PROCESSES: Final = 16
_ENDING_SECONDS: Final = 5.0
_BY_SIGNAL: Final = 128
"""What a sandbox's own exit code is above the signal that ended what ran in it."""
_MOST_PRELUDES: Final = 16
_LARGEST_ANSWER: Final = 256 << 20
_TRYING: Final = "trying"
"""What was made up ended the child: no failure of the unit's."""


def extract_batch_facts(
    root: Path,
    commands: Sequence[CompileCommand],
    *,
    on_unit: Callable[[CompileCommand], None] | None = None,
    cpu_seconds: float = UNIT_CPU_SECONDS,
) -> Iterator[UnitFacts]:
    """Yield the facts of each command's unit, in order.

    What goes wrong while made-up instantiations are compiled costs those. A unit whose parse
    crashes, takes over
    `cpu_seconds` of a processor, hangs for four times that or eats its memory is seen by syntax
    alone, and says why; one
    that even its syntax is too much for shows nothing else.
    """
    children = _Children(root)
    try:
        for command in commands:
            facts, failure = children.ask(
                ParseRequest(command=command, cpu_seconds=cpu_seconds),
                cpu_seconds * _PATIENCE,
            )
            if failure == _TRYING:
                alone = ParseRequest(
                    command=command, cpu_seconds=cpu_seconds, may_try=False
                )
                facts, failure = children.ask(alone, cpu_seconds * _PATIENCE)
            if facts is None:
                facts, _ = children.ask(
                    ParseRequest(command=command, failure=failure), _SYNTAX_SECONDS
                )
            if on_unit:
                on_unit(command)
            yield facts or UnitFacts(
                command=command, files=(command.file,), failure=failure
            )
    finally:
        children.end()


class _Children:
    """One child at a time, replaced when it fails."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._child: subprocess.Popen[bytes] | None = None

    def ask(
        self, request: ParseRequest, seconds: float
    ) -> tuple[UnitFacts | None, str]:
        self._child = self._child or _start(self._root)
        facts, failure = _ask(self._child, request, seconds)
        if facts is None:
            self.end()
        return facts, failure

    def end(self) -> None:
        if self._child is not None:
            process.terminate(self._child)
            self._child = None


def _start(root: Path) -> subprocess.Popen[bytes]:
    mounts = (*sandbox.list_python_mounts(), Mount(source=root, target=str(root)))
    return sandbox.start(
        [sys.executable, "-m", "crawler.extract.parser_process.child", str(root)],
        mounts=mounts,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        limits=Limits(memory_bytes=_MEMORY_BYTES, processes=_PROCESSES),
        plain_if_unavailable=True,
    )


def _ask(
    child: subprocess.Popen[bytes], request: ParseRequest, seconds: float
) -> tuple[UnitFacts | None, str]:
    """Return the child's answer, or why there is none."""
    deadline, is_trying = time.monotonic() + seconds, False
    try:
        _write(child, REQUEST_KIND, codec.encode(request), deadline)
        for _ in range(_MOST_PRELUDES + 2):
            kind, size = MESSAGE_HEADER.unpack(
                _read(child, MESSAGE_HEADER.size, deadline)
            )
            if size > _LARGEST_ANSWER:
                return None, "parse-too-large"
            content = _read(child, size, deadline)
            if kind == FACTS_KIND:
                return codec.decode(content, UnitFacts), ""
            if kind == TRIAL_KIND:
                is_trying = True
                continue
            began = time.monotonic()
            prelude = load_shared_prelude(codec.decode(content, PreludeVariant))
            deadline += time.monotonic() - began
            _write(child, PRELUDE_KIND, prelude, deadline)
        return None, "parse-crashed"
    except TimeoutError:
        return None, _TRYING if is_trying else "parse-timeout"
    except (EOFError, BrokenPipeError, msgspec.MsgspecError):
        return None, _TRYING if is_trying else "parse-timeout" if _was_bounded(
            child
        ) else "parse-crashed"


def _was_bounded(child: subprocess.Popen[bytes]) -> bool:
    """Tell whether the kernel ended a child for the processor's time that it took."""
    try:
        code = child.wait(timeout=_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return code in (-signal.SIGXCPU, _BY_SIGNAL + signal.SIGXCPU)


def _write(
    child: subprocess.Popen[bytes], kind: bytes, content: bytes, deadline: float
) -> None:
    """Write a message as far as the child reads it, which one that is hostile need not do."""
    assert child.stdin is not None
    descriptor = child.stdin.fileno()
    os.set_blocking(descriptor, False)
    left = memoryview(pack_message(kind, content))
    while left:
        _, ready, _ = select.select(
            [], [descriptor], [], max(0.0, deadline - time.monotonic())
        )
        if not ready:
            raise TimeoutError
        left = left[os.write(descriptor, left) :]


def _read(child: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
    assert child.stdout is not None
    parts = bytearray()
    descriptor = child.stdout.fileno()
    while len(parts) < size:
        ready, _, _ = select.select(
            [descriptor], [], [], max(0.0, deadline - time.monotonic())
        )
        if not ready:
            raise TimeoutError
        part = (
            child.stdout.raw.read(size - len(parts))
            if hasattr(child.stdout, "raw")
            else b""
        )
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
