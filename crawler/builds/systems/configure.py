"""Run a `configure` script and then make, with stub compilers, in a private copy."""

from __future__ import annotations

import posixpath
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.make.make_session import MakeSession, MakeWorkspace
from crawler.builds.make.make_variables import is_value_variable
from crawler.builds.make.makefile_runs import learn_by_dry_run, learn_by_recording
from crawler.builds.make.makefiles import DEVICE_WORDS, Makefiles
from crawler.builds.sandbox_paths import ROCM_HOME, SOURCE_MOUNT
from crawler.builds.stub_toolchain import cuda_toolkit, stub_compilers
from crawler.builds.stub_toolchain.stub_programs import Phase
from crawler.checkout.clean_copy import make_clean_copy
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import SourceTree, is_vendored, open_tree
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import Dialect
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=45, cpu_seconds=60, file_bytes=64 << 20)
# An option that a script documents or tests, e.g. `--with-cuda=DIR` or `--enable-hip`.
_OPTION: Final = re.compile(
    r"--(enable|with)-([a-z][a-z0-9_-]{1,40}?)(?=[^a-z0-9_-]|$)(=?)"
)
_SHELL_SCRIPT_START: Final = re.compile(rb"#!.*\bsh\b|: ")
_NO_DEPENDENCY_TRACKING: Final = "--disable-dependency-tracking"
_TEMPLATE_NAMES: Final = (
    "configure.ac",
    "configure.in",
    "Makefile.in",
    "Makefile.am",
    "Makefile",
)
_MAX_SCRIPTS: Final = 4
_MAX_LOG_TAIL: Final = 4 << 10


@dataclass(frozen=True, slots=True)
class _ConfigureRun:
    tree: SourceTree
    script: str
    options: tuple[str, ...]
    limits: Limits


class Configure:
    """Runs the outermost `configure` scripts for CUDA and for HIP, and then make."""

    name = "configure"
    order = 40
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a `configure` script, or a template beside it, mentions device code."""
        return bool(_find_scripts(tree))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what the configured project would compile, for each dialect that it offers."""
        if shutil.which("make") is None:
            raise MissingTool("make is not installed: run `deploy/bootstrap`")

        session = MakeSession(load_include_graph(tree))
        last_run: CompletedProcess | None = None
        for number, (script, options) in enumerate(_iter_variants(tree)):
            limits = session.limit_time(_LIMITS)
            if limits is None:
                continue

            # Each variant has a copy of its own: a configured tree cannot be configured
            # again.
            folder = scratch / str(number)
            folder.mkdir()
            run = _ConfigureRun(tree, script, options, limits)
            last_run = _configure(run, folder, session)

        log = "\n".join(session.logs)
        if not session.commands:
            raise _make_failure(last_run, log)

        return FoundCommands(
            commands=tuple(session.commands),
            log=log,
            generated=session.build_output.files,
        )


