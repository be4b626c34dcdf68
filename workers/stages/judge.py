"""Stage `judge`: judge a batch of candidates of one task on this machine's CPU, or its GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import CrawlError, Misconfigured, Transient
from crawler.judging.hidden_cases import hide_cases
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_device import resolve_device
from crawler.judging.judging_task import JudgingTask
from crawler.validate.cpu.result import CPU_DEVICE
from storage.ledger.interface import Claim, Outcome
from workers.judging.judge_candidates import CandidateJudging
from workers.judging.kept_judgements import KeptJudgements
from workers.judging.task_finders import StoredTasks
from workers.tasks.judge_batches import load_candidates
from workers.tasks.payloads import JudgePayload, JudgeResult
from workers.tasks.task_specs import store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_NOT_JUDGED: Final = "not-judged"


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Judge the candidates whose sources nobody has judged yet, and store what came of each.

    Whoever reads the result wrote the candidates: it says nothing of hidden cases.
    """
    payload = decode(claim.payload, JudgePayload)
    finder = StoredTasks(storage)
    hidden_cases: dict[str, frozenset[str]] = {}

    def find_task(task_id: str, language: str) -> JudgingTask | str:
        task = finder.find(task_id, language)
        if isinstance(task, JudgingTask):
            hidden_cases[task.digest] = task.hidden_cases
        return task

    options = JudgeOptions(
        # raises where the worker has lost its GPU: the task waits for another one
        device=resolve_device(payload.device or CPU_DEVICE),
        case_seconds=payload.case_seconds,
        counts_steps=payload.counts_steps,
        takes_times=payload.takes_times,
        targets=payload.targets,
    )
    kept_judgements = KeptJudgements(storage, options)
    # the processes of a worker are as many as its cores already
    judging = CandidateJudging(find_task, options, workers=1)
    candidates = load_candidates(storage.blobs, payload.candidates)
    try:
        judgements = tuple(judging.judge(candidates, kept_judgements))
    except Misconfigured as problem:
        if problem.code != _NOT_JUDGED:
            raise
        # one task that cannot be judged by says nothing against the machine
        raise CrawlError(str(problem), code=_NOT_JUDGED) from problem

    _require_verdicts(judgements, claim, workspace)
    shown_judgements = tuple(
        hide_cases(judgement, hidden_cases.get(judgement.task, frozenset()))
        for judgement in judgements
    )
    result = JudgeResult(
        judgements=store_json(storage.blobs, shown_judgements),
        judged=len(shown_judgements),
        reused=kept_judgements.reused,
    )
    return Outcome(result=encode(result).decode())


def _require_verdicts(
    judgements: tuple[Judgement, ...], claim: Claim, workspace: Workspace
) -> None:
    """Raise `Transient` where the judge was ended early, unless it was so each time."""
    is_early = any(judgement.code == _NOT_JUDGED for judgement in judgements)
    if is_early and claim.attempt < workspace.settings.attempts:
        raise Transient(
            "the judge ended before its end: it is tried again", code=_NOT_JUDGED
        )
