"""Measure the cost of the device runner beside its launches, and what it leaves behind, on a
stand-in driver.

python -m benchmarks device_overhead [--units N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from crawler.model import Dialect, Status
from crawler.validate.bundle.kernel_symbols import Entry
from crawler.validate.bundle.manifest import BundledUnit
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.judgement.execution_verdict import judge_pass_exe
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.runner_io.sandboxed_runner import run_runner
from crawler.validate.devices.unit_runs import RunOptions, run_units
from crawler.validate.values.blobs import Blobs

TESTS_FOLDER = Path(__file__).resolve().parents[2] / "tests"
ALONE = True


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        lines = _measure_overhead(Path(folder), arguments.units)
    print("\n".join(lines))
    if arguments.results:
        argv = [
            "python",
            "-m",
            "benchmarks",
            "device_overhead",
            "--units",
            str(arguments.units),
        ]
        report.write_report(arguments.results, "What the runner costs", argv, lines)
    return 0


@dataclass(frozen=True)
class StandInDevice:
    """A stand-in for a device, and units for it that differ in nothing but their name."""

    gpu: Gpu
    units: tuple[BundledUnit, ...]
    blobs: Blobs

    def run(self, count: int) -> dict[str, RunnerReport]:
        return run_units(self.gpu, self.units[:count], self.blobs.get, RunOptions())


def _make_stand_in(folder: Path, count: int) -> StandInDevice:
    from tests.stand_ins import drivers, kernels
    from tests.stand_ins.kernels import Does

    blobs, unit = Blobs(), kernels.unit(Dialect.HIP)
    symbols = [kernels.symbol(does) for does in Does]
    digest = blobs.put(drivers.unit_object(kernels.unit(Dialect.CUDA), symbols))
    template_unit = BundledUnit(
        unit="",
        kernel_name="k",
        dialect="hip",
        target="gfx90a",
        form="code",
        object=digest,
        entries=tuple(Entry(label="", symbol=symbol) for symbol in symbols),
        suite=kernels.suite_of(Does.ITS_WORK, unit, blobs),
    )
    library = drivers.install(folder / "driver", "rocm")
    gpu = Gpu(
        runtime="rocm", index=0, name="a stand-in", arch="gfx90a", library=library
    )
    return StandInDevice(
        gpu,
        tuple(replace(template_unit, unit=f"unit-{number}") for number in range(count)),
        blobs,
    )


def _measure_overhead(folder: Path, count: int) -> list[str]:
    bench = _make_stand_in(folder, count)
    library = bench.gpu.library
    starts = _measure_seconds(
        lambda: run_runner(("--probe", "rocm", str(library)), library, (), seconds=30)
    )
    alone = _measure_seconds(lambda: bench.run(1))
    handles, began = _count_open_files(), time.monotonic()
    reports = bench.run(count)
    wall = time.monotonic() - began
    unit_seconds = [line.end.seconds for line in reports.values() if line.end]
    suite = bench.units[0].suite
    passed = sum(
        judge_pass_exe(suite, line, bench.blobs).status is Status.PASS
        for line in reports.values()
    )
    return [
        (
            f"A unit of {len(suite.cases)} cases, each launched twice, on a driver that "
            "stands for AMD's and runs kernels"
        ),
        "on this CPU. Times are medians of five.",
        "",
        *report.format_table(
            ("What", "is"),
            [
                (
                    "starting the runner in the sandbox, opening the device",
                    f"{starts:.3f} s",
                ),
                ("the same, and a unit", f"{alone:.3f} s"),
                (f"{count} units in one go, a process each", f"{wall:.1f} s"),
                (
                    "each of them beyond the first",
                    f"{(wall - alone) / max(1, count - 1):.3f} s",
                ),
                (
                    "each of them at the median, opening the device among it",
                    f"{statistics.median(unit_seconds):.3f} s",
                ),
                ("pass", f"{passed} of {count}"),
                (
                    "device memory that they did not give back",
                    f"{_count_leaked_bytes(reports)} bytes",
                ),
                ("open files more than before", _count_open_files() - handles),
                ("processes left", _count_leftover_processes(library)),
            ],
        ),
    ]


def _measure_seconds(work: Callable[[], object], times: int = 5) -> float:
    durations = []
    for _ in range(times):
        began = time.monotonic()
        work()
        durations.append(time.monotonic() - began)
    return statistics.median(durations)


def _count_leaked_bytes(reports: Mapping[str, RunnerReport]) -> int:
    return sum(
        line.memory.before - line.memory.after
        for line in reports.values()
        if line.memory
    )


def _count_open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def _count_leftover_processes(library: Path) -> int:
    """Return how many processes still have the driver open."""
    maps = (
        path / "maps"
        for path in Path("/proc").glob("[0-9]*")
        if path.name != str(os.getpid())
    )
    return sum(_has_open(path, str(library)) for path in maps)


def _has_open(maps: Path, name: str) -> bool:
    try:
        return name in maps.read_text()
    except OSError:
        return False


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("device_overhead", __doc__)
    parser.add_argument("--units", type=int, default=200)
    add_results(parser)
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
