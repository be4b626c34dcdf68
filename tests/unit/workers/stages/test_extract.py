"""Units of a batch are kept and compiled as soon as it is parsed, before its commit is linked."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Layer, Repo, Status
from storage.ledger.interface import Claim, Outcome, Stage
from storage.open import Storage
from workers.stages import build_db, extract, port, validate
from workers.tasks.payloads import SnapshotPayload
from workers.tasks.task_specs import make_task_spec, store_json
from workers.workspace import snapshot
from workers.workspace.task_workspace import Workspace

pytestmark = pytest.mark.apt("clang-19")

REPO = Repo(
    source="local", owner="", name="mine", url="", ref="", commit="sha256:" + "0" * 64
)
KERNEL = "__global__ void k{0}(float* x) {{ x[0] = {0}; }}\n"
STAGES = {
    Stage.BUILD_DB: build_db.run,
    Stage.EXTRACT: extract.run,
    Stage.PORT: port.run,
    Stage.VALIDATE: validate.run,
}


class Crawl:
    """A crawl of a folder of files with a kernel each, whose tasks run one by one."""

    def __init__(self, storage: Storage, workspace: Workspace, root: Path) -> None:
        self.storage = storage
        self.workspace = workspace
        self.root = root

    def begin(self, file_count: int) -> None:
        self.root.mkdir()
        for number in range(file_count):
            (self.root / f"f{number:02}.cu").write_text(KERNEL.format(number))

        payload = SnapshotPayload(
            repo=store_json(self.storage.blobs, REPO),
            snapshot=self.storage.blobs.put(
                snapshot.pack_snapshot(self.root, limit=1 << 20)
            ),
            targets=("sm_80",),
        )
        task = make_task_spec(Stage.BUILD_DB, payload, "mine")
        self.storage.ledger.open_crawl(("mine",), (task,))
        self.run_next()

    def run_next(self) -> tuple[Claim, Outcome]:
        """Run the task that a worker would take next."""
        claim = self.storage.ledger.claim("host/boot/1/1", tuple(STAGES), 600)
        assert claim
        outcome = STAGES[claim.stage](claim, self.storage, self.workspace)
        self.storage.ledger.finish(claim, outcome)
        return claim, outcome


@pytest.fixture
def crawl(storage: Storage, workspace: Workspace, tmp_path: Path) -> Crawl:
    return Crawl(storage, workspace, tmp_path / "tree")


def test_a_crawl_that_ends_early_keeps_the_units_of_the_batches_that_are_done(
    crawl: Crawl,
) -> None:
    crawl.begin(9)
    stages = [crawl.run_next()[0].stage for _ in range(3)]

    # what is parsed is compiled before the next batch is
    assert stages == [Stage.EXTRACT, Stage.PORT, Stage.VALIDATE]
    records = list(crawl.storage.index.records())
    assert [record.kernel.name for record in records] == [f"k{n}" for n in range(9)]
    parsed = [record for record in records if record.kernel.unit]
    waiting = [record for record in records if not record.kernel.unit]
    assert parsed
    assert waiting
    assert {record.kernel.found_by for record in parsed} == {Layer.AST}
    assert {record.kernel.found_by for record in waiting} == {Layer.SYNTACTIC}
    for record in parsed:
        (build,) = record.builds
        assert build.pass_call.status is Status.PASS


def test_a_commit_of_one_batch_is_compiled_once_it_is_linked(crawl: Crawl) -> None:
    crawl.begin(3)
    claim, outcome = crawl.run_next()

    assert claim.stage is Stage.EXTRACT
    assert outcome.children == ()
    assert list(crawl.storage.index.records()) == []
