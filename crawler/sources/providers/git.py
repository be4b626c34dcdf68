"""Git source: `git+https://HOST/OWNER/NAME@REF`, pinned to a commit and fetched without a
checkout.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.errors import CrawlError, Misconfigured, NotFound, Rejected, TooLarge
from crawler.model import Checkout, Repo
from crawler.sources.archive.unpack import clear_folder
from crawler.sources.git_client import remote, tree
from crawler.sources.git_client.remote import Remote
from crawler.sources.git_client.repository import BareRepository, list_remote_refs
from crawler.sources.git_client.submodules import Submodule
from crawler.sources.interface import Limits, Source, SourceOptions

_FULL: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT: Final = re.compile(r"[0-9a-f]{7,63}")
_PEELED: Final = "^{}"
_LISTING_SECONDS: Final = 120.0
_DEEPEST: Final = 3
"""Submodules of submodules that are followed."""
_MOST: Final = 64
"""Submodules that are brought."""


class Git:
    """Any repository that git reaches by HTTPS, SSH, its own protocol, or as a folder."""

    name = "git"
    example = "git+https://example.org/owner/name.git@v1.0"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator is a URL, or `USER@HOST:PATH`."""
        return remote.is_git_locator(locator)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all that an owner has: never here."""
        return False

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the repository, pinned to a commit; raises `NotFound`, `NetworkDown`."""
        asked = remote.parse_git_locator(locator)
        commit = resolve_commit(asked, options.limits)
        yield Repo(
            source=self.name,
            owner=asked.owner,
            name=asked.name,
            url=asked.url,
            ref=asked.ref,
            commit=commit,
        )

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository as it is: the list has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Bring the one commit, and only what a build or a parse could read of it; runs no hook
        and no filter.

        Raises `NotFound`, `NetworkDown`, `TooLarge`, and `BadArchive` for a malformed one.
        """
        return fetch_commit(repo, destination, options)


def resolve_commit(requested: Remote, limits: Limits) -> str:
    """Return the commit that a ref means now; raises `NotFound`, `NetworkDown`, and `Rejected`
    where there is none.
    """
    return _pin(
        requested, replace(limits, seconds=min(limits.seconds, _LISTING_SECONDS))
    )


def fetch_commit(
    repo: Repo, destination: Path, options: SourceOptions, *, triage: bool = False
) -> Checkout:
    """Put the files of a pinned commit under `destination`; raises as `fetch` does.

    With `triage`, `NoKernels` where the names of its files, and the few that they make worth a
    look, hold no kernel.
    """
    origin = remote.parse_git_locator(
        f"git+{repo.url}" if repo.url.startswith("file:") else repo.url
    )
    try:
        found, downloaded = _written(
            origin, repo.commit, destination, options.limits, triage=triage
        )
        absent, more = (
            _followed(found, destination, options) if options.submodules else (found, 0)
        )
    except BaseException:
        clear_folder(destination)
        raise
    return Checkout(
        repo=repo,
        root=destination,
        submodules=tuple(map(str, absent)),
        downloaded_bytes=downloaded + more,
    )


def _written(
    origin: Remote,
    commit: str,
    destination: Path,
    limits: Limits,
    *,
    triage: bool = False,
) -> tuple[tuple[Submodule, ...], int]:
    """Write a commit's files; return its submodules, and how many bytes its packs have."""
    # nothing of the tree can be called so: git_tree refuses it
    folder = destination / ".git"
    repository = BareRepository.create(folder, origin, limits, commit=commit)
    repository.fetch([commit], "--depth=1", "--filter=blob:none")
    found = tree.write_commit_files(repository, commit, destination, triage=triage)
    downloaded = repository.measure_packs()
    shutil.rmtree(folder)
    return found, downloaded


