"""A crawl on servers ends with what a crawl on one machine ends with."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from storage.blobs.bucket import Bucket
from tests.servers.valkey import Valkey

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt


@contextmanager
def serving(kernelset: Kernelset, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Let a verb that serves run for as long as the block does, and hold that it ends well when
    it is told to.
    """
    running = kernelset.start(
        *arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield running
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0
    finally:
        running.kill()
        running.wait(10)


def outcome(kernelset: Kernelset) -> list[dict[str, Any]]:
    return kernelset.rows("query")


@pytest.mark.timeout(600)
def test_a_crawl_on_servers_ends_with_the_same_rows(
    crawled_home: tuple[Kernelset, str],
    another_home: Callable[[], Kernelset],
    project: Path,
    valkey: Valkey,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster, bucket = another_home(), new_bucket()
    # names of settings are kept from the environment of other tests: a file says them
    cluster.home.mkdir()
    (cluster.home / "kernelset.toml").write_text(
        f'database = "{new_database()}"\nbroker = "{valkey.url}"\nblobs = "s3://{bucket.name}/{bucket.prefix}"\n'
        f's3_endpoint = "{bucket.endpoint}"\n'
    )
    monkeypatch.chdir(project.parent)
    enqueuing = cluster.run("enqueue", "./rollers")
    assert "no worker for extract" in enqueuing.stderr
    crawl = enqueuing.stdout.split()[1].rstrip(":")
    narrow = "list,clone,build-db,extract,link,port,validate.build"
    with serving(cluster, "dispatch"):
        waiting = cluster.start("enqueue", "./rollers", "--wait", "--json")
        # a worker may come a little later
        with serving(cluster, "worker", "--concurrency", "2", "--queues", narrow):
            ended = json.loads(waiting.communicate(timeout=250)[0])
    # what runs kernels is for those who ask for it: nobody here does
    assert ended["state"] in ("complete", "complete_with_blocked")
    mine, theirs = outcome(cluster), outcome(crawled_home[0])
    assert len(mine) > 5
    assert mine == theirs
    assert cluster.rows("failures") == crawled_home[0].rows("failures")
    assert "paused" in cluster.run("pause", crawl).stdout
    assert list((cluster.home / "scratch").iterdir()) == []


def test_a_worker_refuses_what_its_machine_cannot_serve(kernelset: Kernelset) -> None:
    ended = kernelset.run("worker", "--queues", "validate.rocm.gfx00", code=2)
    assert "cannot serve validate.rocm.gfx00" in ended.stderr
