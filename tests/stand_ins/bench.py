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


def bare(
    library: Path,
    units: Sequence[BundledUnit],
    blobs: Blobs,
    folder: Path,
    wanted: RunOptions,
) -> dict[str, RunnerReport]:
    """Run units as on a bare machine: by the file that is carried there, with nothing installed."""
    (folder / "bundle").mkdir()
    (folder / "runner.pyz").write_bytes(build_archive())
    write_job(units, blobs.get, wanted, folder / "bundle")
    words = [
        sys.executable,
        "-I",
        "-S",
        folder / "runner.pyz",
        folder / "bundle",
        folder / "results",
        library,
    ]
    subprocess.run(words, check=True, capture_output=True)
    return {each.unit: RunnerReport(folder / "results" / each.unit) for each in units}


@dataclass
class Bench:
    """A device, and an object that it runs."""

    gpu: Gpu
    unit: KernelUnit
    object: bytes
    blobs: Blobs
    symbols: tuple[str, ...] = tuple(kernels.symbol(does) for does in Does)
    """Of its kernels, as the cases number them."""

    def bundled(self, suite: Suite, name: str = "unit") -> BundledUnit:
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
        self, units: Sequence[BundledUnit], wanted: RunOptions
    ) -> dict[str, RunnerReport]:
        """Run units in the sandbox; where none works, as in most containers, these kernels of
        ours without.
        """
        if sandbox.run_self_test().works:
            return run_units(self.gpu, units, self.blobs.get, wanted)
        with tempfile.TemporaryDirectory() as folder:
            return bare(self.gpu.library, units, self.blobs, Path(folder), wanted)

    def told(self, suite: Suite, wanted: RunOptions | None = None) -> RunnerReport:
        return self.run([self.bundled(suite)], wanted or RunOptions(seconds=20.0))[
            "unit"
        ]

    def verdict(self, does: Does) -> Verdict:
        suite = kernels.suite_of(does, self.unit, self.blobs)
        return judge_pass_exe(suite, self.told(suite), self.blobs)


def real(runtime: str) -> Bench:
    found = detect_gpus(runtime)
    if not found:
        pytest.skip(f"no GPU of {runtime} here")
    unit = kernels.unit(DIALECTS[runtime])
    made = build_unit(unit, found[0].arch)
    assert made.object, made.build.pass_call
    return Bench(gpu=found[0], unit=unit, object=made.object, blobs=Blobs())


def raw(
    stand_in: Callable[..., Bench], name: str, runtime: str = "rocm", **settings: object
) -> Bench:
    """A device whose one kernel does as no compiler would let it."""
    bench = stand_in(runtime, **settings)
    return replace(bench, object=drivers.raw_object(), symbols=(name,))
