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
from crawler.builds.checkout.include_graph import load_include_graph
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.builds.checkout.tree_copies import make_private_copy
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    decode_entries,
    translate_entries,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import FlagsOrigin
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_RECORD: Final = "/record"
_LIMITS: Final = Limits(seconds=3600, cpu_seconds=7200, file_bytes=2 << 30)
_TOOLKITS: Final = (Path("/usr/local/cuda"), Path("/opt/rocm"))
_HOSTS: Final = "127.0.0.1 localhost\n::1 localhost\n"
_PYTHON: Final = shlex.quote(sys.executable)
_BUILDS: Final = {
    "setup.py": f"{_PYTHON} setup.py build_ext --force",
    "CMakeLists.txt": "cmake -G Ninja -S . -B /tmp/build && cmake --build /tmp/build --parallel 2 -- -k 0",
    "configure": "sh ./configure && make -B -k -j2",
    "Makefile": "make -B -k -j2",
    "makefile": "make -B -k -j2",
    "GNUmakefile": "make -B -k -j2",
    "meson.build": "meson setup /tmp/build && ninja -C /tmp/build -k 0",
}


class Intercept:
    """Builds a private copy as its authors would, in the sandbox, until a build calls a
    compiler for its files.
    """

    name = "intercept"
    order = 15
    executes = True
    by_request = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a build that could be started."""
        return next(_builds(tree), None) is not None

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what was called before the build ended, however it ended."""
        if shutil.which("bear") is None:
            raise MissingTool(
                "bear is not installed: `apt-get install bear`, or leave out --strategy intercept"
            )
        source = _writable(make_private_copy(tree, scratch / "source"))
        (scratch / "hosts").write_text(_HOSTS)
        logs: list[str] = []
        for folder, build in _builds(tree):
            record = Path(tempfile.mkdtemp(dir=scratch))
            ended = _watched(folder, build, source, record, scratch / "hosts")
            told = _recorded(record / DATABASE_NAME, tree)
            logs.append(f"{folder}: {build}\n{ended.text}\n{told.log}")
            if told.commands:
                return FoundCommands(commands=told.commands, log="\n".join(logs))
        message = "no compiler was called for these files: see the log for what the build lacks"
        raise ConfigureFailed(
            message, argv=ended.argv, exit_code=ended.exit_code, output="\n".join(logs)
        )


def _builds(tree: SourceTree) -> Iterator[tuple[str, str]]:
    """Yield the outermost folder of each kind of build, and what starts it there."""
    for name, build in _BUILDS.items():
        own = [path for path in tree.find_named(name) if not is_vendored(path)]
        if own:
            yield own[0].rpartition("/")[0] or ".", build


def _watched(
    folder: str, build: str, source: Path, record: Path, hosts: Path
) -> CompletedProcess:
    toolkits = [path.resolve() for path in _TOOLKITS if path.exists()]
    mounts = (
        Mount(source=source, target=_SOURCE, writable=True),
        Mount(source=record, target=_RECORD, writable=True),
        Mount(source=hosts, target="/etc/hosts"),
        *(
            Mount(source=path, target=str(path))
            for path in toolkits
            if not path.is_relative_to("/usr")
        ),
        *sandbox.list_python_mounts(),
    )
    path = ":".join(
        [
            *(f"{toolkit}/bin" for toolkit in toolkits),
            "/usr/local/bin",
            "/usr/bin",
            "/bin",
        ]
    )
    argv = ("bear", "--output", f"{_RECORD}/{DATABASE_NAME}", "--", "sh", "-c", build)
    # Bear's parts talk to each other over TCP; the sandbox has no other network than its own
    # loopback
    return sandbox.run(
        argv,
        mounts=mounts,
        cwd=f"{_SOURCE}/{folder}",
        env={"PATH": path},
        limits=_LIMITS,
        loopback=True,
    )


def _recorded(record: Path, tree: SourceTree) -> FoundCommands:
    try:
        entries = decode_entries(read_untrusted_file(record))
        return translate_entries(
            entries,
            load_include_graph(tree),
            base_folder=_SOURCE,
            origin=FlagsOrigin.RECORDED,
            recorded_root=_SOURCE,
        )
    except BadDatabase as error:
        return FoundCommands(commands=(), log=f"{error.code}: {error}")


def _writable(copied: Path) -> Path:
    """Let nobody write there: that is who builds."""
    for path in (copied, *copied.rglob("*")):
        path.chmod(0o777 if path.is_dir() else path.stat().st_mode | 0o666)
    return copied


PLUGIN: Final[BuildSystem] = Intercept()
