"""Stage `build-db`: create the compile database of a commit and divide its files into batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crawler.builds.database.compile_database import build_compile_database
from crawler.codec import decode, encode
from crawler.errors import NoKernels
from crawler.extract.link import link_kernels
from crawler.extract.parser_process.parent import extract_syntax_facts
from crawler.licences.detection import assign_licences
from crawler.model import CompileDatabase, Kernel, Repo
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from workers.reuse.shown_commits import remember_shown
from workers.tasks.payloads import BatchPayload, LinkPayload, SnapshotPayload
from workers.tasks.task_specs import load_repo, make_task_spec, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from storage.open import Storage

NOT_PARSED: Final = "not parsed yet"
"""Why a kernel has no unit before its batch is done, and where that failed."""


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store the compile database; its groups are extracted, then linked.

    Raises `NoKernels` where no file holds device code that could be compiled.
    """
    payload = decode(claim.payload, SnapshotPayload)
    repo = load_repo(storage.blobs, payload.repo)
    root = workspace.checkout(payload.snapshot, storage.blobs)
    database = build_compile_database(root)
    if not database.groups:
        raise NoKernels("no file here holds device code that could be compiled")

    database_digest = store_json(storage.blobs, database)
    storage.index.put_commit(repo, "", database_digest, task=claim.id)
    if len(database.groups) > 1 and not storage.index.has_kernels(repo):
        storage.index.put_kernels(repo, _find_first_kernels(root, database, repo))
        remember_shown(storage, database_digest, payload)

    link_payload = LinkPayload(
        repo=payload.repo,
        snapshot=payload.snapshot,
        database=database_digest,
        targets=payload.targets,
    )
    batches = _make_batches(
        len(database.groups), payload.snapshot, database_digest, repo_title(repo)
    )
    return Outcome(
        children=tuple(batches),
        continuation=make_task_spec(Stage.LINK, link_payload, repo_title(repo)),
        result=_summarise(database, database_digest),
    )


def _find_first_kernels(
    root: Path, database: CompileDatabase, repo: Repo
) -> tuple[Kernel, ...]:
    """Return the kernels that syntax alone shows, which `link` replaces.

    A commit of many files takes long, and a crawl that is ended before has found something.
    """
    device_commands = [command for command in database.commands if command.dialect]
    facts = extract_syntax_facts(root, device_commands, NOT_PARSED)
    return assign_licences(link_kernels(facts), root, repo.licence)


def _make_batches(
    group_count: int, snapshot: str, database_digest: str, subject: str
) -> list[TaskSpec]:
    batches = []
    for number in range(group_count):
        payload = BatchPayload(
            snapshot=snapshot, database=database_digest, group=number
        )
        title = f"{subject}: batch {number + 1} of {group_count}"
        batches.append(make_task_spec(Stage.EXTRACT, payload, title))
    return batches


def _summarise(database: CompileDatabase, database_digest: str) -> str:
    strategies: dict[str, str | int] = {}
    for report in database.strategies:
        strategies[report.strategy] = report.code or report.entries

    file_count = sum(map(len, database.groups))
    summary = {
        "database": database_digest,
        "files": file_count,
        "relevant": database.relevant,
        "covered": database.covered,
        "strategies": strategies,
    }
    return encode(summary).decode()
