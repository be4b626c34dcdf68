"""What a fleet is asked for, and what came of it."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import psutil
from sqlalchemy import select

from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage
from storage.tables import TASK
from tests.servers.fleets.host import Host


@dataclass(frozen=True)
class Workload:
    """What a fleet is asked for: tasks by their keys, and the crawls that they belong to."""

    mark: str
    """What the command of each of their programs ends with."""
    crawls: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def number(self) -> int:
        """How many tasks there will have been: one asks for another."""
        return 2 * len(self.keys)

    def count_states(self, storage: Storage) -> dict[str, int]:
        states: Counter[str] = Counter()
        for crawl in self.crawls:
            for _, state, _, number in storage.ledger.task_counts(crawl):
                states[state.value] += number
        return dict(states)

    def count_correct_results(self, storage: Storage) -> int:
        """Count the tasks whose result is what it should be, their blobs read back."""
        extracted, cloned = dict[str, str](), dict[str, str]()
        for crawl in self.crawls:
            extracted |= dict(storage.ledger.results(Stage.EXTRACT, crawl))
            cloned |= dict(storage.ledger.results(Stage.CLONE, crawl))
        cloned_keys = [key for key in self.keys if key in cloned]
        stored = storage.blobs.get_many([cloned[key] for key in cloned_keys])
        right = sum(extracted.get(key) == f"what {key} found" for key in self.keys)
        return right + sum(
            text.decode() == f"what {key} found"
            for key, text in zip(cloned_keys, stored, strict=True)
        )

    def count_foreign_ends(self, storage: Storage, hosts: Sequence[Host]) -> int:
        """Count the tasks that ended on a host of another version than the one they are for."""
        with storage.engine.connect() as connection:
            rows = connection.execute(select(TASK.c.id, TASK.c.stage, TASK.c.revision))
            expected_ends = {row.id: (row.stage, row.revision) for row in rows}
        count = 0
        for host in hosts:
            for event in _list_ends(host):
                stage, revision = expected_ends[event["task"]]
                count += host.revisions[stage] != revision
        return count

    def count_orphans(self) -> int:
        time.sleep(0.5)
        count = 0
        for process in psutil.process_iter(["cmdline"]):
            words = process.info["cmdline"] or []
            is_ours = len(words) == 2 and words[0] == "sleep"
            count += is_ours and words[1].endswith(self.mark)
        return count


def open_crawls(
    storage: Storage,
    hosts: Sequence[Host],
    tasks: int,
    mean: float,
    chance: random.Random,
    seed: int,
) -> Workload:
    """Ask for tasks at each version that a host has: a quarter for those that are not ours."""
    mark = f"{os.getpid() % 10_000:04d}{seed:03d}"
    # numbered: two tasks of one key are one task
    keys = tuple(
        f"{chance.uniform(0.5, 1.5) * mean:.3f}{place:05d}{mark}"
        for place in range(tasks // 2)
    )
    ours, *other_revisions = dict.fromkeys(
        host.revisions[Stage.CLONE] for host in hosts
    )
    # at most two versions work side by side
    cut = len(keys) // 4 if other_revisions else 0
    shares = {ours: keys[cut:], **dict.fromkeys(other_revisions, keys[:cut])}
    crawls = []
    for revision, of_it in shares.items():
        specs = tuple(_make_spec(key, revision) for key in of_it)
        name = f"trial {seed} {revision}"
        crawls.append(storage.ledger.open_crawl((name,), specs))
    return Workload(mark, tuple(crawls), keys)


def count_repeated_tasks(hosts: Iterable[Host]) -> int:
    """Count the tasks of which more than one end was logged."""
    ends = Counter(event["task"] for host in hosts for event in _list_ends(host))
    return sum(number > 1 for number in ends.values())


def count_ends(hosts: Iterable[Host]) -> int:
    return sum(1 for host in hosts for _ in _list_ends(host))


def _list_ends(host: Host) -> Iterable[dict[str, int]]:
    for event in host.list_events("task-ended"):
        if event["state"] == "done":
            yield event


def _make_spec(seconds: str, revision: str) -> TaskSpec:
    return TaskSpec(
        stage=Stage.CLONE,
        key=seconds,
        version="1",
        revision=revision,
        queue="clone",
        payload=json.dumps({"seconds": seconds}),
        subject=seconds,
        account="trial",
    )
