"""Users, a dispatcher and workers of one ledger, and what must hold of it whatever they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from sqlalchemy import Engine, text

from storage.ledger.dispatch.dispatch_selection import DispatchLimits
from storage.ledger.dispatch.dispatch_window import DispatchMessage
from storage.ledger.interface import Claim, Lane, Outcome, Stage
from tests.unit.storage.ledger.conftest import Clock, Tasks, make_task

NAMES = st.sampled_from(["x", "y"])
LANE = Lane("q")
WINDOW = 3
LEASE = 60.0
LOST_AFTER = 90.0
UNFINISHED = "('waiting', 'ready', 'running')"


class CrawlMachine(RuleBasedStateMachine):
    """Users, a dispatcher and workers of one ledger, each doing as it likes."""

    new_engine: ClassVar[Callable[[], Engine]]

    def __init__(self) -> None:
        super().__init__()
        self.tasks = Tasks(type(self).new_engine(), Clock())
        self.ledger = self.tasks.ledger
        self.crawls: dict[str, str] = {}
        self.messages: list[DispatchMessage] = []
        self.claims: list[Claim] = []
        self.claimed: set[tuple[int, int]] = set()

    @initialize(name=NAMES)
    def begin(self, name: str) -> None:
        self.open_crawl(name)

    @rule(name=NAMES)
    def open_crawl(self, name: str) -> None:
        # both crawls have the task `shared`
        specs = (make_task(name), make_task("shared"))
        self.crawls[name] = self.ledger.open_crawl((name,), specs)

    @rule(name=NAMES)
    def pause(self, name: str) -> None:
        crawl = self.crawls.get(name, "")
        was_active = self.ledger.crawl_state(crawl) == "active"
        assert self.ledger.pause(crawl) is was_active

    @rule(name=NAMES)
    def resume(self, name: str) -> None:
        crawl = self.crawls.get(name, "")
        was_held = self.ledger.crawl_state(crawl) in ("paused", "cancelled")
        assert self.ledger.resume(crawl) is was_held

    @rule(name=NAMES)
    def cancel(self, name: str) -> None:
        crawl = self.crawls.get(name, "")
        before = self.count("SELECT count(*) FROM task WHERE state = 'cancelled'")
        number = self.ledger.cancel(crawl)
        after = self.count("SELECT count(*) FROM task WHERE state = 'cancelled'")
        assert after == before + number

    @rule()
    def dispatch(self) -> None:
        limits = DispatchLimits(messages_per_lane=WINDOW)
        self.messages += self.tasks.window.take_due_messages({LANE: LOST_AFTER}, limits)

    @precondition(lambda self: self.messages)
    @rule(position=st.integers(0, 5), is_kept=st.booleans())
    def deliver(self, position: int, is_kept: bool) -> None:
        """Deliver a message, and perhaps once more later: brokers do."""
        message = self.messages[position % len(self.messages)]
        if not is_kept:
            self.messages.remove(message)
        claim = self.ledger.claim_dispatched(
            f"worker {len(self.claimed)}", message.task, message.generation, LEASE
        )
        if claim is None:
            return

        assert (message.task, message.generation) not in self.claimed
        self.claimed.add((message.task, message.generation))
        self.check_wanted(claim)
        self.claims.append(claim)

    @rule()
    def claim(self) -> None:
        claim = self.ledger.claim("local", tuple(Stage), LEASE)
        if claim:
            self.check_wanted(claim)
            self.claims.append(claim)

    @precondition(lambda self: self.claims)
    @rule(position=st.integers(0, 5), end=st.sampled_from(["done", "failed", "later"]))
    def end(self, position: int, end: str) -> None:
        claim = self.claims.pop(position % len(self.claims))
        is_held = self.is_held(claim)
        if end == "done":
            assert self.ledger.finish(claim, self.follow(claim)) is is_held
        else:
            retry_in = 30.0 if end == "later" else None
            ended = self.ledger.fail(claim, "no", "why", retry_in=retry_in)
            assert ended is is_held

    @rule(seconds=st.sampled_from([1.0, 30.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.tasks.clock.now += seconds
        self.ledger.reclaim()

    @rule()
    def retry(self) -> None:
        self.ledger.retry()

    @invariant()
    def waiting_tasks_know_how_many_they_wait_for(self) -> None:
        wrong = self.rows(
            "SELECT task.id FROM task WHERE pending_children != (SELECT count(*) "
            "FROM wait JOIN task AS child ON child.id = wait.child "
            f"WHERE wait.task = task.id AND child.state IN {UNFINISHED})"
        )
        assert wrong == []
        idle = "SELECT id FROM task WHERE state = 'waiting' AND pending_children = 0"
        assert self.rows(idle) == []

    @invariant()
    def only_running_tasks_are_held(self) -> None:
        statement = "SELECT id FROM task WHERE (owner != '') != (state = 'running')"
        assert self.rows(statement) == []
        leased = "SELECT id FROM task WHERE (lease > 0) != (state = 'running')"
        assert self.rows(leased) == []

    @invariant()
    def nothing_is_left_to_do_for_cancelled_crawls_alone(self) -> None:
        unwanted = self.rows(
            f"SELECT id FROM task WHERE state IN {UNFINISHED} AND id NOT IN "
            "(SELECT task FROM crawl_task JOIN crawl ON crawl.id = crawl_task.crawl "
            "WHERE crawl.state != 'cancelled')"
        )
        assert unwanted == []

    @invariant()
    def what_living_crawls_want_is_not_cancelled(self) -> None:
        lost = self.rows(
            "SELECT task.id FROM task JOIN crawl_task ON crawl_task.task = task.id "
            "JOIN crawl ON crawl.id = crawl_task.crawl "
            "WHERE task.state = 'cancelled' AND crawl.state = 'active'"
        )
        assert lost == []

    @invariant()
    def the_window_keeps_its_bound(self) -> None:
        assert self.tasks.window.count_outstanding().get(LANE, 0) <= WINDOW

    def teardown(self) -> None:
        """Once all crawls go on, willing workers bring each to its end by messages alone."""
        for crawl in self.crawls.values():
            self.ledger.resume(crawl)
        for _ in range(60):
            self.tasks.clock.now += LOST_AFTER
            self.ledger.reclaim()
            self.messages.clear()
            self.dispatch()
            if not self.messages:
                break
            for message in self.messages:
                claim = self.ledger.claim_dispatched(
                    "last", message.task, message.generation, LEASE
                )
                if claim:
                    assert self.ledger.finish(claim, self.follow(claim))
        assert self.ledger.count_unfinished("") == 0
        super().teardown()

    def follow(self, claim: Claim) -> Outcome:
        """Return what a task spawns: two children and what joins them, for each root."""
        if claim.stage is not Stage.LIST:
            return Outcome(result=claim.key)
        children = (
            make_task(f"{claim.key} 1", Stage.EXTRACT),
            # both crawls come to this one
            make_task("common", Stage.EXTRACT),
        )
        return Outcome(children=children, continuation=make_task(claim.key, Stage.LINK))

    def check_wanted(self, claim: Claim) -> None:
        states = {self.ledger.crawl_state(crawl) for crawl in claim.crawls}
        assert "active" in states

    def is_held(self, claim: Claim) -> bool:
        statement = (
            "SELECT count(*) FROM task WHERE state = 'running' "
            f"AND id = {claim.id} AND generation = {claim.generation}"
        )
        return bool(self.count(statement))

    def rows(self, statement: str) -> list[Any]:
        with self.tasks.engine.connect() as connection:
            return list(connection.execute(text(statement)).all())

    def count(self, statement: str) -> int:
        return int(self.rows(statement)[0][0])
