"""Judge candidates task by task, each source once, and keep what came of each at once."""

from __future__ import annotations

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.errors import Misconfigured
from crawler.judging.candidate import Candidate
from crawler.judging.candidate_files import MAX_COMPLETION_BYTES
from crawler.judging.completion_source import find_source
from crawler.judging.counted_steps import can_be_counted, judge_steps
from crawler.judging.judge_program import (
    JudgeOptions,
    Outcome,
    build_judge,
    judge_sources,
)
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from crawler.sandbox.process_folders import make_prefix
from workers.judging.judgement_store import JudgementStore
from workers.judging.measured_judgements import add_builds, add_times

TaskFinder = Callable[[str, str], JudgingTask | str]
"""Returns the task of an id in a language, empty for the one that prompts ask for; the code of
why there is none otherwise."""
BATCH_SIZE: Final = 8
"""Sources that share one build of their reference; what a kill may lose at most."""

_WINDOW_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Candidates of one task that are judged together."""

    task: JudgingTask
    by_source: dict[str, list[Candidate]]
    """Source to the candidates that it stands for."""


class CandidateJudging:
    """Judges candidates by the tasks that `find_task` gives, with as many judges as `workers`."""

    def __init__(
        self, find_task: TaskFinder, options: JudgeOptions, *, workers: int
    ) -> None:
        self._find_task = find_task
        self._options = options
        self._workers = workers

    def judge(
        self, candidates: Iterable[Candidate], results: JudgementStore
    ) -> Iterator[Judgement]:
        """Yield what came of each candidate that `results` does not have, as it is added there.

        Raises `Misconfigured` where nothing can be judged on this machine.
        """
        batches = self._make_batches(candidates, results)
        with (
            tempfile.TemporaryDirectory(prefix=make_prefix("judge")) as name,
            ThreadPoolExecutor(self._workers) as pool,
        ):
            scratch = Path(name)
            running: set[Future[list[Judgement]]] = set()
            for batch in batches:
                if isinstance(batch, Judgement):
                    results.add([batch])
                    yield batch
                    continue
                judge = build_judge()
                running.add(
                    pool.submit(judge_batch, judge, batch, scratch, self._options)
                )
                # no more are read than are worked on: candidates may be many
                if len(running) > self._workers:
                    yield from _collect(running, results)
            while running:
                yield from _collect(running, results)

    def _make_batches(
        self, candidates: Iterable[Candidate], results: JudgementStore
    ) -> Iterator[Batch | Judgement]:
        """Yield candidates in batches, and judgements of those that no judge need look at."""
        for window in _take_windows(candidates):
            for (task_id, language), group in _group_by_task(window, results).items():
                task = self._find_task(task_id, language)
                if isinstance(task, str):
                    yield from (make_unjudged(candidate, task) for candidate in group)
                else:
                    yield from self._make_batches_of_task(task, group, results)

    def _make_batches_of_task(
        self, task: JudgingTask, group: Iterable[Candidate], results: JudgementStore
    ) -> Iterator[Batch | Judgement]:
        by_source: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in group:
            source = find_candidate_source(candidate, task)
            if source is None:
                yield make_unjudged(candidate, "completion-too-long")
                continue

            source_digest = digest_source(source)
            device = self._options.device
            twin = results.find_source(task.digest, source_digest, device)
            if twin is None:
                by_source[source].append(candidate)
            else:
                yield copy_judgement(twin, candidate)

        sources = iter(by_source.items())
        while part := dict(islice(sources, BATCH_SIZE)):
            yield Batch(task=task, by_source=part)


def judge_batch(
    judge: Path, batch: Batch, scratch: Path, options: JudgeOptions
) -> list[Judgement]:
    """Judge the candidates of a batch with the compiled `judge`, in a folder of its own within
    `scratch`, and return what came of each.

    Raises `Misconfigured` where nothing can be judged on this machine.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        sources = list(batch.by_source)
        outcomes = judge_sources(judge, batch.task, sources, Path(name), options)

    judgements: list[Judgement] = []
    for number, source in enumerate(sources):
        outcome = outcomes[number] if number < len(outcomes) else None
        for candidate in batch.by_source[source]:
            if outcome is None:
                judgements.append(make_unjudged(candidate, "not-judged"))
                continue
            judgement = _make_judgement(candidate, batch.task, source, outcome)
            judgements.append(replace(judgement, device=options.device))

    sources_by_digest = {digest_source(source): source for source in sources}
    judged = batch.task.judged
    if judged is None:
        return judgements
    if options.targets:
        judgements = add_builds(judgements, sources_by_digest, judged, options.targets)
    if options.takes_times:
        judgements = add_times(judgements, sources_by_digest, judged, options.device)
    return judgements


