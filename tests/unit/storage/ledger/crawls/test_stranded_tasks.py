"""While two versions of our code are at work, each task is left to who can do it, and none is lost."""

from __future__ import annotations

import pytest

from storage.ledger.crawls.stranded_tasks import SqlStrandedTasks
from storage.ledger.interface import Lane, Outcome, Stage, TaskSpec
from tests.unit.storage.ledger.conftest import Tasks, make_task

OLD, NEW = "1.0", "2.0"


@pytest.fixture
def stranded_tasks(tasks: Tasks) -> SqlStrandedTasks:
    return SqlStrandedTasks(tasks.engine, tasks.clock)


def list_keys(specs: tuple[TaskSpec, ...]) -> list[str]:
    return [spec.key for spec in specs]


def test_lanes_are_those_of_ready_tasks_in_order(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    assert stranded_tasks.ready_lanes() == ()
    tasks.ledger.open_crawl(
        ("x",),
        (
            make_task("a", queue="list", revision=NEW),
            make_task("b", queue="list", revision=OLD),
            make_task("c", queue="list", revision=OLD),
            make_task("d", queue="clone"),
            make_task("e", Stage.LINK, queue="link", revision=OLD),
        ),
    )
    tasks.claim_next(Stage.LINK)
    assert stranded_tasks.ready_lanes() == (
        Lane("clone"),
        Lane("list", OLD),
        Lane("list", NEW),
    )


def test_a_crawl_is_stranded_unless_other_code_is_at_work_on_it(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    lane = Lane("q", OLD)
    idle = tasks.ledger.open_crawl(("idle",), (make_task("a", revision=OLD),))
    paused = tasks.ledger.open_crawl(("paused",), (make_task("b", revision=OLD),))
    tasks.ledger.pause(paused)
    busy = tasks.ledger.open_crawl(
        ("busy",),
        (make_task("c", revision=OLD), make_task("d", Stage.LINK, revision=OLD)),
    )
    claim = tasks.claim_next(Stage.LINK)
    assert stranded_tasks.stranded_crawls(lane, {Stage.LIST: NEW}) == (idle,)
    assert stranded_tasks.stranded_crawls(Lane("q", NEW), {}) == ()
    # what runs is this very code's
    own = {Stage.LINK: OLD}
    assert set(stranded_tasks.stranded_crawls(lane, own)) == {idle, busy}
    tasks.ledger.finish(claim, Outcome())
    assert set(stranded_tasks.stranded_crawls(lane, {Stage.LIST: NEW})) == {idle, busy}


def test_roots_are_what_nothing_of_the_same_crawl_spawned(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    children = (make_task("below", Stage.EXTRACT), make_task("b"))
    tasks.ledger.finish(tasks.claim_next(Stage.LIST), Outcome(children=children))
    other = tasks.ledger.open_crawl(("y",), (make_task("below", Stage.EXTRACT),))
    assert list_keys(stranded_tasks.root_tasks(crawl)) == ["a"]
    # spawned by a task of another crawl, and a root of this one
    assert list_keys(stranded_tasks.root_tasks(other)) == ["below"]
    assert stranded_tasks.root_tasks("none") == ()


def test_a_root_is_told_as_it_was_asked_for(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    spec = make_task(
        "a",
        Stage.CLONE,
        queue="clone",
        account="ada",
        host="example.org",
        revision=OLD,
        priority=3,
    )
    crawl = tasks.ledger.open_crawl(("x",), (spec,))
    assert stranded_tasks.root_tasks(crawl) == (spec,)


def test_a_crawl_begins_anew_with_what_it_is_given(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("old", revision=OLD),))
    stranded_tasks.restart_crawl(crawl, (make_task("new", revision=NEW),))
    assert list_keys(stranded_tasks.root_tasks(crawl)) == ["new"]
    assert tasks.claim_next().key == "new"
    assert tasks.ledger.claim("me", tuple(Stage), 60) is None


def test_an_adopted_task_is_done_by_the_newer_code_once(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    crawl = tasks.ledger.open_crawl(
        ("x",), (make_task("a", revision=OLD), make_task("b", revision=OLD))
    )
    assert stranded_tasks.adopt(Lane("q", OLD), "version 2", NEW) == 2
    assert stranded_tasks.adopt(Lane("q", OLD), "version 2", NEW) == 0
    roots = stranded_tasks.root_tasks(crawl)
    assert [(root.version, root.revision) for root in roots] == [("version 2", NEW)] * 2
    assert stranded_tasks.ready_lanes() == (Lane("q", NEW),)
    assert tasks.ledger.count_unfinished(crawl) == 2


def test_a_message_to_the_older_code_claims_nothing_any_more(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("a", revision=OLD),))
    claim = tasks.claim_next()
    tasks.ledger.fail(claim, "network-down", "later", retry_in=0.0)
    stranded_tasks.adopt(Lane("q", OLD), "version 2", NEW)
    late = tasks.ledger.claim_dispatched("late", claim.id, claim.generation, 60)
    assert late is None


def test_what_the_newer_code_has_done_already_is_not_done_again(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    done = make_task("a", revision=NEW)
    tasks.ledger.open_crawl(("y",), (done,))
    tasks.ledger.finish(tasks.claim_next(), Outcome(result="{}"))
    older = TaskSpec(
        stage=done.stage,
        key="a",
        version="0",
        queue="q",
        payload="{}",
        subject="a",
        revision=OLD,
    )
    crawl = tasks.ledger.open_crawl(("x",), (older,))
    assert tasks.ledger.count_unfinished(crawl) == 1
    assert stranded_tasks.adopt(Lane("q", OLD), done.version, NEW) == 0
    assert tasks.ledger.count_unfinished(crawl) == 0
    assert list_keys(stranded_tasks.root_tasks(crawl)) == ["a"]
    assert [root.revision for root in stranded_tasks.root_tasks(crawl)] == [NEW]


def test_only_tasks_that_wait_to_be_claimed_are_adopted(
    tasks: Tasks, stranded_tasks: SqlStrandedTasks
) -> None:
    tasks.ledger.open_crawl(
        ("x",),
        (
            make_task("running", revision=OLD),
            make_task("other queue", queue="r", revision=OLD),
            make_task("anybody's"),
            make_task("ready", Stage.CLONE, revision=OLD),
        ),
    )
    assert tasks.claim_next(Stage.LIST).key == "running"
    assert stranded_tasks.adopt(Lane("q", OLD), "version 2", NEW) == 1
    assert set(stranded_tasks.ready_lanes()) == {
        Lane("q"),
        Lane("q", NEW),
        Lane("r", OLD),
    }
