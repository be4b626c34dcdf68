"""Measure how many candidates are judged in an hour, and what beside compilers and kernels costs.

python -m benchmarks judging_rate TESTS [--candidates N] [--workers N] [--kept FOLDER] [--most N]

TESTS is a folder of exported tests (`kernelset validate UNIT --device cpu --tests TESTS`). The
candidates are its own kernels, each with another comment, so that none of them is known before it
is judged: all have to be right.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.validation.kept_judging import add_kept, judge_in_parts
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from crawler.validate.harness.judged_test import REFERENCES_FOLDER
from workers.judging.judge_candidates import CandidateJudging
from workers.judging.task_finders import FolderTasks

ALONE = False


def main(argv: Sequence[str] | None = None) -> int:
    parser = create_parser("judging_rate", __doc__)
    parser.add_argument("tests", type=Path, help="a folder of exported tests")
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    add_kept(parser)
    add_results(parser)
    arguments = parser.parse_args(argv)

    tasks = FolderTasks(arguments.tests)
    judging = CandidateJudging(
        tasks.find, JudgeOptions(seed=1), workers=arguments.workers
    )
    candidates = islice(make_candidates(tasks.list_all()), arguments.candidates)
    judgements, seconds = judge_in_parts(
        judging, candidates, arguments.kept, arguments.most
    )
    lines = describe_rate(judgements, seconds, arguments.workers)

    print("\n".join(lines))
    if arguments.results:
        words = [Path(arguments.tests).name, "--candidates", arguments.candidates]
        command = report.describe_command("judging_rate", [*map(str, words)])
        report.write_report(
            arguments.results, "Candidates judged in an hour", command, lines
        )
    return 0 if all(judgement.pass_exe for judgement in judgements) else 1


def make_candidates(tasks: Sequence[JudgingTask]) -> Iterator[Candidate]:
    """Yield the kernels of the tasks in turn without an end, each with another comment."""
    for number, task in enumerate(cycle(tasks)):
        source = task.files[f"{REFERENCES_FOLDER}/{task.candidate_file}"].decode()
        yield Candidate(
            task_id=task.task_id,
            number=number,
            completion=f"{source}\n// candidate {number}\n",
        )


def describe_rate(
    judgements: Sequence[Judgement], seconds: float, workers: int
) -> list[str]:
    """Return the report of a run that took `seconds` by the clock."""
    compiling = sum(judgement.compile_seconds for judgement in judgements)
    running = sum(judgement.run_seconds for judgement in judgements)
    rest = 1 - (compiling + running) / (seconds * workers)
    right = sum(bool(judgement.pass_exe) for judgement in judgements)
    rows = [
        ("candidates, all of them right kernels", len(judgements)),
        ("judged as right", right),
        ("candidates an hour", f"{len(judgements) / seconds * 3600:.0f}"),
        ("seconds in compilers, a candidate", f"{compiling / len(judgements):.2f}"),
        ("seconds in kernels, a candidate", f"{running / len(judgements):.2f}"),
        ("share of the workers' time beside these", f"{100 * rest:.1f} %"),
    ]
    return report.format_table(("", f"{workers} workers"), rows)


if __name__ == "__main__":
    sys.exit(main())
