"""Stage `clone`: fetch a commit and store its text files and licence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import NoKernels
from crawler.licences.detection import detect_repository_licence
from crawler.model import Checkout, Dependency
from crawler.sources.dependencies.completion import fetch_dependencies
from crawler.sources.interface import SourceOptions
from crawler.sources.locator import get_source_by_name
from storage.ledger.interface import Claim, Outcome, Stage
from workers.tasks.payloads import RepoPayload, SnapshotPayload
from workers.tasks.task_specs import load_repo, make_task_spec, repo_title, store_json
from workers.workspace import snapshot
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

# results are small
_MAX_ABSENT_SOURCES: Final = 1_000


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Fetch a commit into scratch, store its snapshot, and record it.

    Raises `NoKernels` where no file can hold a kernel.
    """
    payload = decode(claim.payload, RepoPayload)
    repo = load_repo(storage.blobs, payload.repo)
    settings = workspace.settings
    options = replace(
        settings.terms(),
        submodules=payload.submodules,
        dependency_hosts=payload.dependency_hosts,
        debian_headers=payload.debian_headers,
    )
    options.optouts.reject_if_covered(repo)

    with workspace.temporary_folder() as folder:
        try:
            checkout = get_source_by_name(repo.source).fetch(repo, folder, options)
            dependencies = _fetch_dependencies(checkout, options)
            archive = snapshot.pack_snapshot(
                checkout.root, limit=settings.snapshot_bytes
            )
        except NoKernels:
            # what an earlier commit of it had is no longer there
            storage.index.supersede(repo)
            raise
        repo = replace(repo, licence=detect_repository_licence(checkout.root))

    snapshot_digest = storage.blobs.put(archive)
    storage.index.put_commit(repo, snapshot_digest, "", task=claim.id)
    build_payload = SnapshotPayload(
        repo=store_json(storage.blobs, repo),
        snapshot=snapshot_digest,
        targets=payload.targets,
    )
    result = {
        "snapshot": snapshot_digest,
        "bytes": len(archive),
        "downloaded": checkout.downloaded_bytes,
        "submodules": checkout.submodules,
        "absent_sources": checkout.absent_sources[:_MAX_ABSENT_SOURCES],
        "dependencies": dependencies,
    }
    return Outcome(
        children=(make_task_spec(Stage.BUILD_DB, build_payload, repo_title(repo)),),
        result=encode(result).decode(),
    )


def _fetch_dependencies(
    checkout: Checkout, options: SourceOptions
) -> tuple[Dependency, ...]:
    """Bring the headers of other repositories that a project declares and its kernels need."""
    # `path@commit`
    submodules = (submodule.rpartition("@") for submodule in checkout.submodules)
    return fetch_dependencies(
        checkout.root, options, {path: commit for path, _, commit in submodules}
    )
