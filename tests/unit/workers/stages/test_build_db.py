"""What is to be parsed becomes tasks whose titles are read in logs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import Layer, Repo
from storage.ledger.interface import Stage
from storage.open import Storage
from workers.stages import build_db
from workers.stages.build_db import _make_batches
from workers.tasks.payloads import SnapshotPayload
from workers.tasks.task_specs import make_task_spec, store_json
from workers.workspace import snapshot
from workers.workspace.task_workspace import Workspace

REPO = Repo(
    source="local", owner="", name="mine", url="", ref="", commit="sha256:" + "0" * 64
)
KERNEL = "__global__ void k{0}(float* x) {{ x[0] = {0}; }}\n"


def test_the_title_of_a_batch_does_not_take_batches_for_files() -> None:
    batches = _make_batches(2, "a" * 64, "b" * 64, "mmcv 2.2.0")
    titles = [batch.subject for batch in batches]
    assert titles == ["mmcv 2.2.0: batch 1 of 2", "mmcv 2.2.0: batch 2 of 2"]


class Crawl:
    """A crawl of a folder of files with a kernel each, up to its compile database."""

    def __init__(self, storage: Storage, workspace: Workspace, root: Path) -> None:
        self.storage = storage
        self.workspace = workspace
        self.root = root

    def build_db(self, file_count: int, repo: Repo = REPO) -> None:
        self.root.mkdir(exist_ok=True)
        for number in range(file_count):
            (self.root / f"f{number:02}.cu").write_text(KERNEL.format(number))

        payload = SnapshotPayload(
            repo=store_json(self.storage.blobs, repo),
            snapshot=self.storage.blobs.put(
                snapshot.pack_snapshot(self.root, limit=1 << 20)
            ),
            targets=("sm_80",),
        )
        task = make_task_spec(Stage.BUILD_DB, payload, "mine")
        self.storage.ledger.open_crawl((repo.commit,), (task,))
        claim = self.storage.ledger.claim("host/boot/1/1", (Stage.BUILD_DB,), 60)
        assert claim
        build_db.run(claim, self.storage, self.workspace)

    def names(self) -> list[str]:
        return [row.name for row in self.storage.index.query()]


@pytest.fixture
def crawl(storage: Storage, workspace: Workspace, tmp_path: Path) -> Crawl:
    return Crawl(storage, workspace, tmp_path / "tree")


def test_a_crawl_that_ends_early_has_found_what_syntax_shows(crawl: Crawl) -> None:
    crawl.build_db(9)

    assert crawl.names() == [f"k{number}" for number in range(9)]
    kernel = next(crawl.storage.index.records()).kernel
    assert kernel.found_by is Layer.SYNTACTIC
    assert kernel.unit is None
    assert kernel.unit_problem == "no-closure: not parsed yet"


def test_what_is_parsed_at_once_is_not_looked_at_twice(crawl: Crawl) -> None:
    crawl.build_db(3)

    assert crawl.names() == []


def test_what_an_earlier_commit_has_is_not_replaced_by_less(crawl: Crawl) -> None:
    crawl.build_db(9)
    newer = replace(REPO, commit="sha256:" + "1" * 64)
    crawl.build_db(10, newer)

    records = list(crawl.storage.index.records())
    assert {record.provenance.repo.commit for record in records} == {REPO.commit}
