"""A cluster of pretending workers, and what it is put through: kills, a broker that forgets,
servers that go away.
"""

from __future__ import annotations

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
from tests.servers.fleets.host import Host, Process
from tests.servers.fleets.trial import Trial, TrialOutcome, Trouble
from tests.servers.postgres import Postgres
from tests.servers.rabbitmq import RabbitMQ
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey

ODD_SHARE = 4
"""One worker in so many lives on an odd host: one that something befalls."""
ODD_PATIENCE_SECONDS = 120.0
"""How long it may take until a first task has ended there."""
SUPERVISION_SECONDS = 1.0
"""Time between two looks at whether a process ended by itself."""


@dataclass
class Course:
    """How far a trial is; moments are those of the monotonic clock."""

    started_at: float
    killed_at: float
    """When a worker was last killed."""
    dispatcher_killed_at: float
    supervised_at: float
    """When it was last looked whether a process ended by itself."""
    pending_troubles: list[Trouble]
    active_troubles: list[tuple[float, Trouble]] = field(default_factory=list)
    """Those that last, each behind the moment at which it ends."""
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

    def start(self, kind: str) -> int:
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
    ) -> TrialOutcome:
        """Let `workers` do `tasks` tasks, half of which take `mean` seconds, and return how it
        went.
        """
        chance = random.Random(seed)
        trial_outcome = TrialOutcome()
        with ExitStack() as hosts, self.storage() as storage:
            for trouble in trial.troubles:
                if host := hosts.enter_context(trouble.open_host(self)):
                    self.odd_hosts.append(host)
            workload = outcome.open_crawls(
                storage, self.hosts, tasks, mean, chance, seed
            )
            self._start_processes(workers)
            start = time.monotonic()
            self._watch(storage, workload, trial, trial_outcome, limit, chance)
            trial_outcome.seconds = time.monotonic() - start
            trial_outcome.states = workload.count_states(storage)
            trial_outcome.wrong_results = tasks - workload.count_correct_results(
                storage
            )
            for worker in self.workers:
                worker.end(signal.SIGTERM)
            self.close()
            trial_outcome.repeated_tasks = outcome.count_repeated_tasks(self.hosts)
            trial_outcome.foreign_ends = workload.count_foreign_ends(
                storage, self.hosts
            )
            trial_outcome.odd_ends = outcome.count_ends(self.odd_hosts)
            trial_outcome.orphans = workload.count_orphans()
        return trial_outcome

    def _start_processes(self, workers: int) -> None:
        """Start two dispatchers and the workers, some of them on the odd hosts."""
        # one dispatcher lives there, too
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
            self._await_odd_task()
        for _ in range(workers - odd_number):
            self._add_worker(self.host)

    def _add_worker(self, host: Host) -> None:
        worker = Process(host, "worker")
        self.workers.append(worker)
        worker.start()

    def _await_odd_task(self) -> None:
        """Wait until a task has ended on an odd host.

        Workers elsewhere would otherwise do everything before one there is ready: tasks of a
        version that no worker serves are enqueued again at a version that some worker does.
        """
        deadline = time.monotonic() + ODD_PATIENCE_SECONDS
        while not outcome.count_ends(self.odd_hosts):
            log = self.odd_hosts[0].log
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)

    def _watch(
        self,
        storage: Storage,
        workload: outcome.Workload,
        trial: Trial,
        trial_outcome: TrialOutcome,
        limit: float,
        chance: random.Random,
    ) -> None:
        now = time.monotonic()
        course = Course(now, now, now, now, list(trial.troubles))
        while time.monotonic() - course.started_at < limit:
            time.sleep(0.1)
            self._supervise(course, trial_outcome)
            self._end_troubles(course, trial_outcome)
            try:
                states = workload.count_states(storage)
            except StoreUnavailable:
                continue
            done = states.get("done", 0)
            if done > course.done_at_kill:
                self._kill(trial, course, trial_outcome, chance, done)
            self._begin_troubles(course, trial_outcome, done / workload.number)
            unfinished = set(states) & {"ready", "running", "waiting"}
            has_ended = sum(states.values()) == workload.number and not unfinished
            # a trouble that has begun is to end within the trial
            if has_ended and not course.active_troubles:
                return

    def _kill(
        self,
        trial: Trial,
        course: Course,
        trial_outcome: TrialOutcome,
        chance: random.Random,
        done: int,
    ) -> None:
        now = time.monotonic()
        if trial.kill_every and now - course.killed_at >= trial.kill_every:
            course.killed_at = now
            # on a slow machine nobody would live long enough to do anything
            course.done_at_kill = done
            self._replace(chance.choice(self.workers))
            trial_outcome.kills += 1
        pause = trial.kill_dispatcher_every
        if pause and now - course.dispatcher_killed_at >= pause:
            course.dispatcher_killed_at = now
            self._replace(self.dispatchers[0])
            self.dispatchers.reverse()
            trial_outcome.kills += 1

    def _replace(self, process: Process) -> None:
        process.end(signal.SIGKILL)
        process.start()

    def _supervise(self, course: Course, trial_outcome: TrialOutcome) -> None:
        """Start again what ended by itself, as systemd would."""
        now = time.monotonic()
        if now - course.supervised_at < SUPERVISION_SECONDS:
            return
        course.supervised_at = now
        for process in (*self.dispatchers, *self.workers):
            if process.is_gone():
                process.start()
                trial_outcome.stops += 1

    def _begin_troubles(
        self, course: Course, trial_outcome: TrialOutcome, done: float
    ) -> None:
        for trouble in [
            planned for planned in course.pending_troubles if done >= planned.at
        ]:
            course.pending_troubles.remove(trouble)
            trouble.begin(self)
            trial_outcome.trouble_names.append(trouble.name)
            if trouble.end_name:
                course.active_troubles.append(
                    (time.monotonic() + trouble.seconds, trouble)
                )

    def _end_troubles(self, course: Course, trial_outcome: TrialOutcome) -> None:
        for active in list(course.active_troubles):
            ends_at, trouble = active
            if time.monotonic() >= ends_at:
                course.active_troubles.remove(active)
                trouble.end(self)
                trial_outcome.trouble_names.append(trouble.end_name)


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
