"""What may happen to a ledger, each step held against a plain model of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from storage.ledger.leases.reclaim import MAX_INTERRUPTIONS, MAX_KILLS

if TYPE_CHECKING:
    from tests.contract.conftest import Entry, Model, World

Key = tuple[Stage, str, str]
LEASE = 60
ROOTS = st.sampled_from(["r1", "r2"])
PICKS = st.sampled_from([0, 0, 0, 1, 2, 7])
"""Which of those who ever held a task acts, from the last."""
KEYS = st.frozensets(st.sampled_from("ab")).map(sorted)


def spec(key: Key) -> TaskSpec:
    stage, name, version = key
    whole = "/".join(key)
    priority = ord(name[-1]) % 2
    return TaskSpec(
        stage=stage,
        key=name,
        version=version,
        queue="q",
        payload=whole,
        subject=name,
        priority=priority,
    )


class LedgerMachine(RuleBasedStateMachine):
    new_world: Callable[[], World]
    model_of: type[Model]

    def __init__(self) -> None:
        super().__init__()
        self.world = type(self).new_world()
        self.ledger = self.world.ledger
        self.opened_at = self.world.now
        self.model = self.model_of()
        self.held: list[tuple[Claim, Key, str]] = []
        self.owners = 0
        self.ids: dict[str | None, str] = {}

    @initialize(root=ROOTS)
    def begin(self, root: str) -> None:
        self.open_crawl(root, "1")

    @rule(root=ROOTS, version=st.sampled_from("12"))
    def open_crawl(self, root: str, version: str) -> None:
        key = (Stage.LIST, root, version)
        crawl = self.ledger.open_crawl((root,), (spec(key),))
        self.ids[root] = crawl
        self.model.crawls[crawl] = self.model.reach(self.model.ensure([key]))

    @rule(far=st.booleans(), narrow=ROOTS | st.none())
    def claim(self, far: bool, narrow: str | None) -> None:
        crawl = self.ids.get(narrow, "")
        ready = [
            key
            for key in self._members(crawl)
            if self.model.tasks[key].state == "ready"
            and self.model.tasks[key].not_before <= self.world.now
        ]
        self.owners += 1
        owner = f"{self.owners}"
        if far:
            self.world.far.add(owner)
        claim = self.ledger.claim(owner, tuple(Stage), LEASE, crawl)
        assert (claim is None) == (not ready)
        if claim is None:
            return
        stage, name, version = claim.payload.split("/")
        key = (Stage(stage), name, version)
        assert key in ready
        entry = self.model.tasks[key]
        assert spec(key).priority == max(spec(key).priority for key in ready)
        entry.state, entry.owner = "running", owner
        entry.lease, entry.leased_at = self.world.now + LEASE, self.world.now
        entry.attempt += 1
        entry.generation += 1
        assert (claim.generation, claim.attempt) == (entry.generation, entry.attempt)
        assert set(claim.crawls) == {
            crawl for crawl, keys in self.model.crawls.items() if key in keys
        }
        self.held.append((claim, key, owner))

    @precondition(lambda self: self.held)
    @rule(pick=PICKS, names=KEYS, joined=st.booleans())
    def finish(self, pick: int, names: list[str], joined: bool) -> None:
        claim, key, _ = self.held[-1 - pick % len(self.held)]
        live, before = self._live(claim, key), self.world.everything()
        children, then = self._following(key, names, joined)
        outcome = Outcome(
            children=tuple(map(spec, children)),
            continuation=spec(then) if then else None,
            result=key[1],
        )
        assert self.ledger.finish(claim, outcome) == live
        if live:
            self.model.finish(key, set(children), then)
        else:
            assert self.world.everything() == before

    @precondition(lambda self: self.held)
    @rule(pick=PICKS, end=st.sampled_from(["failed", "rejected", "ready"]))
    def fail(self, pick: int, end: str) -> None:
        claim, key, _ = self.held[-1 - pick % len(self.held)]
        live, before = self._live(claim, key), self.world.everything()
        retry_in = 30.0 if end == "ready" else None
        assert (
            self.ledger.fail(
                claim, "code", "why", rejected=end == "rejected", retry_in=retry_in
            )
            == live
        )
        if live:
            self.model.tasks[key].not_before = self.world.now + (retry_in or 0.0)
            self.model.end(key, end)
        else:
            assert self.world.everything() == before

    @precondition(lambda self: self.held)
    @rule(pick=PICKS)
    def keep(self, pick: int) -> None:
        claim, key, _ = self.held[-1 - pick % len(self.held)]
        live = self._live(claim, key)
        assert self.ledger.extend_lease(claim, LEASE) == live
        if live:
            self.model.tasks[key].lease = self.world.now + LEASE

    @rule(seconds=st.sampled_from([1, 30, LEASE]))
    def wait(self, seconds: int) -> None:
        self.world.now += seconds

    @rule(names=KEYS, joined=st.booleans())
    def work(self, names: list[str], joined: bool) -> None:
        before = len(self.held)
        self.claim(far=False, narrow=None)
        if len(self.held) > before:
            self.finish(0, names, joined)

    @precondition(lambda self: self.held)
    @rule(pick=PICKS, reopened=st.booleans(), is_known_dead=st.booleans())
    def kill(self, pick: int, reopened: bool, is_known_dead: bool) -> None:
        self.world.dead.add(self.held[-1 - pick % len(self.held)][2])
        if reopened:
            self.world.now += 1
            self.ledger = self.world.open_ledger()
            self.opened_at = self.world.now
        if is_known_dead:
            self.reclaim()

    @precondition(lambda self: self.held)
    @rule(pick=PICKS)
    def take_over(self, pick: int) -> None:
        self.kill(pick, reopened=False, is_known_dead=True)
        self.claim(far=False, narrow=None)
        self.finish(pick + 1, [], joined=False)

    @rule()
    def reclaim(self) -> None:
        lost = [
            entry
            for entry in self.model.tasks.values()
            if entry.state == "running" and self._is_lost(entry)
        ]
        assert self.ledger.reclaim() == len(lost)
        for entry in lost:
            killed = entry.owner in self.world.far or entry.owner in self.world.dead
            interrupted = entry.leased_at < self.opened_at
            entry.kills += killed and not interrupted
            entry.interruptions += killed and interrupted
            fatal = entry.kills >= MAX_KILLS or entry.interruptions >= MAX_INTERRUPTIONS
            entry.state, entry.owner, entry.lease = (
                "failed" if fatal else "ready",
                "",
                0.0,
            )
        self.model.release()

    @rule(narrow=ROOTS | st.none())
    def retry(self, narrow: str | None) -> None:
        crawl = self.ids.get(narrow, "")
        failed = {
            key
            for key in self._members(crawl)
            if self.model.tasks[key].state == "failed"
        }
        assert self.ledger.retry(crawl=crawl) == len(failed)
        self.model.run_again(failed)

    @invariant()
    def the_ledger_is_as_the_model_says(self) -> None:
        columns = "stage, key, stage_version, state, generation, attempt, kills, interruptions, owner, pending_children"
        rows = {
            row[:3]: row[3:] for row in self.world.rows(f"SELECT {columns} FROM task")
        }
        assert rows == {
            (key[0].value, key[1], key[2]): (
                *(
                    entry.state,
                    entry.generation,
                    entry.attempt,
                    entry.kills,
                    entry.interruptions,
                    entry.owner,
                ),
                self.model.pending(key),
            )
            for key, entry in self.model.tasks.items()
        }

    @invariant()
    def crawls_have_what_the_model_says(self) -> None:
        joined = "SELECT crawl, stage, key, stage_version FROM crawl_task JOIN task ON task.id = crawl_task.task"
        assert set(self.world.rows(joined)) == {
            (crawl, key[0].value, key[1], key[2])
            for crawl, keys in self.model.crawls.items()
            for key in keys
        }

    @invariant()
    def nothing_is_done_twice(self) -> None:
        assert all(entry.done <= 1 + entry.again for entry in self.model.tasks.values())

    def teardown(self) -> None:
        """Whatever has happened, willing workers bring every crawl to its end."""
        for _ in range(200):
            self.world.now += LEASE
            self.reclaim()
            self.claim(far=False, narrow=None)
            while self.held and self._live(*self.held[-1][:2]):
                self.finish(0, [], joined=False)
                self.claim(far=False, narrow=None)
            if not self.ledger.count_unfinished(""):
                break
        assert self.ledger.count_unfinished("") == 0
        assert {self.model.tasks[key].state for key in self._members("")} <= {
            "done",
            "failed",
            "rejected",
        }

    def _following(
        self, key: Key, names: list[str], joined: bool
    ) -> tuple[list[Key], Key | None]:
        stage, name, version = key
        if stage is Stage.LIST:
            return [(Stage.CLONE, key, version) for key in names], None
        if stage is Stage.CLONE:
            return [(Stage.EXTRACT, key, version) for key in names], (
                Stage.LINK,
                name,
                version,
            ) if joined else None
        # joins of joins: what waits for a link runs again when the link does
        if stage is Stage.EXTRACT and name == "a":
            return [(Stage.LINK, key, version) for key in names], (
                Stage.PORT,
                "p",
                version,
            ) if joined else None
        return [], None

    def _live(self, claim: Claim, key: Key) -> bool:
        entry = self.model.tasks[key]
        return entry.state == "running" and entry.generation == claim.generation

    def _is_lost(self, entry: Entry) -> bool:
        near = entry.owner not in self.world.far
        return entry.lease <= self.world.now or (
            near and entry.owner in self.world.dead
        )

    def _members(self, crawl: str) -> set[Key]:
        return (
            self.model.crawls[crawl]
            if crawl
            else set().union(*self.model.crawls.values())
        )
