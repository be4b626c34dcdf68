"""Start the runner in the sandbox, where it sees one device and one bundle."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount, list_python_mounts
from crawler.validate import runner

_PACKAGES: Final = str(Path(str(runner.__file__)).parents[1])
# The package goes by the name that it has on a machine with nothing but the archive, so that
# its compiled modules are found again.
_START_CODE: Final = (
    f"import sys; sys.path.append({_PACKAGES!r}); "
    "from runner.supervisor import main; raise SystemExit(main(sys.argv[1:]))"
)
_RESIDENT_BYTES: Final = 16 << 30
_MAX_OUTPUT_BYTES: Final = 1 << 20


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
    """Run the runner in the sandbox with `runner_arguments`, and return how it ended.

    It sees `driver_library`, `device_files` and `mounts`. `wrapper_command` is another program,
    such as a sanitizer, with its arguments, that is given the runner to run. Raises
    `MissingTool` where the sandbox does not work: a kernel never runs outside it.
    """
    # Drivers start many threads and open many files.
    limits = Limits(
        seconds=seconds,
        resident_bytes=_RESIDENT_BYTES,
        scratch_bytes=scratch_bytes,
        file_bytes=scratch_bytes,
        processes=512,
        open_files=4096,
    )

    command = (
        *wrapper_command,
        sys.executable,
        "-I",
        "-S",
        "-c",
        _START_CODE,
        *runner_arguments,
    )

    all_mounts = (*list_python_mounts(), *_library_mounts(driver_library), *mounts)
    return sandbox.run(
        command,
        mounts=all_mounts,
        env={"LD_LIBRARY_PATH": str(driver_library.parent), **(environment or {})},
        limits=limits,
        devices=device_files,
        keep=_MAX_OUTPUT_BYTES,
    )


def _library_mounts(library: Path) -> tuple[Mount, ...]:
    """Return the folder of the driver's library, unless the sandbox shows it anyway."""
    folder = library.parent
    if folder.is_relative_to("/usr") or folder.is_relative_to("/opt/rocm"):
        return ()

    return (
        Mount(
            source=folder,
            target=str(folder),
        ),
    )
