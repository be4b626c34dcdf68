"""Units carried to a machine of which nothing is known but that it has some Python, and judged when they are back.

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
from crawler.port.port import port
from crawler.validate.blobs import Blobs
from crawler.validate.build import dialect_of
from crawler.validate.bundle import (
    GOLD,
    INPUTS,
    OBJECTS,
    BundledUnit,
    bundled,
    contents,
    golden,
    read_bundle,
    write_bundle,
)
from crawler.validate.devices.loadable import compiled
from crawler.validate.devices.performance import Baseline
from crawler.validate.devices.results import run_of
from crawler.validate.devices.runs import Wanted, write_job
from crawler.validate.devices.told import Told
from crawler.validate.devices.verdicts import loaded
from crawler.validate.runner.carried import carried
from crawler.validate.runner.session import OUTPUTS, REPORT
from crawler.validate.trial import try_on_cpu

CARRIED: Final = "carried"
KEPT: Final = "kept"
RUNNER: Final = "runner.pyz"
BUNDLE: Final = "bundle"
_KNOWN: Final = "known.json"
_README: Final = "README.txt"
_REPORT_BYTES: Final = 64 << 20
_TIMES: Final = 8
"""How often the bytes of a suite may come back: each case runs twice, and is timed."""
_TEXT: Final = f"""Copy this folder to a machine with a GPU and Python 3.8 or newer; nothing else is needed.

    python3 {RUNNER} {BUNDLE} results

Then bring `results` back to where the folder was written: `kernelset bundle judge FOLDER results`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a unit before it is carried away."""

    name: str
    build: Build
    cpu: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a unit did where it was carried."""

    name: str
    run: Run
    loaded: bool | None
    healthy: bool | None
    """Whether the device did as it ought to afterwards; `None` where nobody could look."""


def write_carried(units: Sequence[tuple[BundledUnit, Known]], blobs: Blobs, wanted: Wanted, folder: Path) -> None:
    """Write what is carried and what is kept into a new folder; `blobs` has objects, inputs and golden outputs."""
    bundle, kept = folder / CARRIED / BUNDLE, folder / KEPT
    bundle.mkdir(parents=True)
    kept.mkdir()
    bundles = [unit for unit, _ in units]
    write_job(bundles, blobs.get, wanted, bundle)
    (folder / CARRIED / RUNNER).write_bytes(carried())
    (folder / CARRIED / _README).write_text(_TEXT, "utf-8")
    write_bundle(bundles, blobs.get, kept)
    for name in (OBJECTS, INPUTS):
        shutil.rmtree(kept / name)
    (kept / _KNOWN).write_bytes(codec.encode(tuple(known for _, known in units)))


def packed(kernel: Kernel, target: str, blobs: Blobs) -> tuple[BundledUnit, Known] | Verdict:
    """Find a kernel's cases on the CPU and compile it for `target`; a CUDA kernel is ported for one of AMD's.

    What ends it is returned as a verdict; raises `MissingTool` where the sandbox does not work.
    """
    assert kernel.unit is not None
    tried = try_on_cpu(kernel)
    if tried.suite is None:
        told = tried.run.pass_exe
        return Verdict(status=Status.SKIPPED, code="no-cases", message=f"on the CPU: {told.code}: {told.message}")
    unit = kernel.unit
    try:
        unit = port(unit) if dialect_of(target) is Dialect.HIP and unit.dialect is Dialect.CUDA else unit
    except PortFailed as error:
        return Verdict(status=Status.UNSUPPORTED, code=error.code, message=str(error))
    made = compiled(unit, target)[0]
    if not made.object:
        told = made.build.pass_call
        return Verdict(status=Status.SKIPPED, code="not-built", message=f"{told.code}: {told.message}")
    for content in (made.object, *tried.blobs.all.values()):
        blobs.put(content)
    build = replace(made.build, object_digest=blobs.put(made.object))
    return bundled(unit, build, tried.suite), Known(name=kernel.name, build=build, cpu=tried.run)


def judged(folder: Path, results: Path, baseline: Baseline | None = None) -> Iterator[Judged]:
    """Yield what each unit of `folder` did, by what came back in `results`.

    Raises `Misconfigured` where one of them is not what it ought to be.
    """
    units = read_bundle(folder / KEPT).units
    known = _known(folder / KEPT / _KNOWN)
    if not results.is_dir():
        raise Misconfigured(f"there is no folder {results}: give the one that the runner wrote", code="no-folder")
    for unit, about in zip(units, known, strict=True):
        told = _told(results / unit.unit, unit.suite)
        yield _judged(_blobs(folder, unit.suite), unit.suite, about, told, baseline)


def _judged(blobs: Blobs, suite: Suite, about: Known, told: Told, baseline: Baseline | None) -> Judged:
    device = told.device if told.device and not told.device.code else None
    runtime = "cuda" if about.build.target.startswith("sm_") else "rocm"
    name = f"{runtime}:{device.arch if device else about.build.target}"
    details = ", ".join(filter(None, (device.name, device.features))) if device else ""
    run = run_of(about.build, about.cpu, suite, told, blobs, device=name, details=details, baseline=baseline)
    return Judged(name=about.name, run=run, loaded=loaded(told), healthy=told.healthy)


def _known(file: Path) -> tuple[Known, ...]:
    try:
        return codec.decode(file.read_bytes(), tuple[Known, ...])
    except (OSError, ValueError) as error:
        raise Misconfigured(f"{file} cannot be read ({error}): write the bundle again", code="bad-bundle") from error


def _told(folder: Path, suite: Suite) -> Told:
    """Read what is told of a unit, if it is no more than a runner tells."""
    most = _REPORT_BYTES + _TIMES * sum(buffer.size for case in suite.cases for buffer in case.buffers)
    for name, size in ((REPORT, _REPORT_BYTES), (OUTPUTS, most)):
        file = folder / name
        if file.is_file() and file.stat().st_size > size:
            raise Misconfigured(f"{file} is larger than a runner writes: run the bundle again", code="bad-bundle")
    return Told(folder)


def _blobs(folder: Path, suite: Suite) -> Blobs:
    """Return inputs and golden outputs of a suite; what has another digest now is refused."""
    places = {digest: folder / KEPT / GOLD / digest for digest in golden(suite)}
    places |= {digest: folder / CARRIED / BUNDLE / INPUTS / digest for digest in contents(suite)}
    found = {}
    for digest, place in places.items():
        content = place.read_bytes() if place.is_file() else b""
        if hashlib.sha256(content).hexdigest() != digest:
            raise Misconfigured(f"{place} is not what was written there: write the bundle again", code="bad-bundle")
        found[digest] = content
    return Blobs(found)
