"""Judgements in storage: a source that any worker has judged is not judged again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from storage.ledger.interface import Stage
from workers.tasks.task_specs import stage_version

if TYPE_CHECKING:
    from storage.open import Storage


class KeptJudgements:
    """The judgements of all workers of a storage, found by task and source."""

    def __init__(self, storage: Storage, options: JudgeOptions) -> None:
        """Find and keep those that were judged as `options` say."""
        self._storage = storage
        self._options = options
        self.reused = 0
        """How many were found."""

    def find(self, candidate: Candidate) -> Judgement | None:
        """Return `None`: the ledger knows which candidates are judged."""
        return None

    def find_source(self, task: str, source: str, device: str) -> Judgement | None:
        """Return what came of a source, by its digest, in a task; `None` where none was judged."""
        stored_report = self._storage.source_memory.recall(
            self._key(task, source, device)
        )
        if stored_report is None:
            return None
        self.reused += 1
        return decode(self._storage.blobs.get(stored_report.decode()), Judgement)

    def add(self, judgements: Iterable[Judgement]) -> None:
        """Keep those that have a verdict; one of each source is enough."""
        by_key: dict[str, Judgement] = {}
        for judgement in judgements:
            if judgement.code:
                continue
            words = judgement.task, judgement.source, judgement.device
            key = self._key(*words)
            if self._storage.source_memory.recall(key) is None:
                by_key.setdefault(key, judgement)

        digests = self._storage.blobs.put_many(
            [encode(judgement) for judgement in by_key.values()]
        )
        pairs = zip(by_key, digests, strict=True)
        self._storage.source_memory.remember_all(
            (key, digest.encode()) for key, digest in pairs
        )

    def _key(self, task: str, source: str, device: str) -> str:
        version = stage_version(Stage.JUDGE)
        options = self._options
        how = f"{device} {options.case_seconds}"
        if options.counts_steps:
            how += " steps"
        if options.takes_times:
            how += " times"
        if options.targets:
            how += f" {','.join(options.targets)}"
        return f"judged {version} {how} {task} {source}"
