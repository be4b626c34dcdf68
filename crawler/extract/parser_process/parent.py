"""Have a sandboxed child process parse units one by one, and replace it when it fails."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from crawler import codec, process, sandbox
from crawler.errors import MissingTool
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    load_shared_prelude,
)
from crawler.extract.parser_process.child import (
    FACTS_KIND,
    MESSAGE_HEADER,
    PRELUDE_KIND,
    REQUEST_KIND,
    START_KIND,
    TRIAL_KIND,
    ParseRequest,
)
from crawler.extract.parser_process.message_pipe import read_bytes, write_message
from crawler.libraries.discovery import FOLDERS_VARIABLE, list_named_folders
from crawler.libraries.view import list_library_folders
from crawler.model import CompileCommand, UnitFacts
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.toolchains import system_files

UNIT_CPU_SECONDS: Final = 120.0
_SYNTAX_SECONDS: Final = 60.0
_OWN_FILE_SECONDS: Final = 10.0
_CLOCK_FACTOR: Final = 4
"""Seconds on the clock for each of a processor: on a busy machine a unit gets a part of one."""
_MEMORY_BYTES: Final = 4 << 30
_PROCESSES: Final = 16
_EXIT_SECONDS: Final = 5.0
_START_SECONDS: Final = 120.0
"""On the clock, for the imports of a child on a machine with nothing in its caches."""
_SIGNAL_EXIT_BASE: Final = 128
"""What a sandbox's own exit code is above the signal that ended what ran in it."""
_MAX_PRELUDES: Final = 16
_MAX_ANSWER_BYTES: Final = 256 << 20
_TRIAL_FAILED: Final = "trying"
"""What was made up ended the child: no failure of the unit's."""
_Answer = tuple[UnitFacts | None, str]
"""The facts of a unit, or why there are none."""


def extract_batch_facts(
    root: Path,
    commands: Sequence[CompileCommand],
    *,
    on_unit: Callable[[CompileCommand], None] | None = None,
    cpu_seconds: float = UNIT_CPU_SECONDS,
) -> Iterator[UnitFacts]:
    """Yield the facts of each command's unit, in order.

    What goes wrong while made-up instantiations are compiled costs those. A unit whose parse
    crashes, takes over `cpu_seconds` of a processor, hangs for four times that or eats its
    memory is seen by syntax alone, and says why; one that even its syntax is too much for shows
    nothing else.
    """
    parser = _ParserProcess(root)
    try:
        for command in commands:
            facts = _extract_unit(parser, command, cpu_seconds)
            if on_unit:
                on_unit(command)

            yield facts
    finally:
        parser.end()


def extract_syntax_facts(
    root: Path, commands: Sequence[CompileCommand], reason: str
) -> Iterator[UnitFacts]:
    """Yield what syntax alone shows of each command's own file, in order.

    It takes a small part of the time of a parse; `reason` says why there was none. A file that
    is too much for it shows nothing.
    """
    parser = _ParserProcess(root)
    try:
        for command in commands:
            request = ParseRequest(
                command=command,
                failure=reason,
                own_file_only=True,
                cpu_seconds=_OWN_FILE_SECONDS,
            )
            facts, _ = parser.ask(request, _OWN_FILE_SECONDS * _CLOCK_FACTOR)
            if facts is not None:
                yield facts
    finally:
        parser.end()


def _extract_unit(
    parser: _ParserProcess, command: CompileCommand, cpu_seconds: float
) -> UnitFacts:
    clock_seconds = cpu_seconds * _CLOCK_FACTOR
    request = ParseRequest(
        command=command,
        cpu_seconds=cpu_seconds,
    )
    facts, failure = parser.ask(request, clock_seconds)
    if failure == _TRIAL_FAILED:
        facts, failure = parser.ask(replace(request, may_try=False), clock_seconds)

    if facts is None:
        syntax_request = ParseRequest(
            command=command,
            failure=failure,
        )
        facts, _ = parser.ask(syntax_request, _SYNTAX_SECONDS)

    if facts is None:
        return UnitFacts(
            command=command,
            files=(command.file,),
            failure=failure,
        )

    return facts


