"""A ledger in a real SQLite file, with a clock that a test sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine

from storage.database.engine import create_sqlite_engine
from storage.ledger.dispatch.dispatch_window import SqlDispatchWindow
from storage.ledger.dispatch.worker_registry import SqlWorkerRegistry
from storage.ledger.interface import Claim, Stage, TaskSpec
from storage.ledger.sql_ledger import SqlLedger


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Tasks:
    """A ledger and what reads the same tables."""

    engine: Engine
    clock: Clock

    def __post_init__(self) -> None:
        self.ledger = SqlLedger(self.engine, clock=self.clock)
        self.window = SqlDispatchWindow(self.engine, self.clock)
        self.workers = SqlWorkerRegistry(self.engine, self.clock)

    def claim_next(self, *stages: Stage) -> Claim:
        claim = self.ledger.claim("me", stages or tuple(Stage), 60)
        assert claim is not None
        return claim


def make_task(
    key: str,
    stage: Stage = Stage.LIST,
    *,
    queue: str = "q",
    account: str = "",
    host: str = "",
    revision: str = "",
    priority: int = 0,
) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=key,
        version="1",
        queue=queue,
        payload=f"payload of {key}",
        subject=key,
        account=account,
        host=host,
        revision=revision,
        priority=priority,
    )


@pytest.fixture
def tasks(tmp_path: Path, migrated_database: Path) -> Iterator[Tasks]:
    path = tmp_path / "kernelset.db"
    path.write_bytes(migrated_database.read_bytes())
    engine = create_sqlite_engine(path)
    yield Tasks(engine, Clock())
    engine.dispose()
