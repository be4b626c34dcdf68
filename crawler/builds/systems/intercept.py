"""Run a real build under Bear, and record its compiler calls; by request only."""

from __future__ import annotations

import shlex
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
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.checkout.tree_copies import make_private_copy
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import FlagsOrigin
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_RECORD_MOUNT: Final = "/record"
_LIMITS: Final = Limits(seconds=3600, cpu_seconds=7200, file_bytes=2 << 30)
_TOOLKITS: Final = (Path("/usr/local/cuda"), Path("/opt/rocm"))
_HOSTS: Final = "127.0.0.1 localhost\n::1 localhost\n"
_PYTHON: Final = shlex.quote(sys.executable)
_MAKE: Final = "make -B -k -j2"
# The file that shows a build system, and the command that builds there.
_BUILD_COMMANDS: Final = {
    "setup.py": f"{_PYTHON} setup.py build_ext --force",
    "CMakeLists.txt": (
        "cmake -G Ninja -S . -B /tmp/build"
        " && cmake --build /tmp/build --parallel 2 -- -k 0"
    ),
    "configure": f"sh ./configure && {_MAKE}",
    "Makefile": _MAKE,
    "makefile": _MAKE,
    "GNUmakefile": _MAKE,
    "meson.build": "meson setup /tmp/build && ninja -C /tmp/build -k 0",
}


class Intercept:
    """Builds a private copy as its authors would, until a build calls a compiler for its files."""

    name = "intercept"
    order = 15
    executes = True
    by_request = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a build that could be started."""
        return next(_iter_builds(tree), None) is not None

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what was called before the build ended, however it ended."""
        if shutil.which("bear") is None:
            raise MissingTool(
                "bear is not installed: `apt-get install bear`, "
                "or leave out --strategy intercept"
            )

        private_copy = make_private_copy(tree, scratch / "source")
        _allow_writing(private_copy)
        hosts = scratch / "hosts"
        hosts.write_text(_HOSTS)

        logs: list[str] = []
        last_run: CompletedProcess | None = None

        for folder, build_command in _iter_builds(tree):
            record = Path(tempfile.mkdtemp(dir=scratch))
            last_run = _run_under_bear(
                folder, build_command, private_copy, record, hosts
            )
            # Whatever the exit code: a build may fail after it compiled what matters.
            recorded = _read_record(record / DATABASE_NAME, tree)
            logs.append(f"{folder}: {build_command}\n{last_run.text}\n{recorded.log}")
            if recorded.commands:
                return FoundCommands(
                    commands=recorded.commands,
                    log="\n".join(logs),
                )

        if last_run is None:
            raise ConfigureFailed("there is no build here that could be started")

        raise ConfigureFailed(
            "no compiler was called for these files: see the log for what the build lacks",
            argv=last_run.argv,
            exit_code=last_run.exit_code,
            output="\n".join(logs),
        )


def _iter_builds(tree: SourceTree) -> Iterator[tuple[str, str]]:
    """Yield the outermost folder of each build system, and the command that builds there."""
    for name, build_command in _BUILD_COMMANDS.items():
        own_paths = [path for path in tree.find_named(name) if not is_vendored(path)]
        if not own_paths:
            continue

        folder, _, _ = own_paths[0].rpartition("/")
        yield folder or ".", build_command


def _run_under_bear(
    folder: str, build_command: str, source: Path, record: Path, hosts: Path
) -> CompletedProcess:
    toolkits = [path.resolve() for path in _TOOLKITS if path.exists()]
    # The sandbox shows /usr anyway.
    toolkit_mounts = [
        Mount(
            source=path,
            target=str(path),
        )
        for path in toolkits
        if not path.is_relative_to("/usr")
    ]

    program_folders = [f"{toolkit}/bin" for toolkit in toolkits]
    program_folders += ["/usr/local/bin", "/usr/bin", "/bin"]

    # Bear's parts talk to each other over TCP. The sandbox has no other network than its
    # own loopback.
    return sandbox.run(
        (
            "bear",
            "--output",
            f"{_RECORD_MOUNT}/{DATABASE_NAME}",
            "--",
            "sh",
            "-c",
            build_command,
        ),
        mounts=(
            Mount(
                source=source,
                target=SOURCE_MOUNT,
                writable=True,
            ),
            Mount(
                source=record,
                target=_RECORD_MOUNT,
                writable=True,
            ),
            Mount(
                source=hosts,
                target="/etc/hosts",
            ),
            *toolkit_mounts,
            *sandbox.list_python_mounts(),
        ),
        cwd=f"{SOURCE_MOUNT}/{folder}",
        env={"PATH": ":".join(program_folders)},
        limits=_LIMITS,
        loopback=True,
    )


def _read_record(record: Path, tree: SourceTree) -> FoundCommands:
    try:
        return translate_entries(
            decode_entries(read_untrusted_file(record)),
            load_include_graph(tree),
            base_folder=SOURCE_MOUNT,
            origin=FlagsOrigin.RECORDED,
            recorded_root=SOURCE_MOUNT,
        )
    except BadDatabase as error:
        return FoundCommands(
            commands=(),
            log=f"{error.code}: {error}",
        )


def _allow_writing(folder: Path) -> None:
    """Let every user write there: builds run as `nobody`."""
    for path in (folder, *folder.rglob("*")):
        mode = 0o777 if path.is_dir() else path.stat().st_mode | 0o666
        path.chmod(mode)


PLUGIN: Final[BuildSystem] = Intercept()