def _iter_variants(tree: SourceTree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each script with each set of options that it is to be run with."""
    for script in _find_scripts(tree):
        for options in _list_option_sets(tree.read_text(script)):
            yield script, options


def _configure(
    run: _ConfigureRun, scratch: Path, session: MakeSession
) -> CompletedProcess:
    """Configure a private copy of the project, and ask the Makefiles that it then has."""
    private_copy = make_clean_copy(run.tree, scratch / "source")
    source = Mount(
        source=private_copy,
        target=SOURCE_MOUNT,
        writable=True,
    )

    toolchain = stub_compilers.write_stub_toolchain(
        scratch / "configuring", Phase.CONFIGURE
    )

    completed = sandbox.run(
        ("/bin/sh", "./configure", *run.options),
        mounts=(source, *toolchain.mounts),
        cwd=posixpath.join(SOURCE_MOUNT, posixpath.dirname(run.script)),
        env=dict(toolchain.environment),
        limits=run.limits,
    )

    log_tail = completed.text[-_MAX_LOG_TAIL:]
    session.logs.append(
        f"{run.script} {shlex.join(run.options)}: "
        f"exit code {completed.exit_code}\n{log_tail}"
    )

    session.add_build_output(private_copy)

    # The Makefiles are new, and are no part of the checkout.
    makefiles = Makefiles(session.graph, open_tree(private_copy))
    workspace = MakeWorkspace(
        source=source,
        scratch=scratch,
        is_clean=False,
    )

    learn_by_dry_run(makefiles, workspace, session)

    if makefiles.select_folders_to_run(session.covered_files):
        learn_by_recording(makefiles, workspace, session)

    return completed


def _find_scripts(tree: SourceTree) -> list[str]:
    """Return the outermost `configure` scripts of the project that mention device code."""
    scripts = [
        path
        for path in tree.find_named("configure")
        if not is_vendored(path) and _is_shell_script(tree, path)
    ]

    # An inner `configure` is run by the outer one.
    outermost_scripts = [
        path for path in scripts if not _has_script_above(path, scripts)
    ]
    device_scripts = [
        path for path in outermost_scripts if _mentions_device_code(tree, path)
    ]

    return device_scripts[:_MAX_SCRIPTS]


def _is_shell_script(tree: SourceTree, path: str) -> bool:
    return _SHELL_SCRIPT_START.match(tree.read_bytes(path)[:80]) is not None


def _has_script_above(path: str, scripts: list[str]) -> bool:
    return any(
        _is_below(path, posixpath.dirname(script))
        for script in scripts
        if script != path
    )


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _mentions_device_code(tree: SourceTree, script: str) -> bool:
    folder = posixpath.dirname(script)
    templates = [
        path for path in tree.find_named(*_TEMPLATE_NAMES) if _is_below(path, folder)
    ]

    return any(
        DEVICE_WORDS.search(tree.read_text(path)) for path in (script, *templates)
    )


def _list_option_sets(text: str) -> list[tuple[str, ...]]:
    """Return the options that ask for CUDA, and those that ask for HIP.

    One set without either is returned for a script that has no such option.
    """
    has_tracking_option = (
        _NO_DEPENDENCY_TRACKING in text or "dependency-tracking" in text
    )
    common_options = (_NO_DEPENDENCY_TRACKING,) if has_tracking_option else ()

    device_sets = [
        _choose_device_options(text, dialect) for dialect in (Dialect.CUDA, Dialect.HIP)
    ]
    option_sets = [
        common_options + options for options in dict.fromkeys(device_sets) if options
    ]

    return option_sets or [common_options]


def _choose_device_options(text: str, dialect: Dialect) -> tuple[str, ...]:
    # `--with-cuda=DIR` is told where the stub toolkit is.
    toolkit = cuda_toolkit.MOUNT_POINT
    if dialect is Dialect.HIP:
        toolkit = ROCM_HOME

    value_by_option: dict[str, str] = {}
    for kind, name, equals in _OPTION.findall(text):
        macro = name.upper().replace("-", "_")
        if not is_device_switch(macro, dialect) or is_value_variable(macro):
            continue

        # A script may mention `--with-cuda` first without its `=DIR`.
        option = f"--{kind}-{name}"
        value_by_option.setdefault(option, "")

        if kind == "with" and equals:
            value_by_option[option] = f"={toolkit}"

    options = [option + value for option, value in value_by_option.items()]
    return tuple(options)


def _make_failure(last_run: CompletedProcess | None, log: str) -> ConfigureFailed:
    # no script, or none that there was time for
    if last_run is None:
        return ConfigureFailed("no `configure` was run: see the log", output=log)

    reason = _explain_end(last_run)

    return ConfigureFailed(
        f"what `configure` left compiles none of these files ({reason}): see the log",
        argv=last_run.argv,
        exit_code=last_run.exit_code,
        output=log,
    )


def _explain_end(completed: CompletedProcess) -> str:
    if completed.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"

    return f"exit code {completed.exit_code}"


PLUGIN: Final[BuildSystem] = Configure()
