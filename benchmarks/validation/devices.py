"""Run the kernels of packages on a GPU and list where it disagrees with the CPU.

python -m benchmarks devices --device rocm FOLDER… [--state DIR] [--each N] [--name TEXT]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.json_lines import read_json_lines
from benchmarks.validation.cpu_runs import load_kernels
from crawler.model import Dialect, Kernel
from crawler.port.port import port_unit
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.devices.device_validation import DeviceValidation, run_on_gpu
from crawler.validate.devices.gpu_detection import Gpu, explain_missing_gpu, find_gpu
from crawler.validate.devices.unit_runs import RunOptions

ALONE = False
_RIGHT = ("pass", "consistent")
_WANTED = 95
_TIMED = {"launches": 60, "warm_ups": 5, "seconds": 5.0}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    gpu = find_gpu(arguments.device)
    if gpu is None:
        print(explain_missing_gpu(arguments.device).message, file=sys.stderr)
        return 4
    with tempfile.TemporaryDirectory() as scratch:
        state = arguments.state or Path(scratch)
        state.mkdir(parents=True, exist_ok=True)
        lines = [
            line
            for folder in arguments.folders
            for line in _run_package(folder.resolve(), gpu, state, arguments)
        ]
    if arguments.results:
        argv = [
            "python",
            "-m",
            "benchmarks",
            "devices",
            "--device",
            arguments.device,
        ]
        report.write_report(
            arguments.results,
            f"Kernels run on {gpu.details}",
            argv,
            format_report(lines, gpu),
        )
    return 0


def _run_package(
    root: Path, gpu: Gpu, state: Path, arguments: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    kernels = [
        kernel
        for kernel in load_kernels(root, state)
        if kernel.unit and arguments.name in kernel.name
    ]
    lines_file = state / f"{root.name}.{gpu.device.replace(':', '-')}.jsonl"
    known_lines = {line["unit"]: line for line in read_json_lines(lines_file)}
    with lines_file.open("a") as opened:
        for kernel in kernels[:: arguments.each]:
            assert kernel.unit is not None
            line = known_lines.get(kernel.unit.digest)
            if line is None:
                line = _run_kernel(root.name, kernel, gpu)
                opened.write(json.dumps(line) + "\n")
                opened.flush()
            print(json.dumps(line), flush=True)
            yield line


def _run_kernel(package: str, kernel: Kernel, gpu: Gpu) -> dict[str, Any]:
    unit = kernel.unit
    assert unit is not None
    cpu_validation = validate_on_cpu(kernel)
    line = {
        "package": package,
        "unit": unit.digest,
        "kernel": kernel.name,
        "cpu": cpu_validation.run.pass_exe.status,
    }
    if cpu_validation.suite is None:
        return {**line, "code": cpu_validation.run.pass_exe.code}
    gpu_unit = (
        port_unit(unit)
        if gpu.runtime == "rocm" and unit.dialect is Dialect.CUDA
        else unit
    )
    return {
        **line,
        **_summarise_run(
            run_on_gpu(
                gpu,
                gpu_unit,
                cpu_validation.suite,
                cpu_validation.blobs,
                cpu_validation.run,
                RunOptions(timing=_TIMED),
            )
        ),
    }


def _summarise_run(validation: DeviceValidation) -> dict[str, Any]:
    verdict, performance = validation.run.pass_exe, validation.run.performance
    return {
        "status": verdict.status,
        "code": verdict.code,
        "message": verdict.message[:200],
        "healthy": validation.is_healthy,
        "disagreement": validation.run.disagreement,
        "sanitized": validation.run.sanitized,
        "seconds": validation.run.seconds,
        "pass_perf": validation.run.pass_perf.code if validation.run.pass_perf else "",
        "median_ms": performance.median_ms if performance else None,
        "share": performance.share if performance else None,
        "roofline": performance.roofline if performance else None,
    }


def format_report(lines: Sequence[dict[str, Any]], gpu: Gpu) -> list[str]:
    """Return the report: how many of those that pass on the CPU pass here, and every one that
    does not.
    """
    good = [line for line in lines if line["cpu"] in _RIGHT and "status" in line]
    passed = [line for line in good if line["status"] == "pass"]
    share = 100 * len(passed) / max(1, len(good))
    seconds = [line["seconds"] for line in good]
    return [
        f"On {gpu.device}, driver {gpu.driver}: {len(passed)} of {len(good)} units that "
        "pass on the CPU pass there "
        f"({share:.0f} %; {_WANTED} % are wanted), of {len(lines)} that were tried. The "
        "median unit takes "
        f"{statistics.median(seconds) if seconds else 0:.1f} s, compiling, timing and a "
        "look at the device's health "
        "among it.",
        (
            "Times, by code: "
            f"{_format_counts(line['pass_perf'] for line in good if line['pass_perf'])}."
        ),
        f"Looked at by compute-sanitizer: {sum(bool(line.get('sanitized')) for line in good)}.",
        f"Compilers that disagree: {sum(bool(line.get('disagreement')) for line in good)}.",
        (
            "Those that do not pass, by code: "
            f"{_format_counts(line['code'] for line in good if line['status'] != 'pass')}."
        ),
        "",
        *report.format_table(
            ("Package", "kernel", "on the CPU", "here", "code", "message"),
            [
                (
                    *(
                        line[name]
                        for name in ("package", "kernel", "cpu", "status", "code")
                    ),
                    _escape_message(line["message"]),
                )
                for line in good
                if line["status"] != "pass"
            ],
        ),
    ]


def _format_counts(codes: Iterable[str]) -> str:
    return (
        ", ".join(f"{code} {count}" for code, count in Counter(codes).most_common())
        or "none"
    )


def _escape_message(message: str) -> str:
    return message.replace("|", "/").replace("\n", " ")


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("devices", __doc__)
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="unpacked packages"
    )
    parser.add_argument(
        "--device", required=True, help="rocm, cuda, or one such as rocm:gfx942"
    )
    parser.add_argument(
        "--state", type=Path, help="folder in which kernels and runs are kept"
    )
    parser.add_argument("--each", type=int, default=1, help="run every Nth kernel only")
    parser.add_argument(
        "--name", default="", help="run kernels only whose name has this in it"
    )
    add_results(parser)
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
