"""Hold verdicts of the CPU against kernels of known truth, and list those that are wrong.

python -m benchmarks verdicts [--cases FOLDER] [--name TEXT] [--records FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.validation.cpu_runs import load_kernels, run_kernel
from benchmarks.validation.truth_cases import CASES, TruthCase, read_truth_cases
from crawler.builds.database.compile_database import build_compile_database
from crawler.model import Kernel
from crawler.validate.launchers.author_code import (
    AuthorCode,
    find_author_code,
    get_file,
    observe_author_code,
)
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.program_evidence import ProgramEvidence, find_evidence

ALONE = False
_ACCEPTING: Final = ("pass", "consistent")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthVerdict:
    """What the CPU said of a kernel of known truth."""

    case: str
    is_correct: bool
    """Whether the kernel is, not the verdict."""
    status: str
    code: str
    message: str
    is_right: bool
    """Whether the verdict is, by its status and its code."""
    seconds: float

    @property
    def outcome(self) -> str:
        """Return in a word how kernel and verdict fit."""
        if self.is_correct:
            return "accepted" if self.is_right else f"correct, but {self.status}"
        if self.is_right:
            return "stopped"
        if self.status == "conditional":
            return "conditional"
        return "stopped for another reason" if self.status == "fail" else "missed"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    cases = [
        case
        for case in read_truth_cases(arguments.cases)
        if arguments.name in case.name
    ]
    verdicts: list[TruthVerdict] = []

    for number, case in enumerate(cases, 1):
        verdict = judge_truth_case(case)
        verdicts.append(verdict)
        print(f"{number}/{len(cases)} {_format_verdict(verdict)}", file=sys.stderr)
        if arguments.records:
            with arguments.records.open("a") as records:
                records.write(json.dumps(asdict(verdict)) + "\n")

    lines = list(_format_report(verdicts, arguments.cases.name))
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "Verdicts on kernels of known truth",
            ["python", "-m", "benchmarks", "verdicts"],
            lines,
        )
    return 0


def judge_truth_case(case: TruthCase) -> TruthVerdict:
    """Return the verdict on a case's kernel, extracted from a project of its files alone."""
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch) / "project"
        project.mkdir()
        for name, text in ((case.file, case.text), *case.other_files):
            (project / name).write_text(text)
        kernels = load_kernels(project, Path(scratch))
        reports = _observe_author_code(project, kernels)

    verdicts = [
        _judge_kernel(case, kernel, find_evidence(kernel, reports))
        for kernel in kernels
        if kernel.unit is not None
    ]
    # a defect is stopped in any kernel of its file; of a correct file none may be
    verdicts.sort(key=lambda verdict: verdict.is_right is case.is_correct)

    return verdicts[0]


def _observe_author_code(
    project: Path, kernels: Sequence[Kernel]
) -> list[tuple[str, ProgramReport]]:
    """Return what each of the project's own programs and launchers showed, beside its file."""
    commands = build_compile_database(project).commands
    codes: list[AuthorCode] = []
    for kernel in kernels:
        for code in find_author_code(project, commands, kernel):
            if code not in codes:
                codes.append(code)

    return [(get_file(code), observe_author_code(project, code)) for code in codes]


def _judge_kernel(
    case: TruthCase, kernel: Kernel, evidence: tuple[ProgramEvidence, ...]
) -> TruthVerdict:
    result, _ = run_kernel(kernel, evidence)
    status, code = str(result["status"]), str(result["code"])
    is_right = status in _ACCEPTING
    if not case.is_correct:
        is_right = status == "fail" and code in case.codes

    return TruthVerdict(
        case=case.name,
        is_correct=case.is_correct,
        status=status,
        code=code,
        message=str(result["message"]),
        is_right=is_right,
        seconds=float(result["seconds"]),
    )


def _format_verdict(verdict: TruthVerdict) -> str:
    return (
        f"{'right' if verdict.is_right else 'WRONG'} {verdict.case}:"
        f" {verdict.status} {verdict.code} ({verdict.seconds:.1f} s)"
    )


def _format_report(verdicts: Sequence[TruthVerdict], folder: str) -> Iterator[str]:
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    defect_count = sum(not verdict.is_correct for verdict in verdicts)
    correct_count = len(verdicts) - defect_count

    yield f"{correct_count} correct kernels, {defect_count} with a planted defect: {folder}."
    yield ""
    yield "| outcome | kernels |"
    yield "|---|---:|"
    for outcome, count in sorted(outcomes.items()):
        yield f"| {outcome} | {count} |"

    yield ""
    yield "| wrong | status | code |"
    yield "|---|---|---|"
    for verdict in verdicts:
        if not verdict.is_right:
            yield f"| {verdict.case} | {verdict.status} | {verdict.code} |"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("verdicts", __doc__)
    parser.add_argument(
        "--cases", type=Path, default=CASES, help="folder of cases, by topic"
    )
    parser.add_argument("--name", default="", help="only cases with this in their name")
    parser.add_argument("--records", type=Path, help="append one JSON object a verdict")
    add_results(parser)
    return parser.parse_args(argv)
