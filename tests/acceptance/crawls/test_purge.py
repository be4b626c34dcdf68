"""Whoever opts out is gone from the store, and whoever shares a file with them is not."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
SHARED = "__global__ void shared(float* x) { x[0] = 1; }\n"
OWN = "__global__ void {}(float* x) {{ x[0] = 2; /* of {} alone */ }}\n"


def crawl(kernelset: Kernelset, folder: Path, code: int = 0) -> None:
    kernelset.run("crawl", folder, "--targets", "sm_80", "--workers", 1, code=code)


def names(kernelset: Kernelset, code: int = 0) -> list[tuple[str, str]]:
    return sorted(
        (row["repo"], row["name"]) for row in kernelset.rows("query", code=code)
    )


def digests(kernelset: Kernelset) -> set[str]:
    with sqlite3.connect(kernelset.home / "kernelset.db") as connection:
        stored = {row[0] for row in connection.execute("SELECT digest FROM blob")}
    connection.close()
    return stored


def test_what_is_purged_is_gone_what_is_shared_stays_and_all_can_come_again(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for folder in (theirs, mine):
        folder.mkdir()
        (folder / "a.cu").write_text(SHARED)
        (folder / "b.cu").write_text(OWN.format(folder.name, folder.name))
    crawl(kernelset, theirs)
    alone = digests(kernelset)
    crawl(kernelset, mine)
    together = digests(kernelset)
    (kernelset.home / "optouts").write_text("local:mine\n")
    (kernelset.home / "kernelset.toml").write_text(
        f'optouts = "{kernelset.home / "optouts"}"\n'
    )
    (covered,) = kernelset.rows("purge", "--dry-run")
    assert covered["name"] == "mine"
    preview = kernelset.run("purge", "--dry-run")
    assert preview.stdout.startswith("mine sha256:")
    assert "1 commits would go; nothing was removed" in preview.stderr
    assert names(kernelset) == [
        ("mine", "mine"),
        ("mine", "shared"),
        ("theirs", "shared"),
        ("theirs", "theirs"),
    ]

    (purged,) = kernelset.rows("purge")
    assert (purged["repositories"], purged["kernels"], purged["blobs"]) == (
        1,
        2,
        len(together - digests(kernelset)),
    )
    assert names(kernelset) == [("theirs", "shared"), ("theirs", "theirs")]
    assert alone <= digests(kernelset)
    leftovers = digests(kernelset) - alone
    assert len(leftovers) <= 1, "of a crawl's own first question only"
    kernelset.sound()
    crawl(kernelset, mine, code=4)
    assert [row["code"] for row in kernelset.rows("failures")] == ["opted-out"]
    assert kernelset.rows("purge", code=4)[0]["blobs"] == 0

    (kernelset.home / "kernelset.toml").unlink()
    crawl(kernelset, mine)
    assert names(kernelset) == [
        ("mine", "mine"),
        ("mine", "shared"),
        ("theirs", "shared"),
        ("theirs", "theirs"),
    ]
    rows = kernelset.rows("query")
    assert {row["pass_call"]["sm_80"] for row in rows} == {"pass"}
    kernelset.sound()
