"""A batch of candidates on the CPU: judged once whoever asks, and nothing told of hidden cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.judging.candidate import Candidate
from crawler.judging.judgement import Judgement
from storage.ledger.interface import Claim, Stage
from storage.open import Storage, open_storage
from tests.judged_kernel import BROKEN, HANGING, RIGHT, WRONG, put_judged_kernel
from workers.config.settings import Settings
from workers.judging.judging_request import open_judging
from workers.judging.task_finders import StoredTasks
from workers.stages import judge
from workers.tasks.payloads import JudgeResult
from workers.workspace.task_workspace import Workspace, open_workspace

pytestmark = [pytest.mark.apt, pytest.mark.slow]
Store = tuple[Storage, Workspace, str]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with one task."""
    home: Path = tmp_path_factory.mktemp("home")
    with (
        open_storage(home) as storage,
        open_workspace(Settings(home=home)) as workspace,
    ):
        yield storage, workspace, put_judged_kernel(storage, home)


def claim_batch(store: Store, *completions: str, seconds: int = 60) -> Claim:
    storage, _, task_id = store
    candidates = [
        Candidate(task_id=task_id, number=number, completion=completion)
        for number, completion in enumerate(completions)
    ]
    find_task = StoredTasks(storage).find
    open_judging(candidates, find_task, storage, case_seconds=seconds, account="ada")
    claim = storage.ledger.claim("me", (Stage.JUDGE,), 600)
    assert claim
    return claim


def judge_batch(
    store: Store, *completions: str, seconds: int = 60
) -> tuple[JudgeResult, tuple[Judgement, ...]]:
    storage, workspace, _ = store
    claim = claim_batch(store, *completions, seconds=seconds)
    outcome = judge.run(claim, storage, workspace)
    assert storage.ledger.finish(claim, outcome)
    result = decode(outcome.result, JudgeResult)
    return result, decode(storage.blobs.get(result.judgements), tuple[Judgement, ...])


def test_each_candidate_gets_its_verdict_and_hidden_cases_stay_hidden(
    store: Store,
) -> None:
    storage, _, task_id = store
    task = StoredTasks(storage).find(task_id, "")
    assert not isinstance(task, str)
    assert task.hidden_cases

    result, judgements = judge_batch(store, RIGHT, WRONG, BROKEN)
    assert [(judgement.pass_call, judgement.pass_exe) for judgement in judgements] == [
        (True, True),
        (True, False),
        (False, False),
    ]
    assert "y" in judgements[2].call_err_msg
    named = {case.name for judgement in judgements for case in judgement.cases}
    assert named
    assert not named & task.hidden_cases
    stored = storage.blobs.get(result.judgements).decode()
    assert not [name for name in task.hidden_cases if name in stored]


def test_a_source_that_anybody_asked_for_is_not_judged_again(store: Store) -> None:
    mine = BROKEN + "// mine\n"
    _, (first,) = judge_batch(store, mine)
    result, (again,) = judge_batch(store, f"Here:\n```cuda\n{mine}```")
    assert (result.judged, result.reused) == (1, 1)
    assert (again.source, again.seed) == (first.source, first.seed)
    assert first.compile_seconds > 0
    assert again.compile_seconds == 0


def test_a_candidate_that_hangs_costs_its_seconds_once(store: Store) -> None:
    _, (judgement,) = judge_batch(store, HANGING, seconds=1)
    assert judgement.pass_exe is False
    assert "too long" in judgement.exe_err_msg
    assert judgement.run_seconds < 30


def test_what_a_killed_worker_began_is_judged_by_the_next_and_ended_once(
    store: Store,
) -> None:
    storage, workspace, _ = store
    dead = claim_batch(store, BROKEN + "// killed\n")
    outcome = judge.run(dead, storage, workspace)
    # its lease ended before it could say so
    storage.ledger.fail(dead, "killed", "", retry_in=0.0)
    claim = storage.ledger.claim("another", (Stage.JUDGE,), 600)
    assert claim
    assert not storage.ledger.finish(dead, outcome)
    result = decode(judge.run(claim, storage, workspace).result, JudgeResult)
    assert (result.judged, result.reused) == (1, 1)
    assert storage.ledger.finish(claim, outcome)
