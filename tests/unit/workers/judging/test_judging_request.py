"""A judging is asked for once, is kept by a collection of garbage, and goes on as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import decode, encode
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from storage.ledger.interface import Outcome, Stage
from storage.open import Storage, open_storage
from workers.judging.judging_request import is_judging, open_judging, read_judging
from workers.tasks.judge_batches import load_candidates
from workers.tasks.payloads import JudgePayload, JudgeResult
from workers.tasks.task_specs import store_json

TASK = JudgingTask(task_id="ab/k", test="k", language="hip", files={"k": b"1"})
CANDIDATES = [
    Candidate(task_id="ab/k", number=0, completion="int a;"),
    Candidate(task_id="cd/gone", number=0, completion="int b;"),
]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as storage:
        yield storage


def ask(storage: Storage, task: JudgingTask = TASK) -> str:
    def find_task(task_id: str, _language: str) -> JudgingTask | str:
        return task if task_id == task.task_id else "unknown-task"

    return open_judging(
        CANDIDATES,
        find_task,
        storage,
        options=JudgeOptions(case_seconds=1),
        account="ada",
    )


def judge_next(storage: Storage) -> list[Candidate]:
    """Judge a batch as a worker would, and return its candidates."""
    claim = storage.ledger.claim("me", (Stage.JUDGE,), 60)
    assert claim
    payload = decode(claim.payload, JudgePayload)
    batch = list(load_candidates(storage.blobs, payload.candidates))
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
    return batch


def collect_garbage(storage: Storage) -> None:
    storage.collect_garbage(grace_seconds=0, task_seconds=0)


def test_a_collection_of_garbage_takes_nothing_of_a_judging(storage: Storage) -> None:
    judging = ask(storage)
    collect_garbage(storage)
    assert judge_next(storage) == CANDIDATES[:1]
    collect_garbage(storage)

    judging_state = read_judging(judging, storage)
    assert judging_state
    assert judging_state.state == "complete"
    outcomes = [
        (judgement.task_id, judgement.pass_call, judgement.code)
        for judgement in judging_state.judgements
    ]
    assert outcomes == [("ab/k", True, ""), ("cd/gone", None, "unknown-task")]


def test_the_same_candidates_are_one_judging_and_other_cases_another(
    storage: Storage,
) -> None:
    judging = ask(storage)
    assert ask(storage) == judging
    judge_next(storage)
    assert ask(storage) == judging
    assert storage.ledger.count_unfinished(judging) == 0

    other = ask(storage, replace(TASK, files={"k": b"2"}))
    assert other != judging
    assert storage.ledger.count_unfinished(other) == 1


def test_what_is_cancelled_is_complete_and_goes_on_when_it_is_asked_again(
    storage: Storage,
) -> None:
    judging = ask(storage)
    assert is_judging(judging, storage)
    storage.ledger.cancel(judging)
    judging_state = read_judging(judging, storage)
    assert judging_state
    assert (judging_state.state, judging_state.is_complete) == ("cancelled", True)

    assert ask(storage) == judging
    assert judge_next(storage) == CANDIDATES[:1]


def test_a_batch_that_failed_is_counted_by_its_code(storage: Storage) -> None:
    judging = ask(storage)
    claim = storage.ledger.claim("me", (Stage.JUDGE,), 60)
    assert claim
    storage.ledger.fail(claim, "not-judged", "the reference is wrong")
    judging_state = read_judging(judging, storage)
    assert judging_state
    assert (judging_state.state, judging_state.failures) == (
        "complete",
        {"not-judged": 1},
    )


def test_a_crawl_is_no_judging(storage: Storage) -> None:
    crawl = storage.ledger.open_crawl(("pypi:rollers",), ())
    assert not is_judging(crawl, storage)
    assert read_judging(crawl, storage) is None
