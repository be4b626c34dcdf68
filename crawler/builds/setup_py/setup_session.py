"""Runs of the stand-ins over one checkout, until every device source has a command."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.builds.build_files.project_environment import (
    choose_stand_in_versions,
    read_project_environment,
)
from crawler.builds.commands.database_entries import (
    DatabaseEntry,
    translate_entries,
)
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.interface import FoundCommands
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.builds.setup_py import sandbox_python
from crawler.builds.setup_py.environment_switches import (
    find_device_switches,
    select_build_switches,
)
from crawler.builds.setup_py.recorded_setup import RecordedSetup
from crawler.builds.setup_py.stand_in_run import (
    RECORD_MOUNT,
    StandInOptions,
    is_out_of_time,
    make_setup_error,
    read_record,
    run_stand_ins,
)
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.checkout.generated_files import BuildOutput, collect_build_output
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.checkout.tree_copies import is_write_refused, make_private_copy
from crawler.errors import BadDatabase, ConfigureFailed
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.process import CompletedProcess
from crawler.sandbox import Mount

_MAX_SWITCH_ROUNDS: Final = 3
_MAX_MODULES: Final = 100
_MAX_SOURCES: Final = 1000
"""Of an extension module."""


class SetupSession:
    """Runs the stand-ins in one way after another, until every device source has a command."""

    def __init__(self, tree: SourceTree, scratch: Path) -> None:
        self.commands: dict[str, list[CompileCommand]] = {}
        """By file."""
        self.modules: dict[str, tuple[CompileCommand, ...]] = {}
        """What each extension module is made of, by its dotted name, as the first run that
        declares device code has it.
        """
        self.logs: list[str] = []
        self.build_output = BuildOutput()
        self._tree = tree
        self._scratch = scratch
        self._graph = load_include_graph(tree)
        self._tool_mounts = (
            cuda_toolkit.write_cuda_toolkit(scratch / "toolkit"),
            *sandbox_python.make_python_mounts(scratch / "python"),
        )

        self._source = Mount(
            source=tree.root,
            target=SOURCE_MOUNT,
        )

        self._last_run: CompletedProcess | None = None

    def run_setup(self, setup: str) -> None:
        """Run a `setup.py` as it is, with its switches on, past failures, and for HIP.

        Each further run is only made while device sources have no command.
        """
        switches = find_device_switches(self._tree.read_text(setup))
        record, switches = self._run_with_switches(setup, switches)

        # Where nothing failed there is nothing to skip.
        if self.list_uncovered_files() and record.failed:
            record, switches = self._run_with_switches(
                setup, switches, skips_failures=True
            )

        has_uncovered_hip_file = any(
            detect_dialect(path, self._graph) is Dialect.HIP
            for path in self.list_uncovered_files()
        )

        if has_uncovered_hip_file:
            options = StandInOptions(
                dialect=Dialect.HIP,
                switches=switches,
                skips_failures=record.failed,
            )

            self._run(options, setup=setup)

    def _run_with_switches(
        self, setup: str, switches: dict[str, str], *, skips_failures: bool = False
    ) -> tuple[RecordedSetup, dict[str, str]]:
        """Run again while a run shows new switches; return the last record and all switches."""
        for _ in range(_MAX_SWITCH_ROUNDS):
            options = StandInOptions(
                switches=switches,
                skips_failures=skips_failures,
            )

            record = self._run(options, setup=setup)
            requested_switches = select_build_switches(record.read_variables)
            if not self.list_uncovered_files():
                break
            if requested_switches.keys() <= switches.keys():
                break

            switches = {
                **requested_switches,
                **switches,
            }

        return record, switches

    def run_modules(self, modules: Iterable[str]) -> None:
        """Import modules that have torch compile extensions, and call their functions."""
        self._run(StandInOptions(skips_failures=True), modules=modules)

    def list_uncovered_files(self) -> list[str]:
        """Return the project's own device sources without a command.

        The list is empty when time has run out.
        """
        if self._last_run is not None and is_out_of_time(self._last_run):
            return []

        return [
            path
            for path in self._graph.scans
            if get_suffix(path) in DEVICE_SOURCE_SUFFIXES
            and not is_vendored(path)
            and path not in self.commands
            and not self._graph.includers.get(path)
        ]

    def has_device_commands(self) -> bool:
        """Tell whether any command is of a device compiler."""
        return any(
            command.dialect
            for commands in self.commands.values()
            for command in commands
        )

    def add_commands(self, result: FoundCommands) -> None:
        """Add what was learnt in another way, for files that have no command."""
        self.logs.append(result.log)
        self._add_build_output(BuildOutput(files=result.generated))
        self._add_new_commands(result.commands, lambda command: True)

    def make_error(self) -> ConfigureFailed:
        """Return the error that says why no command was learnt."""
        return make_setup_error(self._last_run, self.logs)

    def _run(
        self, options: StandInOptions, *, setup: str = "", modules: Iterable[str] = ()
    ) -> RecordedSetup:
        """Run the stand-ins, and once more in a writable copy where writing was refused."""
        # A project may refuse a torch that is newer than it knows.
        environment = read_project_environment(self._tree)
        options = replace(options, versions=choose_stand_in_versions(environment))
        record, completed = self._run_once(options, setup, modules)

        needs_writable_copy = (
            not self._source.writable
            and is_write_refused(completed.text)
            and not is_out_of_time(completed)
        )

        if needs_writable_copy:
            private_copy = make_private_copy(self._tree, self._scratch / "source")
            self._source = Mount(
                source=private_copy,
                target=SOURCE_MOUNT,
                writable=True,
            )

            record, completed = self._run_once(options, setup, modules)

        self._last_run = completed

        return record

    def _run_once(
        self, options: StandInOptions, setup: str, modules: Iterable[str]
    ) -> tuple[RecordedSetup, CompletedProcess]:
        # Each run has a folder of its own, so that it cannot forge the record of another.
        record_folder = Path(tempfile.mkdtemp(dir=self._scratch))
        record_mount = Mount(
            source=record_folder,
            target=RECORD_MOUNT,
            writable=True,
        )

        mounts = (self._source, *self._tool_mounts, record_mount)
        completed = run_stand_ins(options, setup, modules, mounts)

        record = read_record(record_folder)

        if self._source.writable:
            self._add_build_output(
                collect_build_output(
                    self._source.source, self._tree, mounts={SOURCE_MOUNT: ""}
                )
            )

        new_count = self._add_recorded_commands(record, options.dialect)
        self.logs.append(
            f"{setup or 'modules'} for {options}: {new_count} commands\n{completed.text}"
        )

        return record, completed

    def _add_build_output(self, build_output: BuildOutput) -> None:
        count_before = len(self.build_output.files)
        self.build_output += build_output
        new_count = len(self.build_output.files) - count_before
        if new_count > 0:
            tree = self._tree.with_generated(self.build_output.files)
            self._graph = IncludeGraph(tree)
            self.logs.append(f"{new_count} sources and headers were written")

    def _add_recorded_commands(self, record: RecordedSetup, dialect: Dialect) -> int:
        """Add the recorded commands of files without one, and return their number."""
        try:
            recorded = self._translate(record.make_entries(dialect))
        except BadDatabase as error:
            self.logs.append(str(error))
            return 0

        self._add_modules(record, dialect)

        def is_of_dialect(command: CompileCommand) -> bool:
            # A ROCm build compiles a hipified copy of each CUDA source: only what is
            # HIP in the checkout, or host code, is compiled as it stands there.
            if dialect is Dialect.CUDA or command.dialect is None:
                return True

            return detect_dialect(command.file, self._graph) is Dialect.HIP

        return self._add_new_commands(recorded.commands, is_of_dialect)

    def _translate(self, entries: Sequence[DatabaseEntry]) -> FoundCommands:
        return translate_entries(
            entries,
            self._graph,
            base_folder=SOURCE_MOUNT,
            origin=FlagsOrigin.RECORDED,
            recorded_root=SOURCE_MOUNT,
        )

    def _add_modules(self, record: RecordedSetup, dialect: Dialect) -> None:
        """Add the modules of a run that declares one with device code, and those beside it."""
        modules: dict[str, tuple[CompileCommand, ...]] = {}
        for extension in record.extensions[:_MAX_MODULES]:
            with suppress(BadDatabase):
                entries = islice(extension.make_entries(dialect), _MAX_SOURCES)
                commands = self._translate(list(entries)).commands
                modules.setdefault(str(extension.name), commands)

        has_device_code = any(
            command.dialect for commands in modules.values() for command in commands
        )
        if has_device_code:
            self.modules = modules | self.modules

    def _add_new_commands(
        self,
        commands: Iterable[CompileCommand],
        is_accepted: Callable[[CompileCommand], bool],
    ) -> int:
        """Add commands of files without one: the first run is nearest to the default build."""
        # All commands of a file in one run stay, since two extensions may share it.
        new_commands: dict[str, list[CompileCommand]] = {}
        for command in commands:
            if command.file not in self.commands and is_accepted(command):
                new_commands.setdefault(command.file, []).append(command)

        self.commands.update(new_commands)

        return sum(len(file_commands) for file_commands in new_commands.values())
