"""A ledger of each kind with a clock and deaths of our own, and what tests ask of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from storage.engine import sqlite_engine
from storage.open import open_storage
from storage.tasks import SqlLedger

TABLES = ("crawl", "task", "crawl_task", "spawn", "wait")


@dataclass
class World:
    """A ledger, the time it is told, and the owners that are dead in it."""

    engine: Engine
    now: float = 1000.0
    dead: set[str] = field(default_factory=set)
    far: set[str] = field(default_factory=lambda: {"far"})
    """Owners on other hosts, of which nothing is known."""

    def __post_init__(self) -> None:
        self.ledger = self.opened()

    def opened(self) -> SqlLedger:
        """Another process's view of the same ledger, opened now."""
        return SqlLedger(self.engine, clock=lambda: self.now, is_dead=self._is_dead)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(statement))]

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        return {table: self.rows(f"SELECT * FROM {table}") for table in TABLES}

    def _is_dead(self, owner: str) -> bool | None:
        return None if owner in self.far else owner in self.dead


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of the newest version, to be copied."""
    home = tmp_path_factory.mktemp("migrated")
    open_storage(home).close()
    return home / "kernelset.db"


@pytest.fixture
def new_world(migrated: Path, tmp_path: Path) -> Iterator[Callable[[], World]]:
    """Make worlds, each with an empty ledger."""
    engines: list[Engine] = []

    def make() -> World:
        path = tmp_path / f"{len(engines)}.db"
        shutil.copy(migrated, path)
        engines.append(sqlite_engine(path))
        return World(engines[-1])

    yield make
    for engine in engines:
        engine.dispose()


@pytest.fixture(params=["sqlite"])
def world(new_world: Callable[[], World]) -> World:
    return new_world()
