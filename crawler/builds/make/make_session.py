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
from crawler.builds.commands.database_entries import DatabaseEntry, translate_entries
from crawler.builds.interface import FoundCommands
from crawler.builds.make.make_call import MakeCall
from crawler.builds.make.make_log import parse_make_log
from crawler.builds.make.make_script import (
    END_MARK,
    RunMode,
    split_output,
    write_script,
)
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.builds.stub_toolchain.stub_compilers import StubToolchain
from crawler.checkout.generated_files import (
    BuildOutput,
    GeneratedPathMapper,
    collect_build_output,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import SourceTree
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, FlagsOrigin
from crawler.process_limits import Limits
from crawler.sandbox import Mount

MAX_CALLS: Final = 1000
_BUDGET_SECONDS: Final = 90
_DRY_RUN_LIMITS: Final = Limits(seconds=25, cpu_seconds=40, file_bytes=64 << 20)
_DRY_RUN_CALL_SECONDS: Final = 8
_RUN_LIMITS: Final = Limits(seconds=40, cpu_seconds=60, file_bytes=64 << 20)
_RUN_CALL_SECONDS: Final = 15
_MAX_OUTPUT_BYTES: Final = 32 << 20
"""For all calls of a script."""
_MAX_LOG_TAIL: Final = 2 << 10
_MAX_NAMED_FOLDERS: Final = 5
_SCRIPT_MOUNT: Final = "/jobs"
# Exit codes of timeout(1).
_TIMEOUT_CODES: Final = {
    124: "it took too long",
    137: "it was killed: it took too long",
}
# what make says of folders in its log
_FOLDER_CHANGE: Final = re.compile(
    r"^.*(?:Entering|Leaving) directory.*\n?", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeWorkspace:
    """Where make runs: the checkout or a copy of it, and a folder of ours to work in."""

    source: Mount
    scratch: Path
    is_clean: bool = True
    """Whether make must take everything for out of date, even its own makefiles."""


@dataclass(slots=True)
class MakeSession:
    """What was learnt so far: commands, the files that have one, and a log."""

    graph: IncludeGraph
    commands: list[CompileCommand] = field(default_factory=list)
    covered_files: set[str] = field(default_factory=set)
    logs: list[str] = field(default_factory=list)
    deadline: float = field(default_factory=lambda: time.monotonic() + _BUDGET_SECONDS)
    build_output: BuildOutput = field(default_factory=BuildOutput)
    """What was written into copies of the checkout; the graph has it, too."""

    def limit_time(self, limits: Limits) -> Limits | None:
        """Return `limits` cut to the time that is left, `None` where there is none."""
        remaining_seconds = self.deadline - time.monotonic()
        if remaining_seconds < 1:
            self.logs.append(
                f"the rest was left out: it took over {_BUDGET_SECONDS} seconds"
            )
            return None

        return replace(limits, seconds=min(limits.seconds, remaining_seconds))

    def add_build_output(self, copy: Path) -> None:
        """Add the sources and headers that were written into a copy of the checkout."""
        count_before = len(self.build_output.files)
        self.build_output += collect_build_output(
            copy, self.original_tree, mounts={SOURCE_MOUNT: ""}
        )
        if len(self.build_output.files) > count_before:
            tree = self.original_tree.with_generated(self.build_output.files)
            self.graph = IncludeGraph(tree)

    @property
    def original_tree(self) -> SourceTree:
        """The tree without the files that builds have written."""
        written_paths = {file.path for file in self.build_output.files}
        tree = self.graph.tree
        files = tuple(path for path in tree.files if path not in written_paths)

        return SourceTree(
            root=tree.root,
            files=files,
        )

    def add_entries(self, origin: str, entries: Sequence[DatabaseEntry]) -> None:
        """Add the entries whose files are in this checkout; `origin` names them in the log."""
        try:
            translated = translate_entries(
                entries,
                self.graph,
                base_folder=SOURCE_MOUNT,
                origin=FlagsOrigin.RECORDED,
                recorded_root=SOURCE_MOUNT,
                generated_paths=GeneratedPathMapper(output=self.build_output),
            )
        except BadDatabase as error:
            translated = FoundCommands(
                commands=(),
                log=str(error),
            )

        commands = translated.commands
        self.commands.extend(commands)
        self.covered_files.update(command.file for command in commands)
        self.logs.append(f"{origin}: {len(commands)} commands\n{translated.log}")


def dry_run_make(
    calls: Sequence[MakeCall],
    toolchain: StubToolchain,
    workspace: MakeWorkspace,
    session: MakeSession,
) -> None:
    """Let make print what it would do, and add the compiler calls in that.

    Even then make executes `$(shell …)`, so it runs in the sandbox.
    """
    mode = RunMode(
        flags=("-n", "-k", "-i", "-w"),
        call_seconds=_DRY_RUN_CALL_SECONDS,
        limits=_DRY_RUN_LIMITS,
    )

    entries: list[DatabaseEntry] = []

    for call, output in _run_calls(calls, mode, toolchain, workspace, session):
        folder = posixpath.join(SOURCE_MOUNT, call.folder).rstrip("/")
        entries += parse_make_log(output, folder)

    session.add_entries(f"make -n in {_format_folders(calls)}", entries)


def run_make(
    calls: Sequence[MakeCall],
    toolchain: StubToolchain,
    workspace: MakeWorkspace,
    session: MakeSession,
) -> None:
    """Run make with stub compilers, and add the calls that these recorded."""
    # Without `.SECONDARY` make removes, in the end, what a rule generated for another rule.
    mode = RunMode(
        flags=("-k", "-i", "-w", "--eval=.SECONDARY:"),
        call_seconds=_RUN_CALL_SECONDS,
        limits=_RUN_LIMITS,
    )

    for _ in _run_calls(calls, mode, toolchain, workspace, session):
        pass

    # An unwritable checkout cannot have anything new.
    if workspace.source.writable:
        session.add_build_output(workspace.source.source)

    record = toolchain.read_calls()
    session.add_entries(
        f"{record.call_count} calls of stub compilers by make in {_format_folders(calls)}",
        record.entries,
    )


def _run_calls(
    calls: Sequence[MakeCall],
    mode: RunMode,
    toolchain: StubToolchain,
    workspace: MakeWorkspace,
    session: MakeSession,
) -> Iterator[tuple[MakeCall, str]]:
    """Run the calls one after the other in one sandbox, and yield what each printed.

    Starting a sandbox takes longer than most dry runs.
    """
    limits = session.limit_time(mode.limits)
    if limits is None:
        return

    script = write_script(
        calls,
        mode,
        workspace.scratch,
        is_clean=workspace.is_clean,
    )

    script_run = sandbox.run(
        ("/bin/sh", _SCRIPT_MOUNT),
        mounts=(
            workspace.source,
            *toolchain.mounts,
            Mount(
                source=script,
                target=_SCRIPT_MOUNT,
            ),
        ),
        cwd=SOURCE_MOUNT,
        env={
            **toolchain.environment,
            "MAKEFLAGS": "",
        },
        limits=limits,
        keep=_MAX_OUTPUT_BYTES,
    )

    # When the time is over the script ends, and the calls after that have no output.
    output_by_number = split_output(script_run.output.decode("utf-8", "replace"))

    for number, call in enumerate(calls):
        if number in output_by_number:
            output = output_by_number[number]
            _log_call(call, output, session)
            yield call, output
        else:
            session.logs.append(
                f"make in {call.folder or '.'} was not reached: "
                "those before it took too long"
            )


def _log_call(call: MakeCall, output: str, session: MakeSession) -> None:
    """Log how a call of make ended, and the end of what it printed."""
    # The mark is missing where `head` has cut the output.
    body, end_mark, code = output.rpartition(END_MARK)

    if end_mark and code.strip().isdecimal():
        result = _TIMEOUT_CODES.get(int(code), f"exit code {int(code)}")
    else:
        body = output
        result = "it printed without end, or too slowly"

    arguments = shlex.join(call.arguments)
    log_tail = _FOLDER_CHANGE.sub("", body)[-_MAX_LOG_TAIL:]
    session.logs.append(
        f"make {arguments} in {call.folder or '.'}: {result}\n{log_tail}"
    )


def _format_folders(calls: Sequence[MakeCall]) -> str:
    folders = list(dict.fromkeys(call.folder or "." for call in calls))
    text = ", ".join(folders[:_MAX_NAMED_FOLDERS])

    if len(folders) > _MAX_NAMED_FOLDERS:
        text += f" and {len(folders) - _MAX_NAMED_FOLDERS} more"

    return text
