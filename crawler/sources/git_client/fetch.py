"""Fetch the files of a pinned commit, and those of its submodules."""

from __future__ import annotations

import shutil
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.errors import CrawlError, Misconfigured, TooLarge
from crawler.model import Checkout, Repo
from crawler.sources.archive.unpack import clear_folder
from crawler.sources.git_client import tree
from crawler.sources.git_client.remote import Remote, parse_git_locator
from crawler.sources.git_client.repository import BareRepository
from crawler.sources.git_client.submodules import Submodule
from crawler.sources.interface import Limits, SourceOptions

_MAX_SUBMODULE_DEPTH: Final = 3
_MAX_SUBMODULES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _WrittenCommit:
    """What came of a commit, its files aside."""

    submodules: tuple[Submodule, ...]
    """Those whose files are not there."""
    absent_sources: tuple[str, ...]
    """Paths of sources that a partial clone lacks itself."""
    downloaded_bytes: int


def fetch_commit(
    repo: Repo, destination: Path, options: SourceOptions, *, triage: bool = False
) -> Checkout:
    """Put the files of a pinned commit under `destination`, which is empty again on an error.

    With `triage`, raises `NoKernels` before the bulk is fetched where neither the names of the
    files, nor the few that they make worth a look, show a kernel. Raises `NotFound`,
    `NetworkDown`, `TooLarge`, and `BadArchive` for a malformed repository.
    """
    try:
        written = _write_repository(
            _parse_stored_url(repo.url),
            repo.commit,
            destination,
            options.limits,
            triage=triage,
        )
        if options.submodules:
            written = _fetch_submodules(written, destination, options.limits)
    except BaseException:
        clear_folder(destination)
        raise

    return Checkout(
        repo=repo,
        root=destination,
        submodules=tuple(map(str, written.submodules)),
        absent_sources=written.absent_sources,
        downloaded_bytes=written.downloaded_bytes,
    )


def _parse_stored_url(url: str) -> Remote:
    # A locator for a folder begins with `git+`, which a stored address lacks.
    return parse_git_locator(f"git+{url}" if url.startswith("file:") else url)


def _write_repository(
    remote: Remote,
    commit: str,
    destination: Path,
    limits: Limits,
    *,
    triage: bool = False,
) -> _WrittenCommit:
    """Write a commit's files."""
    # No file of the tree can be there: `tree` refuses paths with a part called `.git`.
    folder = destination / ".git"
    repository = BareRepository.create(folder, remote, limits, commit=commit)
    # Trees first: they decide which contents are worth fetching.
    repository.fetch([commit], "--depth=1", "--filter=blob:none")

    submodules, absent_sources = tree.write_commit_files(
        repository, commit, destination, triage=triage
    )
    downloaded_bytes = repository.measure_packs()
    shutil.rmtree(folder)

    return _WrittenCommit(
        submodules=submodules,
        absent_sources=absent_sources,
        downloaded_bytes=downloaded_bytes,
    )


def _fetch_submodules(
    parent: _WrittenCommit, destination: Path, limits: Limits
) -> _WrittenCommit:
    """Fetch a commit's submodules, and theirs.

    Return the whole, with those submodules that could not be fetched.
    """
    missing: list[Submodule] = []
    absent_sources = list(parent.absent_sources)
    submodule_bytes = 0
    deadline = time.monotonic() + limits.seconds
    # In breadth, so that a bound on their number leaves out the deepest.
    pending = deque((submodule, 1) for submodule in parent.submodules)

    while pending:
        submodule, depth = pending.popleft()
        try:
            remaining = _subtract_usage(limits, destination, submodule_bytes, deadline)
            written = _write_submodule(submodule, destination, remaining)
        except Misconfigured:
            raise
        except (CrawlError, FileExistsError, NotADirectoryError):
            # Somebody else's repository, which may be private or gone: units that include
            # its headers will show what is missing.
            shutil.rmtree(destination / submodule.path, ignore_errors=True)
            missing.append(submodule)
            continue

        submodule_bytes += written.downloaded_bytes
        absent_sources += [
            f"{submodule.path}/{path}" for path in written.absent_sources
        ]
        if depth < _MAX_SUBMODULE_DEPTH:
            for inner in written.submodules:
                path = f"{submodule.path}/{inner.path}"
                pending.append((replace(inner, path=path), depth + 1))
        if len(pending) + len(missing) > _MAX_SUBMODULES:
            missing.extend(submodule for submodule, _ in pending)
            break

    return _WrittenCommit(
        submodules=tuple(missing),
        absent_sources=tuple(absent_sources),
        downloaded_bytes=parent.downloaded_bytes + submodule_bytes,
    )


def _write_submodule(
    submodule: Submodule, destination: Path, limits: Limits
) -> _WrittenCommit:
    folder = destination / submodule.path
    folder.mkdir(parents=True, exist_ok=True)
    remote = parse_git_locator(submodule.url)

    return _write_repository(remote, submodule.commit, folder, limits)


def _subtract_usage(
    limits: Limits, destination: Path, downloaded_bytes: int, deadline: float
) -> Limits:
    """Return what a repository's limits leave for its next submodule.

    Raises `TooLarge` where nothing is left.
    """
    unpacked_bytes = sum(
        path.stat().st_size for path in destination.rglob("*") if path.is_file()
    )
    remaining = replace(
        limits,
        download_bytes=limits.download_bytes - downloaded_bytes,
        unpacked_bytes=limits.unpacked_bytes - unpacked_bytes,
        seconds=deadline - time.monotonic(),
    )

    is_used_up = (
        remaining.download_bytes <= 0
        or remaining.unpacked_bytes <= 0
        or remaining.seconds <= 0
    )

    if is_used_up:
        raise TooLarge(
            "the submodules are more than the bounds of a repository: "
            "raise those to take them"
        )
    return remaining
