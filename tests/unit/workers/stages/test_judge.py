"""A batch of candidates on the CPU: judged once whoever asks, and nothing told of hidden cases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.errors import Misconfigured
from crawler.judging import judging_device
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask, write_task
from crawler.toolchains import discovery
from crawler.validate.devices.gpu_detection import Gpu
from storage.ledger.interface import Claim, Stage
from storage.open import Storage, open_storage
from tests.judged_kernel import (
    BROKEN,
    HANGING,
    RIGHT,
    SLOW,
    WRONG,
    put_judged_kernel,
)
from tests.stand_ins.timed_gpu import install_timed_gpu
from workers.config.settings import Settings
from workers.judging import measured_judgements
from workers.judging.judging_request import open_judging
from workers.judging.task_finders import StoredTasks
from workers.stages import judge
from workers.tasks.payloads import JudgeResult
from workers.workspace.task_workspace import Workspace, open_workspace

pytestmark = [pytest.mark.apt, pytest.mark.slow]
Store = tuple[Storage, Workspace, str]
_USUAL = JudgeOptions()
MUCH_SLOWER = RIGHT.replace(
    "if (i", "for (volatile int k = 0; k < 9999;) ++k;\n  if (i"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with one task."""
    home: Path = tmp_path_factory.mktemp("home")
    with (
        open_storage(home) as storage,
        open_workspace(Settings(home=home)) as workspace,
    ):
        yield storage, workspace, put_judged_kernel(storage, home)


def claim_batch(
    store: Store, *completions: str, options: JudgeOptions = _USUAL
) -> Claim:
    storage, _, task_id = store
    candidates = [
        Candidate(task_id=task_id, number=number, completion=completion)
        for number, completion in enumerate(completions)
    ]
    find_task = StoredTasks(storage).find
    open_judging(
        candidates,
        find_task,
        storage,
        options=options,
        account="ada",
    )
    claim = storage.ledger.claim("me", (Stage.JUDGE,), 600)
    assert claim
    return claim


def judge_batch(
    store: Store, *completions: str, options: JudgeOptions = _USUAL
) -> tuple[JudgeResult, tuple[Judgement, ...]]:
    storage, workspace, _ = store
    claim = claim_batch(store, *completions, options=options)
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
    _, (judgement,) = judge_batch(store, HANGING, options=JudgeOptions(case_seconds=1))
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


def test_steps_are_counted_where_they_are_asked_for(store: Store) -> None:
    source = RIGHT + "// counted\n"
    _, (plain,) = judge_batch(store, source)
    assert (plain.steps, plain.pass_perf) == (-1, None)
    counting = JudgeOptions(counts_steps=True)
    result, (counted, slow) = judge_batch(store, source, SLOW, options=counting)
    assert result.reused == 0
    assert counted.steps > 0
    assert (counted.pass_perf, slow.pass_perf) == (True, False)


def test_what_no_device_could_run_does_not_come_through_where_targets_are_named(
    store: Store,
) -> None:
    host = f'extern "C" int getpid();\n{RIGHT}'.replace("2.0f", "(2.0f + 0 * getpid())")
    options = JudgeOptions(targets=("sm_80", "gfx90a"))
    _, (right, of_host) = judge_batch(
        store, RIGHT + "// built\n", host, options=options
    )
    # the task is of CUDA: a target of HIP's is none of its
    assert (right.pass_call, right.by_target) == (True, {"sm_80": True})
    assert (of_host.pass_call, of_host.pass_exe) == (False, False)
    assert of_host.by_target == {"sm_80": False}
    assert "sm_80: compile-error" in of_host.call_err_msg
    assert "getpid" in of_host.call_err_msg
    _, (on_cpu_alone,) = judge_batch(store, host + "\n")
    assert on_cpu_alone.pass_exe


@pytest.fixture
def gpu(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    """A GPU that is none: its compiler makes programs for the CPU's model."""
    storage, _, task_id = store
    task = StoredTasks(storage).find(task_id, "cuda")
    assert isinstance(task, JudgingTask)
    write_task(task, tmp_path / "nvidia")
    trees = sorted((tmp_path / "nvidia/include").iterdir())
    options = " ".join(f"-isystem {tree}" for tree in trees)
    clang = discovery.find_clang()
    assert clang
    compiler = tmp_path / "nvidia/bin/nvcc"
    compiler.parent.mkdir()
    compiler.write_text(
        f'#!/bin/sh\nexec {clang.path} -x c++ -w -ffp-contract=off {options} "$@"\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{compiler.parent}:{os.environ['PATH']}")
    gpu = install_timed_gpu(tmp_path, monkeypatch)
    for module in (judging_device, measured_judgements):
        monkeypatch.setattr(
            module, "find_gpu", lambda name: gpu if name == gpu.device else None
        )
    return gpu


def test_a_gpu_judges_by_its_own_compiler_and_for_itself_alone(
    store: Store, gpu: Gpu
) -> None:
    source = RIGHT + "// on a GPU\n"
    _, (on_cpu,) = judge_batch(store, source)
    options = JudgeOptions(device=gpu.device)
    result, (right, wrong) = judge_batch(store, source, WRONG, options=options)
    assert (on_cpu.device, right.device) == ("cpu", "cuda:sm_90")
    assert result.reused == 0
    assert (right.pass_exe, wrong.pass_exe) == (True, False)


def test_right_candidates_are_timed_on_a_gpu_where_that_is_asked_for(
    store: Store, gpu: Gpu
) -> None:
    options = JudgeOptions(device=gpu.device, takes_times=True)
    source = RIGHT + "// timed\n"
    result, (right, slow, wrong) = judge_batch(
        store, source, MUCH_SLOWER, WRONG, options=options
    )
    assert result.reused == 0
    assert min(right.milliseconds, right.reference_milliseconds) > 0
    assert (slow.pass_exe, slow.pass_perf) == (True, False)
    assert slow.milliseconds > 2 * slow.reference_milliseconds
    assert slow.perf_msg.startswith("slower: ")
    assert (wrong.pass_exe, wrong.pass_perf, wrong.perf_msg) == (False, None, "")
    result, _ = judge_batch(store, source, options=options)
    assert result.reused == 1


def test_a_worker_that_lost_its_gpu_stops_and_its_task_waits(store: Store) -> None:
    storage, workspace, _ = store
    options = JudgeOptions(device="cuda:sm_90")
    claim = claim_batch(store, RIGHT + "// lost\n", options=options)
    with pytest.raises(Misconfigured, match="driver of cuda"):
        judge.run(claim, storage, workspace)
    storage.ledger.fail(claim, "no-device", "")
