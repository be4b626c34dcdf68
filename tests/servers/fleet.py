"""A cluster of pretending workers, and what it is put through: kills, a broker that forgets,
servers that go away.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from storage.blobs.bucket import parse_bucket_address
from storage.errors import StoreUnavailable
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage, open_storage
from tests.servers.postgres import Postgres
from tests.servers.rabbitmq import RabbitMQ
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What is done to a fleet at work: each happening by the share of tasks that are done when
    it comes.
    """

    kill_every: float = 0.0
    """Seconds between two kills of a random worker."""
    flush_at: float = 2.0
    broker_restart_at: float = 2.0
    database_restart_at: float = 2.0


@dataclass
class Ended:
    """How a run went."""

    seconds: float = 0.0
    kills: int = 0
    happened: list[str] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)
    done_twice: int = 0
    """Tasks of which more than one end was told."""
    orphans: int = 0
    wrong: int = 0
    """Tasks whose result is not what it should be."""


class Fleet:
    """Workers and a dispatcher on servers of our own."""

    def __init__(
        self,
        home: Path,
        postgres: Postgres,
        broker: Valkey | RabbitMQ,
        s3: S3,
        database: str,
        bucket: str,
        **settings: str,
    ) -> None:
        self.home, self.postgres, self.s3 = home, postgres, s3
        self.broker = broker
        self.database, self.bucket = database, bucket
        self.workers: list[int] = []
        self.log = home / "log"
        home.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "PYTHONPATH": f"{HERE.parent}:{HERE.parent.parent}",
            "KERNELSET_HOME": str(home),
            "KERNELSET_DATABASE": database,
            "KERNELSET_BROKER": broker.url,
            "KERNELSET_BLOBS": f"s3://{bucket}",
            "KERNELSET_S3_ENDPOINT": s3.unreliable,
            "KERNELSET_RESEND_SECONDS": "3",
            "KERNELSET_LEASE_SECONDS": "15",
            "KERNELSET_WINDOW": "64",
            **{f"KERNELSET_{name.upper()}": value for name, value in settings.items()},
        }
        with self.log.open("wb") as log:
            self._nursery = subprocess.Popen(
                [sys.executable, HERE / "nursery.py"],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def born(self, kind: str) -> int:
        assert self._nursery.stdin
        assert self._nursery.stdout
        self._nursery.stdin.write(f"{kind}\n")
        self._nursery.stdin.flush()
        return int(self._nursery.stdout.readline())

    def close(self) -> None:
        assert self._nursery.stdin
        self._nursery.stdin.close()
        self._nursery.wait(30)
        if self._nursery.stdout:
            self._nursery.stdout.close()

    def storage(self) -> Storage:
        return open_storage(
            self.home,
            database=self.database,
            bucket=parse_bucket_address(f"s3://{self.bucket}", endpoint=self.s3.url),
        )

    def run(
        self,
        tasks: int,
        workers: int,
        mean: float,
        trial: Trial,
        *,
        limit: float,
        seed: int = 8,
    ) -> Ended:
        """Let `workers` do `tasks` tasks, half of which take `mean` seconds, and return how it
        went.
        """
        chance = random.Random(seed)
        mark = f"{os.getpid() % 10_000:04d}{seed:03d}"
        # numbered: two tasks of one key are one task
        seconds = [
            f"{chance.uniform(0.5, 1.5) * mean:.3f}{place:05d}{mark}"
            for place in range(tasks // 2)
        ]
        ended = Ended()
        with self.storage() as storage:
            crawl = storage.ledger.open_crawl(
                (f"trial {seed}",), tuple(map(_spec, seconds))
            )
            for kind in ("dispatch", "dispatch"):
                self.born(kind)
            self.workers = [self.born("worker") for _ in range(workers)]
            started = time.monotonic()
            self._watch(storage, crawl, tasks, trial, ended, limit, chance)
            ended.seconds = time.monotonic() - started
            ended.states = _states(storage, crawl)
            ended.wrong = tasks - _right(storage, crawl, seconds)
        for worker in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGTERM)
        self.close()
        ended.done_twice = self._twice()
        ended.orphans = _orphans(mark)
        return ended

    def _watch(
        self,
        storage: Storage,
        crawl: str,
        tasks: int,
        trial: Trial,
        ended: Ended,
        limit: float,
        chance: random.Random,
    ) -> None:
        started = killed = time.monotonic()
        happenings = self._happenings(trial)
        while time.monotonic() - started < limit:
            time.sleep(0.1)
            if trial.kill_every and time.monotonic() - killed >= trial.kill_every:
                killed = time.monotonic()
                ended.kills += self._kill(chance)
            try:
                states = _states(storage, crawl)
            except StoreUnavailable:
                continue
            done = states.get("done", 0) / tasks
            for happening in [planned for planned in happenings if done >= planned[0]]:
                happenings.remove(happening)
                happening[2]()
                ended.happened.append(happening[1])
            if sum(states.values()) == tasks and not set(states) & {
                "ready",
                "running",
                "waiting",
            }:
                return

    def _happenings(self, trial: Trial) -> list[tuple[float, str, Callable[[], None]]]:
        return [
            (
                trial.flush_at,
                "broker flushed",
                self._flush_broker,
            ),
            (trial.broker_restart_at, "broker restarted", self._restart_broker),
            (trial.database_restart_at, "database restarted", self._restart_database),
        ]

    def _flush_broker(self) -> None:
        assert isinstance(self.broker, Valkey)
        self.broker.ask("FLUSHALL")

    def _restart_broker(self) -> None:
        assert isinstance(self.broker, Valkey)
        self.broker.stop()
        self.broker.start()

    def _restart_database(self) -> None:
        self.postgres.stop(signal.SIGQUIT)
        self.postgres.start()

    def _kill(self, chance: random.Random) -> int:
        place = chance.randrange(len(self.workers))
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.workers[place], signal.SIGKILL)
        self.workers[place] = self.born("worker")
        return 1

    def _twice(self) -> int:
        ends: Counter[int] = Counter()
        for line in self.log.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                event = json.loads(line)
                if event.get("event") == "task-ended" and event["state"] == "done":
                    ends[event["task"]] += 1
        return sum(number > 1 for number in ends.values())


