"""What is particular to a database server: how it is upgraded, what it refuses, and that it may
go away.
"""

from __future__ import annotations

import random
import signal
import string
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from crawler.errors import Misconfigured
from crawler.model import Dialect, FlagsOrigin, Instantiation, Kernel, Layer, Repo, Span
from storage.database.bulk_insert import insert_all
from storage.database.engine import (
    AdvisoryLock,
    read_transaction,
    try_locked_transaction,
    write_transaction,
)
from storage.database.indexed_text import MAX_INDEXED_BYTES
from storage.database.postgres import create_postgres_engine
from storage.database.schema import schema_version
from storage.database.versions import HEAD_REVISION
from storage.errors import StoreUnavailable
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import open_storage, upgrade_postgres
from storage.tables import METADATA, PACK
from tests.servers.postgres import Postgres
from workers.cli.app import app

LETTERS = string.ascii_letters + string.digits
# written in SQL by their migrations: a direction, and what only this server has
DIRECTED = ("ix_task_ready", "ix_task_dispatch", "ix_kernel_text_vector", "vector")
TASK = TaskSpec(
    stage=Stage.CLONE, key="k", version="1", queue="q", payload="{}", subject="s"
)


def test_the_migrations_give_the_models_there_too(postgres: Postgres) -> None:
    engine = create_postgres_engine(postgres.url("migrated"))
    with engine.connect() as connection:
        options = {
            "compare_type": True,
            "include_object": lambda _, name, *rest: name not in DIRECTED,
        }
        assert (
            compare_metadata(
                MigrationContext.configure(connection, opts=options), METADATA
            )
            == []
        )
    engine.dispose()


def test_a_database_is_upgraded_only_when_that_is_asked_for(
    postgres: Postgres, tmp_path: Path
) -> None:
    postgres.run("CREATE DATABASE plain")
    with pytest.raises(Misconfigured, match=r"version \(none\).*kernelset db upgrade"):
        open_storage(tmp_path, database=postgres.url("plain"))
    environment = {"KERNELSET_DATABASE": postgres.url("plain")}
    for _ in range(2):
        ended = CliRunner().invoke(
            app, ["--home", str(tmp_path), "db", "upgrade"], env=environment
        )
        assert (ended.exit_code, ended.exception) == (0, None)
    open_storage(tmp_path, database=postgres.url("plain")).close()


