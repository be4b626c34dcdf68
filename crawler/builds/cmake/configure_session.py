"""Sandboxed CMake configure runs over one checkout, retried without the calls that fail."""

from __future__ import annotations

import posixpath
import re
import tempfile
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from crawler.builds.cmake import compiler_seed, custom_commands
from crawler.builds.cmake.build_folder_entries import read_configured_entries
from crawler.builds.cmake.cmake_facts import relax_minimum_version
from crawler.builds.cmake.configuration import (
    BUILD_MOUNT,
    CONFIGURE_FLAGS,
    Configuration,
    run_configure,
    write_toolkits,
    write_tree_facts,
)
from crawler.builds.cmake.configure_output import collect_configure_output
from crawler.builds.cmake.failed_calls import FailedCall, find_failed_calls, remove_call
from crawler.builds.commands.database_entries import translate_entries
from crawler.builds.interface import FoundCommands
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.checkout.generated_files import BuildOutput, GeneratedPathMapper
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.source_tree import SourceTree
from crawler.checkout.tree_copies import is_write_refused, make_private_copy
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, FlagsOrigin
from crawler.process import CompletedProcess
from crawler.sandbox import Mount

_SECONDS: Final = 45.0
"""For one configure run."""
_BUDGET_SECONDS: Final = 150.0
"""For all runs over a checkout."""
_MAX_ATTEMPTS: Final = 6
_MAX_LOG_OF_SUCCESS: Final = 8 << 10
# What the CMake modules beside this file print for a package that they stand in for.
_MISSING_PACKAGE: Final = re.compile(r"kernelset: (\S+) is not (?:here|fetched)")
_FIRST_ERROR: Final = re.compile(r"^CMake Error[^\n]*\n\s*([^\n]*)", re.MULTILINE)


