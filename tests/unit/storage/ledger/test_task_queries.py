"""What is read from the ledger: counts in the pipeline's order, results and failures."""

from __future__ import annotations

from storage.database.engine import read_transaction
from storage.ledger.interface import Outcome, Stage, State
from storage.ledger.task_queries import has_running_task, read_statistics
from tests.unit.storage.ledger.conftest import Tasks, make_task


def test_a_task_runs_from_its_claim_to_its_end(tasks: Tasks) -> None:
    def is_any_running() -> bool:
        with read_transaction(tasks.engine) as connection:
            return has_running_task(connection)

    tasks.ledger.open_crawl(("x",), (make_task("a"),))
    assert not is_any_running()
    claim = tasks.claim_next()
    assert is_any_running()
    tasks.ledger.finish(claim, Outcome())
    assert not is_any_running()


def test_counts_are_in_the_order_of_the_pipeline(tasks: Tasks) -> None:
    stages = (Stage.VALIDATE, Stage.CLONE, Stage.LIST, Stage.LINK)
    tasks.ledger.open_crawl(("x",), tuple(make_task("k", stage) for stage in stages))
    counts = tasks.ledger.task_counts()
    assert [stage for stage, *_ in counts] == [
        Stage.LIST,
        Stage.CLONE,
        Stage.LINK,
        Stage.VALIDATE,
    ]
    assert {(state, code, number) for _, state, code, number in counts} == {
        (State.READY, "", 1)
    }


def test_only_tasks_of_the_crawl_are_counted(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    tasks.ledger.open_crawl(("y",), (make_task("b"), make_task("c")))
    assert tasks.ledger.count_unfinished(crawl) == 2
    assert tasks.ledger.count_unfinished("") == 3
    assert tasks.ledger.count_unfinished(crawl, (Stage.LINK,)) == 0
    assert tasks.ledger.count_unfinished("no-such-crawl") == 0


def test_a_finished_task_is_no_longer_unfinished_and_has_a_result(
    tasks: Tasks,
) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    first = tasks.claim_next()
    tasks.ledger.finish(first, Outcome(result="done a"))
    assert tasks.ledger.count_unfinished(crawl) == 1
    assert tasks.ledger.results(Stage.LIST, crawl) == (("a", "done a"),)
    assert tasks.ledger.results(Stage.CLONE, crawl) == ()


def test_a_join_reads_the_results_of_children_that_are_done(tasks: Tasks) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("root"),))
    children = (make_task("1", Stage.EXTRACT), make_task("2", Stage.EXTRACT))
    root = tasks.claim_next()
    join = make_task("join", Stage.LINK)
    tasks.ledger.finish(root, Outcome(children=children, continuation=join))
    first = tasks.claim_next()
    tasks.ledger.finish(first, Outcome(result="facts"))
    second = tasks.claim_next()
    tasks.ledger.fail(second, "parse-failed", "no")
    claim = tasks.claim_next()
    assert claim.key == "join"
    assert tasks.ledger.children_results(claim) == (("payload of 1", "facts"),)


def test_roots_are_the_tasks_that_no_task_spawned(tasks: Tasks) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("root"), make_task("later")))
    root = tasks.claim_next()
    tasks.ledger.finish(root, Outcome(children=(make_task("child"),)))
    payloads = tasks.ledger.root_payloads(Stage.LIST)
    assert payloads == ("payload of root", "payload of later")


