"""Candidates that are sent to the page of a cluster are judged by its workers, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from storage.blobs.bucket import Bucket
from storage.ledger.interface import Stage, State
from storage.open import open_storage
from tests.judged_kernel import BROKEN, RIGHT, put_judged_kernel
from tests.servers.valkey import Valkey
from tests.servers.web import serving

pytestmark = [pytest.mark.apt, pytest.mark.slow]
PROGRAM = Path(sys.executable).parent / "kernelset"
_PATIENCE_SECONDS = 240.0


@contextmanager
def running(home: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [PROGRAM, *words],
        env={**os.environ, "KERNELSET_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGQUIT)
        try:
            process.wait(60)
        finally:
            process.kill()


def wait_until(tell: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not tell():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.timeout(600)
def test_a_killed_worker_loses_no_candidate_and_the_page_compiles_nothing(
    valkey: Valkey,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
    tmp_path: Path,
) -> None:
    home, database, bucket = tmp_path / "home", new_database(), new_bucket()
    home.mkdir()
    (home / "kernelset.toml").write_text(
        f'database = "{database}"\nbroker = "{valkey.url}"\n'
        f'blobs = "s3://{bucket.name}/{bucket.prefix}"\n'
        f's3_endpoint = "{bucket.endpoint}"\n'
    )
    worker_words = ("worker", "--queues", "judge", "--concurrency", "1")
    with ExitStack() as stack:
        storage = open_storage(home, database=database, bucket=bucket)
        stack.enter_context(storage)
        task_id = put_judged_kernel(storage, home)
        token = storage.tokens.add("ada", "reviewer")
        address = stack.enter_context(serving(home, **os.environ))
        headers = {"Authorization": f"Bearer {token}"}
        client = httpx.Client(base_url=address, headers=headers, timeout=60)
        stack.enter_context(client)

        rows = [{"task_id": task_id, "completion": text} for text in (RIGHT, BROKEN)]
        body = "".join(json.dumps(row) + "\n" for row in rows)
        answer = client.post("/judge", content=body)
        assert answer.status_code == 202, answer.text
        accepted = answer.json()
        judging = accepted["id"]
        # nobody is here yet who could, and the page does not do it in their place
        told = client.get(accepted["url"]).json()
        assert (told["state"], told["judged"]) == ("active", 0)
        assert "no worker serves the queue `judge`" in told["problem"]

        def count(state: State) -> int:
            counts = storage.ledger.task_counts(judging)
            return sum(number for _, found, _, number in counts if found is state)

        stack.enter_context(running(home, "dispatch"))
        with running(home, *worker_words) as killed:
            wait_until(lambda: count(State.RUNNING) == 1)
            killed.kill()
        assert count(State.DONE) == 0

        stack.enter_context(running(home, *worker_words))
        wait_until(lambda: count(State.DONE) == 1)
        told = client.get(accepted["url"]).json()
        assert (told["state"], told["problem"]) == ("complete", "")
        verdicts = [(row["pass_call"], row["pass_exe"]) for row in told["judgements"]]
        assert verdicts == [(True, True), (False, False)]
        assert len(storage.ledger.results(Stage.JUDGE, judging)) == 1
        assert client.post("/judge", content=body).json() == accepted
        assert count(State.DONE) == 1

        # a file of the same answers is judged by the same workers, whose verdicts it gets
        (tmp_path / "answers.jsonl").write_text(body)
        ended = subprocess.run(
            [PROGRAM, "judge", tmp_path / "answers.jsonl", "--queued", "--json"],
            env={**os.environ, "KERNELSET_HOME": str(home)},
            capture_output=True,
            check=True,
        )
        overall = json.loads(ended.stdout.splitlines()[0])
        assert (overall["candidates"], overall["pass_exe"]) == (2, 1)
        kept = (tmp_path / "answers.jsonl.judged.jsonl").read_text().splitlines()
        assert [json.loads(line) for line in kept] == told["judgements"]
