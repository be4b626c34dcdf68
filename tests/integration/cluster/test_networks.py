"""Workers beyond a network of their own, with delay and loss, do all tasks once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from storage.blobs.bucket import Bucket
from tests.servers.fleets import outcome
from tests.servers.fleets.fleet import open_fleet
from tests.servers.fleets.host import Process
from tests.servers.fleets.networks import can_open_networks, open_far_hosts
from tests.servers.postgres import Postgres
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

TASKS = 20
HOSTS = 2


@pytest.mark.timeout(400)
def test_workers_beyond_a_network_that_loses_packets_do_each_task_once(
    postgres: Postgres,
    valkey: Valkey,
    s3: S3,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
    tmp_path: Path,
) -> None:
    if not can_open_networks():
        pytest.skip("no network namespace with iptables can be made here")
    database, bucket = new_database(), new_bucket().name
    with (
        open_fleet(tmp_path / "home", postgres, valkey, s3, database, bucket) as fleet,
        open_far_hosts(fleet, HOSTS, delay=0.01, loss=0.02) as hosts,
        fleet.storage() as storage,
    ):
        workload = outcome.open_crawls(
            storage, hosts, TASKS, 0.1, random.Random(8), seed=9
        )
        for host in hosts:
            Process(host, "worker").start()
        Process(fleet.host, "dispatch").start()
        deadline = time.monotonic() + 300
        while workload.count_states(storage) != {"done": TASKS}:
            assert time.monotonic() < deadline, hosts[0].log.read_text()[-4000:]
            time.sleep(0.1)

        assert workload.count_correct_results(storage) == TASKS
        assert outcome.count_repeated_tasks(hosts) == 0
        # nobody else worked, and a worker there sees no server of this machine by itself
        assert outcome.count_ends(hosts) == TASKS
        assert outcome.count_ends([fleet.host]) == 0
