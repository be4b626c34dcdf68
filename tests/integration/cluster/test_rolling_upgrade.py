"""Workers of a version and of the next side by side: each does its own, and the newer ends what
the older began.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from tests.compose_launcher import patiently
from tests.servers.collector import collecting
from tests.servers.fleets.host import Host
from tests.servers.fleets.troubles.previous_version import copy_version
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey

ROOT = Path(__file__).resolve().parents[3]
FLEETS = ROOT / "tests/servers/fleets"
COLLECTOR = "OTEL_EXPORTER_OTLP_ENDPOINT"


class Installation(Host):
    """One version's tree, and the processes of it."""

    def __init__(
        self, tree: Path, home: Path, seconds: str, settings: dict[str, str]
    ) -> None:
        environment = {
            **os.environ,
            **settings,
            "PYTHONPATH": f"{tree}:{ROOT}",
            "PRETENDED_SECONDS": seconds,
        }
        super().__init__(home, environment, program=FLEETS / "versions.py")


@contextmanager
def install(*arguments: Any) -> Iterator[Installation]:
    made = Installation(*arguments)
    try:
        yield made
    finally:
        made.close()


@dataclass(frozen=True)
class TaskTable:
    """The tasks of a database, crawl by crawl."""

    database: str

    def rows(self, statement: str) -> list[Any]:
        with psycopg.connect(self.database) as connection:
            return connection.execute(statement).fetchall()

    def count(self, crawl: str, condition: str) -> int:
        member = f"id IN (SELECT task FROM crawl_task WHERE crawl = '{crawl}')"
        statement = f"SELECT count(*) FROM task WHERE {member} AND {condition}"
        return int(self.rows(statement)[0][0])

    def list_foreign_results(self) -> list[tuple[str, str]]:
        """Stage and revision of what is done whose result is of another version than its worker."""
        done = self.rows(
            "SELECT stage, revision, result FROM task WHERE state = 'done'"
        )
        return [
            (stage, revision)
            for stage, revision, result in done
            if stage != "port"
            and not re.search(rf"(^|\.){result}\.", f"{revision.partition('+')[0]}.")
        ]

    def has_ended(self, crawl: str) -> bool:
        return bool(self.count(crawl, "stage = 'port' AND state = 'done'"))


def test_two_versions_side_by_side_lose_nothing_and_mix_nothing(
    postgres: Postgres, valkey: Valkey, new_database: Callable[[], str], tmp_path: Path
) -> None:
    tasks = TaskTable(new_database())
    settings = {
        "KERNELSET_DATABASE": tasks.database,
        "KERNELSET_BROKER": valkey.url,
        "KERNELSET_RESEND_SECONDS": "2",
    }
    old = copy_version(tmp_path / "next", 1)
    new = str(int(old) + 1)

    with (
        collecting() as collector,
        install(
            ROOT, tmp_path / "home", "0.5", settings | {COLLECTOR: collector.address}
        ) as before,
        install(tmp_path / "next", tmp_path / "home next", "0", settings) as after,
    ):
        serving = [int(before.ask("dispatch")), int(before.ask("worker"))]
        short = before.ask("crawl short 1")
        patiently(lambda: tasks.has_ended(short))
        long = before.ask("crawl long 40")
        patiently(lambda: tasks.count(long, "stage = 'extract' AND state = 'done'") > 1)
        after.ask("worker")
        fresh = after.ask("crawl fresh 3")
        # the older dispatcher feeds both
        patiently(lambda: tasks.has_ended(fresh))
        assert tasks.count(long, f"result = '{new}'") == 0, "each does its own"
        assert tasks.count(long, "state = 'ready'"), "the older is still at work"
        os.kill(serving[1], signal.SIGTERM)
        patiently(lambda: not tasks.count(long, "state = 'running'"))
        after.ask("dispatch")
        os.kill(serving[0], signal.SIGTERM)
        patiently(lambda: tasks.has_ended(long))

    done = tasks.rows(
        f"SELECT stage FROM task WHERE state = 'done' AND result = '{old}'"
    )
    # the last of them as their worker ended
    assert sorted(span.name for span in collector.spans) == sorted(
        stage for (stage,) in done
    )
    by = {
        crawl: tasks.count(crawl, f"result = '{old}' AND stage <> 'port'")
        for crawl in (short, long, fresh)
    }
    assert (by[short], by[long], by[fresh]) == (3, 0, 0)
    assert (
        tasks.count(long, f"state = 'done' AND result = '{new}' AND stage = 'extract'")
        == 40
    )
    assert all(tasks.count(crawl, "state <> 'done'") == 0 for crawl in by)
    assert tasks.list_foreign_results() == []
    log_lines = (tmp_path / "home next/log").read_text().splitlines()
    assert long in [
        json.loads(line).get("crawl") for line in log_lines if "crawl-renewed" in line
    ]
