"""Stage `list`: resolve a locator to repositories, each pinned to a commit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
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

SkippedRepo = tuple[Repo, str]
"""A repository that is not crawled, and why."""


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """List what a locator names, or pin one repository of an owner to its commit.

    A pinned repository is cloned next; another one is pinned by a task of its own, so that an
    owner's repositories are looked into side by side.
    """
    terms = workspace.settings.terms()
    options = replace(terms, memory=storage.source_memory)
    if "locator" not in json.loads(claim.payload):
        pin_payload = decode(claim.payload, PinPayload)
        return _pin_repository(pin_payload, storage, options)

    payload = decode(claim.payload, ListPayload)
    return _list_repositories(payload, storage, options)


def _list_repositories(
    payload: ListPayload, storage: Storage, options: SourceOptions
) -> Outcome:
    skipped: list[SkippedRepo] = []

    def note_skipped(repo: Repo, reason: str) -> None:
        skipped.append((repo, reason))

    options = replace(options, wanted=payload.wanted, report_skipped=note_skipped)
    source = find_source(payload.locator)
    is_owner = source.is_owner(payload.locator)
    listed_repos = source.list(payload.locator, options)
    allowed_repos = _iter_allowed(listed_repos, options, is_owner=is_owner)
    repos = list(islice(allowed_repos, payload.limit or None))
    if not repos and not skipped:
        raise NotFound(f"{payload.locator} names no repository: check its spelling")

    memory = storage.source_memory
    for old, new in memory.find_renamed(repos):
        storage.index.rename(old, new)

    returned_ids: set[str] = set()
    if is_owner:
        # read before the new listing is stored, after which they have not vanished any more
        vanished = memory.listed_repositories(state="vanished")
        for listed in vanished:
            returned_ids.add(listed.repo.id)

    vanished_count = 0
    if is_owner and not payload.limit:
        vanished_count = _store_listing(storage, source.name, repos, skipped)

    children = []
    for repo in repos:
        asked_version = payload.asked if repo.id in returned_ids else ""
        task = _make_next_task(
            repo, payload.targets, storage, options, asked_version=asked_version
        )
        children.append(task)

    reasons = Counter(reason for _, reason in skipped)
    result = {
        "repositories": len(repos),
        "vanished": vanished_count,
        "passed_over": reasons,
    }
    return Outcome(children=tuple(children), result=encode(result).decode())


def _iter_allowed(
    repos: Iterator[Repo], options: SourceOptions, *, is_owner: bool
) -> Iterator[Repo]:
    """Yield the repositories that did not opt out.

    Raises `OptedOut` where such a one was asked for by its own name.
    """
    for repo in repos:
        if is_owner and options.optouts.covers_repository(repo):
            options.report_skipped(repo, OptedOut.code)
            continue

        options.optouts.reject_if_covered(repo)
        yield repo


def _store_listing(
    storage: Storage, source: str, repos: Sequence[Repo], skipped: Sequence[SkippedRepo]
) -> int:
    """Store an owner's whole listing, and return how many repositories vanished since the last."""
    first_repo = repos[0] if repos else skipped[0][0]
    owner = first_repo.owner
    memory = storage.source_memory
    vanished_count = memory.put_listing(source, owner, repos, skipped)
    for listed in memory.listed_repositories(owner, "vanished"):
        storage.index.supersede(listed.repo)

    return vanished_count


def _pin_repository(
    payload: PinPayload, storage: Storage, options: SourceOptions
) -> Outcome:
    repo = load_repo(storage.blobs, payload.repo)
    options.optouts.reject_if_covered(repo)
    source = get_source_by_name(repo.source)
    pinned = source.pin(repo, options)

    task = _make_next_task(pinned, payload.targets, storage, options)
    result = encode({"commit": pinned.commit})
    return Outcome(children=(task,), result=result.decode())


def _make_next_task(
    repo: Repo,
    targets: tuple[str, ...],
    storage: Storage,
    options: SourceOptions,
    *,
    asked_version: str = "",
) -> TaskSpec:
    """Return the task that clones a pinned repository, or pins another one."""
    # its size changes without a push: no reason to look again
    lasting_repo = replace(repo, kilobytes=0)
    repo_digest = store_json(storage.blobs, lasting_repo)
    title = repo_title(repo)
    host = urlsplit(repo.url).hostname or ""
    if not repo.commit:
        pin_payload = PinPayload(repo=repo_digest, targets=targets, asked=asked_version)
        return make_task_spec(Stage.LIST, pin_payload, title, host=host)

    storage.index.reinstate(repo)
    payload = RepoPayload(
        repo=repo_digest,
        targets=targets,
        submodules=options.submodules,
        dependency_hosts=options.dependency_hosts,
        debian_headers=options.debian_headers,
    )
    return make_task_spec(Stage.CLONE, payload, title, host=host)
