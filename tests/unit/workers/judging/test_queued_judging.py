"""A file of candidates is judged by whoever serves the queue, and what is missing is asked again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.codec import decode, encode
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from storage.ledger.interface import Outcome, Stage
from storage.open import Storage, open_storage
from workers.judging import queued_judging
from workers.judging.judgement_file import open_judgement_file
from workers.judging.queued_judging import QueuedJudging
from workers.judging.task_finders import StoredTasks
from workers.tasks.judge_batches import load_candidates
from workers.tasks.payloads import JudgePayload, JudgeResult
from workers.tasks.task_specs import store_json

TASK = JudgingTask(task_id="ab/k", test="k", language="hip", files={"k": b"1"})
CANDIDATES = [
    Candidate(task_id=name, number=number, completion=str(number))
    for name in ("ab/k", "cd/other")
    for number in range(10)
]


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """A store with one task."""

    def find(_: StoredTasks, task_id: str, _language: str) -> JudgingTask | str:
        return TASK if task_id == TASK.task_id else "unknown-task"

    monkeypatch.setattr(StoredTasks, "find", find)
    monkeypatch.setattr(queued_judging, "_LOOK_SECONDS", 0.05)
    with open_storage(tmp_path) as storage:
        yield storage


def work(storage: Storage, failing: int, stop: threading.Event) -> None:
    """Judge as a worker would, but for the batches that have the candidate `failing`."""
    while not stop.wait(0.05):
        claim = storage.ledger.claim("me", (Stage.JUDGE,), 60)
        if claim is None:
            continue
        payload = decode(claim.payload, JudgePayload)
        batch = list(load_candidates(storage.blobs, payload.candidates))
        if any(candidate.number == failing for candidate in batch):
            storage.ledger.fail(claim, "not-judged", "the reference is wrong")
            continue
        judgements = tuple(
            Judgement(
                task_id=candidate.task_id,
                number=candidate.number,
                completion=candidate.digest,
                pass_call=True,
            )
            for candidate in batch
        )
        digest = store_json(storage.blobs, judgements)
        result = JudgeResult(judgements=digest, judged=len(batch), reused=0)
        storage.ledger.finish(claim, Outcome(result=encode(result).decode()))


def judge(
    storage: Storage, results: Path, failing: int = -1
) -> tuple[list[tuple[str, int, str]], list[str]]:
    """Return what was told of each candidate, and the judgings that miss some."""
    stop = threading.Event()
    worker = threading.Thread(target=work, args=(storage, failing, stop))
    worker.start()
    judging = QueuedJudging(storage, JudgeOptions(), account="ada")
    try:
        with open_judgement_file(results) as file:
            judgements = [
                (judgement.task_id, judgement.number, judgement.code)
                for judgement in judging.judge(CANDIDATES, file)
            ]
    finally:
        stop.set()
        worker.join()
    return sorted(judgements), judging.failed_judgings


def test_each_candidate_is_told_of_and_kept_once(
    storage: Storage, tmp_path: Path
) -> None:
    judgements, failed = judge(storage, tmp_path / "results.jsonl")
    codes = {"ab/k": "", "cd/other": "unknown-task"}
    assert judgements == [
        (candidate.task_id, candidate.number, codes[candidate.task_id])
        for candidate in CANDIDATES
    ]
    assert failed == []
    assert judge(storage, tmp_path / "results.jsonl") == ([], [])


def test_what_ended_without_a_judgement_is_had_after_a_retry(
    storage: Storage, tmp_path: Path
) -> None:
    judgements, (judging,) = judge(storage, tmp_path / "results.jsonl", failing=9)
    missing = [number for name, number, code in judgements if code == "not-judged"]
    assert missing == [8, 9]
    assert [failure.code for failure in storage.ledger.failures(judging)] == [
        "not-judged"
    ]

    storage.ledger.retry(crawl=judging)
    judgements, failed = judge(storage, tmp_path / "results.jsonl")
    assert judgements == [("ab/k", 8, ""), ("ab/k", 9, "")]
    assert failed == []
