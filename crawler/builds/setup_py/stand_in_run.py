"""One run of a `setup.py`, or of modules, with the stand-ins in the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from crawler import sandbox
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.builds.setup_py.recorded_setup import RecordedSetup
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase, ConfigureFailed
from crawler.model import Dialect
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

RECORD_MOUNT: Final = "/record"
OUT_OF_TIME_EXIT_CODE: Final = 75
"""The stand-ins end with it when their share of the processor's time is used up."""
_RECORD_NAME: Final = "setup.json"
_LIMITS: Final = Limits(seconds=90, cpu_seconds=30, file_bytes=256 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInOptions:
    """How the stand-ins run: for which device, with which switches, and past failures or not."""

    dialect: Dialect = Dialect.CUDA
    switches: dict[str, str] = field(default_factory=dict)
    """Variables of the environment."""
    skips_failures: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    """Versions that the stand-ins claim, where the newest would not do."""

    def __str__(self) -> str:
        words = [self.dialect.value, *self.switches]
        if self.skips_failures:
            words.append("past failures")

        return " ".join(words)


def run_stand_ins(
    options: StandInOptions,
    setup: str,
    modules: Iterable[str],
    mounts: tuple[Mount, ...],
) -> CompletedProcess:
    """Run a `setup.py` or modules of the checkout with the stand-ins.

    `mounts` must have the checkout at `SOURCE_MOUNT` and a writable folder at `RECORD_MOUNT`.
    """
    request = {
        "root": SOURCE_MOUNT,
        "setup": f"{SOURCE_MOUNT}/{setup}" if setup else "",
        "modules": [f"{SOURCE_MOUNT}/{module}" for module in modules],
        "stubborn": options.skips_failures,
        "hip": options.dialect is Dialect.HIP,
        "versions": options.versions,
    }

    argv = (
        sys.executable,
        "-B",
        "-P",
        "-m",
        "crawler.builds.setup_py.stand_ins",
        msgspec.json.encode(request).decode(),
        f"{RECORD_MOUNT}/{_RECORD_NAME}",
    )

    return sandbox.run(
        argv,
        mounts=mounts,
        cwd=SOURCE_MOUNT,
        env=_make_environment(options),
        limits=_LIMITS,
    )


def _make_environment(options: StandInOptions) -> dict[str, str]:
    python_folder = Path(sys.executable).parent
    environment = {
        "PATH": f"{cuda_toolkit.MOUNT_POINT}/bin:{python_folder}:/usr/bin:/bin",
        "FORCE_CUDA": "1",
        "TORCH_CUDA_ARCH_LIST": "8.0",
    }

    if options.dialect is Dialect.HIP:
        environment["ROCM_HOME"] = "/opt/rocm"
    else:
        environment["CUDA_HOME"] = cuda_toolkit.MOUNT_POINT

    environment.update(options.switches)

    return environment


def read_record(folder: Path) -> RecordedSetup:
    """Return what the stand-ins wrote into `folder`; an empty record where it is malformed."""
    try:
        # The project could have written anything there.
        content = read_untrusted_file(folder / _RECORD_NAME)
        return msgspec.json.decode(content, type=RecordedSetup)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, BadDatabase):
        return RecordedSetup()


def is_out_of_time(completed: CompletedProcess) -> bool:
    """Tell whether a run of the stand-ins was ended because it took too long."""
    return completed.timed_out or completed.exit_code == OUT_OF_TIME_EXIT_CODE


def explain_end(completed: CompletedProcess | None) -> str:
    """Return in one line how the last run of the stand-ins ended."""
    if completed is None:
        return "there is none"
    if completed.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"

    lines = completed.text.strip().splitlines()

    return lines[-1][:200] if lines else f"exit code {completed.exit_code}"


def make_setup_error(
    last_run: CompletedProcess | None, logs: Sequence[str]
) -> ConfigureFailed:
    """Return the error that says why no run of the stand-ins taught a command."""
    return ConfigureFailed(
        "no setup.py declared an extension of these files "
        f"({explain_end(last_run)}): see the log",
        argv=last_run.argv if last_run else (),
        exit_code=last_run.exit_code if last_run else -1,
        output="\n".join(logs),
    )
