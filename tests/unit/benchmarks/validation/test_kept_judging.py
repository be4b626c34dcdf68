"""Benchmarks of the judge go on where they were, and count the seconds of all runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from benchmarks.validation.kept_judging import judge_in_parts
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from workers.judging.judge_candidates import CandidateJudging, make_unjudged
from workers.judging.judgement_store import JudgementStore

CANDIDATES = [Candidate(task_id="t", number=n, completion=str(n)) for n in range(5)]


class Judging(CandidateJudging):
    """Keeps that it was asked."""

    def judge(
        self, candidates: Iterable[Candidate], results: JudgementStore
    ) -> Iterator[Judgement]:
        for candidate in candidates:
            judgement = make_unjudged(candidate, "unknown-task")
            results.add([judgement])
            yield judgement


JUDGING = Judging(lambda *_: "unknown-task", JudgeOptions(), workers=1)


def judge(kept: Path | None, most: int | None) -> tuple[list[int], float]:
    ticks = count()
    judgements, seconds = judge_in_parts(
        JUDGING, CANDIDATES, kept, most, lambda: float(next(ticks))
    )
    return [each.number for each in judgements], seconds


def test_each_run_adds_a_part_and_its_seconds(tmp_path: Path) -> None:
    assert judge(tmp_path / "kept", 2) == ([0, 1], 3.0)
    # from what the last judgement of the first run had noted
    assert judge(tmp_path / "kept", 2) == ([0, 1, 2, 3], 5.0)
    assert judge(tmp_path / "kept", None) == ([0, 1, 2, 3, 4], 6.0)


def test_without_a_folder_all_are_judged_in_one_run() -> None:
    assert judge(None, None) == ([0, 1, 2, 3, 4], 6.0)
