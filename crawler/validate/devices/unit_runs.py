"""Run units on a GPU: objects and cases go into the sandbox, a report comes out."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crawler.model import Dialect, Suite
from crawler.sandbox import Mount
from crawler.validate.bundle.manifest import (
    GOLDEN_FOLDER,
    INPUTS_FOLDER,
    MANIFEST_FILE,
    OBJECTS_FOLDER,
    BundledUnit,
    write_bundle,
)
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.health_kernel import HEALTH_SYMBOL, compile_health_kernel
from crawler.validate.devices.judgement.performance import Baseline
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.runner_io.sandboxed_runner import run_runner
from crawler.validate.runner.manifest import JOB_FILE
from crawler.validate.values.blobs import Blobs

UNIT_SECONDS: Final = 60.0
"""For all cases of a unit."""
_AROUND: Final = 90.0
"""For starting, for ending what does not end, and for a look at the device."""
_BUNDLE: Final = "/bundle"
RESULTS_TARGET: Final = "/results"
_TOLD_BYTES: Final = 16 << 20
ReadBlob = Callable[[str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is wanted of the units of a bundle beside their cases."""

    seconds: float = UNIT_SECONDS
    health: tuple[str, str] | None = None
    """Digest of an object, and its kernel that adds 1 to each of 64 whole numbers."""
    timing: dict[str, Any] | None = None
    """Fields of `crawler.validate.runner.manifest.Timing`; `None` times nothing."""
    case: str = ""
    """Which case is timed; the largest where it names none."""
    baseline: Baseline | None = None
    """What its time is held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerWrapper:
    """Another program that is given the runner to run."""

    command: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()


def run_units(
    gpu: Gpu, units: Sequence[BundledUnit], read_blob: ReadBlob, options: RunOptions
) -> dict[str, RunnerReport]:
    """Run each unit in a process of its own, and return what was told of each by its digest.

    The golden outputs are not within reach of what runs. Raises `MissingTool` where the sandbox
    does not work.
    """
    with run_units_in_sandbox(gpu, units, read_blob, options) as results:
        return {each.unit: RunnerReport(results / each.unit) for each in units}


@contextmanager
def run_units_in_sandbox(
    gpu: Gpu,
    units: Sequence[BundledUnit],
    read_blob: ReadBlob,
    options: RunOptions,
    wrapper: RunnerWrapper | None = None,
) -> Iterator[Path]:
    """Run units as `run_units` does, and give the folder of what was told of them, which goes
    afterwards.
    """
    folder = Path(tempfile.mkdtemp(prefix="kernelset-device-"))
    wrapper = wrapper or RunnerWrapper()
    try:
        folder.chmod(0o755)
        bundle, results = folder / "bundle", folder / "results"
        for each in (bundle, results):
            each.mkdir()
        write_job(units, read_blob, options, bundle)
        size = _TOLD_BYTES + sum(_left_bytes(each.suite) for each in units)
        run_runner(
            (_BUNDLE, RESULTS_TARGET, str(gpu.library)),
            gpu.library,
            gpu.device_files,
            mounts=(
                *_seen(bundle),
                Mount(source=results, target=RESULTS_TARGET, writable=True),
                *wrapper.mounts,
            ),
            environment=gpu.sandbox_environment,
            wrapper_command=wrapper.command,
            seconds=len(units) * (options.seconds + _AROUND),
            scratch_bytes=size,
        )
        yield results
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_health_check(
    options: RunOptions, dialect: Dialect, target: str, blobs: Blobs
) -> RunOptions:
    """Let a known kernel be what the device is judged by, where one is made for `target`."""
    known = compile_health_kernel(dialect, target)
    if not known:
        return options
    return replace(options, health=(blobs.put(known), HEALTH_SYMBOL))


def write_job(
    units: Sequence[BundledUnit], read_blob: ReadBlob, options: RunOptions, folder: Path
) -> None:
    """Write what the runner is given into an empty folder: a bundle without its golden outputs,
    and what is wanted.
    """
    write_bundle(units, read_blob, folder)
    shutil.rmtree(folder / GOLDEN_FOLDER, ignore_errors=True)
    if options.health:
        (folder / OBJECTS_FOLDER / options.health[0]).write_bytes(
            read_blob(options.health[0])
        )
    told = {
        "seconds": options.seconds,
        "health": options.health,
        "timing": options.timing,
        "case": options.case,
    }
    (folder / JOB_FILE).write_text(json.dumps(told), "utf-8")


def _seen(bundle: Path) -> tuple[Mount, ...]:
    names = (MANIFEST_FILE, JOB_FILE, OBJECTS_FOLDER, INPUTS_FOLDER)
    return tuple(
        Mount(source=bundle / name, target=f"{_BUNDLE}/{name}") for name in names
    )


def _left_bytes(suite: Suite) -> int:
    """Return how much the launches of a suite may leave: each case is run twice, and timed once."""
    return 4 * sum(buffer.size for case in suite.cases for buffer in case.buffers)
