"""A dispatcher looks seldom while there is nothing to do, and at once when there is."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from celery import Celery

from storage.ledger.interface import Lane, Outcome, Stage, TaskSpec
from storage.open import Storage, open_storage
from workers.cluster.dispatcher import Dispatcher
from workers.config.settings import Settings
from workers.tasks.queues import broker_queue

SLOW_POLL_SECONDS = 600.0
PATIENCE_SECONDS = 30.0
"""Far more than an idle machine takes, far less than the slow poll."""
LANE = Lane("clone")


def task(key: str) -> TaskSpec:
    return TaskSpec(
        stage=Stage.CLONE,
        key=key,
        version="1",
        queue=LANE.queue,
        payload="{}",
        subject=key,
        account="a",
    )


class Watched(Dispatcher):
    """A dispatcher whose rounds are counted."""

    rounds = 0

    def run_round(self) -> int:
        self.rounds += 1
        return super().run_round()

    def drop_messages(self) -> None:
        """Forget those of other tests: all brokers in memory are one."""
        with self.app.connection_for_write() as connection:
            channel = connection.default_channel
            channel.queue_declare(broker_queue(LANE), durable=True)
            channel.queue_purge(broker_queue(LANE))

    def messages(self) -> int:
        with self.app.connection_for_read() as connection:
            channel = connection.default_channel
            declared = channel.queue_declare(broker_queue(LANE), durable=True)
            return int(declared.message_count)


@pytest.fixture(params=["embedded", "server"])
def storage(
    request: pytest.FixtureRequest, tmp_path: Path, migrated_database: Path
) -> Iterator[Storage]:
    home = tmp_path / "home"
    database = ""
    if request.param == "server":
        database = request.getfixturevalue("empty_database")()
    else:
        home.mkdir()
        (home / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(home, database=database) as opened:
        yield opened


@contextmanager
def dispatching(storage: Storage, name: str) -> Iterator[Watched]:
    dispatcher = Watched(
        settings=Settings(home=Path("unused")),
        storage=storage,
        app=Celery(name, broker="memory://", set_as_current=False),
        longest_pause=SLOW_POLL_SECONDS,
    )
    dispatcher.drop_messages()
    stop = threading.Event()
    thread = threading.Thread(target=dispatcher.run, args=(stop,))
    thread.start()
    try:
        come_to_rest(dispatcher)
        yield dispatcher
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()


def come_to_rest(dispatcher: Watched) -> None:
    seen_rounds = 0
    while not seen_rounds or seen_rounds != dispatcher.rounds:
        seen_rounds = dispatcher.rounds
        # as if it had long had nothing to send: what it finds later, somebody told it of
        dispatcher.last_sent_at = -math.inf
        time.sleep(0.4)


def wait_for_messages(dispatcher: Watched, number: int) -> None:
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while dispatcher.messages() < number:
        assert time.monotonic() < ends_at, "nobody was told of what became due"
        time.sleep(0.02)


def serve(storage: Storage) -> None:
    storage.worker_registry.record_heartbeat("worker", (LANE.queue,), 1)


def bring_new_crawl(storage: Storage) -> None:
    storage.ledger.open_crawl(("x",), (task("x"),))


def resume_paused_crawl(storage: Storage) -> None:
    (crawl,) = storage.ledger.crawls()
    storage.ledger.resume(crawl.id)


def end_first_task(storage: Storage) -> None:
    claim = storage.ledger.claim("me", (Stage.CLONE,), 600)
    assert claim
    storage.ledger.finish(claim, Outcome(children=(task("child"),)))


def retry_failed_task(storage: Storage) -> None:
    storage.ledger.retry()


def pause_crawl(storage: Storage) -> None:
    bring_new_crawl(storage)
    (crawl,) = storage.ledger.crawls()
    storage.ledger.pause(crawl.id)


def fail_task(storage: Storage) -> None:
    bring_new_crawl(storage)
    claim = storage.ledger.claim("me", (Stage.CLONE,), 600)
    assert claim
    storage.ledger.fail(claim, "broken", "it broke")


@pytest.mark.parametrize(
    ("before", "happening", "messages"),
    [
        (serve, bring_new_crawl, 1),
        (pause_crawl, resume_paused_crawl, 1),
        (fail_task, retry_failed_task, 1),
        (bring_new_crawl, end_first_task, 2),
        (bring_new_crawl, serve, 1),
    ],
)
def test_it_is_told_of_what_becomes_due(
    storage: Storage,
    before: Callable[[Storage], None],
    happening: Callable[[Storage], None],
    messages: int,
    request: pytest.FixtureRequest,
) -> None:
    before(storage)
    if happening is not serve:
        serve(storage)
    with dispatching(storage, request.node.name) as dispatcher:
        happening(storage)
        wait_for_messages(dispatcher, messages)
        assert dispatcher.messages() == messages


def test_it_does_not_look_while_nothing_happens(
    storage: Storage, request: pytest.FixtureRequest
) -> None:
    serve(storage)
    bring_new_crawl(storage)
    with dispatching(storage, request.node.name) as dispatcher:
        wait_for_messages(dispatcher, 1)
        come_to_rest(dispatcher)
        seen_rounds = dispatcher.rounds
        time.sleep(2.0)
        # a slow machine may not have come to rest before; a look five times a second is ten
        assert dispatcher.rounds - seen_rounds <= 2


def test_a_crawl_over_its_quota_gets_no_messages_until_there_is_room(
    storage: Storage, request: pytest.FixtureRequest
) -> None:
    serve(storage)
    crawl = storage.ledger.open_crawl(("x",), (task("a"), task("b")))
    app = Celery(request.node.name, broker="memory://", set_as_current=False)

    def run_round(quota: str) -> int:
        settings = Settings(home=Path("unused"), crawl_quota=quota)
        dispatcher = Watched(settings=settings, storage=storage, app=app)
        dispatcher.drop_messages()
        with closing(dispatcher):
            return dispatcher.run_round()

    claim = storage.ledger.claim("me", (Stage.CLONE,), 600)
    assert claim
    storage.ledger.finish(claim, Outcome())
    assert run_round("tasks=1") == 0
    assert storage.ledger.crawl_state(crawl) == "over-quota"
    assert run_round("tasks=2") == 1
