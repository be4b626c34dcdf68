"""Calls make in the sandbox, many folders in one go, and keeps what that tells."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.entries import Entry, translate
from crawler.builds.includes import IncludeGraph
from crawler.builds.interface import Yield
from crawler.builds.makefiles import Job
from crawler.builds.makelog import parse_make_log
from crawler.builds.recorder import SOURCE, Recorder
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, FlagsOrigin
from crawler.process import Limits
from crawler.sandbox import Mount

MOST_JOBS: Final = 1000
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


@dataclass(slots=True)
class Told:
    """What was learnt so far: commands, the files that have one, and a log."""

    graph: IncludeGraph
    commands: list[CompileCommand] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)
    logs: list[str] = field(default_factory=list)

    def add(self, how: str, entries: Sequence[Entry]) -> None:
        """Take in the entries that are of this checkout."""
        try:
            found = translate(entries, self.graph, base=SOURCE, origin=FlagsOrigin.RECORDED, prefix=SOURCE)
        except BadDatabase as error:
            found = Yield(commands=(), log=str(error))
        self.commands.extend(found.commands)
        self.covered.update(command.file for command in found.commands)
        self.logs.append(f"{how}: {len(found.commands)} commands\n{found.log}")


def ask(jobs: Sequence[Job], stubs: Recorder, source: Mount, scratch: Path, told: Told) -> None:
    """Have make print what it would do, and read that; it executes `$(shell …)` all the same."""
    entries: list[Entry] = []
    for job, said in _run(jobs, ("-n", "-B", "-k", "-i", "-w"), _ASKED_EACH, stubs, source, scratch, _ASKED, told):
        entries += parse_make_log(said, posixpath.join(SOURCE, job.folder).rstrip("/"))
    told.add(f"make -n in {_places(jobs)}", entries)


def run(jobs: Sequence[Job], stubs: Recorder, source: Mount, scratch: Path, told: Told) -> None:
    """Let make do it all, with stubs as its compilers, and read what they recorded."""
    for _ in _run(jobs, ("-B", "-k", "-i", "-w"), _RUN_EACH, stubs, source, scratch, _RUN, told):
        pass
    recorded = stubs.recorded()
    told.add(f"{recorded.calls} calls of stub compilers by make in {_places(jobs)}", recorded.entries)


def _run(
    jobs: Sequence[Job],
    flags: tuple[str, ...],
    seconds: int,
    stubs: Recorder,
    source: Mount,
    scratch: Path,
    limits: Limits,
    told: Told,
) -> Iterator[tuple[Job, str]]:
    script = scratch / f"jobs-{len(list(scratch.iterdir()))}"
    script.write_text("".join(_call(number, job, flags, seconds) for number, job in enumerate(jobs)))
    mounts = (source, *stubs.mounts, Mount(source=script, target=_SCRIPT))
    environment = {**stubs.environment, "MAKEFLAGS": ""}
    ended = sandbox.run(("/bin/sh", _SCRIPT), mounts=mounts, cwd=SOURCE, env=environment, limits=limits, keep=_KEPT)
    said = dict(_parts(ended.output.decode("utf-8", "replace")))
    for number, job in enumerate(jobs):
        if number not in said:
            told.logs.append(f"make in {job.folder or '.'} was not reached: those before it took too long")
            continue
        body, _, code = said[number].rpartition(_ENDS)
        if not body and not code.strip().isdecimal():
            body, code = said[number], "-1"
        _note(job, body, int(code.strip()) if code.strip().isdecimal() else -1, told)
        yield job, body


def _call(number: int, job: Job, flags: tuple[str, ...], seconds: int) -> str:
    folder = posixpath.join(SOURCE, job.folder)
    words = shlex.join(("timeout", "-k", "1", str(seconds), "make", "-C", folder, *flags, *job.words))
    # what a makefile prints for ever ends the makefile, by a broken pipe
    ran = f'{{ {words} </dev/null; echo "{_ENDS} $?"; }} 2>&1 | head -c {_PRINTED}'
    return f'echo "{_BEGINS} {number}"\n{ran}\necho\n'


def _parts(output: str) -> Iterator[tuple[int, str]]:
    found = re.split(rf"^{_BEGINS} (\d{{1,6}})\n", output, flags=re.MULTILINE)
    yield from ((int(number), body) for number, body in zip(found[1::2], found[2::2], strict=True))


def _note(job: Job, body: str, code: int, told: Told) -> None:
    """Log how it went, and the end of what it said."""
    how = _TIMED_OUT.get(code, f"exit code {code}") if code >= 0 else "it printed without end, or too slowly"
    tail = _COMMAND.sub("", body)[-_LOGGED:]
    told.logs.append(f"make {shlex.join(job.words)} in {job.folder or '.'}: {how}\n{tail}")


def _places(jobs: Sequence[Job]) -> str:
    folders = list(dict.fromkeys(job.folder or "." for job in jobs))
    return ", ".join(folders[:5]) + (f" and {len(folders) - 5} more" if len(folders) > 5 else "")