def test_a_worker_of_another_version_is_refused(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    address = new_database()
    engine = create_postgres_engine(address)
    with write_transaction(engine) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    assert schema_version(engine) == "9999"
    engine.dispose()
    with pytest.raises(Misconfigured, match=f"9999.*{HEAD_REVISION}"):
        open_storage(tmp_path, database=address)
    with pytest.raises(Misconfigured, match="upgrade Kernelset"):
        upgrade_postgres(address)


def test_a_database_that_sorts_otherwise_is_refused(postgres: Postgres) -> None:
    postgres.run("CREATE DATABASE sorted TEMPLATE template0 LOCALE 'C.UTF-8'")
    with pytest.raises(Misconfigured, match="createdb --template=template0"):
        upgrade_postgres(postgres.url("sorted"))


@pytest.mark.parametrize(
    "address", ["mysql://host/name", "host/name", "sqlite:///a.db"]
)
def test_another_kind_of_address_is_told(address: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="postgresql://USER"):
        open_storage(tmp_path, database=address)


def test_a_server_that_goes_away_is_a_passing_trouble(
    postgres: Postgres, empty_database: Callable[[], str], tmp_path: Path
) -> None:
    with open_storage(tmp_path, database=empty_database()) as storage:
        crawl = storage.ledger.open_crawl(("x",), (TASK,))
        claim = storage.ledger.claim("me", (Stage.CLONE,), 60)
        assert claim
        postgres.stop(signal.SIGQUIT)
        with pytest.raises(StoreUnavailable, match="does not answer"):
            storage.ledger.extend_lease(claim, 60)
        with pytest.raises(StoreUnavailable):
            storage.ledger.finish(claim, Outcome())
        postgres.start()
        assert storage.ledger.finish(claim, Outcome(result="{}"))
        assert storage.ledger.count_unfinished(crawl) == 0


def test_text_that_no_server_takes_is_kept_without_what_offends(
    empty_database: Callable[[], str], tmp_path: Path
) -> None:
    with open_storage(tmp_path, database=empty_database()) as storage:
        storage.ledger.open_crawl(("x",), (replace(TASK, subject="a\0b"),))
        claim = storage.ledger.claim("me", (Stage.CLONE,), 60)
        assert claim
        assert claim.subject == "a\ufffdb"


def test_a_name_that_no_index_takes_is_kept_whole_all_the_same(
    empty_database: Callable[[], str], tmp_path: Path
) -> None:
    chance = random.Random(1)
    name, twin = ("".join(chance.choices(LETTERS, k=6000)) for _ in range(2))
    repo = Repo(source="git", owner="", name="r", url="u", ref="", commit="c")
    kernels = tuple(
        kernel_of(name=f"{name[:3000]}{tail}", path=f"{name}/{tail}", label=tail)
        for tail in (name, twin, "nul\0")
    )
    with open_storage(tmp_path, database=empty_database()) as storage:
        storage.index.put_kernels(repo, kernels)
        rows, records = list(storage.index.query()), list(storage.index.records())
    assert len({row.name for row in rows}) == len({row.path for row in rows}) == 3
    assert all(
        len(row.name.encode()) <= MAX_INDEXED_BYTES and name.startswith(row.name[:900])
        for row in rows
    )
    assert {record.kernel.name for record in records} == {
        kernel.name for kernel in kernels
    }


def test_what_goes_wrong_while_many_rows_are_copied_is_told_as_ever(
    postgres: Postgres, empty_database: Callable[[], str]
) -> None:
    engine = create_postgres_engine(empty_database())
    with (
        pytest.raises(DBAPIError, match="COPY pack"),
        write_transaction(engine) as connection,
    ):
        insert_all(connection, PACK, [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}])
    with pytest.raises(StoreUnavailable):
        copied_while_it_dies(engine, postgres)
    postgres.start()
    with write_transaction(engine) as connection:
        assert insert_all(connection, PACK, iter([])) == 0
        assert (
            insert_all(
                connection, PACK, [{"id": 1, "name": "a"}, {"id": 2, "name": "b\0"}]
            )
            == 2
        )
    with read_transaction(engine) as connection:
        assert list(connection.scalars(select(PACK.c.name).order_by(PACK.c.id))) == [
            "a",
            "b\ufffd",
        ]
    engine.dispose()


def copied_while_it_dies(engine: Engine, postgres: Postgres) -> None:
    with write_transaction(engine) as connection:
        postgres.stop(signal.SIGQUIT)
        insert_all(connection, PACK, [{"id": 1, "name": "a"}])


def kernel_of(*, name: str, path: str, label: str) -> Kernel:
    return Kernel(
        name=name,
        qualified_name=name,
        mangled=name,
        dialect=Dialect.CUDA,
        span=Span(path=path, line=1, end_line=1, offset=0, end_offset=1),
        found_by=Layer.AST,
        reason="",
        source="",
        template_head="",
        parameters=(),
        template_parameters=(),
        attributes=(),
        instantiations=(Instantiation(arguments=(), label=label[:100]),),
        launches=(),
        flags_origin=FlagsOrigin.EXPORTED,
    )


def test_one_at_a_time_has_its_turn(empty_database: Callable[[], str]) -> None:
    address = empty_database()
    engines: list[Any] = [create_postgres_engine(address) for _ in range(2)]
    with (
        try_locked_transaction(engines[0], AdvisoryLock.DISPATCH) as first,
        try_locked_transaction(engines[1], AdvisoryLock.DISPATCH) as second,
    ):
        assert first is not None
        assert second is None
    with try_locked_transaction(engines[1], AdvisoryLock.DISPATCH) as later:
        assert later is not None
    for engine in engines:
        engine.dispose()


def test_a_task_ends_when_nobody_changes_who_waits_for_whom(
    empty_database: Callable[[], str], tmp_path: Path
) -> None:
    address = empty_database()
    engine = create_postgres_engine(address)
    with (
        open_storage(tmp_path, database=address) as storage,
        ThreadPoolExecutor(1) as other,
    ):
        spec = TaskSpec(
            stage=Stage.LIST,
            key="x",
            version="1",
            queue="list",
            payload="{}",
            subject="x",
        )
        storage.ledger.open_crawl(("x",), (spec,))
        claim = storage.ledger.claim("me", (Stage.LIST,), 60)
        assert claim
        with write_transaction(engine, AdvisoryLock.TASKS):
            ending = other.submit(storage.ledger.finish, claim, Outcome())
            with pytest.raises(TimeoutError):
                ending.result(0.5)
        assert ending.result(20)
    engine.dispose()
