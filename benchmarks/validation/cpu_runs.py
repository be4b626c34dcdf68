"""Run the kernels of packages on the CPU and count behaviours and reasons; resumes an
interrupted run.

python -m benchmarks cpu_runs FOLDER… [--state DIR] [--each N] [--name TEXT] [--strength]
[--account FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.extraction.launches import extract_facts
from benchmarks.json_lines import read_json_lines
from benchmarks.validation.cpu_runs_report import format_report, summarise_package
from crawler import codec, headers
from crawler.extract.companions.attachment import attach_companions
from crawler.extract.link import link_commit
from crawler.extract.operators.host_code import attach_host_code
from crawler.extract.operators.operator_chain import attach_operators
from crawler.model import Kernel, KernelUnit
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.version import VERSION
from crawler.validate.programs.program_evidence import (
    ProgramEvidence,
    add_program_evidence,
    judge_by_programs,
    list_recordings,
)
from crawler.validate.strength.suite_strength import StrengthMeter

ALONE = False
_SECONDS = 60.0


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    if arguments.state is None:
        with tempfile.TemporaryDirectory() as scratch:
            return _run_folders(arguments, Path(scratch))
    arguments.state.mkdir(parents=True, exist_ok=True)
    return _run_folders(arguments, arguments.state)


def _run_folders(arguments: argparse.Namespace, state: Path) -> int:
    for folder in arguments.folders:
        root = folder.resolve()
        kernels = [
            kernel
            for kernel in load_kernels(root, state)
            if arguments.name in kernel.name
        ]
        for line in run_kernels(root, kernels, state, arguments):
            if arguments.verbose:
                print(json.dumps(line), flush=True)
        print(
            json.dumps(
                summarise_package(root.name, kernels, list(_read_runs(state, root)))
            ),
            flush=True,
        )
    if arguments.results:
        lines = [
            summarise_package(
                path.name.partition(".runs.")[0], [], list(read_json_lines(path))
            )
            for path in sorted(state.glob("*.runs.jsonl"))
        ]
        report.write_report(
            arguments.results,
            "Kernels run on the CPU",
            ["python", "-m", "benchmarks", "cpu_runs"],
            format_report(lines),
        )
    return 0


def load_kernels(root: Path, state: Path) -> tuple[Kernel, ...]:
    """Return the kernels of a tree with their launches, host code and companions.

    What `state` has of them is taken from there.
    """
    kernels_file = state / f"{root.name}.kernels.json"
    if not kernels_file.exists():
        draft = kernels_file.with_suffix(".draft")
        kernels = link_commit(extract_facts(root)).kernels
        kernels = attach_host_code(root, attach_operators(root, kernels))
        draft.write_bytes(codec.encode(attach_companions(root, kernels)))
        draft.replace(kernels_file)
    return codec.decode(kernels_file.read_bytes(), tuple[Kernel, ...])


def run_kernels(
    root: Path, kernels: Sequence[Kernel], state: Path, arguments: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield what comes of every `each`th kernel; what is known of this state of the code is not
    run again.
    """
    known_runs = {
        (line["unit"], line["of"])
        for line in _read_runs(state, root)
        if "mutants" in line or not arguments.strength
    }
    until = time.monotonic() + arguments.seconds
    with (state / f"{root.name}.runs.jsonl").open("a") as opened:
        for kernel in kernels[:: arguments.each]:
            digest = kernel.unit.digest if kernel.unit else ""
            if kernel.unit is None or (digest, code_version()) in known_runs:
                continue
            if time.monotonic() > until:
                return
            before = used_cpu_seconds(arguments.account)
            result, cpu_validation = run_kernel(kernel)
            line = {
                "kernel": kernel.name,
                **result,
                "processor": used_cpu_seconds(arguments.account) - before,
                **(
                    _measure_strength(kernel.unit, cpu_validation)
                    if arguments.strength
                    else {}
                ),
            }
            opened.write(json.dumps(line) + "\n")
            opened.flush()
            yield line


def run_kernel(
    kernel: Kernel, evidence: Sequence[ProgramEvidence] = ()
) -> tuple[dict[str, Any], CpuValidation]:
    """Run a kernel that has a unit; return what is kept of it, and all that came of it.

    `evidence` is what programs of its project showed of it.
    """
    assert kernel.unit is not None
    cpu_validation = judge_by_programs(kernel.unit, evidence)
    if cpu_validation is None:
        cpu_validation = add_program_evidence(
            validate_on_cpu(kernel, recordings=list_recordings(evidence)),
            kernel.unit,
            evidence,
        )
    run = cpu_validation.run
    result = {
        "unit": run.unit,
        "of": code_version(),
        "behaviour": run.behaviour,
        "status": run.pass_exe.status,
        "code": run.pass_exe.code,
        "message": run.pass_exe.message[:200],
        "cases": run.cases,
        "seconds": run.seconds,
    }
    return result, cpu_validation


def used_cpu_seconds(usage_file: Path | None) -> float:
    """Return the seconds of the processor that this group of processes has used, as Linux
    accounts them.
    """
    return int(usage_file.read_text()) * 1e-9 if usage_file else 0.0


def _measure_strength(
    unit: KernelUnit, cpu_validation: CpuValidation
) -> dict[str, Any]:
    if cpu_validation.suite is None:
        return {"mutants": 0, "killed": 0, "branches": 0, "reached": 0, "survivors": []}
    bench = StrengthMeter(
        unit, cpu_validation.blobs, entry=cpu_validation.suite.cases[0].entry
    )
    bench.add_cases(cpu_validation.suite.cases, _SECONDS)
    bench.discard_equivalent()
    strength = bench.strength
    return {
        "mutants": strength.mutants,
        "killed": strength.killed,
        "branches": strength.branches,
        "reached": strength.branches_reached,
        "unreached": len(strength.unreached),
        "survivors": [mutant.kind for mutant in bench.survivors],
    }


def code_version() -> str:
    """Return what tells apart states of the code that may come to other ends."""
    return f"{VERSION} {headers.headers_digest()[:12]}"


def _read_runs(state: Path, root: Path) -> Iterator[dict[str, Any]]:
    return read_json_lines(state / f"{root.name}.runs.jsonl")


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("cpu_runs", __doc__)
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="unpacked packages"
    )
    parser.add_argument(
        "--state", type=Path, help="folder in which kernels and runs are kept"
    )
    parser.add_argument("--each", type=int, default=1, help="run every Nth kernel only")
    parser.add_argument(
        "--name", default="", help="run kernels only whose name has this in it"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=1e9,
        help="begin no kernel of a folder after so long",
    )
    parser.add_argument(
        "--strength", action="store_true", help="measure what the cases tell, too"
    )
    parser.add_argument(
        "--account",
        type=Path,
        help="cpuacct.usage of this group: measure the processor's time",
    )
    parser.add_argument("--verbose", action="store_true", help="print each run")
    add_results(parser)
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
