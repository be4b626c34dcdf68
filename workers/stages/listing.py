"""Stage `list`: resolve a locator to repositories, each pinned to a commit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.codec import decode, encode
from crawler.errors import NotFound, OptedOut
from crawler.model import Repo
from crawler.sources.locator import find_source, get_source_by_name
from crawler.sources.options import SourceOptions
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from workers.tasks.payloads import ListPayload, PinPayload, RepoPayload
from workers.tasks.task_specs import load_repo, make_task_spec, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Ask the locator's source; a pinned repository is cloned, another one looked into as a
    task of its own.
    """
    terms = replace(workspace.settings.terms(), memory=storage.source_memory)
    if "locator" not in json.loads(claim.payload):
        return _pinned(decode(claim.payload, PinPayload), storage, terms)
    return _listed(decode(claim.payload, ListPayload), storage, terms)


def _listed(payload: ListPayload, storage: Storage, terms: SourceOptions) -> Outcome:
    passed_over: list[tuple[Repo, str]] = []
    terms = replace(
        terms,
        wanted=payload.wanted,
        report_skipped=lambda repo, reason: passed_over.append((repo, reason)),
    )
    source = find_source(payload.locator)
    listed = source.list(payload.locator, terms)
    is_owner = source.is_owner(payload.locator)
    repos = list(
        islice(_allowed(listed, terms, is_owner=is_owner), payload.limit or None)
    )
    if not repos and not passed_over:
        raise NotFound(f"{payload.locator} names no repository: check its spelling")
    vanished = 0
    for old, new in storage.source_memory.find_renamed(repos):
        storage.index.rename(old, new)
    back = (
        {
            each.repo.id
            for each in storage.source_memory.listed_repositories(state="vanished")
        }
        if is_owner
        else set[str]()
    )
    if is_owner and not payload.limit:
        owner = (repos or [passed_over[0][0]])[0].owner
        vanished = storage.source_memory.put_listing(
            source.name, owner, repos, passed_over
        )
        for gone in storage.source_memory.listed_repositories(owner, "vanished"):
            storage.index.supersede(gone.repo)
    result = {
        "repositories": len(repos),
        "vanished": vanished,
        "passed_over": Counter(why for _, why in passed_over),
    }
    children = tuple(
        _next(
            repo,
            payload.targets,
            storage,
            terms,
            asked=payload.asked if repo.id in back else "",
        )
        for repo in repos
    )
    return Outcome(children=children, result=encode(result).decode())


def _allowed(
    listed: Iterator[Repo], terms: SourceOptions, *, is_owner: bool
) -> Iterator[Repo]:
    """Pass over what is opted out of; raises `OptedOut` where it was asked for by its own name."""
    for repo in listed:
        if is_owner and terms.optouts.covers_repository(repo):
            terms.report_skipped(repo, OptedOut.code)
        else:
            terms.optouts.reject_if_covered(repo)
            yield repo


def _pinned(payload: PinPayload, storage: Storage, terms: SourceOptions) -> Outcome:
    repo = load_repo(storage.blobs, payload.repo)
    terms.optouts.reject_if_covered(repo)
    pinned = get_source_by_name(repo.source).pin(repo, terms)
    return Outcome(
        children=(_next(pinned, payload.targets, storage, terms),),
        result=encode({"commit": pinned.commit}).decode(),
    )


def _next(
    repo: Repo,
    targets: tuple[str, ...],
    storage: Storage,
    terms: SourceOptions,
    *,
    asked: str = "",
) -> TaskSpec:
    # what it weighs changes without a push: no reason to look again
    kept = store_json(storage.blobs, replace(repo, kilobytes=0))
    if repo.commit:
        storage.index.reinstate(repo)
        payload = RepoPayload(repo=kept, targets=targets, submodules=terms.submodules)
        return make_task_spec(Stage.CLONE, payload, repo_title(repo), host=_host(repo))
    return make_task_spec(
        Stage.LIST,
        PinPayload(repo=kept, targets=targets, asked=asked),
        repo_title(repo),
        host=_host(repo),
    )


def _host(repo: Repo) -> str:
    return urlsplit(repo.url).hostname or ""
