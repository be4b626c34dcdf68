"""A git repository: `git+https://HOST/OWNER/NAME@REF`, its commit pinned, its files taken without a checkout."""

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
from crawler.sources import git_tree, remote
from crawler.sources.git_repository import Repository, ask
from crawler.sources.interface import Limits, Source, Terms
from crawler.sources.remote import Remote
from crawler.sources.submodules import Submodule
from crawler.sources.unpack import empty

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
        return remote.claims(locator)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all that an owner has: never here."""
        return False

    def list(self, locator: str, terms: Terms) -> Iterator[Repo]:
        """Yield the repository, pinned to a commit; raises `NotFound`, `NetworkDown`."""
        asked = remote.parse(locator)
        commit = commit_of(asked, terms.limits)
        yield Repo(source=self.name, owner=asked.owner, name=asked.name, url=asked.url, ref=asked.ref, commit=commit)

    def pin(self, repo: Repo, terms: Terms) -> Repo:
        """Return the repository as it is: the list has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, terms: Terms) -> Checkout:
        """Bring the one commit, and only what a build or a parse could read of it; runs no hook and no filter.

        Raises `NotFound`, `NetworkDown`, `TooLarge`, and `BadArchive` for a malformed one.
        """
        return bring(repo, destination, terms)


def commit_of(asked: Remote, limits: Limits) -> str:
    """Return the commit that a ref means now; raises `NotFound`, `NetworkDown`, and `Rejected` where there is none."""
    return _pin(asked, replace(limits, seconds=min(limits.seconds, _LISTING_SECONDS)))


def bring(repo: Repo, destination: Path, terms: Terms, *, triage: bool = False) -> Checkout:
    """Put the files of a pinned commit under `destination`; raises as `fetch` does.

    With `triage`, `NoKernels` where the names of its files, and the few that they make worth a look, hold no kernel.
    """
    origin = remote.parse(f"git+{repo.url}" if repo.url.startswith("file:") else repo.url)
    try:
        found, downloaded = _written(origin, repo.commit, destination, terms.limits, triage=triage)
        absent, more = _followed(found, destination, terms) if terms.submodules else (found, 0)
    except BaseException:
        empty(destination)
        raise
    return Checkout(repo=repo, root=destination, submodules=tuple(map(str, absent)), downloaded_bytes=downloaded + more)


def _written(
    origin: Remote, commit: str, destination: Path, limits: Limits, *, triage: bool = False
) -> tuple[tuple[Submodule, ...], int]:
    """Write a commit's files; return its submodules, and how many bytes its packs have."""
    # nothing of the tree can be called so: git_tree refuses it
    folder = destination / ".git"
    repository = Repository.make(folder, origin, limits, commit=commit)
    repository.fetch([commit], "--depth=1", "--filter=blob:none")
    found = git_tree.write(repository, commit, destination, triage=triage)
    downloaded = repository.packed_bytes()
    shutil.rmtree(folder)
    return found, downloaded


def _followed(found: tuple[Submodule, ...], destination: Path, terms: Terms) -> tuple[tuple[Submodule, ...], int]:
    """Bring the submodules, and theirs; return those that could not be had, and how many bytes came."""
    absent, downloaded, left = [], 0, deque((each, 1) for each in found)
    ends_at = time.monotonic() + terms.limits.seconds
    while left:
        submodule, depth = left.popleft()
        folder = destination / submodule.path
        try:
            limits = _remaining(terms.limits, destination, downloaded, ends_at)
            folder.mkdir(parents=True, exist_ok=True)
            inner, bytes_of = _written(remote.parse(submodule.url), submodule.commit, folder, limits)
        except Misconfigured:
            raise
        except (CrawlError, FileExistsError, NotADirectoryError):
            # of a stranger's third party: what it lacks is told by the units that miss it
            shutil.rmtree(folder, ignore_errors=True)
            absent.append(submodule)
            continue
        downloaded += bytes_of
        if depth < _DEEPEST:
            below = (replace(each, path=f"{submodule.path}/{each.path}") for each in inner)
            left.extend((each, depth + 1) for each in below)
        if len(left) + len(absent) > _MOST:
            return (*absent, *(each for each, _ in left)), downloaded
    return tuple(absent), downloaded


def _remaining(limits: Limits, destination: Path, downloaded: int, ends_at: float) -> Limits:
    """Return what one repository's bounds leave for its next submodule; raises `TooLarge` where that is nothing."""
    used = sum(path.stat().st_size for path in destination.rglob("*") if path.is_file())
    left = replace(
        limits,
        download_bytes=limits.download_bytes - downloaded,
        unpacked_bytes=limits.unpacked_bytes - used,
        seconds=ends_at - time.monotonic(),
    )
    if min(left.download_bytes, left.unpacked_bytes, left.seconds) <= 0:
        raise TooLarge("the submodules are more than the bounds of a repository: raise those to take them")
    return left


def _pin(asked: Remote, limits: Limits) -> str:
    if not asked.ref:
        commit = ask(asked, limits, patterns=["HEAD"]).get("HEAD", "")
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
        commit = _known(asked, limits, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    if not commit:
        raise _no_ref(asked)
    return commit


def _advertised(asked: Remote, limits: Limits) -> str:
    """Return what a branch or tag of that name points at; a tag wins, as it does for git."""
    ref = asked.ref
    flags = () if ref.startswith("refs/") else ("--heads", "--tags")
    found = ask(asked, limits, flags=flags, patterns=[ref, ref + _PEELED])
    names = [ref] if ref.startswith("refs/") else [f"refs/tags/{ref}", f"refs/heads/{ref}"]
    return next((found[each] for name in names for each in (name + _PEELED, name) if each in found), "")


def _known(asked: Remote, limits: Limits, *wanted: str) -> str:
    """Ask for commits without their trees, and return the one that the ref means."""
    flags = [each for each in wanted if each.startswith("--")]
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository.make(Path(folder) / "git", asked, limits, commit=asked.ref)
        repository.fetch([each for each in wanted if each not in flags], "--filter=tree:0", *flags)
        commit = repository.commit_of(asked.ref)
    if not commit:
        raise _no_ref(asked)
    return commit


def _no_ref(asked: Remote) -> NotFound:
    return NotFound(
        f"{asked.url} has no one branch, tag or commit {asked.ref}: check its spelling after the @",
        code="ref-not-found",
    )


PLUGIN: Final[Source] = Git()
