"""A dispatcher takes over what an older version left behind, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from storage.ledger.interface import Lane, Stage, TaskSpec
from storage.open import Storage
from workers.cluster.stranded_crawls import is_newer_revision, restart_stranded_crawls
from workers.tasks.queues import queue_of
from workers.tasks.task_specs import make_task_spec, stage_revision, stage_version

OLDER, NEWER, UNREADABLE = "0.0", "9999.1", "another way of telling"
DEVICE = "rocm:gfx942"


def make_task(stage: Stage, revision: str, device: str = "") -> TaskSpec:
    """A task as code of the revision `revision` asks for it."""
    return replace(
        make_task_spec(stage, {"of": "x"}, "x", device=device),
        revision=revision,
        version=f"of {revision}",
    )


def serve(storage: Storage, *lanes: Lane) -> None:
    for number, lane in enumerate(lanes):
        storage.worker_registry.record_heartbeat(
            f"worker {number}", (lane.queue,), 1, {lane.queue: lane.revision}
        )


def restart_crawls(storage: Storage) -> tuple[str, ...]:
    return tuple(
        restart_stranded_crawls(storage, storage.worker_registry.served_lanes())
    )


def test_what_nobody_of_the_older_version_is_left_for_begins_anew(
    storage: Storage,
) -> None:
    crawl = storage.ledger.open_crawl(("x",), (make_task(Stage.LIST, OLDER),))
    serve(storage, Lane("list", stage_revision(Stage.LIST)))
    assert restart_crawls(storage) == (crawl,)
    (root,) = storage.stranded_tasks.root_tasks(crawl)
    assert (root.version, root.revision) == (
        stage_version(Stage.LIST),
        stage_revision(Stage.LIST),
    )
    assert storage.ledger.count_unfinished(crawl) == 1
    assert restart_crawls(storage) == ()


@pytest.mark.parametrize("revision", [NEWER, UNREADABLE, ""])
def test_what_is_newer_or_anybodys_is_left(storage: Storage, revision: str) -> None:
    storage.ledger.open_crawl(("x",), (make_task(Stage.LIST, revision),))
    serve(storage, Lane("list", stage_revision(Stage.LIST)))
    assert restart_crawls(storage) == ()


def test_the_older_version_may_end_what_it_still_serves(storage: Storage) -> None:
    storage.ledger.open_crawl(("x",), (make_task(Stage.LIST, OLDER),))
    serve(storage, Lane("list", stage_revision(Stage.LIST)), Lane("list", OLDER))
    assert restart_crawls(storage) == ()


def test_nothing_is_taken_over_before_somebody_can_do_it(storage: Storage) -> None:
    storage.ledger.open_crawl(("x",), (make_task(Stage.LIST, OLDER),))
    serve(storage, Lane("clone", stage_revision(Stage.CLONE)))
    assert restart_crawls(storage) == ()


def test_runs_on_devices_are_taken_over_one_by_one(storage: Storage) -> None:
    queue = queue_of(Stage.VALIDATE, DEVICE)
    crawl = storage.ledger.open_crawl(
        ("x",), (make_task(Stage.VALIDATE_DEVICE, OLDER.split(".")[0], DEVICE),)
    )
    serve(storage, Lane(queue, stage_revision(Stage.VALIDATE_DEVICE)))
    assert restart_crawls(storage) == ()
    (task,) = storage.stranded_tasks.root_tasks(crawl)
    assert (task.version, task.revision) == (
        stage_version(Stage.VALIDATE_DEVICE),
        stage_revision(Stage.VALIDATE_DEVICE),
    )


def test_a_number_more_is_newer_wherever_it_stands() -> None:
    assert is_newer_revision("2.16+ab", "2.15+cd")
    assert not is_newer_revision("2.9+ab", "2.15+ab")
    assert not is_newer_revision("2.15+ab", "2.15+cd"), (
        "other headers are neither older nor newer"
    )
