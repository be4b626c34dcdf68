"""Judge completions as they come from a model that is being evaluated, several at a time."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self

from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions, build_judge
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from crawler.sandbox.process_folders import make_prefix
from workers.judging.judge_candidates import (
    Batch,
    TaskFinder,
    copy_judgement,
    digest_source,
    find_candidate_source,
    judge_batch,
    make_unjudged,
)

_KEPT_TASKS: Final = 64
"""A task holds its cases: as many as a machine may well keep in memory."""
_KEPT_JUDGEMENTS: Final = 100_000


class CompletionJudge:
    """Judges one completion at a time in each thread; what it judged before it does not run again.

    Used as a context: what it compiles lies in a folder that is removed at the end.
    """

    def __init__(self, find_task: TaskFinder, options: JudgeOptions) -> None:
        self._find_task = find_task
        self._options = options
        self._lock = Lock()
        self._tasks: OrderedDict[tuple[str, str], JudgingTask | str] = OrderedDict()
        self._judgements: OrderedDict[tuple[str, str], Future[Judgement]] = (
            OrderedDict()
        )
        self._folder = tempfile.TemporaryDirectory(prefix=make_prefix("judge"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    def judge(self, candidate: Candidate) -> Judgement:
        """Return what came of a candidate; one that cannot be judged has a `code`.

        Raises `MissingTool` or `Misconfigured` where nothing can be judged on this machine.
        """
        task = self._look_up_task(candidate)
        if isinstance(task, str):
            return make_unjudged(candidate, task)
        source = find_candidate_source(candidate, task)
        if source is None:
            return make_unjudged(candidate, "completion-too-long")

        key = task.digest, digest_source(source)
        with self._lock:
            judgement = self._judgements.get(key)
            is_first = judgement is None
            if judgement is None:
                judgement = self._judgements[key] = Future()
                _drop_oldest(self._judgements, _KEPT_JUDGEMENTS)
        if not is_first:
            return copy_judgement(judgement.result(), candidate)

        batch = Batch(task=task, by_source={source: [candidate]})
        try:
            judgement.set_result(self._judge_batch(batch))
        except BaseException as problem:
            judgement.set_exception(problem)
        # whoever waits for it hears the same; who comes later, tries again
        if judgement.exception() is not None or judgement.result().code:
            with self._lock:
                self._judgements.pop(key, None)
        return judgement.result()

    def _judge_batch(self, batch: Batch) -> Judgement:
        folder = Path(self._folder.name)
        (judgement,) = judge_batch(build_judge(), batch, folder, self._options)
        return judgement

    def _look_up_task(self, candidate: Candidate) -> JudgingTask | str:
        key = candidate.task_id, candidate.language
        # one at a time: the finder may read from a database
        with self._lock:
            task = self._tasks.pop(key, None)
            if task is None:
                task = self._find_task(*key)
            self._tasks[key] = task
            _drop_oldest(self._tasks, _KEPT_TASKS)
        return task


def _drop_oldest(mapping: OrderedDict[Any, Any], most: int) -> None:
    while len(mapping) > most:
        mapping.popitem(last=False)
