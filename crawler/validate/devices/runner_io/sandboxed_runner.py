"""Start the runner in the sandbox, where it sees one device and one bundle."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount, list_python_mounts
from crawler.validate import runner

# by a name of its own, as on a bare machine: what is compiled of it already is found here
_START: Final = (
    f"import sys; sys.path.append({str(Path(str(runner.__file__)).parents[1])!r}); "
    "from runner.supervisor import main; raise SystemExit(main(sys.argv[1:]))"
)
_RESIDENT: Final = 16 << 30
_KEPT: Final = 1 << 20


def run_runner(
    runner_arguments: Sequence[str],
    driver_library: Path,
    device_files: Sequence[Path],
    *,
    mounts: Sequence[Mount] = (),
    environment: Mapping[str, str] | None = None,
    wrapper_command: Sequence[str] = (),
    seconds: float,
    scratch_bytes: int = 64 << 20,
) -> CompletedProcess:
    """Run the runner with `runner_arguments` and return how it ended; it sees the driver's
    `driver_library` and the device's `device_files`.

    `wrapper_command` is another program, such as a sanitizer, with its arguments, that is given
    the runner to run.
    Raises `MissingTool` where the sandbox does not work: a kernel never runs outside it.
    """
    limits = Limits(
        seconds=seconds,
        resident_bytes=_RESIDENT,
        scratch_bytes=scratch_bytes,
        file_bytes=scratch_bytes,
        processes=512,
        open_files=4096,
    )
    argv = (
        *wrapper_command,
        sys.executable,
        "-I",
        "-S",
        "-c",
        _START,
        *runner_arguments,
    )
    told = {"LD_LIBRARY_PATH": str(driver_library.parent), **(environment or {})}
    seen = (*list_python_mounts(), *_of_library(driver_library), *mounts)
    return sandbox.run(
        argv, mounts=seen, env=told, limits=limits, devices=device_files, keep=_KEPT
    )


def _of_library(library: Path) -> Iterator[Mount]:
    folder = library.parent
    if not folder.is_relative_to("/usr") and not folder.is_relative_to("/opt/rocm"):
        yield Mount(source=folder, target=str(folder))