def test_failures_have_what_an_operator_needs(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    tasks.ledger.fail(tasks.claim_next(), "no-kernels", "none", rejected=True)
    tasks.clock.now += 1
    tasks.ledger.fail(tasks.claim_next(), "tool-failed", "it broke")
    rejected, failed = tasks.ledger.failures(crawl)
    assert (rejected.subject, rejected.state, rejected.code) == (
        "a",
        State.REJECTED,
        "no-kernels",
    )
    assert (failed.subject, failed.message, failed.attempts) == ("b", "it broke", 1)
    assert tasks.ledger.failures("another") == ()


def test_statistics_age_only_what_can_be_claimed(tasks: Tasks) -> None:
    paused = tasks.ledger.open_crawl(("x",), (make_task("a", queue="held"),))
    tasks.ledger.pause(paused)
    tasks.ledger.open_crawl(("y",), (make_task("b"),))
    tasks.clock.now += 30
    tasks.ledger.open_crawl(("z",), (make_task("c"),))
    statistics = read_statistics(tasks.engine, tasks.clock)
    assert statistics.oldest_seconds == {"q": 30.0}


def test_a_clock_that_goes_back_makes_no_negative_age(tasks: Tasks) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("a"),))
    tasks.clock.now -= 500
    statistics = read_statistics(tasks.engine, tasks.clock)
    assert statistics.oldest_seconds == {"q": 0.0}


def test_statistics_count_ends_by_code_and_those_that_went_well_as_done(
    tasks: Tasks,
) -> None:
    names = ("a", "b", "c", "d")
    tasks.ledger.open_crawl(("x",), tuple(make_task(name) for name in names))
    tasks.ledger.finish(tasks.claim_next(), Outcome())
    tasks.ledger.finish(tasks.claim_next(), Outcome())
    tasks.ledger.fail(tasks.claim_next(), "disk-full", "")
    statistics = read_statistics(tasks.engine, tasks.clock)
    assert {labels["code"]: number for labels, number in statistics.finished_tasks} == {
        "done": 2,
        "disk-full": 1,
    }
    by_state = {labels["state"]: number for labels, number in statistics.tasks}
    assert by_state == {"done": 2, "failed": 1, "ready": 1}


def test_crawls_are_listed_with_what_is_left_of_them_the_last_one_first(
    tasks: Tasks,
) -> None:
    first = tasks.ledger.open_crawl(("x", "y"), (make_task("a"), make_task("b")))
    tasks.ledger.fail(tasks.claim_next(), "network-down", "why")
    tasks.clock.now += 5
    second = tasks.ledger.open_crawl(("z",), (make_task("b"),))
    tasks.clock.now += 5
    tasks.ledger.open_crawl(("x", "y"), (make_task("a"), make_task("b")))

    later, earlier = tasks.ledger.crawls()
    assert (later.id, later.locators, later.asked_at) == (second, ("z",), 1005.0)
    assert (later.state, later.left, later.failed) == ("active", 1, 0)
    assert (earlier.id, earlier.locators) == (first, ("x", "y"))
    assert earlier.asked_at == 1000.0, "asked again it is the same one"
    assert (earlier.left, earlier.failed) == (1, 1)


def test_a_crawl_of_which_nothing_is_left_is_complete_unless_it_was_cancelled(
    tasks: Tasks,
) -> None:
    done = tasks.ledger.open_crawl(("x",), (make_task("a"),))
    tasks.ledger.finish(tasks.claim_next(), Outcome())
    paused = tasks.ledger.open_crawl(("y",), (make_task("b"),))
    tasks.ledger.pause(paused)
    cancelled = tasks.ledger.open_crawl(("z",), (make_task("c"),))
    tasks.ledger.cancel(cancelled)
    states = {summary.id: summary.state for summary in tasks.ledger.crawls()}
    assert states == {done: "complete", paused: "paused", cancelled: "cancelled"}


def test_ready_tasks_take_as_long_as_the_mean_of_those_that_are_done(
    tasks: Tasks,
) -> None:
    first = [make_task(name) for name in "ab"]
    tasks.ledger.open_crawl(("x",), (*first, make_task("new", queue="unmeasured")))
    for seconds in (10.0, 30.0):
        claim = tasks.claim_next()
        tasks.clock.now += seconds
        assert tasks.ledger.finish(claim, Outcome())

    waiting = tuple(make_task(name) for name in "cde")
    tasks.ledger.open_crawl(("y",), waiting)
    paused = tasks.ledger.open_crawl(("z",), (make_task("f"),))
    tasks.ledger.pause(paused)
    statistics = read_statistics(tasks.engine, tasks.clock)
    assert statistics.expected_seconds == {"q": 60.0}
