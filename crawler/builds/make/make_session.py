"""Sandboxed make runs over many folders, and the compile commands learnt from them."""

from __future__ import annotations

import posixpath
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.checkout.generated_files import (
    BuildOutput,
    GeneratedPathMapper,
    collect_build_output,
)
from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.commands.database_entries import DatabaseEntry, translate_entries
from crawler.builds.interface import FoundCommands
from crawler.builds.make.make_log import parse_make_log
from crawler.builds.make.makefiles import MakeCall
from crawler.builds.stub_toolchain.stub_compilers import SOURCE_MOUNT, StubToolchain
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, FlagsOrigin
from crawler.process import Limits
from crawler.sandbox import Mount

MAX_CALLS: Final = 1000
_SECONDS: Final = 90
_ASKED: Final = Limits(seconds=25, cpu_seconds=40, file_bytes=64 << 20)
_ASKED_EACH: Final = 8
_RUN: Final = Limits(seconds=40, cpu_seconds=60, file_bytes=64 << 20)
_RUN_EACH: Final = 15
_PRINTED: Final = 4 << 20
_KEPT: Final = 32 << 20
_LOGGED: Final = 2 << 10
_SCRIPT: Final = "/jobs"
_BEGINS: Final = "kernelset: make"
_ENDS: Final = "kernelset: ended"
_TIMED_OUT: Final = {124: "it took too long", 137: "it was killed: it took too long"}
_COMMAND: Final = re.compile(r"^.*(?:Entering|Leaving) directory.*\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeWorkspace:
    """Where make runs: the checkout or a copy of it, and a folder of ours to work in."""

    source: Mount
    scratch: Path
    is_clean: bool = True
    """Whether make must take everything for out of date, even its own makefiles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    flags: tuple[str, ...]
    each: int
    """Seconds for one call."""
    limits: Limits


@dataclass(slots=True)
class MakeSession:
    """What was learnt so far: commands, the files that have one, and a log."""

    graph: IncludeGraph
    commands: list[CompileCommand] = field(default_factory=list)
    covered_files: set[str] = field(default_factory=set)
    logs: list[str] = field(default_factory=list)
    deadline: float = field(default_factory=lambda: time.monotonic() + _SECONDS)
    build_output: BuildOutput = field(default_factory=BuildOutput)
    """What was written into copies of the checkout; the graph has it, too."""

    def limit_time(self, limits: Limits) -> Limits | None:
        """Return limits that end in time, `None` where there is no time left."""
        left = self.deadline - time.monotonic()
        if left < 1:
            self.logs.append(f"the rest was left out: it took over {_SECONDS} seconds")
            return None
        return replace(limits, seconds=min(limits.seconds, left))

    def add_build_output(self, copy: Path) -> None:
        """Take in the sources and headers that were written into a copy of the checkout."""
        before = len(self.build_output.files)
        self.build_output += collect_build_output(copy, self.original_tree)
        if len(self.build_output.files) > before:
            self.graph = IncludeGraph(
                self.original_tree.with_generated(self.build_output.files)
            )

    @property
    def original_tree(self) -> SourceTree:
        """The tree without what was written."""
        known = {file.path for file in self.build_output.files}
        files = tuple(path for path in self.graph.tree.files if path not in known)
        return SourceTree(root=self.graph.tree.root, files=files)

    def add_entries(self, origin: str, entries: Sequence[DatabaseEntry]) -> None:
        """Take in the entries that are of this checkout."""
        try:
            made = GeneratedPathMapper(output=self.build_output)
            found = translate_entries(
                entries,
                self.graph,
                base_folder=SOURCE_MOUNT,
                origin=FlagsOrigin.RECORDED,
                recorded_root=SOURCE_MOUNT,
                generated_paths=made,
            )
        except BadDatabase as error:
            found = FoundCommands(commands=(), log=str(error))
        self.commands.extend(found.commands)
        self.covered_files.update(command.file for command in found.commands)
        self.logs.append(f"{origin}: {len(found.commands)} commands\n{found.log}")


def dry_run_make(
    calls: Sequence[MakeCall],
    toolchain: StubToolchain,
    workspace: MakeWorkspace,
    session: MakeSession,
) -> None:
    """Have make print what it would do, and read that; it executes `$(shell …)` all the same."""
    way = _Way(flags=("-n", "-k", "-i", "-w"), each=_ASKED_EACH, limits=_ASKED)
    entries: list[DatabaseEntry] = []
    for job, said in _make(calls, way, toolchain, workspace, session):
        entries += parse_make_log(
            said, posixpath.join(SOURCE_MOUNT, job.folder).rstrip("/")
        )
    session.add_entries(f"make -n in {_places(calls)}", entries)


def run_make(
    calls: Sequence[MakeCall],
    toolchain: StubToolchain,
    workspace: MakeWorkspace,
    session: MakeSession,
) -> None:
    """Let make do it all, with stubs as its compilers, and read what they recorded."""
    # what a rule makes for another rule would be removed in the end
    way = _Way(
        flags=("-k", "-i", "-w", "--eval=.SECONDARY:"), each=_RUN_EACH, limits=_RUN
    )
    for _ in _make(calls, way, toolchain, workspace, session):
        pass
    if workspace.source.writable:
        session.add_build_output(workspace.source.source)
    recorded = toolchain.read_calls()
    session.add_entries(
        f"{recorded.call_count} calls of stub compilers by make in {_places(calls)}",
        recorded.entries,
    )


def _make(
    jobs: Sequence[MakeCall],
    way: _Way,
    stubs: StubToolchain,
    place: MakeWorkspace,
    told: MakeSession,
) -> Iterator[tuple[MakeCall, str]]:
    """Call make for each job, one after the other in one sandbox, and yield what it printed."""
    limits = told.limit_time(way.limits)
    if limits is None:
        return
    script = place.scratch / f"jobs-{len(list(place.scratch.iterdir()))}"
    flags = (*way.flags, *(("-B",) if place.is_clean else ()))
    script.write_text(
        "".join(_call(number, job, flags, way.each) for number, job in enumerate(jobs))
    )
    mounts = (place.source, *stubs.mounts, Mount(source=script, target=_SCRIPT))
    environment = {**stubs.environment, "MAKEFLAGS": ""}
    ended = sandbox.run(
        ("/bin/sh", _SCRIPT),
        mounts=mounts,
        cwd=SOURCE_MOUNT,
        env=environment,
        limits=limits,
        keep=_KEPT,
    )
    said = dict(_parts(ended.output.decode("utf-8", "replace")))
    for number, job in enumerate(jobs):
        if number in said:
            _note(job, said[number], told)
            yield job, said[number]
        else:
            told.logs.append(
                f"make in {job.folder or '.'} was not reached: those before it took too long"
            )


def _call(number: int, job: MakeCall, flags: tuple[str, ...], seconds: int) -> str:
    folder = posixpath.join(SOURCE_MOUNT, job.folder)
    words = shlex.join(
        (
            "timeout",
            "-k",
            "1",
            str(seconds),
            "make",
            "-C",
            folder,
            *flags,
            *job.arguments,
        )
    )
    # what a makefile prints for ever ends the makefile, by a broken pipe
    ran = f'{{ {words} </dev/null; echo "{_ENDS} $?"; }} 2>&1 | head -c {_PRINTED}'
    return f'echo "{_BEGINS} {number}"\n{ran}\necho\n'


def _parts(output: str) -> Iterator[tuple[int, str]]:
    found = re.split(rf"^{_BEGINS} (\d{{1,6}})\n", output, flags=re.MULTILINE)
    yield from (
        (int(number), body)
        for number, body in zip(found[1::2], found[2::2], strict=True)
    )


def _note(job: MakeCall, said: str, told: MakeSession) -> None:
    """Log how it went, and the end of what it said."""
    body, ended, code = said.rpartition(_ENDS)
    if ended and code.strip().isdecimal():
        how = _TIMED_OUT.get(int(code), f"exit code {int(code)}")
    else:
        body, how = said, "it printed without end, or too slowly"
    tail = _COMMAND.sub("", body)[-_LOGGED:]
    told.logs.append(
        f"make {shlex.join(job.arguments)} in {job.folder or '.'}: {how}\n{tail}"
    )


def _places(jobs: Sequence[MakeCall]) -> str:
    folders = list(dict.fromkeys(job.folder or "." for job in jobs))
    return ", ".join(folders[:5]) + (
        f" and {len(folders) - 5} more" if len(folders) > 5 else ""
    )
