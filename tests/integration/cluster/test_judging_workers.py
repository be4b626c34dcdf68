"""Candidates that are sent to the page of a cluster are judged by its workers, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from storage.blobs.bucket import Bucket
from storage.ledger.interface import Stage, State
from tests.judged_kernel import BROKEN, RIGHT, put_judged_kernel
from tests.servers.valkey import Valkey
from tests.servers.web import serving
from workers.config.configured_storage import open_configured_storage
from workers.config.setting_sources import load_settings

pytestmark = [pytest.mark.apt, pytest.mark.slow]
PROGRAM = Path(sys.executable).parent / "kernelset"
_PATIENCE_SECONDS = 240.0


@contextmanager
def running(
    home: Path, *words: str, end_by: signal.Signals = signal.SIGTERM
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [PROGRAM, *words],
        env={**os.environ, "KERNELSET_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.send_signal(end_by)
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()


def wait_until(tell: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not tell():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def serve_judge(home: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run a worker for judgings; it gives back what it has begun when it ends."""
    words = ("worker", "--queues", "judge", "--concurrency", "1")
    return running(home, *words, end_by=signal.SIGQUIT)


def judge_by_command(home: Path, answers: Path) -> dict[str, object]:
    """Return what the command says of a file of answers that the cluster judges."""
    ended = subprocess.run(
        [PROGRAM, "judge", answers, "--queued", "--json"],
        env={**os.environ, "KERNELSET_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    overall: dict[str, object] = json.loads(ended.stdout.splitlines()[0])
    return overall


@pytest.fixture
def home(
    valkey: Valkey,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
    tmp_path: Path,
) -> Path:
    """The settings of a cluster."""
    home, bucket = tmp_path / "home", new_bucket()
    home.mkdir()
    (home / "kernelset.toml").write_text(
        f'database = "{new_database()}"\nbroker = "{valkey.url}"\n'
        f'blobs = "s3://{bucket.name}/{bucket.prefix}"\n'
        f's3_endpoint = "{bucket.endpoint}"\n'
    )
    return home


@pytest.mark.timeout(600)
def test_a_killed_worker_loses_no_candidate_and_the_page_compiles_nothing(
    home: Path, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        opened = open_configured_storage(load_settings(home=home))
        storage = stack.enter_context(opened)
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
        judging_state = client.get(accepted["url"]).json()
        assert (judging_state["state"], judging_state["judged"]) == ("active", 0)
        assert "no worker serves the queue `judge`" in judging_state["problem"]

        def count(state: State) -> int:
            counts = storage.ledger.task_counts(judging)
            return sum(
                number for _, task_state, _, number in counts if task_state is state
            )

        stack.enter_context(running(home, "dispatch"))
        with serve_judge(home) as killed:
            wait_until(lambda: count(State.RUNNING) == 1)
            killed.kill()
        assert count(State.DONE) == 0

        stack.enter_context(serve_judge(home))
        wait_until(lambda: count(State.DONE) == 1)
        judging_state = client.get(accepted["url"]).json()
        assert (judging_state["state"], judging_state["problem"]) == ("complete", "")
        verdicts = [
            (row["pass_call"], row["pass_exe"]) for row in judging_state["judgements"]
        ]
        assert verdicts == [(True, True), (False, False)]
        assert len(storage.ledger.results(Stage.JUDGE, judging)) == 1
        assert client.post("/judge", content=body).json() == accepted
        assert count(State.DONE) == 1

        # a file of the same answers is judged by the same workers, whose verdicts it gets
        answers = tmp_path / "answers.jsonl"
        answers.write_text(body)
        overall = judge_by_command(home, answers)
        assert (overall["candidates"], overall["pass_exe"]) == (2, 1)
        kept_lines = (tmp_path / "answers.jsonl.judged.jsonl").read_text().splitlines()
        assert [json.loads(line) for line in kept_lines] == judging_state["judgements"]
