"""Judge kernels that are written otherwise by rules that leave their meaning: none may be refused.

python -m benchmarks honest_variants TESTS [--variants N] [--seed N] [--workers N]
                                            [--kept FOLDER] [--most N]

TESTS is a folder of exported tests (`kernelset validate UNIT --device cpu --tests TESTS`, or the
folder `tests` of a tree at the depth `full`). Of each kernel the variants go round: blocks and
threads in another order, loops unrolled and counted down, sums of 64 bits, fused arithmetic, then
two of these at once.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.validation.kept_judging import add_kept, judge_in_parts
from benchmarks.validation.variant_makers import iter_variants
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from crawler.validate.harness.judged_test import REFERENCES_FOLDER
from workers.judging.judge_candidates import CandidateJudging
from workers.judging.task_finders import FolderTasks


def main(argv: Sequence[str] | None = None) -> int:
    parser = create_parser("honest_variants", __doc__)
    parser.add_argument("tests", type=Path, help="a folder of exported tests")
    parser.add_argument("--variants", type=int, default=200)
    parser.add_argument(
        "--seed", type=int, default=1, help="what fresh inputs are drawn from"
    )
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    add_kept(parser)
    add_results(parser)
    arguments = parser.parse_args(argv)

    tasks = FolderTasks(arguments.tests)
    made = list(islice(make_variants(tasks.list_all()), arguments.variants))
    names = {candidate.number: name for name, candidate in made}
    judging = CandidateJudging(
        tasks.find, JudgeOptions(seed=arguments.seed), workers=arguments.workers
    )
    judgements, _ = judge_in_parts(
        judging, (variant for _, variant in made), arguments.kept, arguments.most
    )
    lines = describe_variants(judgements, names)

    print("\n".join(lines))
    if arguments.results:
        words = [Path(arguments.tests).name, "--variants", str(arguments.variants)]
        words += ["--seed", str(arguments.seed)]
        command = report.describe_command("honest_variants", words)
        report.write_report(
            arguments.results, "Honest kernels that are judged", command, lines
        )
    return 0 if all(judgement.pass_exe for judgement in judgements) else 1


def make_variants(tasks: Sequence[JudgingTask]) -> Iterator[tuple[str, Candidate]]:
    """Yield variants with the names of what was done, one of each kernel in turn."""
    rounds = zip_longest(*(_iter_variants_of(task) for task in tasks))
    numbered = enumerate(
        variant for one_each in rounds for variant in one_each if variant
    )
    for number, (task_id, name, source) in numbered:
        yield name, Candidate(task_id=task_id, number=number, completion=source)


def describe_variants(
    judgements: Sequence[Judgement], names: Mapping[int, str]
) -> list[str]:
    """Return the report: how each kind was judged, then each variant that is not right."""
    outcomes = {judgement.number: _name_outcome(judgement) for judgement in judgements}
    rows: list[tuple[object, ...]] = []
    for name in dict.fromkeys(names[judgement.number] for judgement in judgements):
        own = [outcomes[number] for number in outcomes if names[number] == name]
        rows.append((name, len(own), own.count("right")))
    counts = Counter(outcomes.values())
    lines = report.format_table(
        ("written otherwise", "variants", "judged as right"),
        [*rows, ("all", len(judgements), counts["right"])],
    )
    kernels = len({judgement.task_id for judgement in judgements})
    lines += ["", f"Variants of {kernels} kernels."]
    for judgement in judgements:
        outcome = outcomes[judgement.number]
        if outcome != "right":
            words = (judgement.call_err_msg or judgement.exe_err_msg).splitlines()[:1]
            name = names[judgement.number]
            lines.append(f"- {judgement.task_id}, {name}: {outcome}: {' '.join(words)}")
    return lines


def _iter_variants_of(task: JudgingTask) -> Iterator[tuple[str, str, str]]:
    source = task.files[f"{REFERENCES_FOLDER}/{task.candidate_file}"].decode()
    for name, text in iter_variants(source):
        yield task.task_id, name, text


def _name_outcome(judgement: Judgement) -> str:
    if judgement.code:
        return judgement.code
    if not judgement.pass_call:
        return "does not compile"
    if judgement.refusal:
        return f"refused as {judgement.refusal}"
    return "right" if judgement.pass_exe else "wrong"


if __name__ == "__main__":
    sys.exit(main())
