"""How a crawl goes on is told by stages, with rates from the second look on, and by who works."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from storage.ledger.interface import Outcome, Stage, State, TaskSpec
from storage.ledger.leases.lease_owner import current_process_owner, process_owner
from storage.open import Storage, open_storage
from workers.cli.app import app
from workers.cli.crawls.status import _iter_status_lines
from workers.config.settings import Settings
from workers.status.crawl_status import StatusWatcher, format_duration, status_rows


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def make_tasks(number: int) -> tuple[TaskSpec, ...]:
    task = TaskSpec(
        stage=Stage.CLONE, key="", version="1", queue="clone", payload="{}", subject="s"
    )
    return tuple(replace(task, key=str(index)) for index in range(number))


def finish(storage: Storage, number: int) -> None:
    for _ in range(number):
        claim = storage.ledger.claim("me", (Stage.CLONE,), 600)
        assert claim
        assert storage.ledger.finish(claim, Outcome())


@pytest.fixture
def watch(tmp_path: Path) -> Callable[[Storage, str], StatusWatcher]:
    settings = Settings(home=tmp_path, broker=SecretStr("redis://localhost/0"))
    return lambda storage, crawl: StatusWatcher(storage, settings, crawl)


def test_rates_are_of_what_ended_between_looks(
    tmp_path: Path, watch: Callable[[Storage, str], StatusWatcher]
) -> None:
    clock = Clock()
    with open_storage(tmp_path) as opened:
        storage = replace(opened, clock=clock)
        crawl = storage.ledger.open_crawl(("x",), make_tasks(10))
        watcher = watch(storage, crawl)
        finish(storage, 2)
        first = watcher.read_status()
        assert (
            first.total.per_minute,
            first.total.seconds_left,
            first.total.tasks_left,
        ) == (None, None, 8)
        finish(storage, 3)
        clock.now += 30
        progress = watcher.read_status().stages[Stage.CLONE]
        assert (
            progress.states[State.DONE],
            progress.per_minute,
            progress.seconds_left,
        ) == (
            5,
            6.0,
            50.0,
        )
        clock.now += 500
        assert watcher.read_status().total.per_minute == 0
        assert watcher.read_status().total.seconds_left is None, "nobody can say"


def test_who_works_and_what_nobody_serves_is_told(
    tmp_path: Path, watch: Callable[[Storage, str], StatusWatcher]
) -> None:
    with open_storage(tmp_path) as storage:
        crawl = storage.ledger.open_crawl(("x",), make_tasks(3))
        watcher = watch(storage, crawl)
        alone = watcher.read_status()
        assert (alone.state, alone.blocked_queues, alone.workers) == (
            "complete_with_blocked",
            {"clone": 3},
            (),
        )
        storage.worker_registry.record_heartbeat("host:1/2/3/4", ("clone",), 2)
        served = watcher.read_status()
        assert (
            served.state,
            served.blocked_queues,
            [worker.processes for worker in served.workers],
        ) == ("active", {}, [2])


def test_a_crawl_on_one_machine_misses_no_worker(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        crawl = storage.ledger.open_crawl(("x",), make_tasks(1))
        watcher = StatusWatcher(storage, Settings(home=tmp_path), crawl)
        assert (watcher.read_status().state, watcher.read_status().blocked_queues) == (
            "active",
            {},
        )
        finish(storage, 1)
        assert watcher.read_status().state == "complete"
        rows = [" ".join(row).split() for row in status_rows(watcher.read_status())]
    assert ["clone", "0", "0", "0", "1", "0", "0", "0"] in [row[:8] for row in rows]


def test_the_verb_looks_until_the_crawl_has_ended(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        crawl = storage.ledger.open_crawl(("x",), make_tasks(1))
        finish(storage, 1)
    words = ["--home", str(tmp_path), "status", "--watch", "--crawl", crawl]
    ended = CliRunner().invoke(app, words, standalone_mode=False)
    assert ended.return_value == 0
    assert ended.stdout.startswith("crawl: complete\nstage  waiting")
    json_output = (
        CliRunner().invoke(app, [*words, "--json"], standalone_mode=False).stdout
    )
    assert '"left": 0' in json_output


def test_running_tasks_whose_process_is_gone_are_told_with_what_takes_them_over(
    tmp_path: Path, watch: Callable[[Storage, str], StatusWatcher]
) -> None:
    ended = subprocess.Popen(["sleep", "60"])
    owner = process_owner(ended.pid)
    with open_storage(tmp_path) as storage:
        crawl = storage.ledger.open_crawl(("x",), make_tasks(2))
        for holder in (owner, current_process_owner()):
            assert storage.ledger.claim(holder, (Stage.CLONE,), 600)
        words = ["--home", str(tmp_path), "status", "--crawl", crawl]
        alive = CliRunner().invoke(app, words, standalone_mode=False).stdout
        ended.kill()
        ended.wait()
        lines = list(_iter_status_lines(watch(storage, crawl).read_status()))

    output = CliRunner().invoke(app, words, standalone_mode=False).stdout
    values = CliRunner().invoke(app, [*words, "--json"], standalone_mode=False).stdout
    assert "abandoned" not in alive
    assert "abandoned: 1 of the running tasks, whose process is gone" in output
    assert "the same `kernelset crawl`" in output
    assert lines[-1] == output.splitlines()[-1]
    assert json.loads(values)["abandoned"] == 1


def test_two_workers_of_one_host_can_be_told_apart(
    tmp_path: Path, watch: Callable[[Storage, str], StatusWatcher]
) -> None:
    other = subprocess.Popen(["sleep", "60"])
    try:
        with open_storage(tmp_path) as storage:
            crawl = storage.ledger.open_crawl(("x",), make_tasks(1))
            for owner in (process_owner(other.pid), current_process_owner()):
                storage.worker_registry.record_heartbeat(owner, ("clone",), 2, {})
            lines = list(_iter_status_lines(watch(storage, crawl).read_status()))
    finally:
        other.kill()
        other.wait()

    output = {line for line in lines if line.startswith("worker ")}
    assert output == {
        f"worker {platform.node()} pid {pid} 2 processes: clone"
        for pid in (other.pid, os.getpid())
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "?"), (0.2, "1 s"), (59, "59 s"), (185, "3 min 5 s"), (90_000, "1 d 1 h")],
)
def test_durations_are_said_in_two_words(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text
