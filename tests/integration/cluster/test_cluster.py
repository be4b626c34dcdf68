"""A cluster on real servers: nothing is lost or done twice, whatever is killed, flushed,
restarted or slow.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from storage.blobs.bucket import Bucket
from tests.servers.fleet import Trial, made
from tests.servers.postgres import Postgres
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey


def test_no_kill_flush_or_restart_loses_a_task_or_does_one_twice(
    postgres: Postgres,
    valkey: Valkey,
    s3: S3,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
    tmp_path: Path,
) -> None:
    s3.errors, s3.slow, s3.delay = 0.05, 0.05, 1.0
    trial = Trial(
        kill_every=2.0, flush_at=0.2, broker_restart_at=0.4, database_restart_at=0.6
    )
    database, bucket = new_database(), new_bucket().name
    try:
        with made(tmp_path / "home", postgres, valkey, s3, database, bucket) as fleet:
            ended = fleet.run(tasks=30, workers=2, mean=0.2, trial=trial, limit=240)
    finally:
        s3.errors = s3.slow = 0.0
    assert ended.states == {"done": 30}, fleet.log.read_text()[-4000:]
    assert ended.happened == [
        "broker flushed",
        "broker restarted",
        "database restarted",
    ]
    assert ended.kills > 0
    assert (ended.wrong, ended.done_twice, ended.orphans) == (0, 0, 0)