@dataclass
class ConfigureSession:
    """Configure runs over one checkout, with a time budget and at most one private copy."""

    tree: SourceTree
    scratch: Path
    commands: dict[tuple[str, tuple[str, ...]], CompileCommand] = field(
        default_factory=dict
    )
    """By file and arguments: of two equal commands the first stays."""
    logs: list[str] = field(default_factory=list)
    last_run: CompletedProcess | None = None
    build_output: BuildOutput = field(default_factory=BuildOutput)
    """What the runs have written: in the tree, and below `.generated/` in their build folders."""
    _private_copy: Path | None = None
    _graph: IncludeGraph | None = None
    _deadline: float = field(default_factory=lambda: time.monotonic() + _BUDGET_SECONDS)

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time for this checkout is used up."""
        return time.monotonic() >= self._deadline

    def __post_init__(self) -> None:
        for path, text in relax_minimum_version(self.tree).items():
            (self._writable_folder / path).write_text(text)

    def configure(self, folder: str, configuration: Configuration) -> int:
        """Configure `folder`, and return how many commands are new.

        A call that ends the run is removed, and the run is repeated.
        """
        for _ in range(_MAX_ATTEMPTS):
            if self.is_out_of_time:
                self.logs.append(
                    f"{folder}: not configured: {_BUDGET_SECONDS:.0f} seconds are used up"
                )
                return 0

            build_folder = self._make_build_folder()
            # A folder of its own for each run: what a failed run has cached would stay.
            configure_run = self._run_configure(folder, configuration, build_folder)
            custom_output_log = self._build_custom_outputs(build_folder)
            exported = self._read_commands(build_folder)

            # Even a run that succeeded may lack sources that it was refused to write.
            output = f"{configure_run.text}\n{custom_output_log}"
            lacks_writable_copy = self._private_copy is None and is_write_refused(
                output
            )
            if exported is not None and not lacks_writable_copy:
                return self._keep(folder, configuration, exported, configure_run)

            arguments = " ".join(configuration.make_arguments())
            self.logs.append(f"cmake {folder} {arguments}\n{configure_run.text}")
            if configure_run.timed_out or not self._prepare_retry(folder, output):
                return 0

        return 0

    def _run_configure(
        self, folder: str, configuration: Configuration, build_folder: Path
    ) -> CompletedProcess:
        # At least a second, even where the time is almost used up.
        remaining_seconds = self._deadline - time.monotonic()
        self.last_run = run_configure(
            folder,
            configuration,
            self._list_mounts(build_folder),
            seconds=max(1.0, min(_SECONDS, remaining_seconds)),
        )
        return self.last_run

    def _build_custom_outputs(self, build_folder: Path) -> str:
        """Run the custom commands that write sources and headers, and return their output."""
        targets = custom_commands.list_custom_outputs(build_folder)
        if not targets or self.is_out_of_time:
            return ""

        ninja_run = custom_commands.build_custom_outputs(
            targets,
            self._list_mounts(build_folder),
            BUILD_MOUNT,
            self._deadline - time.monotonic(),
            compiler_seed.get_configure_environment(),
        )

        log_tail = ninja_run.text[-_MAX_LOG_OF_SUCCESS:]
        self.logs.append(f"ninja, for {len(targets)} sources and headers\n{log_tail}")

        return ninja_run.text

    def _keep(
        self,
        folder: str,
        configuration: Configuration,
        exported: FoundCommands,
        configure_run: CompletedProcess,
    ) -> int:
        """Keep the commands that are new, and return their number."""
        count_before = len(self.commands)
        for command in exported.commands:
            self.commands.setdefault((command.file, command.arguments), command)

        new_count = len(self.commands) - count_before

        arguments = " ".join(configuration.make_arguments())
        log_tail = configure_run.text[-_MAX_LOG_OF_SUCCESS:]
        summary = (
            f"cmake {folder} {arguments}: "
            f"{len(exported.commands)} commands, {new_count} new"
        )

        self.logs.append(f"{log_tail}\n{exported.log}\n{summary}")

        return new_count

    def _prepare_retry(self, folder: str, output: str) -> bool:
        """Make a copy that the project may write to, or remove the calls that failed.

        Return whether anything is different for the next run.
        """
        if self._private_copy is None and is_write_refused(output):
            return self._writable_folder.is_dir()

        source_folder = posixpath.normpath(posixpath.join(SOURCE_MOUNT, folder))
        failed_calls = find_failed_calls(output, source_folder, SOURCE_MOUNT)
        # Every call is removed, whatever comes of the others, so no early end.
        removals = [
            self._remove_call(call)
            for call in failed_calls
            if call.path in self.tree.files
        ]

        return any(removals)

    def _remove_call(self, call: FailedCall) -> bool:
        path = self._writable_folder / call.path
        text = path.read_text("utf-8", "replace")
        new_text = remove_call(text, call.line, call.command)

        path.write_text(new_text)
        self.logs.append(f"without {call.command} at {call.path}:{call.line}")

        return new_text != text

    @property
    def _writable_folder(self) -> Path:
        if self._private_copy is None:
            self._private_copy = make_private_copy(self.tree, self.scratch / "source")
        return self._private_copy

    def _make_build_folder(self) -> Path:
        build_folder = Path(tempfile.mkdtemp(dir=self.scratch))
        compiler_seed.seed_build_folder(build_folder, self._toolkits, CONFIGURE_FLAGS)
        return build_folder

    @cached_property
    def _toolkits(self) -> tuple[Mount, ...]:
        return write_toolkits(self.scratch)

    @cached_property
    def _tree_facts(self) -> Mount:
        return write_tree_facts(self.tree, self.scratch / "tree.cmake")

    def _list_mounts(self, build_folder: Path) -> tuple[Mount, ...]:
        source = Mount(
            source=self._private_copy or self.tree.root,
            target=SOURCE_MOUNT,
            writable=self._private_copy is not None,
        )

        build = Mount(
            source=build_folder,
            target=BUILD_MOUNT,
            writable=True,
        )
        return (source, build, *self._toolkits, self._tree_facts)

    def _read_commands(self, build_folder: Path) -> FoundCommands | None:
        try:
            exported = self._translate_build_folder(build_folder)
        except BadDatabase:
            return None
        return exported if exported.commands else None

    def _translate_build_folder(self, build_folder: Path) -> FoundCommands:
        covered_files = [file for file, _ in self.commands]
        entries = read_configured_entries(
            build_folder,
            set(self.tree.files).difference(covered_files),
            build_mount=BUILD_MOUNT,
            source_mount=SOURCE_MOUNT,
        )

        checkout_folder, build_output = collect_configure_output(
            build_folder,
            self.tree,
            self.build_output,
            # The log grows with each run, so its length makes the name unique.
            conflict_suffix=f"-{len(self.logs)}",
            private_copy=self._private_copy,
        )

        return translate_entries(
            entries,
            self._add_build_output(build_output),
            base_folder=BUILD_MOUNT,
            origin=FlagsOrigin.EXPORTED,
            recorded_root=SOURCE_MOUNT,
            generated_paths=GeneratedPathMapper(
                BUILD_MOUNT, checkout_folder, build_output
            ),
        )

    def _add_build_output(self, build_output: BuildOutput) -> IncludeGraph:
        """Remember what a run has written, and return the include graph with all of it."""
        count_before = len(self.build_output.files)
        self.build_output += build_output

        if len(self.build_output.files) > count_before:
            tree = self.tree.with_generated(self.build_output.files)
            self._graph = IncludeGraph(tree)
        return self._graph or load_include_graph(self.tree)


def explain_failure(session: ConfigureSession) -> str:
    """Return in one line why the configure runs yielded no command."""
    last_run = session.last_run
    if last_run is None:
        return "no folder has a project"
    if last_run.timed_out:
        return f"it took over {_SECONDS:.0f} seconds"

    # Each package once, in the order in which projects asked for them.
    packages = dict.fromkeys(_MISSING_PACKAGE.findall("\n".join(session.logs)))
    missing = f"; not here: {', '.join(packages)}"[:200] if packages else ""
    if last_run.exit_code == 0:
        return "no target compiles anything" + missing

    error = _FIRST_ERROR.search(last_run.text)
    if error is None:
        return f"exit code {last_run.exit_code}" + missing
    return error.group(1).strip()[:200] + missing
