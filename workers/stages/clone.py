"""clone: the text of a commit is fetched and stored, with its licence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.dataset.licence import repository_licence
from crawler.errors import NoKernels
from crawler.sources.locator import source_called
from storage.ledger import Claim, Outcome, Stage
from workers import snapshot
from workers.stages.payloads import RepoPayload, SnapshotPayload
from workers.stages.tasks import keep, spec, stored_repo, title
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Fetch into scratch, store a snapshot, record the commit; raises `NoKernels` where no file can hold one."""
    payload = decode(claim.payload, RepoPayload)
    repo = stored_repo(storage.blobs, payload.repo)
    terms = replace(workspace.settings.terms(), submodules=payload.submodules)
    terms.optouts.check(repo)
    with workspace.folder() as folder:
        try:
            checkout = source_called(repo.source).fetch(repo, folder, terms)
            archive = snapshot.pack(checkout.root, limit=workspace.settings.snapshot_bytes)
        except NoKernels:
            # what an earlier commit of it had is no longer there
            storage.index.supersede(repo)
            raise
        repo = replace(repo, licence=repository_licence(checkout.root))
    stored = storage.blobs.put(archive)
    storage.index.put_commit(repo, stored, "", task=claim.id)
    following = SnapshotPayload(repo=keep(storage.blobs, repo), snapshot=stored, targets=payload.targets)
    return Outcome(
        children=(spec(Stage.BUILD_DB, following, title(repo)),),
        result=encode(
            {
                "snapshot": stored,
                "bytes": len(archive),
                "downloaded": checkout.downloaded_bytes,
                "submodules": checkout.submodules,
            }
        ).decode(),
    )
