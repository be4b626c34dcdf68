"""A worker ends each claimed task in the ledger, whatever its stage raised."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from crawler.errors import MissingTool, NetworkDown, NoKernels, NotFound
from storage.ledger import Claim, Outcome, Stage, State, TaskSpec
from storage.open import Storage
from workers import pipeline
from workers.events import TaskEnded, parse
from workers.lease import kept
from workers.serve import MISCONFIGURED, Worker
from workers.settings import Settings
from workers.workspace import Workspace, open_workspace


def task(subject: str) -> TaskSpec:
    return TaskSpec(stage=Stage.LIST, key=subject, version="1", queue="list", payload="{}", subject=subject)


def serve(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, stages: dict[str, object]
) -> tuple[int, list[TaskEnded], str]:
    """Serve a crawl whose tasks do what `stages` says for their subject: return an outcome, or raise."""

    def run(claim: Claim, *_: object) -> Outcome:
        what = stages[claim.subject]
        if isinstance(what, Exception):
            raise what
        assert isinstance(what, Outcome)
        return what

    monkeypatch.setattr(pipeline, "run", run)
    told: list[TaskEnded] = []
    crawl = storage.ledger.open_crawl(("x",), tuple(task(name) for name in stages if not name.startswith("child")))
    code = Worker(storage=storage, workspace=workspace, tell=told.append).serve(crawl)
    return code, told, crawl


def test_each_error_has_its_end_and_the_rest_goes_on(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, told, crawl = serve(
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
    assert {event.subject: (event.state, event.code) for event in told} == {
        "fine": ("done", ""),
        "child": ("done", ""),
        "empty": ("rejected", "no-kernels"),
        "gone": ("failed", "not-found"),
        "bug": ("failed", "internal"),
    }
    assert {(state, code): number for _, state, code, number in storage.ledger.counts(crawl)} == {
        (State.DONE, ""): 2,
        (State.REJECTED, "no-kernels"): 1,
        (State.FAILED, "not-found"): 1,
        (State.FAILED, "internal"): 1,
    }
    (bug,) = [failure for failure in storage.ledger.failures(crawl) if failure.code == "internal"]
    assert "ZeroDivisionError: oops" in bug.message


def test_a_passing_failure_is_put_back_for_later(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.policy._FIRST_DELAY", 0.01)
    code, told, _ = serve(storage, workspace, monkeypatch, {"flaky": NetworkDown("down")})
    assert code == 0
    assert [event.state for event in told] == ["again"] * 4 + ["failed"]


def test_what_the_operator_must_mend_stops_the_worker_and_loses_nothing(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, told, crawl = serve(storage, workspace, monkeypatch, {"needs clang": MissingTool("no clang: install it")})
    assert code == MISCONFIGURED
    assert [(event.state, event.code) for event in told] == [("stopped", "missing-tool")]
    assert storage.ledger.unfinished(crawl) == 1


def test_the_lease_is_kept_while_a_stage_runs(storage: Storage) -> None:
    storage.ledger.open_crawl(("x",), (task("slow"),))
    claim = storage.ledger.claim("me", (Stage.LIST,), 0.3)
    assert claim is not None
    with kept(storage.ledger, claim, lease_seconds=0.3, task_seconds=60):
        time.sleep(0.8)
        assert storage.ledger.reclaim() == 0
    assert storage.ledger.finish(claim, Outcome())


def test_the_unpacked_snapshot_goes_with_the_workspace(tmp_path: Path) -> None:
    with open_workspace(Settings(home=tmp_path)) as workspace, workspace.folder() as folder:
        (folder / "file").write_text("x")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_line_that_is_no_event_is_passed_over() -> None:
    assert parse(b"Segmentation fault") is None
    assert parse(b'{"stage": 3}') is None
