"""Pack units for a machine with a GPU elsewhere, and judge the results that come back.

What is carried has the runner, objects and inputs; what ought to come out is kept here.
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
from crawler.validate.devices.judgement.device_run import build_run
from crawler.validate.devices.judgement.execution_verdict import is_object_loaded
from crawler.validate.devices.judgement.performance import Baseline
from crawler.validate.devices.loadable_objects import compile_loadable
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions, write_job
from crawler.validate.runner.archive import build_archive
from crawler.validate.runner.session import OUTPUTS_FILE, REPORT_FILE
from crawler.validate.values.blobs import Blobs

CARRIED_FOLDER: Final = "carried"
KEPT_FOLDER: Final = "kept"
RUNNER_FILE: Final = "runner.pyz"
BUNDLE_FOLDER: Final = "bundle"
_KNOWN: Final = "known.json"
_README: Final = "README.txt"
_REPORT_BYTES: Final = 64 << 20
_TIMES: Final = 8
"""How often the bytes of a suite may come back: each case runs twice, and is timed."""
_TEXT: Final = f"""Copy this folder to a machine with a GPU and Python 3.8 or newer; nothing else is needed.

    python3 {RUNNER_FILE} {BUNDLE_FOLDER} results

Then bring `results` back to where the folder was written: `kernelset bundle judge FOLDER results`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineUnit:
    """What is known of a unit before it is carried away."""

    name: str
    build: Build
    cpu: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineResult:
    """What a unit did where it was carried."""

    name: str
    run: Run
    is_loaded: bool | None
    is_healthy: bool | None
    """Whether the device did as it ought to afterwards; `None` where nobody could look."""


def write_offline_bundle(
    units: Sequence[tuple[BundledUnit, OfflineUnit]],
    blobs: Blobs,
    options: RunOptions,
    folder: Path,
) -> None:
    """Write what is carried and what is kept into a new folder; `blobs` has objects, inputs and
    golden outputs.
    """
    bundle, kept = folder / CARRIED_FOLDER / BUNDLE_FOLDER, folder / KEPT_FOLDER
    bundle.mkdir(parents=True)
    kept.mkdir()
    bundles = [unit for unit, _ in units]
    write_job(bundles, blobs.get, options, bundle)
    (folder / CARRIED_FOLDER / RUNNER_FILE).write_bytes(build_archive())
    (folder / CARRIED_FOLDER / _README).write_text(_TEXT, "utf-8")
    write_bundle(bundles, blobs.get, kept)
    for name in (OBJECTS_FOLDER, INPUTS_FOLDER):
        shutil.rmtree(kept / name)
    (kept / _KNOWN).write_bytes(codec.encode(tuple(known for _, known in units)))


def pack_kernel(
    kernel: Kernel, target: str, blobs: Blobs
) -> tuple[BundledUnit, OfflineUnit] | Verdict:
    """Find a kernel's cases on the CPU and compile it for `target`; a CUDA kernel is ported for
    one of AMD's.

    What ends it is returned as a verdict; raises `MissingTool` where the sandbox does not work.
    """
    assert kernel.unit is not None
    tried = validate_on_cpu(kernel)
    if tried.suite is None:
        told = tried.run.pass_exe
        return Verdict(
            status=Status.SKIPPED,
            code="no-cases",
            message=f"on the CPU: {told.code}: {told.message}",
        )
    unit = kernel.unit
    try:
        unit = (
            port_unit(unit)
            if target_dialect(target) is Dialect.HIP and unit.dialect is Dialect.CUDA
            else unit
        )
    except PortFailed as error:
        return Verdict(status=Status.UNSUPPORTED, code=error.code, message=str(error))
    made = compile_loadable(unit, target)[0]
    if not made.object:
        told = made.build.pass_call
        return Verdict(
            status=Status.SKIPPED,
            code="not-built",
            message=f"{told.code}: {told.message}",
        )
    for content in (made.object, *tried.blobs.by_digest.values()):
        blobs.put(content)
    build = replace(made.build, object_digest=blobs.put(made.object))
    return bundle_unit(unit, build, tried.suite), OfflineUnit(
        name=kernel.name, build=build, cpu=tried.run
    )


def judge_offline_results(
    folder: Path, results: Path, baseline: Baseline | None = None
) -> Iterator[OfflineResult]:
    """Yield what each unit of `folder` did, by what came back in `results`.

    Raises `Misconfigured` where one of them is not what it ought to be.
    """
    units = read_bundle(folder / KEPT_FOLDER).units
    known = _known(folder / KEPT_FOLDER / _KNOWN)
    if not results.is_dir():
        raise Misconfigured(
            f"there is no folder {results}: give the one that the runner wrote",
            code="no-folder",
        )
    for unit, about in zip(units, known, strict=True):
        told = _told(results / unit.unit, unit.suite)
        yield _judged(_blobs(folder, unit.suite), unit.suite, about, told, baseline)


def _judged(
    blobs: Blobs,
    suite: Suite,
    about: OfflineUnit,
    told: RunnerReport,
    baseline: Baseline | None,
) -> OfflineResult:
    device = told.device if told.device and not told.device.code else None
    runtime = "cuda" if about.build.target.startswith("sm_") else "rocm"
    name = f"{runtime}:{device.arch if device else about.build.target}"
    details = ", ".join(filter(None, (device.name, device.features))) if device else ""
    run = build_run(
        about.build,
        about.cpu,
        suite,
        told,
        blobs,
        device=name,
        details=details,
        baseline=baseline,
    )
    return OfflineResult(
        name=about.name,
        run=run,
        is_loaded=is_object_loaded(told),
        is_healthy=told.is_healthy,
    )


def _known(file: Path) -> tuple[OfflineUnit, ...]:
    try:
        return codec.decode(file.read_bytes(), tuple[OfflineUnit, ...])
    except (OSError, ValueError) as error:
        raise Misconfigured(
            f"{file} cannot be read ({error}): write the bundle again",
            code="bad-bundle",
        ) from error


def _told(folder: Path, suite: Suite) -> RunnerReport:
    """Read what is told of a unit, if it is no more than a runner tells."""
    most = _REPORT_BYTES + _TIMES * sum(
        buffer.size for case in suite.cases for buffer in case.buffers
    )
    for name, size in ((REPORT_FILE, _REPORT_BYTES), (OUTPUTS_FILE, most)):
        file = folder / name
        if file.is_file() and file.stat().st_size > size:
            raise Misconfigured(
                f"{file} is larger than a runner writes: run the bundle again",
                code="bad-bundle",
            )
    return RunnerReport(folder)


def _blobs(folder: Path, suite: Suite) -> Blobs:
    """Return inputs and golden outputs of a suite; what has another digest now is refused."""
    places = {
        digest: folder / KEPT_FOLDER / GOLDEN_FOLDER / digest
        for digest in golden_digests(suite)
    }
    places |= {
        digest: folder / CARRIED_FOLDER / BUNDLE_FOLDER / INPUTS_FOLDER / digest
        for digest in input_digests(suite)
    }
    found = {}
    for digest, place in places.items():
        content = place.read_bytes() if place.is_file() else b""
        if hashlib.sha256(content).hexdigest() != digest:
            raise Misconfigured(
                f"{place} is not what was written there: write the bundle again",
                code="bad-bundle",
            )
        found[digest] = content
    return Blobs(found)
