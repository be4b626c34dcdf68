"""Answers to a task are judged in small batches, those of one text together."""

from __future__ import annotations

from dataclasses import replace

from crawler.codec import decode
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_task import JudgingTask
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage
from workers.judging.judge_candidates import BATCH_SIZE
from workers.tasks.judge_batches import load_candidates, make_judge_batches
from workers.tasks.payloads import JudgePayload

_USUAL = JudgeOptions()
TASK = JudgingTask(task_id="ab/k", test="k", language="hip", files={"k": b"1"})


def make_batches(
    storage: Storage,
    candidates: list[Candidate],
    task: JudgingTask = TASK,
    options: JudgeOptions = _USUAL,
) -> list[TaskSpec]:
    return list(
        make_judge_batches(
            task,
            candidates,
            storage.blobs,
            options=options,
            account="ada",
        )
    )


def answer(number: int, completion: str) -> Candidate:
    return Candidate(task_id="ab/k", number=number, completion=completion)


def load(storage: Storage, spec: TaskSpec) -> list[Candidate]:
    payload = decode(spec.payload, JudgePayload)
    return list(load_candidates(storage.blobs, payload.candidates))


def test_batches_hold_each_candidate_once_and_few_texts(storage: Storage) -> None:
    texts = [f"{number % 20}" for number in range(40)]
    candidates = [answer(number, text) for number, text in enumerate(texts)]
    batches = [load(storage, spec) for spec in make_batches(storage, candidates)]
    loaded = [candidate for batch in batches for candidate in batch]
    assert sorted(loaded, key=lambda each: each.number) == candidates
    counts = [len({candidate.completion for candidate in batch}) for batch in batches]
    assert counts == [BATCH_SIZE, BATCH_SIZE, 4]


def test_an_answer_of_any_characters_comes_back_as_it_was(storage: Storage) -> None:
    candidate = answer(0, "\ud800 \x00 é\r\n")
    (spec,) = make_batches(storage, [candidate])
    assert load(storage, spec) == [candidate]


def test_other_cases_and_other_bounds_are_another_task(storage: Storage) -> None:
    candidates = [answer(0, "int a;")]
    (spec,) = make_batches(storage, candidates)
    assert (spec.stage, spec.queue, spec.account) == (Stage.JUDGE, "judge", "ada")
    assert make_batches(storage, candidates) == [spec]
    other = replace(TASK, files={"k": b"2"})
    keys = {
        spec.key,
        make_batches(storage, candidates, other)[0].key,
        make_batches(storage, candidates, options=JudgeOptions(case_seconds=1))[0].key,
        make_batches(storage, candidates, options=JudgeOptions(counts_steps=True))[
            0
        ].key,
    }
    assert len(keys) == 4


def test_what_runs_on_a_gpu_waits_for_a_worker_with_one(storage: Storage) -> None:
    options = JudgeOptions(device="rocm:gfx942")
    (spec,) = make_batches(storage, [answer(0, "int a;")], options=options)
    assert spec.queue == "judge.rocm.gfx942"
    assert decode(spec.payload, JudgePayload).device == "rocm:gfx942"
