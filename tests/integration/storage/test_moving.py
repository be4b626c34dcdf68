"""An embedded store moves into a cluster's servers whole, and crawls go on there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crawler.errors import Misconfigured
from crawler.model import Repo
from storage.blobs.bucket import Bucket
from storage.database.engine import read_transaction
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.maintenance.migrate_store import migrate_store
from storage.maintenance.verify_blobs import verify_blobs
from storage.open import Storage, open_storage
from storage.tables import BLOB, METADATA, PACK
from workers.cli.app import app

REPO = Repo(source="git", owner="o", name="r", url="u", ref="", commit="c")
CONTENTS = [b"small %d" % number for number in range(300)] + [b"large" * 40_000]


def spec(key: str, stage: Stage = Stage.CLONE) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=key,
        version="1",
        queue="q",
        payload="{}",
        subject=key,
        account="a",
    )


def fill(storage: Storage) -> str:
    """Give it a crawl half done, with a task that failed, blobs, a commit and what was
    remembered.
    """
    crawl = storage.ledger.open_crawl(("x",), (spec("first"), spec("second")))
    claim = storage.ledger.claim("me", (Stage.CLONE,), 600)
    assert claim
    digests = storage.blobs.put_many(CONTENTS)
    storage.index.put_commit(REPO, digests[0], digests[1], task=claim.id)
    storage.source_memory.remember("key", b"\x00\xff")
    children = tuple(spec(f"below {number}", Stage.EXTRACT) for number in range(3))
    storage.ledger.finish(
        claim,
        Outcome(
            children=children, continuation=spec("join", Stage.LINK), result=digests[0]
        ),
    )
    failing = storage.ledger.claim("me", (Stage.EXTRACT,), 600)
    assert failing
    storage.ledger.fail(failing, "code", "message")
    return crawl


def rows(storage: Storage) -> dict[str, list[tuple[object, ...]]]:
    with read_transaction(storage.engine) as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(
                    table.select().order_by(*table.primary_key.columns)
                )
            ]
            for table in METADATA.sorted_tables
            if table not in (BLOB, PACK)
        }


def test_all_moves_and_the_crawl_goes_on_there(
    new_database: Callable[[], str], new_bucket: Callable[..., Bucket], tmp_path: Path
) -> None:
    bucket, database = new_bucket(), new_database()
    with (
        open_storage(tmp_path) as source,
        open_storage(tmp_path / "far", database=database, bucket=bucket) as target,
    ):
        crawl = fill(source)
        moved = migrate_store(source, target)
        assert moved.blobs == len(CONTENTS)
        assert rows(target) == rows(source)
        assert verify_blobs(target.engine, target.blobs) == verify_blobs(
            source.engine, source.blobs
        )
        assert target.ledger.task_counts(crawl) == source.ledger.task_counts(crawl)
        target.ledger.open_crawl(("y",), (spec("third"),))
        while claim := target.ledger.claim("me", tuple(Stage), 600):
            children = (
                (spec(f"after {claim.id}", Stage.PORT),)
                if claim.stage is Stage.CLONE
                else ()
            )
            target.ledger.finish(claim, Outcome(children=children))
        assert target.ledger.count_unfinished(crawl) == 0
        with pytest.raises(Misconfigured, match="already holds rows"):
            migrate_store(source, target)


def test_a_move_that_was_cut_short_goes_on(
    empty_database: Callable[[], str], new_bucket: Callable[..., Bucket], tmp_path: Path
) -> None:
    bucket, database = new_bucket(), empty_database()
    with (
        open_storage(tmp_path) as source,
        open_storage(tmp_path / "far", database=database, bucket=bucket) as target,
    ):
        fill(source)
        target.blobs.put_many(CONTENTS[:250])
        assert migrate_store(source, target).blobs == len(CONTENTS) - 250


def test_a_crawl_at_work_is_not_moved(
    empty_database: Callable[[], str], tmp_path: Path
) -> None:
    with (
        open_storage(tmp_path) as source,
        open_storage(tmp_path / "far", database=empty_database()) as target,
    ):
        source.ledger.open_crawl(("x",), (spec("k"),))
        assert source.ledger.claim("host of somebody/boot/1/1", (Stage.CLONE,), 600)
        with pytest.raises(Misconfigured, match="at work"):
            migrate_store(source, target)


def test_the_verb_says_what_it_lacks_and_what_it_brought(
    empty_database: Callable[[], str],
    new_bucket: Callable[..., Bucket],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = [
        "--home",
        str(tmp_path / "far"),
        "storage",
        "migrate",
        "--from",
        str(tmp_path / "near"),
    ]
    with pytest.raises(Misconfigured, match="nothing to move to"):
        CliRunner().invoke(app, words, standalone_mode=False, catch_exceptions=False)
    bucket = new_bucket()
    monkeypatch.setenv("KERNELSET_DATABASE", empty_database())
    monkeypatch.setenv("KERNELSET_BLOBS", f"s3://{bucket.name}")
    monkeypatch.setenv("KERNELSET_S3_ENDPOINT", bucket.endpoint)
    with pytest.raises(Misconfigured, match="holds no embedded store"):
        CliRunner().invoke(app, words, standalone_mode=False, catch_exceptions=False)
    with open_storage(tmp_path / "near") as source:
        fill(source)
    ended = CliRunner().invoke(
        app, words, standalone_mode=False, catch_exceptions=False
    )
    assert ended.return_value == 0
    assert ended.stdout.startswith(f"{len(CONTENTS)} blobs and ")
