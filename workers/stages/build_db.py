"""build-db: the compile commands of a commit are learnt, and its files dealt into batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.builds.database import build
from crawler.codec import decode, encode
from crawler.errors import NoKernels
from crawler.model import CompileDatabase
from storage.ledger import Claim, Outcome, Stage, TaskSpec
from workers.stages.payloads import BatchPayload, LinkPayload, SnapshotPayload
from workers.stages.tasks import keep, spec, stored_repo, title
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store the compile database; its groups are extracted, then linked."""
    payload = decode(claim.payload, SnapshotPayload)
    repo = stored_repo(storage.blobs, payload.repo)
    database = build(workspace.checkout(payload.snapshot, storage.blobs))
    if not database.groups:
        raise NoKernels("no file here holds device code that could be compiled")
    stored = keep(storage.blobs, database)
    storage.index.put_commit(repo, "", stored, task=claim.id)
    link = LinkPayload(repo=payload.repo, snapshot=payload.snapshot, database=stored, targets=payload.targets)
    return Outcome(
        children=tuple(_batches(database, payload.snapshot, stored, title(repo))),
        then=spec(Stage.LINK, link, title(repo)),
        result=_summary(database, stored),
    )


def _batches(database: CompileDatabase, snapshot: str, stored: str, subject: str) -> list[TaskSpec]:
    return [
        spec(
            Stage.EXTRACT,
            BatchPayload(snapshot=snapshot, database=stored, group=number),
            f"{subject}: files {number + 1}/{len(database.groups)}",
        )
        for number in range(len(database.groups))
    ]


def _summary(database: CompileDatabase, stored: str) -> str:
    return encode(
        {
            "database": stored,
            "files": sum(map(len, database.groups)),
            "relevant": database.relevant,
            "covered": database.covered,
            "strategies": {report.strategy: report.code or report.entries for report in database.strategies},
        }
    ).decode()
