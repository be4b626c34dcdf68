"""Run units on a GPU: objects and cases go into the sandbox, a report comes out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crawler.model import Dialect, Suite
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import open_work_folder
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
from crawler.validate.runner.timing import MAX_OUTPUTS
from crawler.validate.values.blobs import Blobs

UNIT_SECONDS: Final = 60.0
"""For all cases of a unit."""
_OVERHEAD_SECONDS: Final = 90.0
"""For starting, for killing what does not end, and for the health check."""
_BUNDLE_TARGET: Final = "/bundle"
RESULTS_TARGET: Final = "/results"
_REPORT_BYTES: Final = 16 << 20
_OUTPUTS_PER_CASE: Final = 4
"""Times a case's buffers may come back: two launches, with room to spare."""
ReadBlob = Callable[[str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a run, beside the units and their cases."""

    seconds: float = UNIT_SECONDS
    health: tuple[str, str] | None = None
    """Digest of an object, and its kernel that adds 1 to each of 64 whole numbers."""
    timing: dict[str, Any] | None = None
    """Fields of `crawler.validate.runner.manifest.Timing`; `None` times nothing."""
    case: str = ""
    """Which case is timed; the largest where it names none."""
    baseline: Baseline | None = None
    """What its time is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerWrapper:
    """Another program that is given the runner to run."""

    command: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()


def run_units(
    gpu: Gpu, units: Sequence[BundledUnit], read_blob: ReadBlob, options: RunOptions
) -> dict[str, RunnerReport]:
    """Run each unit in a process of its own, and return the report of each by its digest.

    The golden outputs are not within reach of what runs. Raises `MissingTool` where the sandbox
    does not work.
    """
    with run_units_in_sandbox(gpu, units, read_blob, options) as results:
        return {unit.unit: RunnerReport(results / unit.unit) for unit in units}


@contextmanager
def run_units_in_sandbox(
    gpu: Gpu,
    units: Sequence[BundledUnit],
    read_blob: ReadBlob,
    options: RunOptions,
    wrapper: RunnerWrapper | None = None,
) -> Iterator[Path]:
    """Run units as `run_units` does, and yield the folder of their reports.

    The folder is removed afterwards.
    """
    wrapper = wrapper or RunnerWrapper()

    with open_work_folder("device") as folder:
        bundle = folder / "bundle"
        bundle.mkdir()
        results = folder / "results"
        results.mkdir()
        write_job(units, read_blob, options, bundle)

        output_bytes = sum(_estimate_output_bytes(unit.suite) for unit in units)
        run_runner(
            (_BUNDLE_TARGET, RESULTS_TARGET, str(gpu.library)),
            gpu.library,
            gpu.device_files,
            mounts=(
                *_bundle_mounts(bundle),
                Mount(
                    source=results,
                    target=RESULTS_TARGET,
                    writable=True,
                ),
                *wrapper.mounts,
            ),
            environment=gpu.sandbox_environment,
            wrapper_command=wrapper.command,
            seconds=len(units) * (options.seconds + _OVERHEAD_SECONDS),
            scratch_bytes=_REPORT_BYTES + output_bytes,
        )

        yield results


def with_health_check(
    options: RunOptions, dialect: Dialect, target: str, blobs: Blobs
) -> RunOptions:
    """Return options by which a known kernel checks the device after each unit.

    They stay the same where no compiler here makes that kernel for `target`.
    """
    health_object = compile_health_kernel(dialect, target)
    if not health_object:
        return options

    return replace(options, health=(blobs.put(health_object), HEALTH_SYMBOL))


def write_job(
    units: Sequence[BundledUnit], read_blob: ReadBlob, options: RunOptions, folder: Path
) -> None:
    """Write the runner's input into an empty folder.

    That is a bundle without its golden outputs, and the options.
    """
    write_bundle(units, read_blob, folder)
    # A kernel that finds the answer could copy it.
    shutil.rmtree(folder / GOLDEN_FOLDER, ignore_errors=True)

    if options.health:
        health_digest, _ = options.health
        health_file = folder / OBJECTS_FOLDER / health_digest
        health_file.write_bytes(read_blob(health_digest))

    job = {
        "seconds": options.seconds,
        "health": options.health,
        "timing": options.timing,
        "case": options.case,
    }

    (folder / JOB_FILE).write_text(json.dumps(job), "utf-8")


def _bundle_mounts(bundle: Path) -> list[Mount]:
    names = (MANIFEST_FILE, JOB_FILE, OBJECTS_FOLDER, INPUTS_FOLDER)
    return [
        Mount(
            source=bundle / name,
            target=f"{_BUNDLE_TARGET}/{name}",
        )
        for name in names
    ]


def _estimate_output_bytes(suite: Suite) -> int:
    """Return how many bytes the launches of a suite may write as results."""
    case_bytes = [sum(buffer.size for buffer in case.buffers) for case in suite.cases]

    # Launches of one case are timed, and may leave different outputs.
    timed_bytes = MAX_OUTPUTS * max(case_bytes, default=0)
    return _OUTPUTS_PER_CASE * sum(case_bytes) + timed_bytes
