"""A task that is too much is ended with all that it started, twice at most; a stopped worker
gives its tasks back.
"""

from __future__ import annotations

import json
import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psutil
import pytest

from storage.blobs.bucket import Bucket
from storage.ledger.interface import Stage, State, TaskSpec
from storage.open import Storage
from tests.servers.fleets.fleet import Fleet, open_fleet
from tests.servers.postgres import Postgres
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

Founded = Callable[..., AbstractContextManager[Fleet]]


@pytest.fixture
def found_fleet(
    postgres: Postgres,
    valkey: Valkey,
    s3: S3,
    new_bucket: Callable[..., Bucket],
    empty_database: Callable[[], str],
    tmp_path: Path,
) -> Founded:
    @contextmanager
    def found_fleet(**settings: str) -> Iterator[Fleet]:
        database, bucket = empty_database(), new_bucket().name
        with open_fleet(
            tmp_path / "home", postgres, valkey, s3, database, bucket, **settings
        ) as fleet:
            fleet.start("dispatch")
            yield fleet

    return found_fleet


def enqueue(storage: Storage, *programs: str) -> str:
    specs = tuple(
        TaskSpec(
            stage=Stage.CLONE,
            key=str(place),
            version="1",
            queue="clone",
            payload=json.dumps({"runs": program}),
            subject=str(place),
            priority=-place,
        )
        for place, program in enumerate(programs)
    )
    return storage.ledger.open_crawl((uuid.uuid4().hex,), specs)


def until(tell: Callable[[], bool], fleet: Fleet, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not tell():
        assert time.monotonic() < deadline, fleet.log.read_text()[-4000:]
        time.sleep(0.05)


def running(mark: str) -> list[int]:
    pids = []
    for process in psutil.process_iter(["cmdline"]):
        if any(mark in word for word in process.info["cmdline"] or ()):
            pids.append(process.pid)
    return pids


def test_a_task_that_takes_too_much_memory_costs_itself_alone(
    found_fleet: Founded,
) -> None:
    mark = uuid.uuid4().hex
    greedy = f"content = bytearray(900 << 20) # {mark}\nimport time; time.sleep(600)"
    with found_fleet(task_bytes=str(600 << 20)) as fleet, fleet.storage() as storage:
        crawl = enqueue(storage, greedy, "pass")
        worker = fleet.start("worker")
        until(lambda: not storage.ledger.count_unfinished(crawl), fleet)
        assert storage.ledger.task_counts(crawl) == (
            (Stage.CLONE, State.DONE, "", 1),
            (Stage.CLONE, State.FAILED, "killed-its-worker", 1),
        )
        (failure,) = storage.ledger.failures(crawl)
        assert (failure.subject, failure.attempts) == ("0", 2)
        assert psutil.pid_exists(worker)
        assert running(mark) == []


@pytest.mark.parametrize(
    ("seconds", "state"), [("0.5", State.READY), ("60", State.DONE)]
)
def test_a_worker_that_is_told_to_stop_lets_tasks_run_on_so_long(
    found_fleet: Founded, seconds: str, state: State
) -> None:
    mark = uuid.uuid4().hex
    slow = f"import time; time.sleep({600 if state is State.READY else 2}) # {mark}"
    with found_fleet(drain_seconds=seconds) as fleet, fleet.storage() as storage:
        crawl = enqueue(storage, slow)
        worker = fleet.start("worker")
        until(lambda: bool(running(mark)), fleet)
        os.kill(worker, signal.SIGTERM)
        until(lambda: not psutil.pid_exists(worker), fleet, 60)
        assert storage.ledger.task_counts(crawl) == ((Stage.CLONE, state, "", 1),)
        with storage.engine.connect() as connection:
            assert connection.exec_driver_sql(
                "SELECT kills, interruptions FROM task"
            ).one() == (0, 0), "nobody is blamed"
        assert storage.worker_registry.live_workers() == ()
        until(lambda: not running(mark), fleet, 5)
