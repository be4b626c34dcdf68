"""Configure with Meson in the sandbox, and read the exported compile commands."""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    decode_entries,
    translate_entries,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.meson import PROGRAM
from crawler.builds.meson.meson_projects import (
    choose_device_options,
    find_meson_projects,
)
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import SourceTree
from crawler.checkout.tree_copies import is_write_refused, make_private_copy
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import FlagsOrigin
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_BUILD_MOUNT: Final = "/build"
_LIMITS: Final = Limits(seconds=60, cpu_seconds=60, file_bytes=256 << 20)
# a line of Meson's own, in the midst of its output
_ERROR: Final = re.compile(r"ERROR:?\s*([^\n]*)")


class Meson:
    """Configures the outermost projects of a tree, with their options for CUDA switched on."""

    name = "meson"
    order = 60
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a `meson.build` that begins a project."""
        return bool(find_meson_projects(tree))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Configure, and read the database that this leaves."""
        if shutil.which("ninja") is None:
            raise MissingTool("ninja is not installed: run `deploy/bootstrap`")

        tool_mounts = (
            cuda_toolkit.write_cuda_toolkit(scratch / "toolkit"),
            *sandbox.list_python_mounts(),
        )

        logs: list[str] = []
        last_run: CompletedProcess | None = None

        for source in _iter_sources(tree, scratch, logs):
            # A build folder belongs to one set of options.
            for folder, options in _iter_variants(tree):
                build_folder = Path(tempfile.mkdtemp(dir=scratch))
                build = Mount(
                    source=build_folder,
                    target=_BUILD_MOUNT,
                    writable=True,
                )

                last_run = _configure(folder, options, (source, *tool_mounts, build))
                logs.append(f"meson {folder} {' '.join(options)}\n{last_run.text}")

                exported = _read_database(build_folder, tree)
                if exported is not None:
                    log = "\n".join([*logs, exported.log])

                    return FoundCommands(
                        commands=exported.commands,
                        log=log,
                    )

        raise ConfigureFailed(
            f"Meson wrote no compile database ({_explain_end(last_run)}): "
            "see the log for what it lacks",
            argv=last_run.argv if last_run else (),
            output="\n".join(logs),
        )


def _iter_sources(tree: SourceTree, scratch: Path, logs: list[str]) -> Iterator[Mount]:
    """Yield the unwritable checkout, and then a copy where a run was refused to write there.

    `logs` is filled by the caller between the two.
    """
    yield Mount(
        source=tree.root,
        target=SOURCE_MOUNT,
    )

    if any(is_write_refused(log) for log in logs):
        private_copy = make_private_copy(tree, scratch / "source")
        yield Mount(
            source=private_copy,
            target=SOURCE_MOUNT,
            writable=True,
        )


def _iter_variants(tree: SourceTree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each project with its options for CUDA, and without any."""
    for folder in find_meson_projects(tree):
        for options in dict.fromkeys((choose_device_options(tree, folder), ())):
            yield folder, options


def _configure(
    folder: str, options: tuple[str, ...], mounts: tuple[Mount, ...]
) -> CompletedProcess:
    argv = (
        sys.executable,
        "-B",
        "-P",
        str(PROGRAM.resolve()),
        posixpath.join(SOURCE_MOUNT, folder).rstrip("/"),
        _BUILD_MOUNT,
        *options,
    )

    env = {
        "PATH": f"{cuda_toolkit.MOUNT_POINT}/bin:/usr/bin:/bin",
        "CUDA_PATH": cuda_toolkit.MOUNT_POINT,
        "CUDA_HOME": cuda_toolkit.MOUNT_POINT,
    }

    return sandbox.run(
        argv,
        mounts=mounts,
        cwd=_BUILD_MOUNT,
        env=env,
        limits=_LIMITS,
    )


def _read_database(build_folder: Path, tree: SourceTree) -> FoundCommands | None:
    try:
        content = read_untrusted_file(build_folder / DATABASE_NAME)

        return translate_entries(
            decode_entries(content),
            load_include_graph(tree),
            base_folder=_BUILD_MOUNT,
            origin=FlagsOrigin.EXPORTED,
            recorded_root=SOURCE_MOUNT,
        )
    except BadDatabase:
        return None


def _explain_end(last_run: CompletedProcess | None) -> str:
    if last_run is None or last_run.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"

    error = _ERROR.search(last_run.text)
    if error is None:
        return f"exit code {last_run.exit_code}"

    return error.group(1).strip()[:200]


PLUGIN: Final[BuildSystem] = Meson()
