"""Run the kernels of packages on the CPU and count behaviours and reasons; resumes an
interrupted run.

python -m benchmarks cpu_runs FOLDER… [--state DIR] [--each N] [--name TEXT] [--strength]
[--account FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.extraction.launches import extract_facts
from crawler import codec, headers
from crawler.extract.link import link_commit
from crawler.extract.operators.host_code import attach_host_code
from crawler.extract.operators.operator_chain import attach_operators
from crawler.model import Behaviour, Kernel, KernelUnit
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.suite import WANTED_CASES
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.version import VERSION
from crawler.validate.strength.suite_strength import StrengthMeter

ALONE = False
_SECONDS = 60.0
_GOOD = (Behaviour.DETERMINISTIC, Behaviour.ATOMIC_NONDETERMINISTIC)


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
                path.name.partition(".runs.")[0], [], list(_read_lines(path))
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
    """Return the kernels of a tree with their launches and host code; what `state` has of them
    is taken from there.
    """
    kernels_file = state / f"{root.name}.kernels.json"
    if not kernels_file.exists():
        draft = kernels_file.with_suffix(".draft")
        draft.write_bytes(
            codec.encode(
                attach_host_code(
                    root,
                    attach_operators(root, link_commit(extract_facts(root)).kernels),
                )
            )
        )
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


def run_kernel(kernel: Kernel) -> tuple[dict[str, Any], CpuValidation]:
    """Run a kernel that has a unit; return what is kept of it, and all that came of it."""
    cpu_validation = validate_on_cpu(kernel)
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


def is_good(line: Mapping[str, Any]) -> bool:
    """Tell whether a run counts: its results are the same again, in six cases that tell
    something.
    """
    return line["behaviour"] in _GOOD and line["cases"] >= WANTED_CASES


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
    return _read_lines(state / f"{root.name}.runs.jsonl")


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        yield from (
            json.loads(line)
            for line in path.read_text().splitlines()
            if line.endswith("}")
        )


def summarise_package(
    package: str, kernels: Sequence[Kernel], lines: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return how the kernels of a package behave, and why those that do not run do not; the
    last run of each counts.
    """
    last = list({line["unit"]: line for line in lines}.values())
    good = [line for line in last if is_good(line)]
    return {
        "package": package,
        "kernels": len(kernels),
        "without_unit": sum(1 for kernel in kernels if kernel.unit is None),
        "run": len(last),
        "good": len(good),
        "behaviours": dict(Counter(line["behaviour"] for line in last).most_common()),
        "codes": dict(
            Counter(
                f"{line['behaviour']}: {line['code']}"
                for line in last
                if line not in good
            ).most_common()
        ),
        "median_seconds": round(
            statistics.median([line["seconds"] for line in last]), 1
        )
        if last
        else 0,
        "processor": sorted(
            line["processor"] for line in last if line.get("processor")
        ),
        "strengths": [line for line in last if line.get("mutants", 0) > 0],
    }


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return the report's tables: what comes of each package, and why kernels fall short."""
    columns = (
        "Package",
        "units run",
        "with six cases",
        "share",
        *Behaviour,
        "median s",
    )
    rows = [
        (
            line["package"],
            line["run"],
            line["good"],
            f"{100 * line['good'] / max(1, line['run']):.0f} %",
            *(line["behaviours"].get(behaviour, 0) for behaviour in Behaviour),
            line["median_seconds"],
        )
        for line in lines
    ]
    reasons: Counter[str] = Counter()
    for line in lines:
        reasons.update(line["codes"])
    return [
        (
            "A kernel counts where it is deterministic, or not by atomics but within a "
            "measured tolerance, with six"
        ),
        (
            "cases that tell something. Nobody chose any input. The oracle is the same "
            "execution: no meaning is proven."
        ),
        "",
        *report.format_table(columns, rows),
        "",
        "Why others fall short:",
        "",
        *report.format_table(("Behaviour: code", "units"), reasons.most_common()),
        "",
        *_format_strength(lines),
    ]


def _format_strength(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield what the cases tell, where that was measured, and what a kernel costs."""
    columns = (
        "Package",
        "suites",
        "branches taken, median",
        "mutants killed, median",
        "unreached lines",
        "survivors",
    )
    rows = []
    for line in lines:
        strengths = line["strengths"]
        if strengths:
            taken_shares = [
                strength["reached"] / strength["branches"]
                for strength in strengths
                if strength["branches"]
            ]
            killed_shares = [
                strength["killed"] / strength["mutants"] for strength in strengths
            ]
            kinds = Counter(
                kind for strength in strengths for kind in strength["survivors"]
            )
            survivor_kinds = ", ".join(
                f"{kind} {count}" for kind, count in kinds.most_common()
            )
            unreached = sum(strength["unreached"] for strength in strengths)
            shares = (
                f"{100 * statistics.median(values):.0f} %" if values else "none"
                for values in (taken_shares, killed_shares)
            )
            rows.append(
                (line["package"], len(strengths), *shares, unreached, survivor_kinds)
            )
    if rows:
        yield "How much the cases tell; what leaves the machine code as it is counts as no mutant:"
        yield ""
        yield from report.format_table(columns, rows)
        yield ""
    for line in lines:
        if line["processor"]:
            median, count = statistics.median(line["processor"]), len(line["processor"])
            yield (
                f"{line['package']}: {median:.1f} s of the processor a kernel at the "
                f"median of {count}."
            )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks cpu_runs",
        description=(__doc__ or "").splitlines()[0],
    )
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
    parser.add_argument("--results", type=Path, help="file of the report")
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