def find_candidate_source(candidate: Candidate, task: JudgingTask) -> str | None:
    """Return the source that a candidate stands for; `None` where it is too long to be one."""
    if _measure(candidate) > MAX_COMPLETION_BYTES:
        return None
    return find_source(candidate.completion, task)


def _make_judgement(
    candidate: Candidate, task: JudgingTask, source: str, outcome: Outcome
) -> Judgement:
    first_wrong = next((case for case in outcome.cases if not case.passes), None)
    exe_problem = f"{first_wrong.name}: {first_wrong.message}" if first_wrong else ""
    starts = not outcome.call_problem
    is_counted = outcome.steps >= 0 and can_be_counted(source)
    steps = outcome.steps if is_counted else -1
    reference_steps = outcome.reference_steps if is_counted else -1
    return Judgement(
        task_id=candidate.task_id,
        number=candidate.number,
        completion=candidate.digest,
        source=digest_source(source),
        task=task.digest,
        language=task.language,
        groups=task.groups,
        pass_call=starts,
        call_err_msg=outcome.call_problem,
        pass_exe=starts and first_wrong is None,
        exe_err_msg=exe_problem,
        pass_perf=judge_steps(steps, reference_steps),
        steps=steps,
        reference_steps=reference_steps,
        refusal=outcome.refusal,
        cases=outcome.cases,
        fresh_inputs=outcome.fresh_inputs,
        seed=outcome.seed,
        compile_seconds=outcome.compile_seconds,
        run_seconds=outcome.run_seconds,
    )


def _take_windows(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    """Yield as many candidates at a time as may be held in memory."""
    window: list[Candidate] = []
    size = 0
    for candidate in candidates:
        window.append(candidate)
        size += _measure(candidate)
        if size > _WINDOW_BYTES:
            yield window
            window, size = [], 0
    yield window


def _measure(candidate: Candidate) -> int:
    return len(candidate.completion.encode("utf-8", "surrogatepass"))


def _group_by_task(
    candidates: Iterable[Candidate], results: JudgementStore
) -> dict[tuple[str, str], list[Candidate]]:
    """Return the candidates that `results` does not have, by task and language."""
    groups: defaultdict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if results.find(candidate) is None:
            groups[candidate.task_id, candidate.language].append(candidate)
    return groups


def _collect(
    running: set[Future[list[Judgement]]], results: JudgementStore
) -> Iterator[Judgement]:
    """Wait for some of what runs, keep what came of it, and yield it."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    problem: Misconfigured | None = None
    for future in done:
        try:
            judgements = future.result()
        except Misconfigured as raised:
            problem = raised
            continue
        results.add(judgements)
        yield from judgements
    if problem is not None:
        raise problem


def make_unjudged(candidate: Candidate, code: str) -> Judgement:
    """Return that a candidate has no verdict, by the code that says why."""
    return Judgement(
        task_id=candidate.task_id,
        number=candidate.number,
        completion=candidate.digest,
        language=candidate.language,
        code=code,
    )


def copy_judgement(twin: Judgement, candidate: Candidate) -> Judgement:
    """Return what came of a candidate whose source was judged before."""
    return replace(
        twin,
        task_id=candidate.task_id,
        number=candidate.number,
        completion=candidate.digest,
        compile_seconds=0.0,
        run_seconds=0.0,
    )


def digest_source(source: str) -> str:
    """Return the sha256 of a source, which stands for all candidates that share it."""
    return hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()
