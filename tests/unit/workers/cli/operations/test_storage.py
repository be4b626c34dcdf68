"""The verbs that look after a store say what they found, and change nothing that is not asked."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.errors import Misconfigured
from storage.ledger.interface import Stage, TaskSpec
from workers.cli.exit_codes import DONE, FAILED

if TYPE_CHECKING:
    from tests.unit.workers.cli.conftest import CommandLine

CONTENTS = [b"one " * 5000, b"two " * 5000, b"small"]


@pytest.fixture
def digests(kernelset: CommandLine) -> list[str]:
    with kernelset.open() as storage:
        return [storage.blobs.put(content) for content in CONTENTS]


def spoil_blob(kernelset: CommandLine) -> None:
    """Change bytes of the largest file of the store."""
    files = [path for path in (kernelset.home / "blobs").rglob("*") if path.is_file()]
    path = max(files, key=lambda path: path.stat().st_size)
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4] = b"\0\1\2\3"
    path.write_bytes(content)


def age_marks(kernelset: CommandLine, seconds: float) -> None:
    """Let time go by for what was found without a name."""
    with sqlite3.connect(kernelset.home / "kernelset.db") as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(blob)")]
        for column in columns:
            if column.endswith("_at"):
                connection.execute(
                    f"UPDATE blob SET {column} = {column} - ? WHERE {column} > 0",
                    (seconds,),
                )
    connection.close()


def test_a_sound_store_is_read_whole(
    kernelset: CommandLine, digests: list[str]
) -> None:
    answer = kernelset.run("storage", "verify")
    assert (answer.code, answer.out) == (DONE, "3 blobs read, 0 corrupt\n")
    (row,) = kernelset.run("storage", "verify", "--json").rows
    assert row == {"blobs": 3, "corrupt": []}


def test_what_has_changed_is_named_and_fails(
    kernelset: CommandLine, digests: list[str]
) -> None:
    spoil_blob(kernelset)
    answer = kernelset.run("storage", "verify")
    assert answer.code == FAILED
    assert answer.out.endswith("3 blobs read, 1 corrupt\n")
    named = [digest for digest in digests if digest in answer.out]
    assert len(named) == 1

    (row,) = kernelset.run("storage", "verify", "--json").rows
    assert [corrupt["digest"] for corrupt in row["corrupt"]] == named


def test_an_empty_store_is_sound(kernelset: CommandLine) -> None:
    assert kernelset.run("storage", "verify").out == "0 blobs read, 0 corrupt\n"


def test_what_has_no_name_is_marked_first_and_goes_a_day_later(
    kernelset: CommandLine, digests: list[str]
) -> None:
    (marked,) = kernelset.run("storage", "gc", "--json").rows
    assert (marked["blobs"], marked["doomed"]) == (0, 3)
    (early,) = kernelset.run("storage", "gc", "--json").rows
    assert early["blobs"] == 0

    age_marks(kernelset, 25 * 3600)
    would_go = kernelset.run("storage", "gc", "--dry-run")
    assert would_go.code == DONE
    assert "stray objects would go" in would_go.out
    assert kernelset.run("storage", "verify").out.startswith("3 blobs read")

    gone = kernelset.run("storage", "gc")
    assert "are gone" in gone.out
    with kernelset.open() as storage:
        assert not any(storage.blobs.has(digest) for digest in digests)


def test_what_a_task_names_stays(kernelset: CommandLine, digests: list[str]) -> None:
    spec = TaskSpec(
        stage=Stage.LINK,
        key="k",
        version="1",
        queue="q",
        payload=json.dumps({"list": digests[0]}),
        subject="s",
    )
    with kernelset.open() as storage:
        storage.ledger.open_crawl(("x",), (spec,))
    kernelset.run("storage", "gc")
    age_marks(kernelset, 25 * 3600)
    kernelset.run("storage", "gc")
    with kernelset.open() as storage:
        assert storage.blobs.get(digests[0]) == CONTENTS[0]
        assert not storage.blobs.has(digests[1])


def test_a_store_is_not_moved_to_nowhere(kernelset: CommandLine) -> None:
    with pytest.raises(Misconfigured, match="`database` and `blobs`") as refusal:
        kernelset.run("storage", "migrate")
    assert refusal.value.code == "no-target"


def test_a_folder_without_a_store_is_not_moved(
    kernelset: CommandLine, tmp_path: Path
) -> None:
    settings = 'database = "postgresql://127.0.0.1:1/none"\nblobs = "s3://bucket/x"\n'
    (kernelset.home / "kernelset.toml").write_text(settings)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(Misconfigured, match="holds no embedded store") as refusal:
        kernelset.run("storage", "migrate", "--from", empty)
    assert refusal.value.code == "no-store"
    assert list(empty.iterdir()) == []
