"""A worker ends each claimed task in the ledger, whatever its stage raised."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from crawler.errors import MissingTool, NetworkDown, NoKernels, NotFound
from storage.ledger.interface import Claim, Outcome, Stage, State, TaskSpec
from storage.open import Storage
from workers.config.settings import Settings
from workers.execution import pipeline
from workers.execution.events import TaskEnded, parse_event
from workers.execution.lease_keeper import (
    OVERSIZE_EXIT_CODE,
    OVERTIME_EXIT_CODE,
    LeaseKeeper,
)
from workers.execution.task_worker import MISCONFIGURED_EXIT_CODE, TaskWorker
from workers.workspace import snapshot
from workers.workspace.task_workspace import Workspace, open_workspace


def task(subject: str) -> TaskSpec:
    return TaskSpec(
        stage=Stage.LIST,
        key=subject,
        version="1",
        queue="list",
        payload="{}",
        subject=subject,
    )


def serve(
    storage: Storage,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    stages: dict[str, object],
) -> tuple[int, list[TaskEnded], str]:
    """Serve a crawl whose tasks do what `stages` says for their subject: return an outcome, or
    raise.
    """

    def run(claim: Claim, *_: object) -> Outcome:
        outcome = stages[claim.subject]
        if isinstance(outcome, Exception):
            raise outcome
        assert isinstance(outcome, Outcome)
        return outcome

    monkeypatch.setattr(pipeline, "run_stage", run)
    events: list[TaskEnded] = []
    crawl = storage.ledger.open_crawl(
        ("x",), tuple(task(name) for name in stages if not name.startswith("child"))
    )
    code = TaskWorker(
        storage=storage, workspace=workspace, on_event=events.append
    ).work_crawl(crawl)
    return code, events, crawl


def test_each_error_has_its_end_and_the_rest_goes_on(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, events, crawl = serve(
        storage,
        workspace,
        monkeypatch,
        {
            "fine": Outcome(children=(task("child"),)),
            "child": Outcome(result="{}"),
            "empty": NoKernels("none"),
            "gone": NotFound("not there"),
            "bug": ZeroDivisionError("oops"),
        },
    )
    assert code == 0
    assert {event.subject: (event.state, event.code) for event in events} == {
        "fine": ("done", ""),
        "child": ("done", ""),
        "empty": ("rejected", "no-kernels"),
        "gone": ("failed", "not-found"),
        "bug": ("failed", "internal"),
    }
    assert {
        (state, code): number
        for _, state, code, number in storage.ledger.task_counts(crawl)
    } == {
        (State.DONE, ""): 2,
        (State.REJECTED, "no-kernels"): 1,
        (State.FAILED, "not-found"): 1,
        (State.FAILED, "internal"): 1,
    }
    (bug,) = [
        failure
        for failure in storage.ledger.failures(crawl)
        if failure.code == "internal"
    ]
    assert "ZeroDivisionError: oops" in bug.message


def test_a_passing_failure_is_put_back_for_later(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.execution.error_policy._FIRST_DELAY", 0.01)
    code, events, _ = serve(
        storage, workspace, monkeypatch, {"flaky": NetworkDown("down")}
    )
    assert code == 0
    assert [event.state for event in events] == ["again"] * 4 + ["failed"]


def test_what_the_operator_must_mend_stops_the_worker_and_loses_nothing(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, events, crawl = serve(
        storage,
        workspace,
        monkeypatch,
        {"needs clang": MissingTool("no clang: install it")},
    )
    assert code == MISCONFIGURED_EXIT_CODE
    assert [(event.state, event.code) for event in events] == [
        ("stopped", "missing-tool")
    ]
    assert storage.ledger.count_unfinished(crawl) == 1


def test_the_lease_is_kept_while_a_stage_runs(storage: Storage) -> None:
    storage.ledger.open_crawl(("x",), (task("slow"),))
    claim = storage.ledger.claim("me", (Stage.LIST,), 0.3)
    assert claim is not None
    with LeaseKeeper(storage.ledger, lease_seconds=0.3, task_seconds=60).keep_lease(
        claim
    ):
        time.sleep(0.8)
        assert storage.ledger.reclaim() == 0
    assert storage.ledger.finish(claim, Outcome())


def test_a_worker_that_was_taken_for_dead_does_not_say_it_is_done(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(claim: Claim, *_: object) -> Outcome:
        with storage.engine.begin() as connection:
            connection.execute(text("UPDATE task SET lease = 0"))
        storage.ledger.reclaim()
        return Outcome(children=(task("child"),))

    monkeypatch.setattr(pipeline, "run_stage", run)
    events: list[TaskEnded] = []
    crawl = storage.ledger.open_crawl(("x",), (task("slow"),))
    worker = TaskWorker(storage=storage, workspace=workspace, on_event=events.append)
    claim = storage.ledger.claim(worker.owner, (Stage.LIST,), 60)
    assert claim
    assert worker.run_task(claim) is False
    assert [(event.state, event.code) for event in events] == [("again", "lease-lost")]
    assert storage.ledger.task_counts(crawl) == ((Stage.LIST, State.READY, "", 1),)


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ("lease_seconds=60, task_seconds=0.1", OVERTIME_EXIT_CODE),
        ("lease_seconds=1, task_seconds=60, task_bytes=1", OVERSIZE_EXIT_CODE),
    ],
)
def test_a_task_that_takes_too_much_takes_its_worker_with_it(
    storage: Storage, tmp_path: Path, limits: str, code: int
) -> None:
    storage.ledger.open_crawl(("x",), (task("hung"),))
    text = (
        "import sys, time; from pathlib import Path; from storage.ledger.interface import Stage\n"
        "from storage.open import open_storage; from workers.execution.lease_keeper import LeaseKeeper\n"
        "ledger = open_storage(Path(sys.argv[1])).ledger; claim = ledger.claim('me', (Stage.LIST,), 60)\n"
        f"with LeaseKeeper(ledger, {limits}).keep_lease(claim): time.sleep(60)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", text, tmp_path], check=False, timeout=30
    )
    assert ended.returncode == code


def test_one_thread_looks_after_many_tasks_and_goes_when_there_are_none(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.execution.lease_keeper._IDLE", 0.1)
    keeper, threads_before = (
        LeaseKeeper(storage.ledger, lease_seconds=0.3, task_seconds=60),
        set(threading.enumerate()),
    )
    storage.ledger.open_crawl(("x",), tuple(task(f"{number}") for number in range(5)))
    for _ in range(5):
        claim = storage.ledger.claim("me", (Stage.LIST,), 0.3)
        assert claim
        with keeper.keep_lease(claim):
            assert len(set(threading.enumerate()) - threads_before) == 1
    (watch,) = set(threading.enumerate()) - threads_before
    watch.join(20)
    assert not watch.is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_watch_that_broke_is_set_again_for_the_next_task(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = LeaseKeeper(storage.ledger, lease_seconds=0.3, task_seconds=60)
    storage.ledger.open_crawl(("x",), (task("one"), task("two")))
    first = storage.ledger.claim("me", (Stage.LIST,), 60)
    second = storage.ledger.claim("me", (Stage.LIST,), 0.3)
    assert first
    assert second
    threads_before = set(threading.enumerate())
    with monkeypatch.context() as broken:
        broken.setattr(type(storage.ledger), "extend_lease", lambda *_: 1 / 0)
        with keeper.keep_lease(first):
            (watch,) = set(threading.enumerate()) - threads_before
            watch.join(20)
    with keeper.keep_lease(second):
        time.sleep(0.8)
        assert storage.ledger.reclaim() == 0


def test_the_unpacked_snapshot_goes_with_the_workspace(tmp_path: Path) -> None:
    with (
        open_workspace(Settings(home=tmp_path)) as workspace,
        workspace.temporary_folder() as folder,
    ):
        (folder / "file").write_text("x")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_last_snapshot_stays_unpacked_for_the_next_task(
    storage: Storage, workspace: Workspace, tmp_path: Path
) -> None:
    digests = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.cu").write_text(f"__global__ void {name}() {{}}\n")
        digests.append(
            storage.blobs.put(snapshot.pack_snapshot(tmp_path / name, limit=1 << 20))
        )
    first = workspace.checkout(digests[0], storage.blobs)
    assert workspace.checkout(digests[0], storage.blobs) == first
    second = workspace.checkout(digests[1], storage.blobs)
    assert "two" in (second / "a.cu").read_text()
    assert not first.exists()


def test_a_line_that_is_no_event_is_passed_over() -> None:
    assert parse_event(b"Segmentation fault") is None
    assert parse_event(b'{"stage": 3}') is None


def test_a_crawl_over_its_quota_is_left_where_it_is(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path, crawl_quota="tasks=2")
    stages: dict[str, object] = {name: Outcome() for name in ("a", "b", "c", "d")}
    with open_workspace(settings) as workspace:
        code, events, crawl = serve(storage, workspace, monkeypatch, stages)
    assert (code, len(events)) == (0, 2)
    assert storage.ledger.crawl_state(crawl) == "over-quota"
    assert storage.quotas.use_of_crawl(crawl).tasks == 2
    assert storage.ledger.count_unfinished(crawl) == 2

    # with more of it the same crawl goes on where it was
    settings = Settings(home=tmp_path, crawl_quota="tasks=100")
    with open_workspace(settings) as workspace:
        _, events, again = serve(storage, workspace, monkeypatch, stages)
    assert again == crawl
    assert len(events) == 2
    assert storage.ledger.count_unfinished(crawl) == 0
