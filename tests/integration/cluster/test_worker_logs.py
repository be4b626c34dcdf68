"""A line of a worker's log says which worker wrote it, as `status` names it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from storage.blobs.bucket import Bucket
from storage.ledger.interface import Stage, TaskSpec
from storage.ledger.leases.lease_owner import describe_owner
from tests.servers.fleets.fleet import open_fleet
from tests.servers.postgres import Postgres
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

TASKS = 4
PATIENCE_SECONDS = 120.0


def task(key: str) -> TaskSpec:
    return TaskSpec(
        stage=Stage.CLONE,
        key=key,
        version="1",
        queue="clone",
        payload=json.dumps({"runs": "pass"}),
        subject=key,
    )


def test_workers_can_be_told_apart_in_their_logs(
    postgres: Postgres,
    valkey: Valkey,
    s3: S3,
    new_bucket: Callable[..., Bucket],
    empty_database: Callable[[], str],
    tmp_path: Path,
) -> None:
    database, bucket = empty_database(), new_bucket().name
    with (
        open_fleet(tmp_path / "home", postgres, valkey, s3, database, bucket) as fleet,
        fleet.storage() as storage,
    ):
        for kind in ("dispatch", "worker", "worker"):
            fleet.start(kind)
        tasks = tuple(task(str(number)) for number in range(TASKS))
        crawl = storage.ledger.open_crawl(("x",), tasks)
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while (
            storage.ledger.count_unfinished(crawl)
            or len(storage.worker_registry.live_workers()) < 2
        ):
            assert time.monotonic() < ends_at, fleet.log.read_text()[-4000:]
            time.sleep(0.05)
        workers = storage.worker_registry.live_workers()
    names = {describe_owner(worker.id) for worker in workers}
    assert len(names) == 2

    log = fleet.log.read_text().splitlines()
    lines = [json.loads(line) for line in log if line.startswith("{")]
    ends = [line for line in lines if line["event"] == "task-ended"]
    assert len(ends) == TASKS
    assert {line["worker"] for line in ends} <= names
    assert {line["crawls"][0] for line in ends} == {crawl}
    assert len({line["task"] for line in ends}) == TASKS