class _ParserProcess:
    """One child at a time, replaced when it fails."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, request: ParseRequest, seconds: float) -> _Answer:
        """Return the child's answer; without one in `seconds` on the clock it is ended."""
        if self._child is None:
            self._child = _start_child(self._root)

        facts, failure = _ask(self._child, request, seconds)
        if facts is None:
            self.end()

        return facts, failure

    def end(self) -> None:
        """End the child, if there is one."""
        if self._child is not None:
            process.terminate(self._child)
            self._child = None


def _start_child(root: Path) -> subprocess.Popen[bytes]:
    """Start a child and wait until it can be asked; raises `MissingTool` where it cannot start.

    Else every file of a project would look like one that crashes the parser.
    """
    child = _launch_child(root)
    try:
        header = read_bytes(
            child, MESSAGE_HEADER.size, time.monotonic() + _START_SECONDS
        )
        is_started = MESSAGE_HEADER.unpack(header) == (START_KIND, 0)
    except (TimeoutError, EOFError):
        is_started = False

    if not is_started:
        process.terminate(child)
        raise MissingTool(
            "the parser does not start in its sandbox: `kernelset doctor` says what is missing",
            code="parser-not-started",
        )
    return child


def _launch_child(root: Path) -> subprocess.Popen[bytes]:
    libraries = list_library_folders()
    mounts = (
        *sandbox.list_python_mounts(),
        *(Mount(source=folder, target=str(folder)) for folder in libraries),
        Mount(source=root, target=str(root)),
    )
    environment = {
        "PYTHONDONTWRITEBYTECODE": "1",
        FOLDERS_VARIABLE: ":".join(map(str, list_named_folders())),
        **sandbox.make_python_environment(),
    }
    return sandbox.start(
        [sys.executable, "-m", "crawler.extract.parser_process.child", str(root)],
        mounts=mounts,
        env=environment,
        limits=Limits(memory_bytes=_MEMORY_BYTES, processes=_PROCESSES),
        plain_if_allowed=True,
        system=system_files.list_parser_files(),
    )


def _ask(
    child: subprocess.Popen[bytes], request: ParseRequest, seconds: float
) -> _Answer:
    """Return the child's answer, or why there is none."""
    deadline = time.monotonic() + seconds
    is_trying = False
    try:
        write_message(
            child,
            REQUEST_KIND,
            codec.encode(request),
            deadline,
        )
        # a request, its preludes, what is announced and its facts: no more is to be read
        for _ in range(_MAX_PRELUDES + 2):
            header = read_bytes(child, MESSAGE_HEADER.size, deadline)
            kind, size = MESSAGE_HEADER.unpack(header)
            if size > _MAX_ANSWER_BYTES:
                return None, "parse-too-large"

            content = read_bytes(child, size, deadline)
            if kind == FACTS_KIND:
                return codec.decode(content, UnitFacts), ""
            # from here on a failure is not the unit's own
            if kind == TRIAL_KIND:
                is_trying = True
                continue

            deadline += _send_prelude(child, content, deadline)

        return None, "parse-crashed"
    except TimeoutError:
        return None, _TRIAL_FAILED if is_trying else "parse-timeout"
    except (EOFError, BrokenPipeError, msgspec.MsgspecError):
        # asked again, without what is made up
        if is_trying:
            return None, _TRIAL_FAILED
        failure = "parse-timeout" if _ran_out_of_cpu(child) else "parse-crashed"
        return None, failure


def _send_prelude(
    child: subprocess.Popen[bytes], variant: bytes, deadline: float
) -> float:
    """Send the prelude that a child asks for, and return the seconds that it took to make."""
    start = time.monotonic()
    prelude = load_shared_prelude(codec.decode(variant, PreludeVariant))
    seconds = time.monotonic() - start
    write_message(
        child,
        PRELUDE_KIND,
        prelude,
        deadline + seconds,
    )

    return seconds


def _ran_out_of_cpu(child: subprocess.Popen[bytes]) -> bool:
    """Tell whether the kernel ended a child for the processor's time that it took."""
    try:
        code = child.wait(timeout=_EXIT_SECONDS)
    except subprocess.TimeoutExpired:
        return False

    return code in (-signal.SIGXCPU, _SIGNAL_EXIT_BASE + signal.SIGXCPU)
