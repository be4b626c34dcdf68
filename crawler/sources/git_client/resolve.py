"""Resolve a branch, a tag or an abbreviated commit to the full id of a commit."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.errors import NotFound, Rejected
from crawler.sources.git_client.remote import Remote
from crawler.sources.git_client.repository import BareRepository, list_remote_refs
from crawler.sources.interface import Limits

# the id of a commit, of SHA-1 or SHA-256
_FULL_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT_COMMIT: Final = re.compile(r"[0-9a-f]{7,63}")
# What git appends to the name of an annotated tag for the commit that it points at.
_PEELED_SUFFIX: Final = "^{}"
_ALL_REFS: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_MAX_SECONDS: Final = 120.0


def resolve_commit(remote: Remote, limits: Limits) -> str:
    """Return the commit that the ref of `remote` means now.

    Raises `NotFound`, `NetworkDown`, and `Rejected` for a default branch without a commit.
    """
    limits = replace(limits, seconds=min(limits.seconds, _MAX_SECONDS))
    ref = remote.ref
    if not ref:
        return _resolve_default_branch(remote, limits)
    if _FULL_COMMIT.fullmatch(ref):
        return _fetch_and_resolve(remote, limits, [ref], "--depth=1")

    commit = _find_advertised_ref(remote, limits)
    if commit:
        return commit
    # The server names branches and tags alone: an abbreviation needs all commits.
    if _SHORT_COMMIT.fullmatch(ref):
        return _fetch_and_resolve(remote, limits, _ALL_REFS)

    raise _make_missing_ref_error(remote)


def _resolve_default_branch(remote: Remote, limits: Limits) -> str:
    refs = list_remote_refs(remote, limits, patterns=["HEAD"])
    commit = refs.get("HEAD", "")
    if not commit:
        raise Rejected(
            f"{remote.url} has no commit on its default branch: "
            "name another branch after an @",
            code="empty-repository",
        )
    return commit


def _find_advertised_ref(remote: Remote, limits: Limits) -> str:
    """Return what a branch or tag of that name points at, empty where there is none.

    A tag wins over a branch of the same name, as it does for git.
    """
    ref = remote.ref
    # `refs/pull/7/head` is neither a branch nor a tag.
    is_full_name = ref.startswith("refs/")
    oid_by_name = list_remote_refs(
        remote,
        limits,
        flags=() if is_full_name else ("--heads", "--tags"),
        patterns=[ref, ref + _PEELED_SUFFIX],
    )

    names = [ref] if is_full_name else [f"refs/tags/{ref}", f"refs/heads/{ref}"]

    for name in names:
        for full_name in (name + _PEELED_SUFFIX, name):
            if full_name in oid_by_name:
                return oid_by_name[full_name]

    return ""


def _fetch_and_resolve(
    remote: Remote, limits: Limits, refspecs: Sequence[str], *flags: str
) -> str:
    """Fetch commits without their trees, and return the one that the ref means."""
    with tempfile.TemporaryDirectory() as folder:
        repository = BareRepository.create(
            Path(folder) / "git", remote, limits, commit=remote.ref
        )
        repository.fetch(refspecs, "--filter=tree:0", *flags)
        commit = repository.resolve_commit(remote.ref)

    if not commit:
        raise _make_missing_ref_error(remote)
    return commit


def _make_missing_ref_error(remote: Remote) -> NotFound:
    return NotFound(
        f"{remote.url} has no one branch, tag or commit {remote.ref}: "
        "check its spelling after the @",
        code="ref-not-found",
    )
