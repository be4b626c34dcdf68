"""Running tasks that nobody works on are counted as they would be given back."""

from __future__ import annotations

from storage.ledger.interface import Stage
from storage.ledger.leases.lease_owner import current_process_owner
from tests.unit.storage.ledger.conftest import Tasks, make_task


def test_a_task_is_abandoned_once_its_lease_is_over(tasks: Tasks) -> None:
    killed = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    other = tasks.ledger.open_crawl(("y",), ())
    assert tasks.ledger.claim("on another host", (Stage.LIST,), 60)
    assert tasks.ledger.count_abandoned(killed) == 0

    tasks.clock.now += 60
    assert tasks.ledger.count_abandoned(killed) == 1
    assert tasks.ledger.count_abandoned(other) == 0
    assert tasks.ledger.count_abandoned() == 1

    assert tasks.ledger.reclaim() == 1
    assert tasks.ledger.count_abandoned() == 0


def test_a_task_of_a_living_process_is_not_abandoned(tasks: Tasks) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("a"),))
    assert tasks.ledger.claim(current_process_owner(), (Stage.LIST,), 60)
    assert tasks.ledger.count_abandoned() == 0
