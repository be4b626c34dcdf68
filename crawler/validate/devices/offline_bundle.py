"""Pack units for a machine with a GPU elsewhere, and judge the results that come back.

The folder that is carried has the runner, objects and inputs; golden outputs stay here.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler import codec
from crawler.errors import Misconfigured, PortFailed
from crawler.model import Build, Dialect, Kernel, Run, Status, Suite, Verdict
from crawler.port.port import port_unit
from crawler.validate.build import target_dialect
from crawler.validate.bundle.manifest import (
    GOLDEN_FOLDER,
    INPUTS_FOLDER,
    OBJECTS_FOLDER,
    BundledUnit,
    bundle_unit,
    golden_digests,
    input_digests,
    read_bundle,
    write_bundle,
)
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.devices.device_validation import skip_without_cases
from crawler.validate.devices.judgement.device_run import build_run
from crawler.validate.devices.judgement.execution_verdict import is_object_loaded
from crawler.validate.devices.judgement.performance import Baseline
from crawler.validate.devices.loadable_objects import compile_loadable
from crawler.validate.devices.runner_io.report import DeviceLine, RunnerReport
from crawler.validate.devices.unit_runs import RunOptions, write_job
from crawler.validate.runner.archive import build_archive
from crawler.validate.runner.session import OUTPUTS_FILE, REPORT_FILE
from crawler.validate.values.blobs import Blobs

CARRIED_FOLDER: Final = "carried"
KEPT_FOLDER: Final = "kept"
RUNNER_FILE: Final = "runner.pyz"
BUNDLE_FOLDER: Final = "bundle"
_UNITS_FILE: Final = "known.json"
_README_FILE: Final = "README.txt"
_MAX_REPORT_BYTES: Final = 64 << 20
_OUTPUTS_PER_CASE: Final = 8
"""Times the bytes of a suite may come back: each case runs twice, and is timed."""
_README: Final = f"""\
Copy this folder to a machine with a GPU and Python 3.8 or newer; \
nothing else is needed.

    python3 {RUNNER_FILE} {BUNDLE_FOLDER} results

Then bring `results` back to where the folder was written: \
`kernelset bundle judge FOLDER results`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineUnit:
    """What is known of a unit before it is carried away."""

    name: str
    build: Build
    cpu: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineResult:
    """Result of a unit on the machine where it was carried."""

    name: str
    run: Run
    is_loaded: bool | None
    is_healthy: bool | None
    """Whether the device passed its health check afterwards; `None` without such a check."""


def pack_kernel(
    kernel: Kernel, target: str, blobs: Blobs
) -> tuple[BundledUnit, OfflineUnit] | Verdict:
    """Find a kernel's cases on the CPU and compile it for `target`.

    A CUDA kernel is ported for a target of AMD's. What prevents it is returned as a verdict.
    Raises `MissingTool` where the sandbox does not work.
    """
    assert kernel.unit is not None
    cpu_validation = validate_on_cpu(kernel)
    suite = cpu_validation.suite
    if suite is None:
        return skip_without_cases(cpu_validation.run)

    unit = kernel.unit
    try:
        if target_dialect(target) is Dialect.HIP and unit.dialect is Dialect.CUDA:
            unit = port_unit(unit)
    except PortFailed as error:
        return Verdict(
            status=Status.UNSUPPORTED,
            code=error.code,
            message=str(error),
        )

    built = compile_loadable(unit, target)[0]
    if not built.object:
        cause = built.build.pass_call
        return Verdict(
            status=Status.SKIPPED,
            code="not-built",
            message=f"{cause.code}: {cause.message}",
        )

    object_digest = blobs.put(built.object)
    for content in cpu_validation.blobs.by_digest.values():
        blobs.put(content)

    build = replace(built.build, object_digest=object_digest)
    offline_unit = OfflineUnit(
        name=kernel.name,
        build=build,
        cpu=cpu_validation.run,
    )

    return bundle_unit(unit, build, suite), offline_unit


