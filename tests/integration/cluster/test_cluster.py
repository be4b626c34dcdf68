"""A cluster on real servers: nothing is lost or done twice, whatever is killed, flushed,
restarted, cut off, full, wrong about the time or of another version.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from storage.blobs.bucket import Bucket
from tests.servers.fleets.fleet import open_fleet
from tests.servers.fleets.scenarios import SCENARIOS, UNDISTURBED
from tests.servers.postgres import Postgres
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

TASKS = 20
TROUBLE_NAMES = {
    "partition": ["partition", "partition mended"],
    "full disk": ["disk full", "disk freed"],
    "jumping clock": ["clock an hour ahead", "clock an hour behind"],
    "previous version": ["worker of the previous version"],
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != UNDISTURBED])
def test_nothing_is_lost_or_done_twice(
    name: str,
    postgres: Postgres,
    valkey: Valkey,
    s3: S3,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
    tmp_path: Path,
) -> None:
    s3.errors, s3.slow, s3.delay = 0.05, 0.05, 1.0
    trial = SCENARIOS[name](2.0, 4.0)
    database, bucket = new_database(), new_bucket().name
    try:
        with open_fleet(
            tmp_path / "home", postgres, valkey, s3, database, bucket
        ) as fleet:
            trial_outcome = fleet.run(
                tasks=TASKS, workers=2, mean=0.2, trial=trial, limit=480
            )
    finally:
        s3.errors = s3.slow = 0.0
    logs = "\n".join(host.log.read_text()[-4000:] for host in fleet.hosts)
    assert trial_outcome.is_sound(TASKS), f"{trial_outcome}\n{logs}"
    restarts = ["broker flushed", "broker restarted", "database restarted"]
    assert trial_outcome.trouble_names == TROUBLE_NAMES.get(name, restarts)
    assert trial_outcome.kills > 0
    if fleet.odd_hosts:
        assert trial_outcome.odd_ends > 0
