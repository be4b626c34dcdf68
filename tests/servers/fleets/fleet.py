"""A cluster of pretending workers, and what it is put through: kills, a broker that forgets,
servers that go away.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from storage.blobs.bucket import parse_bucket_address
from storage.errors import StoreUnavailable
from storage.open import Storage, open_storage
from tests.servers.fleets import outcome
from tests.servers.fleets.host import Host
from tests.servers.fleets.trial import Ended, Trial, Trouble
from tests.servers.postgres import Postgres
from tests.servers.rabbitmq import RabbitMQ
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

ODD_SHARE = 4
"""One worker in so many lives on a host that something befalls."""
ODD_PATIENCE_SECONDS = 120.0
"""How long a worker there may take until its first task has ended."""
SUPERVISED_SECONDS = 1.0
"""How often it is looked whether a worker ended by itself."""


@dataclass
class Process:
    """A worker or a dispatcher, and where it lives."""

    host: Host
    kind: str
    pid: int = 0

    def start(self) -> None:
        self.pid = self.host.start(self.kind)

    def end(self, how: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)

    def is_gone(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        return False


@dataclass
class Course:
    """What has come of a trial so far."""

    started: float
    killed: float
    dispatcher_killed: float
    looked: float
    coming: list[Trouble]
    lasting: list[tuple[float, Trouble]] = field(default_factory=list)
    done_at_kill: int = 0
    """Tasks that were done when a worker was last killed."""


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
        self.environment = {
            **os.environ,
            "KERNELSET_DATABASE": database,
            "KERNELSET_BROKER": broker.url,
            "KERNELSET_BLOBS": f"s3://{bucket}",
            "KERNELSET_S3_ENDPOINT": s3.unreliable,
            "KERNELSET_RESEND_SECONDS": "3",
            "KERNELSET_LEASE_SECONDS": "15",
            "KERNELSET_WINDOW": "64",
            "KERNELSET_FREE_BYTES": "0",
            **{f"KERNELSET_{name.upper()}": value for name, value in settings.items()},
        }
        self.host = Host(home, self.environment)
        self.odd_hosts: list[Host] = []
        self.workers: list[Process] = []
        self.dispatchers: list[Process] = []

    @property
    def log(self) -> Path:
        return self.host.log

    @property
    def hosts(self) -> list[Host]:
        return [self.host, *self.odd_hosts]

    def born(self, kind: str) -> int:
        return self.host.start(kind)

    def close(self) -> None:
        for host in self.hosts:
            host.close()

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
        ended = Ended()
        with ExitStack() as hosts, self.storage() as storage:
            for trouble in trial.troubles:
                if host := hosts.enter_context(trouble.open_host(self)):
                    self.odd_hosts.append(host)
            asked = outcome.open_crawls(storage, self.hosts, tasks, mean, chance, seed)
            self._man(workers)
            started = time.monotonic()
            self._watch(storage, asked, trial, ended, limit, chance)
            ended.seconds = time.monotonic() - started
            ended.states = asked.count_states(storage)
            ended.wrong = tasks - asked.count_right(storage)
            for worker in self.workers:
                worker.end(signal.SIGTERM)
            self.close()
            ended.done_twice = outcome.count_twice(self.hosts)
            ended.mixed = asked.count_mixed(storage, self.hosts)
            ended.done_there = outcome.count_ends(self.odd_hosts)
            ended.orphans = asked.count_orphans()
        return ended

    def _man(self, workers: int) -> None:
        """Start two dispatchers and the workers, some of them where something will happen."""
        # the first dispatcher lives there, too
        places = [*self.odd_hosts, self.host]
        self.dispatchers = [
            Process(places[0], "dispatch"),
            Process(self.host, "dispatch"),
        ]
        for dispatcher in self.dispatchers:
            dispatcher.start()

        odd_number = max(workers // ODD_SHARE, 1) if self.odd_hosts else 0
        for number in range(odd_number):
            self._add_worker(self.odd_hosts[number % len(self.odd_hosts)])
        if odd_number:
            self._await_odd_end()
        for _ in range(workers - odd_number):
            self._add_worker(self.host)

    def _add_worker(self, host: Host) -> None:
        worker = Process(host, "worker")
        self.workers.append(worker)
        worker.start()

    def _await_odd_end(self) -> None:
        """Wait until a task has ended where something will happen.

        Otherwise the others may have done everything before: tasks of a version that no worker
        serves are asked for again at the version that some do.
        """
        patience_ends_at = time.monotonic() + ODD_PATIENCE_SECONDS
        while not outcome.count_ends(self.odd_hosts):
            log = self.odd_hosts[0].log
            assert time.monotonic() < patience_ends_at, log.read_text()
            time.sleep(0.1)

    def _watch(
        self,
        storage: Storage,
        asked: outcome.Asked,
        trial: Trial,
        ended: Ended,
        limit: float,
        chance: random.Random,
    ) -> None:
        now = time.monotonic()
        course = Course(now, now, now, now, list(trial.troubles))
        while time.monotonic() - course.started < limit:
            time.sleep(0.1)
            self._supervise(course, ended)
            self._mend(course, ended)
            try:
                states = asked.count_states(storage)
            except StoreUnavailable:
                continue
            done = states.get("done", 0)
            if done > course.done_at_kill:
                self._kill(trial, course, ended, chance, done)
            self._trouble(course, ended, done / asked.number)
            unfinished = set(states) & {"ready", "running", "waiting"}
            has_ended = sum(states.values()) == asked.number and not unfinished
            # what has begun is to end, and be seen to
            if has_ended and not course.lasting:
                return

    def _kill(
        self,
        trial: Trial,
        course: Course,
        ended: Ended,
        chance: random.Random,
        done: int,
    ) -> None:
        now = time.monotonic()
        if trial.kill_every and now - course.killed >= trial.kill_every:
            course.killed = now
            # on a slow machine nobody would live long enough to do anything
            course.done_at_kill = done
            self._replace(chance.choice(self.workers))
            ended.kills += 1
        pause = trial.kill_dispatcher_every
        if pause and now - course.dispatcher_killed >= pause:
            course.dispatcher_killed = now
            self._replace(self.dispatchers[0])
            self.dispatchers.reverse()
            ended.kills += 1

    def _replace(self, process: Process) -> None:
        process.end(signal.SIGKILL)
        process.start()

    def _supervise(self, course: Course, ended: Ended) -> None:
        """Start again what ended by itself, as systemd would."""
        now = time.monotonic()
        if now - course.looked < SUPERVISED_SECONDS:
            return
        course.looked = now
        for process in (*self.dispatchers, *self.workers):
            if process.is_gone():
                process.start()
                ended.stops += 1

    def _trouble(self, course: Course, ended: Ended, done: float) -> None:
        for trouble in [planned for planned in course.coming if done >= planned.at]:
            course.coming.remove(trouble)
            trouble.begin(self)
            ended.happened.append(trouble.name)
            if trouble.mended:
                course.lasting.append((time.monotonic() + trouble.seconds, trouble))

    def _mend(self, course: Course, ended: Ended) -> None:
        for lasting in list(course.lasting):
            ends_at, trouble = lasting
            if time.monotonic() >= ends_at:
                course.lasting.remove(lasting)
                trouble.end(self)
                ended.happened.append(trouble.mended)


@contextmanager
def open_fleet(
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
        fleet.close()