def write_offline_bundle(
    units: Sequence[tuple[BundledUnit, OfflineUnit]],
    blobs: Blobs,
    options: RunOptions,
    folder: Path,
) -> None:
    """Write the folder to carry and the folder to keep into a new folder.

    `blobs` has the objects, inputs and golden outputs of all units.
    """
    carried = folder / CARRIED_FOLDER
    kept_folder = folder / KEPT_FOLDER
    (carried / BUNDLE_FOLDER).mkdir(parents=True)
    kept_folder.mkdir()

    bundled_units = [bundled_unit for bundled_unit, _ in units]
    write_job(bundled_units, blobs.get, options, carried / BUNDLE_FOLDER)
    (carried / RUNNER_FILE).write_bytes(build_archive())
    (carried / _README_FILE).write_text(_README, "utf-8")

    write_bundle(bundled_units, blobs.get, kept_folder)
    # These are carried; golden outputs alone are kept.
    for name in (OBJECTS_FOLDER, INPUTS_FOLDER):
        shutil.rmtree(kept_folder / name)

    offline_units = tuple(offline_unit for _, offline_unit in units)
    (kept_folder / _UNITS_FILE).write_bytes(codec.encode(offline_units))


def judge_offline_results(
    folder: Path, results: Path, baseline: Baseline | None = None
) -> Iterator[OfflineResult]:
    """Yield the result of each unit of `folder`, by what came back in `results`.

    Raises `Misconfigured` where a file of either is not as it was written.
    """
    bundled_units = read_bundle(folder / KEPT_FOLDER).units
    offline_units = _read_offline_units(folder / KEPT_FOLDER / _UNITS_FILE)
    if not results.is_dir():
        raise Misconfigured(
            f"there is no folder {results}: give the one that the runner wrote",
            code="no-folder",
        )

    for bundled_unit, offline_unit in zip(bundled_units, offline_units, strict=True):
        suite = bundled_unit.suite
        report = _read_report(results / bundled_unit.unit, suite)
        blobs = _read_blobs(folder, suite)
        yield _judge_report(blobs, suite, offline_unit, report, baseline)


def _judge_report(
    blobs: Blobs,
    suite: Suite,
    unit: OfflineUnit,
    report: RunnerReport,
    baseline: Baseline | None,
) -> OfflineResult:
    device = report.device
    if device and device.code:
        device = None

    # The other machine may have had no device to name.
    runtime = "cuda" if unit.build.target.startswith("sm_") else "rocm"
    arch = device.arch if device else unit.build.target

    run = build_run(
        unit.build,
        unit.cpu,
        suite,
        report,
        blobs,
        device=f"{runtime}:{arch}",
        details=_format_details(device),
        baseline=baseline,
    )

    return OfflineResult(
        name=unit.name,
        run=run,
        is_loaded=is_object_loaded(report),
        is_healthy=report.is_healthy,
    )


def _format_details(device: DeviceLine | None) -> str:
    if device is None:
        return ""

    details = (device.name, device.features)
    return ", ".join(detail for detail in details if detail)


def _read_offline_units(file: Path) -> tuple[OfflineUnit, ...]:
    try:
        return codec.decode(file.read_bytes(), tuple[OfflineUnit, ...])
    except (OSError, ValueError) as error:
        raise Misconfigured(
            f"{file} cannot be read ({error}): write the bundle again",
            code="bad-bundle",
        ) from error


def _read_report(folder: Path, suite: Suite) -> RunnerReport:
    """Read the report of a unit, if its files are no larger than a runner writes them."""
    suite_bytes = 0
    for case in suite.cases:
        suite_bytes += sum(buffer.size for buffer in case.buffers)

    max_bytes = {
        REPORT_FILE: _MAX_REPORT_BYTES,
        OUTPUTS_FILE: _MAX_REPORT_BYTES + _OUTPUTS_PER_CASE * suite_bytes,
    }

    for name, size in max_bytes.items():
        file = folder / name
        # What comes from another machine is not trusted to be small.
        if file.is_file() and file.stat().st_size > size:
            raise Misconfigured(
                f"{file} is larger than a runner writes: run the bundle again",
                code="bad-bundle",
            )

    return RunnerReport(folder)


def _read_blobs(folder: Path, suite: Suite) -> Blobs:
    """Return the inputs and golden outputs of a suite.

    Raises `Misconfigured` where a file does not have the digest that it is named by.
    """
    golden_folder = folder / KEPT_FOLDER / GOLDEN_FOLDER
    inputs_folder = folder / CARRIED_FOLDER / BUNDLE_FOLDER / INPUTS_FOLDER
    files = {digest: golden_folder / digest for digest in golden_digests(suite)}
    files.update({digest: inputs_folder / digest for digest in input_digests(suite)})

    contents: dict[str, bytes] = {}
    for digest, file in files.items():
        content = file.read_bytes() if file.is_file() else b""
        # A file that changed, or is gone, must not judge a kernel.
        if hashlib.sha256(content).hexdigest() != digest:
            raise Misconfigured(
                f"{file} is not what was written there: write the bundle again",
                code="bad-bundle",
            )

        contents[digest] = content

    return Blobs(contents)
