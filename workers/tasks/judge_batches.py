"""Divide the candidates of a task into batches to judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.codec import decode
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_task import JudgingTask
from storage.interfaces import BlobStore
from storage.ledger.interface import Stage, TaskSpec
from workers.judging.judge_candidates import BATCH_SIZE
from workers.tasks.payloads import JudgePayload, StoredCandidate
from workers.tasks.task_specs import make_task_spec, store_json

_TEXT_ENCODING: Final = ("utf-8", "surrogatepass")


def make_judge_batches(
    task: JudgingTask,
    candidates: Sequence[Candidate],
    blobs: BlobStore,
    *,
    options: JudgeOptions,
    account: str,
) -> Iterator[TaskSpec]:
    """Yield the tasks that judge `candidates`, all of the judging task `task`, as `options` say.

    `account` says whose share of a cluster they use.
    """
    gpu = "" if options.is_on_cpu else options.device
    by_completion: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_completion.setdefault(candidate.completion, []).append(candidate)

    groups = iter(by_completion.values())
    while batch := [
        candidate for group in islice(groups, BATCH_SIZE) for candidate in group
    ]:
        texts = [candidate.completion.encode(*_TEXT_ENCODING) for candidate in batch]
        stored = tuple(
            StoredCandidate(
                task_id=candidate.task_id,
                number=candidate.number,
                language=candidate.language,
                completion=digest,
            )
            for candidate, digest in zip(batch, blobs.put_many(texts), strict=True)
        )
        payload = JudgePayload(
            task_id=task.task_id,
            candidates=store_json(blobs, stored),
            task=task.digest,
            case_seconds=options.case_seconds,
            device=gpu,
            counts_steps=options.counts_steps,
            takes_times=options.takes_times,
            targets=options.targets,
        )
        title = f"judge {task.task_id}: {len(batch)} candidates"
        spec = make_task_spec(Stage.JUDGE, payload, title, device=gpu)
        yield replace(spec, account=account)


def load_candidates(blobs: BlobStore, digest: str) -> Iterator[Candidate]:
    """Yield the candidates of a batch that is stored under `digest`."""
    for stored in decode(blobs.get(digest), tuple[StoredCandidate, ...]):
        yield Candidate(
            task_id=stored.task_id,
            number=stored.number,
            completion=blobs.get(stored.completion).decode(*_TEXT_ENCODING),
            language=stored.language,
        )
