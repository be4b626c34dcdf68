"""What CMake exports when a project is configured: in the sandbox, in a private copy, without a GPU toolkit."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds import toolkit
from crawler.builds.copy import private_copy, wants_to_write
from crawler.builds.entries import NAME, decode_entries, translate
from crawler.builds.hints import switches_on
from crawler.builds.includes import include_graph
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.tree import Tree, vendored
from crawler.builds.untrusted import read_left
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import Dialect, FlagsOrigin
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_BUILD: Final = "/build"
_LIMITS: Final = Limits(seconds=90, cpu_seconds=120, file_bytes=256 << 20)
_OPTION: Final = re.compile(r"(?:\boption|\bcmake_dependent_option)\s*\(\s*([A-Za-z]\w{2,60})\b", re.IGNORECASE)
_REQUIRED: Final = re.compile(
    r"(\bcmake_minimum_required\s*\(\s*VERSION\s+)(?:3\.(?:2[4-9]|[3-9]\d)|4)[.\d]*", re.IGNORECASE
)
_MOST_SWITCHES: Final = 40
_FLAGS: Final = (
    *(
        "-G",
        "Ninja",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CUDA_ARCHITECTURES=80",
    ),
    *("-DFETCHCONTENT_FULLY_DISCONNECTED=ON", f"-DCUDAToolkit_ROOT={toolkit.TARGET}", "-DCMAKE_CUDA_ARCHITECTURES=80"),
    *(f"-DCMAKE_CUDA_COMPILER={toolkit.TARGET}/bin/nvcc", f"-DCMAKE_PREFIX_PATH={toolkit.TARGET}"),
)


class CMake:
    """Configures the outermost `CMakeLists.txt`, first with what its options say of CUDA switched on."""

    name = "cmake"
    order = 20
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether there is a `CMakeLists.txt` that begins a project."""
        return _project(tree) is not None

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Configure, and read the database that this leaves, whatever the exit code."""
        project = _project(tree) or "."
        if shutil.which("cmake") is None or shutil.which("ninja") is None:
            raise MissingTool("cmake or ninja is not installed: run `deploy/bootstrap`")
        kit = toolkit.lay_out(scratch / "toolkit")
        logs: list[str] = []
        for source in _sources(tree, scratch, logs):
            for switches in dict.fromkeys((_switches(tree), ())):
                build = Path(tempfile.mkdtemp(dir=scratch))
                mounts = (source, kit, Mount(source=build, target=_BUILD, writable=True))
                ended = _configure(project, switches, mounts)
                logs.append(f"cmake {' '.join(switches)}\n{ended.text}")
                if (told := _exported(build, tree)) is not None:
                    return Yield(commands=told.commands, log="\n".join([*logs, told.log]))
        message = f"CMake wrote no compile database ({_reason(ended)}): see the log for what it lacks"
        raise ConfigureFailed(message, argv=ended.argv, exit_code=ended.exit_code, output="\n".join(logs))


def _sources(tree: Tree, scratch: Path, logs: list[str]) -> Iterator[Mount]:
    """Yield the checkout as it is, and where that will not do or did not, a copy that asks for no newer CMake."""
    newer = [path for path in tree.named("CMakeLists.txt") if _REQUIRED.search(tree.text(path))]
    if not newer:
        yield Mount(source=tree.root, target=_SOURCE)
    if newer or any(map(wants_to_write, logs)):
        copied = private_copy(tree, scratch / "source")
        for path in newer:
            (copied / path).write_text(_REQUIRED.sub(r"\g<1>3.18", tree.text(path)))
        yield Mount(source=copied, target=_SOURCE, writable=True)


def _project(tree: Tree) -> str | None:
    """Return the folder of the outermost `CMakeLists.txt` that calls `project`, other people's aside."""
    for path in tree.named("CMakeLists.txt")[:64]:
        if not vendored(path) and re.search(r"^[ \t]*project[ \t]*\(", tree.text(path), re.MULTILINE | re.IGNORECASE):
            return path.rpartition("/")[0] or "."
    return None


def _switches(tree: Tree) -> tuple[str, ...]:
    """Find options that, by their name, switch CUDA on: many projects leave it off unless asked."""
    names: dict[str, None] = {}
    for path in tree.files:
        if path.endswith(("CMakeLists.txt", ".cmake")):
            names.update(dict.fromkeys(_OPTION.findall(tree.text(path))))
    wanted = [name for name in names if "CUDA" in name.upper().split("_") and switches_on(name, Dialect.CUDA)]
    return tuple(f"-D{name}=ON" for name in wanted[:_MOST_SWITCHES])


def _configure(project: str, switches: tuple[str, ...], mounts: tuple[Mount, ...]) -> Finished:
    argv = ("cmake", "-S", f"{_SOURCE}/{project}", "-B", _BUILD, *_FLAGS, *switches)
    path = f"{toolkit.TARGET}/bin:/usr/bin:/bin"
    return sandbox.run(argv, mounts=mounts, cwd=_BUILD, env={"PATH": path}, limits=_LIMITS)


def _exported(build: Path, tree: Tree) -> Yield | None:
    try:
        entries = decode_entries(read_left(build / NAME))
        return translate(entries, include_graph(tree), base=_BUILD, origin=FlagsOrigin.EXPORTED, prefix=_SOURCE)
    except BadDatabase:
        return None


def _reason(ended: Finished) -> str:
    if ended.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"
    found = re.search(r"^CMake Error[^\n]*\n\s*([^\n]*)", ended.text, re.MULTILINE)
    return found.group(1).strip()[:200] if found else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = CMake()
