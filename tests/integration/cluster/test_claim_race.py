"""Real processes race for the same tasks, and some of them are killed while they hold one."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from storage.ledger.interface import Outcome, Stage, State, TaskSpec
from storage.open import open_storage

TASKS = 40
WORKER = """
import sys
from pathlib import Path
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import open_storage
from storage.ledger.leases.lease_owner import current_process_owner

home, database, hold = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "hold"
with open_storage(home, database=database) as storage:
    while claim := storage.ledger.claim(current_process_owner(), tuple(Stage), 600):
        print(claim.key, claim.attempt, flush=True)
        if hold:
            sys.stdin.read()
        below = TaskSpec(
            stage=Stage.EXTRACT, key=f"below {claim.key}", version="1", queue="q", payload="", subject="s"
        )
        storage.blobs.put(claim.key.encode())
        assert storage.ledger.finish(claim, Outcome(children=(below,) if claim.stage is Stage.CLONE else ()))
"""


def start(home: Path, database: str, how: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", WORKER, str(home), database, how]
    return subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_racing_processes_do_every_task_once_and_lose_none_to_a_kill(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    database = request.getfixturevalue("empty_database")() if kind == "postgres" else ""
    specs = tuple(
        TaskSpec(
            stage=Stage.CLONE,
            key=str(number),
            version="1",
            queue="q",
            payload="",
            subject="s",
        )
        for number in range(TASKS)
    )
    with open_storage(tmp_path, database=database) as storage:
        crawl = storage.ledger.open_crawl(("many",), specs)
    doomed = [start(tmp_path, database, "hold") for _ in range(2)]
    leased = [
        process.stdout.readline().split()[0] for process in doomed if process.stdout
    ]
    racers = [start(tmp_path, database, "work") for _ in range(3)]
    for process in doomed:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    done = Counter(key for process in racers for key in wait_for_keys(process))
    with open_storage(tmp_path, database=database) as storage:
        assert set(done.values()) == {1}
        assert set(done) == names() - {
            name for key in leased for name in (key, f"below {key}")
        }
        assert storage.ledger.count_unfinished(crawl) == len(leased)
        assert storage.ledger.reclaim() == len(leased)
    assert Counter(wait_for_keys(start(tmp_path, database, "work"))) == Counter(
        name for key in leased for name in (key, f"below {key}")
    )
    with open_storage(tmp_path, database=database) as storage:
        assert storage.ledger.task_counts(crawl) == (
            (Stage.CLONE, State.DONE, "", TASKS),
            (Stage.EXTRACT, State.DONE, "", TASKS),
        )
        assert storage.ledger.claim("late", tuple(Stage), 60) is None


def names() -> set[str]:
    return {
        name for number in range(TASKS) for name in (str(number), f"below {number}")
    }


def wait_for_keys(process: subprocess.Popen[str]) -> list[str]:
    """Wait for the process, and return the keys of what it did."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return [line.rpartition(" ")[0] for line in output.splitlines()]


def test_the_owner_of_a_killed_process_is_dead_and_ours_is_not(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        spec = TaskSpec(
            stage=Stage.LIST, key="k", version="1", queue="q", payload="", subject="s"
        )
        storage.ledger.open_crawl(("one",), (spec,))
        process = start(tmp_path, "", "hold")
        assert process.stdout
        process.stdout.readline()
        assert storage.ledger.reclaim() == 0
        process.kill()
        process.communicate()
        assert storage.ledger.reclaim() == 1
        claim = storage.ledger.claim("me", tuple(Stage), 60)
        assert claim
        assert claim.attempt == 2
        assert storage.ledger.finish(claim, Outcome())
