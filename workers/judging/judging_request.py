"""Ask that candidates are judged by whoever serves the queue, and read how far that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from storage.ledger.interface import Stage, TaskSpec
from workers.judging.judge_candidates import TaskFinder, make_unjudged
from workers.tasks.judge_batches import make_judge_batches
from workers.tasks.payloads import JudgeResult
from workers.tasks.queues import queue_of

if TYPE_CHECKING:
    from storage.open import Storage

LOCATOR_PREFIX: Final = "judge:"
"""Of what a judging is called among the crawls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingRequest:
    """What was asked for, as it is stored."""

    candidates: int
    unjudged: tuple[Judgement, ...]
    """Of candidates that no worker need look at: no kernel has their task."""
    queue: str
    """Where the others wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How far a judging is."""

    id: str
    state: str
    """`active`, `paused` or `cancelled`; `complete` where nothing is left to do."""
    candidates: int
    queue: str
    """Where its candidates wait to be judged."""
    judgements: tuple[Judgement, ...]
    """Those that are there, by task and number."""
    failures: dict[str, int]
    """Code to how many batches ended with it, without judgements."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing more comes."""
        return self.state in ("complete", "cancelled")


def open_judging(
    candidates: Sequence[Candidate],
    find_task: TaskFinder,
    storage: Storage,
    *,
    options: JudgeOptions,
    account: str,
) -> str:
    """Record that `candidates` are to be judged as `options` say, with fresh seeds, and return the
    judging's id.

    The same candidates by the same cases and options are the same judging, which goes on.
    """
    groups: defaultdict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[candidate.task_id, candidate.language].append(candidate)

    specs: list[TaskSpec] = []
    unjudged: list[Judgement] = []
    for (task_id, language), members in groups.items():
        task = find_task(task_id, language)
        if isinstance(task, str):
            unjudged += [make_unjudged(candidate, task) for candidate in members]
            continue
        specs += make_judge_batches(
            task, members, storage.blobs, options=options, account=account
        )

    gpu = "" if options.is_on_cpu else options.device
    request = JudgingRequest(
        candidates=len(candidates),
        unjudged=tuple(unjudged),
        queue=queue_of(Stage.JUDGE, gpu),
    )
    digest = storage.blobs.put(encode(request))
    judging = storage.ledger.open_crawl(
        (f"{LOCATOR_PREFIX}{digest[:12]}",),
        tuple(specs),
        asked_by=account.removeprefix(LOCATOR_PREFIX),
    )
    storage.source_memory.remember(_key(judging), digest.encode())
    return judging


def read_judging(judging: str, storage: Storage) -> Judging | None:
    """Return how far a judging is; `None` where none has this id."""
    stored_judging = storage.source_memory.recall(_key(judging))
    if stored_judging is None:
        return None

    request = decode(storage.blobs.get(stored_judging.decode()), JudgingRequest)
    # first: what ends between the two looks is only not shown yet
    unfinished_count = storage.ledger.count_unfinished(judging)
    state = storage.ledger.crawl_state(judging)
    judgements = list(request.unjudged)
    results = storage.ledger.results(Stage.JUDGE, judging)
    digests = [decode(encoded, JudgeResult).judgements for _, encoded in results]
    for stored in storage.blobs.get_many(digests):
        judgements += decode(stored, tuple[Judgement, ...])

    failures: dict[str, int] = {}
    for failure in storage.ledger.failures(judging):
        failures[failure.code] = failures.get(failure.code, 0) + 1

    judgements.sort(key=lambda each: (each.task_id, each.number))
    return Judging(
        id=judging,
        state="complete" if not unfinished_count and state != "cancelled" else state,
        candidates=request.candidates,
        queue=request.queue,
        judgements=tuple(judgements),
        failures=failures,
    )


def is_judging(crawl: str, storage: Storage) -> bool:
    """Return whether the crawl with this id is a judging."""
    return storage.source_memory.recall(_key(crawl)) is not None


def _key(judging: str) -> str:
    return f"judging {judging}"
