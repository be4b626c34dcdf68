"""What SQLite shows of others' changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage.database.notices import open_work_notices
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage, open_storage

TASK = TaskSpec(
    stage=Stage.CLONE,
    key="x",
    version="1",
    queue="clone",
    payload="{}",
    subject="x",
)


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as opened:
        yield opened


def test_a_change_is_noticed_once(storage: Storage) -> None:
    with closing(open_work_notices(storage.engine)) as notices:
        assert notices.wait(0), "nobody told of what came before"
        assert not notices.wait(0)
        storage.ledger.open_crawl(("x",), (TASK,))
        assert notices.wait(60)
        assert not notices.wait(0)


def test_a_look_that_changes_nothing_is_not_noticed(storage: Storage) -> None:
    storage.ledger.open_crawl(("x",), (TASK,))
    with closing(open_work_notices(storage.engine)) as notices:
        notices.wait(0)
        storage.ledger.reclaim()
        assert storage.stranded_tasks.ready_lanes()
        assert not notices.wait(0)