def _spec(seconds: str) -> TaskSpec:
    return TaskSpec(
        stage=Stage.CLONE,
        key=seconds,
        version="1",
        queue="clone",
        payload=json.dumps({"seconds": seconds}),
        subject=seconds,
        account="trial",
    )


def _states(storage: Storage, crawl: str) -> dict[str, int]:
    states: Counter[str] = Counter()
    for _, state, _, number in storage.ledger.task_counts(crawl):
        states[state.value] += number
    return dict(states)


def _right(storage: Storage, crawl: str, seconds: Sequence[str]) -> int:
    """Count the tasks whose result is what it should be, their blobs read back."""
    extracted = dict(storage.ledger.results(Stage.EXTRACT, crawl))
    cloned = dict(storage.ledger.results(Stage.CLONE, crawl))
    ended = [key for key in seconds if key in cloned]
    stored = storage.blobs.get_many([cloned[key] for key in ended])
    right = sum(extracted.get(key) == f"what {key} found" for key in seconds)
    return right + sum(
        text.decode() == f"what {key} found"
        for key, text in zip(ended, stored, strict=True)
    )


def _orphans(mark: str) -> int:
    time.sleep(0.5)
    count = 0
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        count += len(words) == 2 and words[0] == "sleep" and words[1].endswith(mark)
    return count


@contextmanager
def made(
    home: Path,
    postgres: Postgres,
    broker: Valkey | RabbitMQ,
    s3: S3,
    database: str,
    bucket: str,
    **settings: str,
) -> Iterator[Fleet]:
    fleet = Fleet(home, postgres, broker, s3, database, bucket, **settings)
    try:
        yield fleet
    finally:
        if fleet._nursery.poll() is None:
            fleet.close()
