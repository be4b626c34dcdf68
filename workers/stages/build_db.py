"""Stage `build-db`: create the compile database of a commit and divide its files into batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.builds.database.compile_database import build_compile_database
from crawler.codec import decode, encode
from crawler.errors import NoKernels
from crawler.model import CompileDatabase
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from workers.tasks.payloads import BatchPayload, LinkPayload, SnapshotPayload
from workers.tasks.task_specs import load_repo, make_task_spec, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store the compile database; its groups are extracted, then linked."""
    payload = decode(claim.payload, SnapshotPayload)
    repo = load_repo(storage.blobs, payload.repo)
    database = build_compile_database(
        workspace.checkout(payload.snapshot, storage.blobs)
    )
    if not database.groups:
        raise NoKernels("no file here holds device code that could be compiled")
    stored = store_json(storage.blobs, database)
    storage.index.put_commit(repo, "", stored, task=claim.id)
    link = LinkPayload(
        repo=payload.repo,
        snapshot=payload.snapshot,
        database=stored,
        targets=payload.targets,
    )
    return Outcome(
        children=tuple(_batches(database, payload.snapshot, stored, repo_title(repo))),
        continuation=make_task_spec(Stage.LINK, link, repo_title(repo)),
        result=_summary(database, stored),
    )


def _batches(
    database: CompileDatabase, snapshot: str, stored: str, subject: str
) -> list[TaskSpec]:
    return [
        make_task_spec(
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
            "strategies": {
                report.strategy: report.code or report.entries
                for report in database.strategies
            },
        }
    ).decode()
