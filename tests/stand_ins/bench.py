"""A device at work on the tests' kernels: one that stands for AMD's or NVIDIA's, or a real one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.model import Dialect, KernelUnit, Suite, Verdict
from crawler.validate.build import build_unit
from crawler.validate.bundle.kernel_symbols import Entry
from crawler.validate.bundle.manifest import BundledUnit
from crawler.validate.devices.gpu_detection import Gpu, detect_gpus
from crawler.validate.devices.judgement.execution_verdict import judge_pass_exe
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions, run_units, write_job
from crawler.validate.runner.archive import build_archive
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import drivers, kernels
from tests.stand_ins.kernels import Does

DIALECTS = {"rocm": Dialect.HIP, "cuda": Dialect.CUDA}


def run_bare(
    library: Path,
    units: Sequence[BundledUnit],
    blobs: Blobs,
    folder: Path,
    options: RunOptions,
) -> dict[str, RunnerReport]:
    """Run units as on a bare machine: by the file that is carried there, with nothing installed."""
    bundle = folder / "bundle"
    bundle.mkdir()
    runner = folder / "runner.pyz"
    runner.write_bytes(build_archive())
    write_job(units, blobs.get, options, bundle)

    results = folder / "results"
    command: list[str | Path] = [
        sys.executable,
        "-I",
        "-S",
        runner,
        bundle,
        results,
        library,
    ]
    subprocess.run(command, check=True, capture_output=True)
    return {unit.unit: RunnerReport(results / unit.unit) for unit in units}


@dataclass
class Bench:
    """A device, and an object that it runs."""

    gpu: Gpu
    unit: KernelUnit
    object: bytes
    blobs: Blobs
    symbols: tuple[str, ...] = tuple(kernels.symbol(does) for does in Does)
    """Of its kernels, as the cases number them."""

    def bundle(self, suite: Suite, name: str = "unit") -> BundledUnit:
        """Return the object and a suite as a unit of a bundle."""
        return BundledUnit(
            unit=name,
            kernel_name="k",
            dialect=self.unit.dialect.value,
            target=self.gpu.arch,
            form="code",
            object=self.blobs.put(self.object),
            entries=tuple(Entry(label="", symbol=symbol) for symbol in self.symbols),
            suite=suite,
        )

    def run(
        self, units: Sequence[BundledUnit], options: RunOptions
    ) -> dict[str, RunnerReport]:
        """Run units in the sandbox.

        Where none works, as in most containers, these kernels of ours are run without it.
        """
        if sandbox.run_self_test().works:
            return run_units(self.gpu, units, self.blobs.get, options)
        with tempfile.TemporaryDirectory() as folder:
            return run_bare(self.gpu.library, units, self.blobs, Path(folder), options)

    def report(self, suite: Suite, options: RunOptions | None = None) -> RunnerReport:
        """Run a suite alone, and return its report."""
        options = options or RunOptions(seconds=20.0)
        return self.run([self.bundle(suite)], options)["unit"]

    def verdict(self, does: Does) -> Verdict:
        """Return the verdict of one of the tests' kernels."""
        suite = kernels.suite_of(does, self.unit, self.blobs)
        return judge_pass_exe(suite, self.report(suite), self.blobs)


def open_real_bench(runtime: str) -> Bench:
    """Return the first GPU of this machine at work; skips the test where there is none."""
    gpus = detect_gpus(runtime)
    if not gpus:
        pytest.skip(f"no GPU of {runtime} here")
    unit = kernels.unit(DIALECTS[runtime])
    built = build_unit(unit, gpus[0].arch)
    assert built.object, built.build.pass_call
    return Bench(gpu=gpus[0], unit=unit, object=built.object, blobs=Blobs())


def build_raw_bench(
    stand_in: Callable[..., Bench], name: str, runtime: str = "rocm", **settings: object
) -> Bench:
    """Return a device whose one kernel does what no compiler would let it."""
    bench = stand_in(runtime, **settings)
    return replace(bench, object=drivers.raw_object(), symbols=(name,))
