"""Judge candidates by the workers of a cluster, and keep what came of each at once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from workers.judging.judge_candidates import make_unjudged
from workers.judging.judgement_store import JudgementStore
from workers.judging.judging_request import open_judging, read_judging
from workers.judging.task_finders import StoredTasks

if TYPE_CHECKING:
    from storage.open import Storage

_WINDOW: Final = 1000
"""Candidates of one judging: all of them are held in memory."""
_LOOK_SECONDS: Final = 1.0


class QueuedJudging:
    """Has candidates judged by whoever serves the queue, one judging after the other."""

    def __init__(
        self, storage: Storage, options: JudgeOptions, *, account: str
    ) -> None:
        self._storage = storage
        self._options = options
        self._account = account
        self.failed_judgings: list[str] = []
        """Ids of those of which a batch ended without judgements, or that were cancelled."""

    def judge(
        self, candidates: Iterable[Candidate], results: JudgementStore
    ) -> Iterator[Judgement]:
        """Yield what came of each candidate that `results` does not have, as it is added there.

        What ended without a judgement is `not-judged`, and is not added.
        """
        unjudged_candidates = (
            candidate for candidate in candidates if results.find(candidate) is None
        )
        while window := list(islice(unjudged_candidates, _WINDOW)):
            judging = open_judging(
                window,
                StoredTasks(self._storage).find,
                self._storage,
                options=self._options,
                account=self._account,
            )
            yield from self._follow(judging, window, results)

    def _follow(
        self, judging: str, window: Iterable[Candidate], results: JudgementStore
    ) -> Iterator[Judgement]:
        told_keys: set[tuple[str, int]] = set()
        while True:
            judging_state = read_judging(judging, self._storage)
            assert judging_state is not None, "it was just opened"
            fresh = [
                judgement
                for judgement in judging_state.judgements
                if (judgement.task_id, judgement.number) not in told_keys
            ]
            told_keys.update(
                (judgement.task_id, judgement.number) for judgement in fresh
            )
            if fresh:
                results.add(fresh)
            yield from fresh

            if judging_state.is_complete:
                break
            time.sleep(_LOOK_SECONDS)

        missing = [
            candidate
            for candidate in window
            if (candidate.task_id, candidate.number) not in told_keys
        ]
        if missing:
            self.failed_judgings.append(judging)
        # not kept: after a retry the same command has them
        yield from (make_unjudged(candidate, "not-judged") for candidate in missing)