def _followed(
    found: tuple[Submodule, ...], destination: Path, terms: SourceOptions
) -> tuple[tuple[Submodule, ...], int]:
    """Bring the submodules, and theirs; return those that could not be had, and how many bytes
    came.
    """
    absent, downloaded, left = [], 0, deque((each, 1) for each in found)
    ends_at = time.monotonic() + terms.limits.seconds
    while left:
        submodule, depth = left.popleft()
        folder = destination / submodule.path
        try:
            limits = _remaining(terms.limits, destination, downloaded, ends_at)
            folder.mkdir(parents=True, exist_ok=True)
            inner, bytes_of = _written(
                remote.parse_git_locator(submodule.url),
                submodule.commit,
                folder,
                limits,
            )
        except Misconfigured:
            raise
        except (CrawlError, FileExistsError, NotADirectoryError):
            # of a stranger's third party: what it lacks is told by the units that miss it
            shutil.rmtree(folder, ignore_errors=True)
            absent.append(submodule)
            continue
        downloaded += bytes_of
        if depth < _DEEPEST:
            below = (
                replace(each, path=f"{submodule.path}/{each.path}") for each in inner
            )
            left.extend((each, depth + 1) for each in below)
        if len(left) + len(absent) > _MOST:
            return (*absent, *(each for each, _ in left)), downloaded
    return tuple(absent), downloaded


def _remaining(
    limits: Limits, destination: Path, downloaded: int, ends_at: float
) -> Limits:
    """Return what one repository's bounds leave for its next submodule; raises `TooLarge` where
    that is nothing.
    """
    used = sum(path.stat().st_size for path in destination.rglob("*") if path.is_file())
    left = replace(
        limits,
        download_bytes=limits.download_bytes - downloaded,
        unpacked_bytes=limits.unpacked_bytes - used,
        seconds=ends_at - time.monotonic(),
    )
    if min(left.download_bytes, left.unpacked_bytes, left.seconds) <= 0:
        raise TooLarge(
            "the submodules are more than the bounds of a repository: raise those to take them"
        )
    return left


def _pin(asked: Remote, limits: Limits) -> str:
    if not asked.ref:
        commit = list_remote_refs(asked, limits, patterns=["HEAD"]).get("HEAD", "")
        if not commit:
            raise Rejected(
                f"{asked.url} has no commit on its default branch: name another branch after an @",
                code="empty-repository",
            )
        return commit
    if _FULL.fullmatch(asked.ref):
        return _known(asked, limits, asked.ref, "--depth=1")
    commit = _advertised(asked, limits)
    if not commit and _SHORT.fullmatch(asked.ref):
        commit = _known(
            asked, limits, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"
        )
    if not commit:
        raise _no_ref(asked)
    return commit


def _advertised(asked: Remote, limits: Limits) -> str:
    """Return what a branch or tag of that name points at; a tag wins, as it does for git."""
    ref = asked.ref
    flags = () if ref.startswith("refs/") else ("--heads", "--tags")
    found = list_remote_refs(asked, limits, flags=flags, patterns=[ref, ref + _PEELED])
    names = (
        [ref] if ref.startswith("refs/") else [f"refs/tags/{ref}", f"refs/heads/{ref}"]
    )
    return next(
        (
            found[each]
            for name in names
            for each in (name + _PEELED, name)
            if each in found
        ),
        "",
    )


def _known(asked: Remote, limits: Limits, *wanted: str) -> str:
    """Ask for commits without their trees, and return the one that the ref means."""
    flags = [each for each in wanted if each.startswith("--")]
    with tempfile.TemporaryDirectory() as folder:
        repository = BareRepository.create(
            Path(folder) / "git", asked, limits, commit=asked.ref
        )
        repository.fetch(
            [each for each in wanted if each not in flags], "--filter=tree:0", *flags
        )
        commit = repository.resolve_commit(asked.ref)
    if not commit:
        raise _no_ref(asked)
    return commit


def _no_ref(asked: Remote) -> NotFound:
    return NotFound(
        f"{asked.url} has no one branch, tag or commit {asked.ref}: check its spelling after the @",
        code="ref-not-found",
    )


PLUGIN: Final[Source] = Git()
