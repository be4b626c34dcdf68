"""list: a locator becomes repositories, each pinned to a commit."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import NotFound
from crawler.sources.locator import source_for
from storage.ledger import Claim, Outcome, Stage
from workers.stages.payloads import ListPayload, RepoPayload
from workers.stages.tasks import keep, spec, title
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Ask the locator's source, and have each repository cloned."""
    payload = decode(claim.payload, ListPayload)
    listed = source_for(payload.locator).list(payload.locator, workspace.settings.limits())
    repos = tuple(islice(listed, payload.limit or None))
    if not repos:
        raise NotFound(f"{payload.locator} names no repository: check its spelling")
    children = tuple(
        spec(Stage.CLONE, RepoPayload(repo=keep(storage.blobs, repo), targets=payload.targets), title(repo))
        for repo in repos
    )
    return Outcome(children=children, result=encode({"repositories": len(repos)}).decode())
